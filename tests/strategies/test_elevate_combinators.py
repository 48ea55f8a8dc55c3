"""ELEVATE's combinators: equations and laws on random strategies, and what is not as in ELEVATE on purpose.

Strategies are drawn from an algebra of small rules, whose modes of loops go round: `seq -> vec -> par -> seq`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from returns.result import Success

from exo_strat import (
    Cursor,
    Exhausted,
    ForCursor,
    Op,
    Proc,
    attempt,
    fix,
    guard,
    parallelize_loop,
    proc_from_source,
    traversals,
    unroll_loop,
    when,
    where,
)
from exo_strat.testing import examples as cases
from strategies.elevate import (
    InMode,
    Traversal,
    all_,
    allBottomup,
    allInnermost,
    allOutermost,
    alltd,
    allTopdown,
    applyNTimes,
    body,
    bottomUp,
    contains,
    downup,
    downup2,
    fail,
    fmap,
    id_,
    if_,
    ifThenElse,
    innermost,
    isEqualTo,
    isMap,
    isReduce,
    leftChoice,
    liftPredicate,
    mapNest,
    normalize,
    not_,
    one,
    outermost,
    position,
    repeat,
    repeatNTimes,
    seq,
    skip,
    some,
    somebu,
    sometd,
    topDown,
    try_,
    tryAll,
)

# -- programs and strategies --------------------------------------------------------------------------

NESTS = """
def one_loop(x: f32[8]):
    for i in seq(0, 2):
        x[i] = 0.0

def nested(x: f32[8]):
    for i in seq(0, 2):
        for j in vec(0, 2):
            x[2 * i + j] = 1.0

def side_by_side(x: f32[8]):
    for i in seq(0, 2):
        for j in seq(0, 2):
            x[2 * i + j] = 1.0
        for k in par(0, 2):
            x[4 + 2 * i + k] = 1.0

def branching(x: f32[8]):
    for i in vec(0, 2):
        if i < 1:
            for j in par(0, 2):
                x[j] = 2.0
        else:
            x[7] = 3.0
    x[6] = 4.0

def three(x: f32[8]):
    for a in seq(0, 2):
        x[a] = 0.0
    for b in par(0, 2):
        x[2 + b] = 0.0
    for c in seq(0, 2):
        x[4 + c] = 0.0
"""
PROGRAMS = [proc_from_source(text) for text in NESTS.strip().split("\n\n")]
THREE = PROGRAMS[-1]
ROUND = {"seq": "vec", "vec": "par", "par": "seq"}


def step(mode: str) -> Op:
    """The loop in focus from one mode into the next."""
    return when(InMode(mode), parallelize_loop(ROUND[mode]))


seq_to_vec, vec_to_par, par_to_seq = (step(mode) for mode in ROUND)
atoms = st.sampled_from([id_, fail, seq_to_vec, vec_to_par, par_to_seq, unroll_loop()])
ops = atoms | st.recursive(
    atoms,
    lambda s: st.one_of(
        st.tuples(s, s).map(lambda t: seq(*t)),
        st.tuples(s, s).map(lambda t: leftChoice(*t)),
        *[s.map(t) for t in (try_, all_, one, some, not_, topDown)],
    ),
    max_leaves=4,
)



def places(p: Proc) -> list[Cursor]:
    return [p.root(), *traversals.nlr(p.root())]


def applies(s: Op, p: Proc) -> int:
    """At how many places a strategy succeeds."""
    return sum(isinstance(s(p, c), Success) for c in places(p))


Law = tuple[Callable[..., Op], Callable[..., Op]]


def loop(p: Proc, name: str) -> ForCursor:
    found = p.find_loop(name)
    assert isinstance(found, ForCursor)
    return found


def observe(op: Op, p: Proc) -> object:
    """The program and the place that a strategy leads to; its failure's kind if it fails."""
    outcome = op(p)
    if not isinstance(outcome, Success):
        return type(outcome.failure()) if isinstance(outcome.failure(), Exhausted) else None
    q, c = outcome.unwrap()
    return str(q), c.place()


def compare(law: Law, arity: int, examples: int) -> Counter[str]:
    """How often the sides of a law agreed, differed and succeeded."""
    seen: Counter[str] = Counter()

    @settings(max_examples=cases(examples), database=None)
    @given(st.tuples(*[ops] * arity), st.sampled_from(PROGRAMS))
    def run(args: tuple[Op, ...], p: Proc) -> None:
        left, right = (observe(side(*args), p) for side in law)
        if Exhausted not in (left, right):
            seen["equal" if left == right else "different"] += 1
            seen["succeeded"] += left is not None

    run()
    return seen


