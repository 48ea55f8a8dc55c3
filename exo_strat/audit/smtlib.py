"""Questions to the solver as SMT-LIB 2.6 text.

This is a second translation, made for a second solver. It goes from `Formula` straight to text and has
nothing in common with `logic.solver.problem` and the engines there: a floor quotient is `div` by a positive literal
(which SMT-LIB defines as the floor), a product is `*`, the choice of witnesses is a quantifier, as is a statement about
all elements of a buffer, which is a function, and nothing is split, tightened, looked up or set aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

from ..logic.forms import (
    And,
    Atom,
    BoolAtom,
    Element,
    Eq,
    Every,
    Formula,
    Ge,
    Leaf,
    Least,
    Lin,
    Mul,
    Not,
    Opaque,
    Or,
    Quot,
    Ratio,
    Truth,
    V,
    atoms,
    lin_atoms,
)
from ..logic.solver import Proved, Question, Refuted

Status: TypeAlias = Literal["sat", "unsat"]
Names: TypeAlias = dict[Leaf, str]


def expected(q: Question) -> Status | None:
    """What a second solver must say of `script(q)`: None if the solver gave up, so that nothing rests on it."""
    match q.answer:
        case Proved():
            return "unsat"
        case Refuted():
            return "sat"
        case _:
            return None


def script(q: Question, comments: Iterable[str] = ()) -> str:
    """A question as a script that is unsatisfiable exactly if what was asked is true.

    Of a refuted question it also asserts the counterexample: then it is satisfiable exactly if that is one.
    The solver is not told which of the two is `expected`.

    >>> from exo_strat.ir.names import Sym
    >>> from exo_strat.logic.forms.formula import V, ge, lt
    >>> i, n = Lin.of(V(Sym("i", 1))), Lin.of(V(Sym("n", 2)))
    >>> print(script(Question((ge(i, 0), lt(i, n)), ge(n, 1), (), Proved()), ["why n is positive"]))
    ; why n is positive
    (set-info :smt-lib-version 2.6)
    (set-logic QF_LIA)
    (declare-const |i_1| Int)
    (declare-const |n_2| Int)
    (assert (>= |i_1| 0))
    (assert (>= (+ (* (- 1) |i_1|) |n_2| (- 1)) 0))
    (assert (not (>= (+ |n_2| (- 1)) 0)))
    (check-sat)
    (exit)
    <BLANKLINE>
    """
    head = [f"; {line}".rstrip() for c in comments for line in c.splitlines()]
    return "\n".join([*head, "(set-info :smt-lib-version 2.6)", *_body(q, _readable(q)), "(exit)", ""])


def canonical(q: Question) -> str:
    """The script with numbers for names: equal for questions that differ in names only."""
    return "\n".join(_body(q, {leaf: f"x{k}" for k, leaf in enumerate(_unknowns(q))}))


# -- scripts ------------------------------------------------------------------------------------------


def _body(q: Question, names: Names) -> list[str]:
    free = [leaf for leaf in _unknowns(q) if leaf not in q.chosen]
    lines = [f"(set-logic {_logic(q)})"]
    lines += [f"(declare-const {names[leaf]} {_sort(leaf)})" for leaf in free]
    lines += [f"(declare-fun {name} ({' '.join(['Int'] * rank)}) Int)" for name, rank in _buffers(q).items()]
    for f in dict.fromkeys(_facts(q)):
        lines.append(f"(assert {_of_all(q, f, names) if isinstance(f, Every) else _formula(f, names)})")
    lines.append(f"(assert (not {_goal(q, names)}))")
    if isinstance(q.answer, Refuted):
        model = q.answer.model
        known = [leaf for leaf in (*free, *_elements(q)) if leaf in model]
        lines += [f"(assert (= {_term(leaf, names)} {_value(model[leaf])}))" for leaf in known]
    lines.append("(check-sat)")
    return lines


def _goal(q: Question, names: Names) -> str:
    goal = _formula(q.goal, names)
    bound = " ".join(f"({names[a]} {_sort(a)})" for a in _bound(q))
    return f"(exists ({bound}) {goal})" if bound else goal


def _bound(q: Question) -> list[Atom]:
    """The unknowns that the goal may choose and that it mentions."""
    mentioned = set(atoms(q.goal))
    return [a for a in q.chosen if a in mentioned]


def _unknowns(q: Question) -> list[Leaf]:
    """Every unknown of a question, in order; quotients, products and minima are terms, not unknowns, and elements are
    values of functions."""
    found = dict.fromkeys(leaf for f in (*q.facts, q.goal) for leaf in atoms(f))
    return [leaf for leaf in found if not isinstance(leaf, Quot | Ratio | Mul | Least | Element)]


def _elements(q: Question) -> list[Element]:
    """The elements of buffers that a question mentions, and could know the values of."""
    found = dict.fromkeys(leaf for f in (*q.facts, q.goal) for leaf in atoms(f) if isinstance(leaf, Element))
    return [e for e in found if not any(a in q.chosen for x in e.index for a in lin_atoms(x))]


def _buffers(q: Question) -> dict[str, int]:
    """The buffers of integers that a question is about: functions from places to numbers, with the number of their
    dimensions."""
    found = {_function(a): len(a.index) for f in (*q.facts, q.goal) for a in atoms(f) if isinstance(a, Element)}
    shapes = {f.sym: len(f.forms) for f in _facts(q) if isinstance(f, Every) and f.kind == "shape"}
    return found | {_function(Element(s, ())): rank for s, rank in shapes.items()}


def _function(a: Element) -> str:
    """The name of the function that a buffer is at a moment. No unknown's name begins so."""
    when = "" if a.moment is None else f" at {a.moment!r}"
    return f"|[] {a.sym!r}{when}|".replace("\n", " ")


