"""Every standard strategy keeps the meaning of random programs wherever it succeeds, and succeeds often enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from re import findall

import pytest
from hypothesis import given, settings
from pyrsistent import pmap
from returns.result import Success

from exo_strat import (
    AllocCursor,
    BinaryOpCursor,
    Cursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ReadCursor,
    StmtCursor,
    at,
    attempt,
    divide_loop,
    is_control,
    moves,
    nav,
    remove_loop,
    replace,
)
from exo_strat.ops.traversals import loops
from exo_strat.testing import Tally, check_op, check_strategy, every, examples, procs
from exo_strat.testing.library import environment
from strategies import std
from strategies.std import abs_rule, broadcast_rule, fma_rule

REGISTERS = Memory("REGISTERS")
TAILS = ("perfect", "cut", "cut_and_predicate", "guard", "predicate")
Targets = Callable[[Proc], Iterable[Cursor]] | None
LOOPS, STATEMENTS, ALLOCATIONS = every(ForCursor), every(StmtCursor), every(AllocCursor)


def outermost_loops(p: Proc) -> Iterable[Cursor]:
    return [s for s in p.body() if isinstance(s, ForCursor)]


def values(p: Proc) -> Iterable[Cursor]:
    return [e for e in p.root().descendants() if isinstance(e, BinaryOpCursor | ReadCursor) and not is_control(e.node)]


def vectorized(tail: str) -> Op:
    return std.vectorize(2, "f32", REGISTERS, (), (fma_rule,), tail)


double = environment()["double"]
TOY = Machine("toy", pmap({"f32": 2}), REGISTERS, pmap(), supports_predication=True)
PAIRS = std.Tile(TOY, "f32", 1, 2, masked=True)
in_registers = nav(moves.root) >> std.to_instructions(PAIRS, (fma_rule,))
halved = at("for i in _: _", divide_loop(2, ("io", "ii"), tail="cut"))
in_halves = attempt(divide_loop(2, ("iv", "l"), tail="cut"))
CALLEES = tuple(f for _, f in sorted(environment().items()) if isinstance(f, Proc))
SELDOM, OFTEN = 3, 10
"""Strategies of which no more than the first is asked get many more programs, others of which no more than the second
a few more."""
CASES: list[tuple[Op, Targets, tuple[str, ...], int]] = [
    # strategy, where (none: the root), shapes of programs (none: any), how many of 60 programs it must succeed on
    (std.as_call(double, halved), LOOPS, ("calls", "lookalikes"), 3),
    (std.auto_stage_mem("x", "xs", REGISTERS), STATEMENTS, (), 20),
    (std.by_vectors(PAIRS), LOOPS, (), 20),
    (std.cleanup(), None, (), 20),
    (std.cse(), None, ("sums", "two_writes", "anything"), 20),
    (std.dce(), None, ("decided", "temporary", "anything"), 20),
    (std.expand_alloc(), ALLOCATIONS, ("temporary", "sized", "independent"), 3),
    (std.fission_after(), STATEMENTS, ("sequence", "temporary", "twin_ifs"), 20),
    (std.fission_as_much_as_possible(), STATEMENTS, ("sequence", "nest", "stages"), 40),
    (std.fission_before(), STATEMENTS, ("sequence", "temporary", "twin_ifs"), 20),
    (std.fission_into_singles(), LOOPS, (), 20),
    (std.fission_into_singles(2), LOOPS, ("nest", "patch", "temporary"), 10),
    (std.fission_where_possible(), LOOPS, (), 20),
    (std.hoist(), STATEMENTS, ("invariant", "configuration", "reload"), 40),
    (std.if_it_runs(remove_loop()), LOOPS, ("invariant",), 5),
    (std.in_blocks(3, ("io", "ii"), in_halves), LOOPS, (), 20),
    (std.interleave_loop(2), LOOPS, (), 20),
    (std.interleave_loop(4, "recursive"), LOOPS, (), 20),
    (std.jam(), LOOPS, ("nest", "patch", "temporary"), 10),
    (std.leave_loop(), STATEMENTS, ("invariant", "configuration", "reload"), 4),
    (std.licm(), LOOPS, ("invariant", "temporary", "scaled"), 20),
    (std.locals_in(REGISTERS), LOOPS, ("temporary", "anything"), 20),
    (std.parallelize_reductions(REGISTERS), LOOPS, ("nest", "patch"), 5),
    (std.prefetch("f32", ("x[0:1]",)), STATEMENTS, (), 10),
    (std.remove_parent_loop(), STATEMENTS, ("invariant",), 10),
    (std.reorder_before(), STATEMENTS, (), 10),
    (std.round_loop(3), LOOPS, (), 20),
    (std.round_loop(3, up=False), LOOPS, (), 20),
    (std.share(), None, ("sums", "two_writes", "anything"), 3),
    (std.share_sums(), LOOPS, ("sums", "two_writes", "anything"), 10),
    (std.specialize_sizes("n", (1, 2)), outermost_loops, (), 20),
    (std.stage_compute("f32", REGISTERS, (abs_rule, broadcast_rule, fma_rule)), LOOPS, ("sums", "nest"), 20),
    (std.stage_expr("t", REGISTERS), values, (), 20),
    (std.stream_stores(CALLEES), None, ("calls", "lent", "handed", "relied"), 10),
    (std.tile(2), LOOPS, (), 20),
    (std.tile(2, 3), LOOPS, ("nest", "patch"), 10),
    (std.tile(2, 3, tail="cut"), LOOPS, ("nest", "patch"), 10),
    (std.tile(2, 3, tail="cut_and_guard"), LOOPS, ("nest", "patch"), 10),
    (std.tile_bottom_up(2, 3), LOOPS, ("nest", "patch"), 10),
    (std.unroll_and_jam(2), LOOPS, ("nest", "patch", "temporary"), 10),
    (at("for _ in _: _", std.by_vectors(PAIRS)) >> in_registers, None, (), 5),
    (std.transposed(TOY, "f32"), LOOPS, ("nest", "patch", "grid"), 5),
    (std.unguard(), None, ("lanes", "temporary"), 20),
    (std.branchless(), None, ("choices", "asked"), 20),
    (std.unroll_loops(4), None, (), 20),
    *((vectorized(tail), LOOPS, ("sums", "nest", "sequence"), 5) for tail in TAILS),
]


@pytest.mark.parametrize(("op", "targets", "shapes", "quota"), CASES, ids=lambda x: str(x) if isinstance(x, Op) else "")
def test_a_strategy_keeps_the_meaning(op: Op, targets: Targets, shapes: tuple[str, ...], quota: int) -> None:
    draws = procs(shapes) if shapes else None
    count = 16 if quota > OFTEN else 30 if quota > SELDOM else 240
    check_strategy(op, draws, targets, max_examples=examples(count), at_least=max(1, min(quota, quota * count // 60)))


def rises(p: Proc, tally: Tally) -> None:
    for outer in loops(p.root()):
        for inner in loops(outer):
            check_op(std.rise_into(outer), p, inner, tally, "rise_into")


def test_a_loop_rises_only_where_it_may() -> None:
    tally = Tally()
    draw = given(procs(("nest", "lone_scope", "patch")))
    settings(max_examples=examples(20), database=None)(draw(lambda p: rises(p, tally)))()
    assert tally.compared["rise_into"] >= 5


def test_no_instruction_is_missed_for_being_looked_up() -> None:
    tally, replaced = Tally(), []

    def on(p: Proc) -> None:
        q = check_op(std.replace_all(CALLEES), p, None, tally)
        assert q is not None
        replaced.append(q is not p)
        for s in STATEMENTS(q):
            for f in CALLEES:
                if len(f.body()) <= len(s.expand(0, None)):  # type: ignore[attr-defined]
                    block = s.expand(0, len(f.body()) - 1)  # type: ignore[attr-defined]
                    assert not isinstance(replace(f)(q, block), Success)

    settings(max_examples=examples(120), database=None)(given(procs(("lookalikes", "calls")))(on))()
    assert sum(replaced) >= 5


def test_every_strategy_is_here() -> None:
    tested = {name for op, *_ in CASES for name in findall(r"\w+(?=\()", str(op))} & set(std.__all__)
    called = {"rise_into", "replace_all", "as_call"}
    elsewhere = {"NoInstructionWarning", "Rule", "Tile", "check_lanes", "vectorize_for"}
    elsewhere |= {"abs_rule", "broadcast_rule", "fma_rule", "negated_fma_rule"}
    assert tested | called | elsewhere == set(std.__all__)
