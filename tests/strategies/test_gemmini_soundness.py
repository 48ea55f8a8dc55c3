"""Gemmini's strategies keep the meaning of random programs wherever they succeed, and succeed often enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import strategies as st

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Op,
    Proc,
    ReduceCursor,
    StmtCursor,
    proc_from_source,
    unroll_loop,
)
from exo_strat.testing import check_strategy, every, examples, procs
from strategies import gemmini

Targets = Callable[[Proc], Iterable[Cursor]] | None
LOOPS, STATEMENTS, ALLOCATIONS = every(ForCursor), every(StmtCursor), every(AllocCursor)
WRITES, BRANCHING = every(AssignCursor, ReduceCursor), every(ForCursor, IfCursor)


def assigned(p: Proc) -> Iterable[Cursor]:
    return [s.rhs() for s in p.root().statements() if isinstance(s, AssignCursor)]


CASES: list[tuple[Op, Targets, tuple[str, ...], int]] = [
    # strategy, where (none: the root), shapes of programs (none: any), quota
    (gemmini.as_tiles(2, 2), ALLOCATIONS, (), 1),
    (gemmini.as_tiles(2, None), ALLOCATIONS, (), 1),
    (gemmini.autolift_alloc(64), ALLOCATIONS, ("temporary", "independent"), 5),
    (gemmini.bind_and_lift("t", DRAM_STACK, 64), assigned, (), 10),
    (gemmini.block_loop(2), LOOPS, (), 5),
    (gemmini.cut_nest(1), LOOPS, ("nest", "patch", "grid"), 1),
    (gemmini.each("for i in _: _", unroll_loop()), None, (), 5),
    (gemmini.fuse_all_loops(), None, ("twins", "neighbours", "stages"), 5),
    (gemmini.hoist_configs(), None, ("configuration",), 5),
    (gemmini.load_ahead(), LOOPS, ("twins", "stages"), 1),
    (gemmini.load_once(), STATEMENTS, ("invariant", "reload", "temporary"), 10),
    (gemmini.remove_redundant_loops(), STATEMENTS, ("invariant", "nest"), 5),
    (gemmini.reorder_loops_from_idx(), WRITES, ("nest", "patch", "grid"), 5),
    (gemmini.rise_over("i", "j"), BRANCHING, ("nest", "lone_scope", "patch"), 5),
    (gemmini.split_off(1), LOOPS, ("nest", "sequence", "stages"), 1),
    (gemmini.stage_and_lift("x", "t", DRAM_STACK, 64), STATEMENTS, (), 5),
    (gemmini.start_in_loop(), LOOPS, ("twins", "neighbours", "stages"), 1),
    (gemmini.tile_loops([("i", 2)]), LOOPS, (), 1),
    (gemmini.tile_nest("i"), STATEMENTS, ("nest", "patch", "grid"), 1),
    (gemmini.tile_ragged("i", 2), None, (), 5),
    (gemmini.unroll_all("i"), None, (), 5),
    (gemmini.unroll_single(), None, (), 5),
]


@pytest.mark.parametrize(("op", "targets", "shapes", "quota"), CASES, ids=lambda x: str(x) if isinstance(x, Op) else "")
def test_a_strategy_keeps_the_meaning(op: Op, targets: Targets, shapes: tuple[str, ...], quota: int) -> None:
    draws, count = procs(shapes) if shapes else None, examples(16 if quota > 1 else 30)
    check_strategy(op, draws, targets, max_examples=count, at_least=(quota + 1) // 2)


def copy(rows: int, columns: int, first: int, update: str) -> Proc:
    """A matrix through a local one, of which only some columns are read; then the matrix changes."""
    return proc_from_source(f"""
        def foo(x: i8[{rows}, {columns}], y: i8[{rows}, {columns}]):
            t: i8[{rows}, {columns}]
            for i in seq(0, {rows}):
                for j in seq(0, {columns}):
                    t[i, j] = x[i, j]
            for i in seq(0, {rows}):
                for j in seq({first}, {columns}):
                    y[i, j] {update} t[i, j] + x[i, j]
            x[0, 0] = y[{rows - 1}, {columns - 1}]
    """)


COPIES = st.builds(copy, st.integers(1, 3), st.integers(2, 19), st.integers(0, 1), st.sampled_from(["=", "+="]))
TILED = [gemmini.load_tiles("x", "s", DRAM_STACK), gemmini.load_tiles("y", "s", DRAM_STACK), gemmini.tile_layout(2)]


@pytest.mark.parametrize("op", TILED, ids=str)
def test_tiles_of_matrices_keep_the_meaning(op: Op) -> None:
    check_strategy(op, COPIES, STATEMENTS, max_examples=examples(6), at_least=3)


def test_every_strategy_is_here() -> None:
    """Those for instructions are tested with Gemmini's, those of `std` there."""
    tested = {str(op).partition("(")[0] for op in (*(op for op, *_ in CASES), *TILED)}
    mapping = {"configure", "map_again", "map_all", "map_every", "map_to", "read_registers", "replace_and_inline"}
    assert tested | mapping | {"fission_as_much_as_possible", "is_config_call"} == set(gemmini.__all__)