def _facts(q: Question) -> list[Formula]:
    """What is known, with statements about all elements by themselves."""
    joined = (f for f in q.facts if isinstance(f, And) and any(isinstance(g, Every) for g in f.fs))
    apart = frozenset(joined)
    return [g for f in q.facts for g in (f.fs if isinstance(f, And) and f in apart else (f,))]


def _shape(q: Question, f: Every) -> tuple[Lin, ...] | None:
    return next((g.forms for g in _facts(q) if isinstance(g, Every) and (g.kind, g.sym) == ("shape", f.sym)), None)


def _of_all(q: Question, f: Every, names: Names) -> str:
    """A statement about all elements of a buffer."""
    shape = _shape(q, f)
    if shape is None or f.kind == "shape":
        return "true"
    places = [[f"{letter}{d}" for d in range(len(shape))] for letter in "ij"[: 1 if f.kind == "within" else 2]]
    inside = [
        f"(and (<= 0 {k}) (< {k} {_lin(n, names)}))" for place in places for k, n in zip(place, shape, strict=True)
    ]
    one, *others = [_value_at(_function(Element(f.sym, ())), place) for place in places]
    if f.kind == "within":
        lo, hi = (_lin(x, names) for x in f.forms)
        claim, given = f"(and (<= {lo} {one}) (< {one} {hi}))", inside
    elif f.kind == "distinct":
        same = [f"(= {i} {j})" for i, j in zip(*places, strict=True)]
        claim, given = f"(not (= {one} {others[0]}))", [*inside, f"(not {_apply('and', [*same, 'true'])})"]
    else:
        claim, given = f"(<= {one} {others[0]})", [*inside, f"(<= {places[0][0]} {places[1][0]})"]
    bound = " ".join(f"({k} Int)" for place in places for k in place)
    whole = f"(=> {_apply('and', [*given, 'true'])} {claim})"
    return f"(forall ({bound}) {whole})" if bound else whole


def _value_at(function: str, place: Sequence[str]) -> str:
    return f"({function} {' '.join(place)})" if place else function