def at_each_place(s: Op) -> Op:
    """s at the first place, by number, where it succeeds. No program here has more than seven."""
    return reduce(leftChoice, (position(n)(s) for n in range(7)))


def innermost_first(s: Op) -> Op:
    """What others call `innermost`: `x = bottomup(try(s ; x))`, a fixpoint, from the inside out."""
    return fix(lambda x: allBottomup(try_(seq(s, x))))


only_maps = seq(isMap, seq_to_vec)

EVERYWHERE = (topDown, bottomUp, allTopdown, allBottomup, tryAll, downup, alltd, sometd, somebu, skip(0), position(0))

HELD: dict[str, Law] = {
    "downup2 with one": (lambda p: downup2(p, id_), lambda p: allTopdown(p)),
    "downup2 is two passes": (lambda p, q: seq(allTopdown(p), allBottomup(q)), lambda p, q: downup2(p, q)),
    "downup": (lambda s: downup(s), lambda s: downup2(s, s)),
    "alltd": (lambda s: alltd(s), lambda s: leftChoice(s, all_(alltd(s)))),
    "sometd": (lambda s: sometd(s), lambda s: leftChoice(s, some(sometd(s)))),
    "somebu": (lambda s: somebu(s), lambda s: leftChoice(some(somebu(s)), s)),
    "tryAll": (lambda s: tryAll(s), lambda s: allBottomup(try_(s))),
    "tryAll needs no nested try": (lambda s: tryAll(s), lambda s: tryAll(try_(s))),
    "topDown": (lambda s: topDown(s), lambda s: leftChoice(s, one(topDown(s)))),
    "bottomUp": (lambda s: bottomUp(s), lambda s: leftChoice(one(bottomUp(s)), s)),
    "skip(0)": (lambda s: skip(0)(s), lambda s: topDown(s)),
    "skip(1) needs a first place": (lambda s: where(skip(1)(s)), lambda s: seq(where(skip(1)(s)), where(skip(0)(s)))),
    "position": (lambda s: topDown(seq(isMap, s)), lambda s: at_each_place(seq(isMap, s))),
    "ifThenElse": (lambda c, t, e: ifThenElse(where(c), t, e), lambda c, t, e: guard(where(c), attempt(t), e)),
    "if": (lambda c, t: if_(c, t), lambda c, t: ifThenElse(c, t, id_)),
    "repeatNTimes": (lambda s: repeatNTimes(2)(s), lambda s: seq(s, s)),
    "repeatNTimes(0)": (lambda s: repeatNTimes(0)(s), lambda s: id_),
    "applyNTimes": (lambda s: applyNTimes(2, one)(s), lambda s: one(one(s))),
    "normalize": (lambda: normalize(only_maps), lambda: repeat(topDown(only_maps))),
    "normalize leaves nothing": (
        lambda: normalize(only_maps),
        lambda: seq(normalize(only_maps), not_(topDown(only_maps))),
    ),
    "a fixpoint from inside": (lambda: innermost_first(only_maps), lambda: repeat(bottomUp(only_maps))),
    **{f"{t}(id)": (lambda t=t: t(id_), lambda: id_) for t in EVERYWHERE},
    "outermost": (lambda p, s: outermost(where(p))(s), lambda p, s: topDown(seq(where(p), s))),
    "innermost": (lambda p, s: innermost(where(p))(s), lambda p, s: bottomUp(seq(where(p), s))),
    "one place or another": (lambda s: where(outermost(isMap)(s)), lambda s: where(innermost(isMap)(s))),
    "allOutermost": (lambda s: where(allOutermost(isMap)(s)), lambda s: where(outermost(isMap)(s))),
    "allInnermost": (
        lambda s: where(allInnermost(isMap)(s)),
        lambda s: seq(where(allInnermost(isMap)(s)), where(innermost(isMap)(s))),
    ),
    "mapNest": (lambda: topDown(mapNest(2)), lambda: topDown(seq(isMap, body(isMap)))),
}  # fmt: skip

REFUTED: dict[str, Law] = {
    "topDown is bottomUp": (lambda s: topDown(s), lambda s: bottomUp(s)),
    "skip goes on": (lambda s: skip(1)(s), lambda s: seq(topDown(s), topDown(s))),
    "outermost is allOutermost": (lambda s: outermost(isMap)(s), lambda s: allOutermost(isMap)(s)),
}


def arity(law: Law) -> int:
    return law[0].__code__.co_argcount - len(law[0].__defaults__ or ())


@pytest.mark.parametrize("name", HELD)
def test_law_holds(name: str) -> None:
    law = HELD[name]
    seen = compare(law, arity(law), 60)
    assert seen["different"] == 0
    assert seen["succeeded"] >= 2, f"vacuous: {dict(seen)}"


