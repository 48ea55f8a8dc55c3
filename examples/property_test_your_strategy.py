"""A strategy of one's own and a generator of kernels, each with a bug that hypothesis finds and makes small.

    python examples/property_test_your_strategy.py

No strategy changes what a program computes, as every rewrite is proved or refused. But a strategy may do something
else than it promises; and code that was not made by rewriting may be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from returns.result import Success

from exo_strat import *
from exo_strat.ops.traversals import all_
from exo_strat.testing import Miscompiled, assert_equivalent, check_strategy, every, procs

same_every_time = settings(max_examples=50, deadline=None, derandomize=True, database=None)


# A strategy, its promise, and programs to try it on


@strategy
def block(p: Proc, c: ForCursor, size: int) -> Script:
    """`for i: for j: s  ~>  for io: for j: for ii: s`. Focus: the outer loop. Returns the loop io."""
    p, outer = yield divide_loop(size, ("io", "ii"), tail="perfect")
    yield at(p.find_loop("ii"), reorder_loops())  # the bug: this is the first ii of the whole procedure
    return outer


@strategy
def block_here(p: Proc, c: ForCursor, size: int) -> Script:
    """The same without the bug: the ii inside of io."""
    p, outer = yield divide_loop(size, ("io", "ii"), tail="perfect")
    yield at(outer.body()[0], reorder_loops())
    return outer


promise = expect("seq io _ > seq _ > seq ii 4 > ...")


def nests(depths: Sequence[int]) -> Proc:
    """A procedure with a nest of loops for each number, so many loops deep."""
    lines = ["def nests(x: f32[8, 8, 8]):"]
    for depth in depths:
        names = "ijk"[:depth]
        lines += [f"{'    ' * d}for {i} in seq(0, 8):" for d, i in enumerate(names, 1)]
        lines += [f"{'    ' * (depth + 1)}x[{', '.join(names + '0' * (3 - depth))}] = 0.0"]
    return proc_from_source("\n".join(lines))


def keeps_its_promise(blocked: Op) -> None:
    """Tests that a strategy, where it applies to every nest of a procedure, gives every nest its shape."""

    @same_every_time
    @given(depths=st.lists(st.integers(2, 3), min_size=1, max_size=4))
    def test(depths: Sequence[int]) -> None:
        p = nests(depths)
        outcome = all_(blocked)(p)
        assume(isinstance(outcome, Success))
        q, _ = outcome.unwrap()
        schedule(all_(promise), q)  # raises a SchedulingError, which hypothesis makes small
        assert_equivalent(p, q)  # never raises

    test()


# A generator of kernels, and what they are to compute


@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


def unrolled(step: int) -> Proc:
    """`scale` with a loop that does so many elements at a time. The bug: it does no remainder."""
    elements = [f"        x[{step} * io + {k}] = 2.0 * x[{step} * io + {k}]" for k in range(step)]
    head = ["def unrolled(n: size, x: f32[n]):", f"    for io in seq(0, n / {step}):"]
    return proc_from_source("\n".join(head + elements))


@same_every_time
@given(step=st.integers(1, 8))
def computes_the_same(step: int) -> None:
    assert_equivalent(scale, unrolled(step))


if __name__ == "__main__":
    try:
        keeps_its_promise(block(4))
    except SchedulingError as e:
        print("block breaks its promise:", e, *e.__notes__, sep="\n")

    keeps_its_promise(block_here(4))
    print("block_here keeps its promise.")
    tally = check_strategy(block_here(2), procs(["nest"]), at=every(ForCursor), max_examples=25)
    print(f"Of random loops it applied to {tally.accepted[str(block_here(2))]}, and none computes anything else.\n")

    try:
        computes_the_same()
    except Miscompiled as e:
        print("unrolled is wrong:", e, *e.__notes__, sep="\n")