def _logic(q: Question) -> str:
    """The smallest logic that has all that is used. `div` by a literal counts as linear, as it does for
    Z3, cvc5 and others, though not for the letter of the standard: told that it is not, cvc5 leaves out what it
    knows of linear equations, and gives up on whether a multiple of 4 is even."""
    linear = not any(isinstance(leaf, Mul | Ratio) for f in (*q.facts, q.goal) for leaf in atoms(f))
    quantified = _bound(q) or any(isinstance(f, Every) and f.kind != "shape" for f in _facts(q))
    return f"{'' if quantified else 'QF_'}{'UF' if _buffers(q) else ''}{'LIA' if linear else 'NIA'}"


# -- terms --------------------------------------------------------------------------------------------


def _formula(f: Formula, names: Names) -> str:
    match f:
        case Truth(value=v):
            return "true" if v else "false"
        case Ge(lin=x):
            return f"(>= {_lin(x, names)} 0)"
        case Eq(lin=x):
            return f"(= {_lin(x, names)} 0)"
        case BoolAtom():
            return names[f]
        case Not(f=g):
            return f"(not {_formula(g, names)})"
        case And(fs=fs):
            return _apply("and", [_formula(g, names) for g in fs])
        case Or(fs=fs):
            return _apply("or", [_formula(g, names) for g in fs])
        case Every():
            raise TypeError(f"a statement about all elements of {f.sym} stands among the facts only")


def _lin(x: Lin, names: Names) -> str:
    parts = [a if k == 1 else f"(* {_value(k)} {a})" for a, k in ((_atom(a, names), k) for a, k in x.terms)]
    if x.const or not parts:
        parts.append(_value(x.const))
    return parts[0] if len(parts) == 1 else _apply("+", parts)


def _atom(a: Atom, names: Names) -> str:
    match a:
        case Quot(lin=x, c=c):
            if c < 1:
                raise ValueError(f"{a!r}: `div` is the floor only for positive divisors")
            return f"(div {_lin(x, names)} {c})"
        case Ratio(lin=x, by=by):
            divisor = _lin(by, names)
            return f"(div {_lin(x, names)} (ite (< {divisor} 1) 1 {divisor}))"
        case Least(lin=x):
            least = _lin(x, names)
            return f"(ite (< {least} 0) {least} 0)"
        case Mul(factors=fs):
            return _apply("*", [_atom(f, names) for f in fs])
        case Element(index=index):
            return _value_at(_function(a), [_lin(x, names) for x in index])
        case _:
            return names[a]


def _term(leaf: Leaf, names: Names) -> str:
    return names[leaf] if isinstance(leaf, BoolAtom) else _atom(leaf, names)


def _apply(op: str, args: Sequence[str]) -> str:
    return f"({op} {' '.join(args)})"


def _value(v: int | bool) -> str:
    """A literal; SMT-LIB has no negative ones."""
    if isinstance(v, bool):
        return "true" if v else "false"
    return str(v) if v >= 0 else f"(- {-v})"


def _sort(leaf: Leaf) -> str:
    return "Bool" if isinstance(leaf, BoolAtom) else "Int"


# -- names --------------------------------------------------------------------------------------------


def _readable(q: Question) -> Names:
    """A quoted symbol for each unknown, close to how messages spell it; no two are equal."""
    names: Names = {}
    taken: set[str] = set()
    for leaf in _unknowns(q):
        spelled = _spelled(leaf).translate(str.maketrans("|\\\n", "!/ "))
        name = _first_free(spelled, taken.__contains__)
        taken.add(name)
        names[leaf] = f"|{name}|"
    return names


def _first_free(name: str, taken: Callable[[str], bool]) -> str:
    candidate, n = name, 2
    while taken(candidate):
        candidate, n = f"{name} #{n}", n + 1
    return candidate


def _spelled(leaf: Leaf) -> str:
    match leaf:
        case V(sym=s, instance=instance):
            return f"{s!r}{instance}"
        case Opaque(key=key) | BoolAtom(key=key):
            return " ".join(str(part) if isinstance(part, str) else repr(part) for part in _parts(key))
        case _:
            return repr(leaf)


def _parts(key: object) -> tuple[object, ...]:
    return key if isinstance(key, tuple) else (key,)
