"""Proves and refutes formulas over the integers.

A question is split into parts that share no unknown; each part is put into canonical form and looked up;
then the Omega test (`omega`) tries, then Z3. Equal questions get equal answers in any process.
Every model is checked by `evaluate` before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from time import perf_counter
from typing import Literal

from ..forms.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    BoolAtom,
    Element,
    Formula,
    Ge,
    Leaf,
    Lin,
    Model,
    Mul,
    Ratio,
    atoms,
    conj,
    disj,
    eq,
    evaluate,
    lin_atoms,
    neg,
    subst,
    value_of,
)
from . import omega, z3engine
from .answers import (
    Answer,
    Proved,
    Question,
    Refuted,
    Sat,
    Satisfiability,
    Stats,
    Unknown,
    Unsat,
    Words,
    listener,
    listening,
    recorder,
    recording,
    spelled,
)
from .elements import grounded, mentions_elements_of
from .facts import conjuncts, least_of, sorted_out
from .lemmas import lemmas
from .problem import COMPUTED, Problem, components, decode, encode, encode_exists, leaves_of, opaques_of, set_aside
from .witnesses import instances

__all__ = [
    "Answer",
    "Proved",
    "Question",
    "Refuted",
    "Sat",
    "Satisfiability",
    "Stats",
    "Unknown",
    "Unsat",
    "listening",
    "prove",
    "prove_exists",
    "recording",
    "satisfiable",
]

PROVED, UNSAT = Proved(), Unsat()
MAX_INSTANCES = 24
SMALL = (1, 2, 3)
"""What sizes are tried as where a counterexample is to be found and products stand in the way."""


def satisfiable(formulas: Iterable[Formula], obligation: str = "", facts: Iterable[Formula] = ()) -> Satisfiability:
    """Whether all `formulas` and `facts` can hold together; the model covers each of their unknowns. What many
    questions have in common are the facts. `obligation` tells who is `listening` in words what is asked, here and
    below.

    >>> from exo_strat.logic.forms.formula import V, eq
    >>> from exo_strat.ir.names import Sym
    >>> satisfiable([eq(Lin.of(V(Sym("i", 1))) * 2, 7)])
    Unsat()
    """
    begin = perf_counter()
    formulas, facts = tuple(formulas), facts if isinstance(facts, tuple) else tuple(facts)
    known = grounded(facts, conj(*formulas)) if facts else ()
    answer = _satisfiable(formulas if facts else grounded(formulas), known)
    _tell((*facts, *formulas), FALSE, (), _as_answer(answer), obligation, begin)
    return answer


def _tell(
    facts: Iterable[Formula], goal: Formula, chosen: Iterable[Atom], answer: Answer, obligation: Words, begin: float
) -> None:
    """Tells who listens what was asked, and since when."""
    heard = listener()
    if heard is not None:
        took = perf_counter() - begin
        heard.append(Question(tuple(facts), goal, tuple(chosen), answer, spelled(obligation), took))


def _as_answer(answer: Satisfiability) -> Answer:
    """What an answer says of the claim that the formulas imply `FALSE`."""
    match answer:
        case Unsat():
            return PROVED
        case Sat(model=m):
            return Refuted(m)
        case Unknown():
            return answer


def _satisfiable(formulas: Iterable[Formula], facts: tuple[Formula, ...] = ()) -> Satisfiability:
    asked = conjuncts(formulas)
    known = sorted_out(facts, frozenset([a for f in asked for a in opaques_of(f)]))
    if known.absurd or FALSE in asked:
        return UNSAT
    kept, aside = set_aside(asked, known.opaques)
    near, others = known.beside(kept)
    model: dict[Leaf, int | bool] = {}
    unknown: Unknown | None = None
    for group in (*components([*kept, *near]), *others):
        answer = _solve_group(tuple(group))
        if isinstance(answer, Unsat):
            return answer
        if isinstance(answer, Unknown):
            unknown = answer if unknown is None else unknown
        else:
            model.update(answer.model)
    if unknown is not None:
        return unknown
    for d in (*aside, *known.aside):
        for leaf in lin_atoms(d.value):
            if not isinstance(leaf, COMPUTED):
                model.setdefault(leaf, 0)
        model[d.unknown] = value_of(d.value, model)
    return Sat(model)


def prove(facts: Iterable[Formula], goal: Formula, obligation: Words = "") -> Answer:
    """Whether `goal` holds wherever `facts` hold.

    Facts that contradict each other prove everything. The model of a `Refuted` covers each unknown of the
    facts and the goal.

    >>> from exo_strat.logic.forms.formula import V, ge, lt
    >>> from exo_strat.ir.names import Sym
    >>> i, n = Lin.of(V(Sym("i", 1))), Lin.of(V(Sym("n", 2)))
    >>> prove([ge(n, 1), ge(i, 0), lt(i, n)], lt(i, n))
    Proved()
    >>> prove([ge(n, 1), ge(i, 0), lt(i, n)], lt(i + 1, n))
    Refuted(model={i_1: 0, n_2: 1})
    """
    begin = perf_counter()
    facts = facts if isinstance(facts, tuple) else tuple(facts)
    answer = _prove(facts, goal)
    _tell(facts, goal, (), answer, obligation, begin)
    return answer


@lru_cache(maxsize=1 << 14)
def _prove(facts: tuple[Formula, ...], goal: Formula) -> Answer:
    facts = grounded(facts, goal)
    unknown: Unknown | None = None
    for part in goal.fs if isinstance(goal, And) else (goal,):
        answer = _prove_one(facts, part)
        if isinstance(answer, Refuted):
            missing = {a: 0 for a in leaves_of(goal) if a not in answer.model}
            return Refuted({**answer.model, **missing}) if missing else answer
        if isinstance(answer, Unknown):
            unknown = answer if unknown is None else unknown
    return PROVED if unknown is None else unknown


def _prove_one(facts: tuple[Formula, ...], goal: Formula) -> Answer:
    if goal == TRUE or _stated(facts, goal):
        return PROVED
    match _satisfiable((neg(goal),), facts):
        case Unsat():
            return PROVED
        case Sat(model=m):
            return Refuted(dict(sorted(m.items(), key=lambda item: _shown(item[0]))))
        case Unknown() as u:
            return u


def _stated(facts: tuple[Formula, ...], goal: Formula) -> bool:
    """Whether a fact says the same as the goal, or more of the same form."""
    if isinstance(goal, Ge):
        least = least_of(facts).get(goal.lin.terms)
        return least is not None and least <= goal.lin.const
    return goal in facts


def _shown(leaf: Leaf) -> tuple[object, ...]:
    return leaf.order if isinstance(leaf, Atom) else (9, 0, 0, repr(leaf))


@lru_cache(maxsize=1 << 14)
def _solve_group(group: tuple[Formula, ...]) -> Satisfiability:
    """Decides connected formulas. Products are plain unknowns first; where that is not enough, lemmas about
    them are added, and then their factors are fixed."""
    answer = _solve_linear(group)
    if not isinstance(answer, Sat) or _verified(group, answer):
        return answer
    if not any(isinstance(a, Mul | Ratio) for f in group for a in atoms(f)):
        raise AssertionError(f"the solver's model does not satisfy the question: {answer.model} {group}")
    known = list(group)
    for more in lemmas(group):
        if more:
            known += more
            answer = _solve_linear(known)
            if not isinstance(answer, Sat) or _verified(group, answer):
                return answer
    if any(isinstance(a, Element) for f in group for a in atoms(f)):
        return Unknown("it depends on products of unknowns and on elements")
    for pins in _pins(group, answer.model):
        found = _satisfiable([subst(f, {a: Lin(v) for a, v in pins.items()}) for f in group])
        if isinstance(found, Sat):
            values: dict[Leaf, int | bool] = {a: 0 for f in group for a in leaves_of(f)}
            values.update(found.model)
            values.update(pins.items())
            whole = Sat(values)
            if _verified(group, whole):
                return whole
    return Unknown("it depends on products of unknowns")


def _pins(group: Sequence[Formula], model: Model) -> Iterator[dict[Atom, int]]:
    """Values of unknowns with which no products and quotients of unknowns are left: those of a model, and if there are
    quotients small ones, as those of the model are of products that need not be products."""
    inside = dict.fromkeys(a for f in group for a in atoms(f))
    ratios = [a for a in inside if isinstance(a, Ratio)]
    found = {b for a in ratios for b in lin_atoms(a.by)}
    for a in inside:
        if isinstance(a, Mul):
            plain = [b for b in a.factors if not isinstance(b, COMPUTED)]
            computed = [b for b in a.factors if isinstance(b, COMPUTED)]
            found.update(plain if len(computed) < 2 else (c for b in computed for c in lin_atoms(Lin.of(b))))
    pinned = sorted((a for a in found if not isinstance(a, COMPUTED)), key=lambda a: a.order)
    if pinned:
        yield {a: int(model[a]) for a in pinned}
    for small in SMALL if pinned and ratios else ():
        yield dict.fromkeys(pinned, small)


def _verified(group: Sequence[Formula], answer: Sat) -> bool:
    return all(evaluate(f, answer.model) for f in group)


def _solve_linear(group: Sequence[Formula]) -> Satisfiability:
    problem, leaves = encode(group)
    stats = recorder()
    if stats is not None:
        stats.asked += 1
    values = _decide(problem)
    if values is False:
        return UNSAT
    return Unknown("the solver's limit was reached") if values is None else Sat(decode(values, leaves))


@lru_cache(maxsize=1 << 16)
def _decide(problem: Problem) -> list[int] | Literal[False] | None:
    stats = recorder()
    values = omega.solve(problem)
    if values is not None:
        if stats is not None:
            stats.omega += 1
        return values
    if stats is not None:
        stats.z3 += 1
    return z3engine.solve(problem)


def prove_exists(facts: Iterable[Formula], exists: Iterable[Atom], goal: Formula, obligation: str = "") -> Answer:
    """Whether wherever `facts` hold there are values of `exists` for which `goal` holds.

    The facts must not mention `exists` (`ValueError`). Witnesses are read off the goal's equations and
    bounds, quotients and remainders among them; Z3 with quantifiers is the last resort. A model of
    `Refuted` is one for which no values of `exists` satisfy the goal.
    """
    begin = perf_counter()
    facts, chosen = tuple(facts), tuple(exists)
    if any(a in chosen for f in facts for a in leaves_of(f)):
        raise ValueError("facts must not mention the unknowns that the goal may choose")
    answer = _prove_exists(facts, chosen, goal)
    _tell(facts, goal, chosen, answer, obligation, begin)
    return answer


def _prove_exists(facts: tuple[Formula, ...], chosen: Sequence[Atom], goal: Formula) -> Answer:
    found = tuple(islice(instances(goal, chosen), MAX_INSTANCES))
    whole = _prove(facts, found[0] if found else FALSE)
    if not whole and any(_prove(facts, f) for f in found[1:] if _has_ratio(f)):
        return PROVED
    if isinstance(whole, Refuted) and len(found) > 1:
        whole = _prove(facts, disj(*found))
    if whole:
        return whole
    if mentions_elements_of(goal, chosen):
        return Unknown("it depends on elements in places that are to be found")
    if isinstance(whole, Refuted):
        model = {a: v for a, v in whole.model.items() if a not in chosen}
        missing = {a: 0 for a in leaves_of(goal) if a not in model and a not in chosen}
        fixed = [_is(a, v) for a, v in {**model, **missing}.items()]
        if isinstance(_satisfiable([*fixed, goal]), Unsat):
            return Refuted({**model, **missing})
    if _multiplies(goal, chosen):  # to the engine a product is any number, whatever is chosen
        return Unknown("it depends on products of what is to be found")
    flat = conjuncts(grounded(facts, goal))
    if z3engine.valid_exists(*encode_exists(flat, goal, chosen)):
        return PROVED
    return Unknown("no witness was found within the solver's limit")


def _multiplies(f: Formula, chosen: Sequence[Atom]) -> bool:
    """Whether a formula has a product, or a quotient by a form, that depends on some unknowns."""
    made = (a for a in atoms(f) if isinstance(a, Mul | Ratio))
    return any(x in chosen for a in made for x in lin_atoms(Lin.of(a)))


def _has_ratio(f: Formula) -> bool:
    return any(isinstance(a, Ratio) for a in atoms(f))


def _is(leaf: Leaf, value: int | bool) -> Formula:
    """That an unknown has the given value."""
    if isinstance(leaf, BoolAtom):
        return leaf if value else neg(leaf)
    return eq(Lin.of(leaf), int(value))
