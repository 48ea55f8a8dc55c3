"""What chains of rewrites start from and are made of, beside random programs and primitives: the repository's own
programs, and the strategies of its libraries. Imports `strategies`, `examples` and the harness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

from pyrsistent import pmap

from exo_strat import (
    DRAM_STACK,
    AllocCursor,
    AssignCursor,
    Cursor,
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    ReduceCursor,
    StmtCursor,
    attempt,
    divide_loop,
    reorder_loops,
)
from exo_strat.ir.printing import names_at
from exo_strat.testing import every, samples
from exo_strat.testing.chains import Draw, Drawn, starting
from exo_strat.testing.choices import Choices
from exo_strat.testing.library import environment
from strategies import elevate, gemmini, halide, normal, std

MODULES = (
    "strategies.programs", "examples.halide.blur", "examples.halide.fixed_point", "examples.halide.harris",
    "examples.halide.laplacian", "examples.halide.pyramid", "examples.halide.unsharp", "examples.elevate.binomial",
    "examples.elevate.matmul", "examples.own_instruction", "examples.own_strategy", "examples.refusals",
    "examples.exo_blas.programs.level1", "examples.exo_blas.programs.level2", "examples.exo_blas.programs.level3",
    "examples.exo_blas.programs.banded",
)  # fmt: skip
LONGEST = 30
"""Programs of more lines take long."""


@cache
def programs() -> tuple[Proc, ...]:
    """The repository's programs that small inputs run."""
    found: dict[str, Proc] = {}
    for module in MODULES:
        for p in vars(import_module(module)).values():
            if isinstance(p, Proc) and not p.is_instr() and len(str(p).splitlines()) <= LONGEST and samples(p, 1):
                found.setdefault(str(p), p)
    return tuple(found.values())


LOOPS, STATEMENTS, ALLOCATIONS = every(ForCursor), every(StmtCursor), every(AllocCursor)
WRITES, BRANCHING = every(AssignCursor, ReduceCursor), every(ForCursor, IfCursor)
TAILS = ("perfect", "cut", "cut_and_predicate", "guard", "predicate")
TOY = Machine("toy", pmap({"f32": 2}), DRAM_STACK, pmap(), supports_predication=True)
PAIRS = std.Tile(TOY, "f32", 1, 2, masked=True)


def root(p: Proc) -> Iterable[Cursor]:
    """The whole procedure."""
    return [p.root()]


def assigned(p: Proc) -> Iterable[Cursor]:
    """What is assigned somewhere."""
    return [s.rhs() for s in p.root().statements() if isinstance(s, AssignCursor)]