@pytest.mark.parametrize("name", REFUTED)
def test_refuted_law_has_a_counterexample(name: str) -> None:
    law = REFUTED[name]
    assert compare(law, arity(law), 300)["different"], "is the generator vacuous?"


ONE_REDEX = [(p, s) for p in PROGRAMS for s in (seq_to_vec, vec_to_par) if applies(s, p) == 1]


@pytest.mark.parametrize(("p", "s"), ONE_REDEX, ids=lambda x: x.name() if isinstance(x, Proc) else str(x))
def test_on_a_single_redex_all_traversals_agree(p: Proc, s: Op) -> None:
    orders = (topDown, bottomUp, alltd, sometd, somebu, tryAll, lambda x: allTopdown(try_(x)), skip(0))
    assert len({str(t(s)(p).unwrap()[0]) for t in orders}) == 1


# -- where ELEVATE has defects ------------------------------------------------------------------------


def loops_in_mode(p: Proc, mode: str) -> list[str]:
    return [c.name() for c in p.root().descendants() if isinstance(c, ForCursor) and c.mode() == mode]


def result(op: Op, p: Proc) -> Proc:
    q: Proc = op(p).unwrap()[0]
    return q


def test_skip_counts_places_of_the_whole_strategy() -> None:
    # f ; g fails at b in f and succeeds at a and c. ELEVATE's skip goes on with f or g alone.
    whole = seq(seq_to_vec, vec_to_par)
    assert loops_in_mode(result(skip(1)(whole), THREE), "par") == ["b", "c"]
    assert loops_in_mode(result(skip(1)(whole), THREE), "seq") == ["a"]


def test_skip_past_the_last_place_says_so() -> None:
    assert "there is no place number 2 where" in skip(2)(seq_to_vec)(THREE).failure().message


def test_a_congruence_that_does_not_fit_names_itself_not_its_argument() -> None:
    failure = body(seq_to_vec)(THREE, loop(THREE, "a").body()[0]).failure()
    assert "body" in str(failure.op) and "parallelize_loop" not in str(failure.op)
    assert "has no body" in str(failure)


def test_a_failure_inside_a_sequence_says_what_failed_and_where() -> None:
    failure = seq(seq_to_vec, fail)(THREE, loop(THREE, "a")).failure()
    assert failure.op == fail
    assert "for a in vec" in str(failure)


def test_repeating_what_never_fails_is_refused() -> None:
    assert isinstance(repeat(try_(par_to_seq))(THREE).failure(), Exhausted)


def test_nothing_recurses_on_the_stack() -> None:
    deep = applyNTimes(2000, try_)(seq_to_vec)
    assert loops_in_mode(result(deep @ topDown, THREE), "seq") == ["a", "c"]


# -- predicates and values ----------------------------------------------------------------------------


def test_equality_is_that_of_object_code() -> None:
    here = loop(THREE, "b")
    assert isinstance(isEqualTo("for b in _: _")(THREE, here), Success)
    assert isEqualTo("for a in _: _")(THREE, here).failure()
    assert isinstance(contains("x[_] = 0.0")(THREE), Success)
    assert contains("x[_] += _")(THREE).failure()


def test_a_lifted_predicate_changes_nothing() -> None:
    is_loop = liftPredicate(lambda c: isinstance(c, ForCursor))
    assert is_loop(THREE, loop(THREE, "a")).unwrap()[0] is THREE
    assert is_loop(THREE).failure()


def test_traversals_are_values() -> None:
    assert outermost(mapNest(2)) == outermost(mapNest(2)) != innermost(mapNest(2))
    assert repr(skip(3)) == "skip(3)" and repr(topDown) == "topDown"
    assert seq_to_vec @ topDown == topDown(seq_to_vec)
    assert len({topDown, bottomUp, topDown}) == 2
    assert fmap == body and isinstance(fmap, Traversal)


REDUCTIONS = proc_from_source("""
def rows(y: f32[4], a: f32[4, 4], r: f32):
    for i in seq(0, 4):
        t: f32
        t = 0.0
        for j in seq(0, 4):
            t += a[i, j]
        y[i] = t
    for k in seq(0, 4):
        r += y[k]
""")


def test_a_reduction_sums_into_what_lives_outside_of_it() -> None:
    def holds(p: Op) -> list[str]:
        loops = [c for c in REDUCTIONS.root().descendants() if isinstance(c, ForCursor)]
        return [c.name() for c in loops if isinstance(p(REDUCTIONS, c), Success)]

    assert holds(isReduce) == ["j", "k"]
    assert holds(isMap) == ["i"]
    assert holds(mapNest(2)) == []