FIXED: tuple[tuple[Op, Callable[[Proc], Iterable[Cursor]]], ...] = (
    (std.auto_stage_mem("x", "xs", DRAM_STACK), STATEMENTS),
    (std.by_vectors(PAIRS), LOOPS),
    (std.cleanup(), root),
    (std.cse(), root),
    (std.dce(), root),
    (std.expand_alloc(), ALLOCATIONS),
    (std.fission_after(), STATEMENTS),
    (std.fission_as_much_as_possible(), STATEMENTS),
    (std.fission_into_singles(), LOOPS),
    (std.hoist(), STATEMENTS),
    (std.in_blocks(3, ("io", "ii"), attempt(divide_loop(2, ("iv", "l"), tail="cut"))), LOOPS),
    (std.interleave_loop(2), LOOPS),
    (std.jam(), LOOPS),
    (std.leave_loop(), STATEMENTS),
    (std.licm(), LOOPS),
    (std.locals_in(DRAM_STACK), LOOPS),
    (std.parallelize_reductions(DRAM_STACK), LOOPS),
    (std.reorder_before(), STATEMENTS),
    (std.round_loop(3), LOOPS),
    (std.share(), root),
    (std.share_sums(), LOOPS),
    (std.specialize_sizes("n", (1, 2)), root),
    (std.stage_expr("t", DRAM_STACK), assigned),
    (std.tile(2, 3, tail="cut_and_guard"), LOOPS),
    (std.tile_bottom_up(2, 3), LOOPS),
    (std.unguard(), root),
    (std.branchless(), root),
    (std.unroll_and_jam(2), LOOPS),
    *((std.vectorize(2, "f32", DRAM_STACK, (), (std.fma_rule,), tail), LOOPS) for tail in TAILS),
    (std.replace_all(tuple(f for _, f in sorted(environment().items()) if isinstance(f, Proc))), root),
    (gemmini.autolift_alloc(64), ALLOCATIONS),
    (gemmini.bind_and_lift("t", DRAM_STACK, 64), assigned),
    (gemmini.fuse_all_loops(), root),
    (gemmini.hoist_configs(), root),
    (gemmini.load_ahead(), LOOPS),
    (gemmini.load_once(), STATEMENTS),
    (gemmini.remove_redundant_loops(), STATEMENTS),
    (gemmini.reorder_loops_from_idx(), WRITES),
    (gemmini.rise_over("i", "j"), BRANCHING),
    (gemmini.stage_and_lift("x", "t", DRAM_STACK, 64), STATEMENTS),
    (gemmini.start_in_loop(), LOOPS),
    (gemmini.tile_ragged("i", 2), root),
    (elevate.fuseReduceMap(), STATEMENTS),
    (elevate.parallel, LOOPS),
    (elevate.reduceMapFission(), STATEMENTS),
    (elevate.reorder(2, 1), LOOPS),
    (elevate.split(2), LOOPS),
    (elevate.tile(2, 3), LOOPS),
    (elevate.tryAll(reorder_loops()), root),
    (elevate.unroll, LOOPS),
    (elevate.vectorize(2), LOOPS),
    (normal.fission_nf(), root),
    (normal.fuse_nf(), root),
    (normal.index_nf(), root),
    (normal.loop_nf(), root),
    (normal.name_nf(), root),
    (normal.nest_nf(), root),
    (normal.statement_nf(), root),
)
"""Strategies of the libraries, and where they start."""


def halide_operator(ch: Choices, p: Proc) -> Drawn | None:
    """One of Halide's operators, on a stage and loops of a program."""
    writes = [s for s in p.root().statements() if isinstance(s, AssignCursor | ReduceCursor)]
    names = names_at(p.tree)
    stages = sorted({names[s.node.sym] for s in writes})
    around = sorted({c.name() for c in LOOPS(p)})  # type: ignore[attr-defined]
    if not stages or not around:
        return None
    stage, other = ch.pick(stages), ch.pick(stages)
    one, two = ch.pick(around), ch.pick(around)
    options: dict[str, Callable[[], Op]] = {
        "H_bound": lambda: halide.H_bound(stage, one, ch.pick([0, 1]), ch.pick([2, 4])),
        "H_compute_at": lambda: halide.H_compute_at(stage, other, one, ch.chance(40)),
        "H_compute_inline": lambda: halide.H_compute_inline(stage),
        "H_compute_root": lambda: halide.H_compute_root(stage),
        "H_compute_store_at": lambda: halide.H_compute_store_at(stage, other, one),
        "H_fold_storage": lambda: halide.H_fold_storage(stage, ch.pick([0, 1]), ch.pick([2, 4])),
        "H_fuse": lambda: halide.H_fuse(stage, one, two, "f"),
        "H_parallel": lambda: halide.H_parallel(stage, one),
        "H_partition": lambda: halide.H_partition(stage, one),
        "H_reorder": lambda: halide.H_reorder(stage, one, two),
        "H_split": lambda: halide.H_split(stage, one, "lo", "li", ch.pick([2, 3]), ch.pick([None, "cut", "guard"])),
        "H_store_at": lambda: halide.H_store_at(stage, other, one),
        "H_store_in": lambda: halide.H_store_in(stage, DRAM_STACK),
        "H_stream": lambda: halide.H_stream(stage, one, TOY),
        "H_tile": lambda: halide.H_tile(stage, one, two, "yi", "xi", 2, 3),
        "H_unroll": lambda: halide.H_unroll(stage, one, ch.pick([None, 2])),
        "H_vectorize": lambda: halide.H_vectorize(stage, one, ch.pick([2, None])),
    }
    name = ch.pick(sorted(options))
    return name, options[name](), p.root()


@cache
def strategies() -> tuple[Draw, ...]:
    """Draws of all strategies; one in ten is an operator of Halide's."""
    return (*(starting(op, at) for op, at in FIXED), *[halide_operator] * (len(FIXED) // 10 + 1))
