"""Loops over time, rows that wait for each other and rows that share nothing: the ways of `auto` for these."""

from __future__ import annotations

from itertools import count

from toolz import unique

from exo_strat import (
    AssignCursor,
    ForCursor,
    Machine,
    Op,
    Proc,
    Scalar,
    Script,
    Tensor,
    analysis,
    attempt,
    declarations,
    fail,
    focus,
    forms,
    hole,
    named,
    on,
    specialize,
    strategy,
    try_else,
)
from exo_strat.tuning import remark

from .. import std
from ..blas.level1 import TOGETHER, optimize_level_1
from ..inspect import accesses, innermost_loops, loops_inside, nest, sums
from ..std.writing import text
from ..stencils import elements_wait, interleave_steps, neighbours, rounds_alike, share_neighbours, time_tile
from .dynamic import in_panels, updates_square
from .mirrored import mirrored_in_place
from .recurrences import has_recurrence, rows_in_turns
from .strides import contiguous_innermost, stride

# Candidates and defaults are measured by `python -m benchmarks.auto`.
PANELS = (16, 32, 64)
"""Steps of which the rows and columns of a square make a panel."""
TURNS = (4, 8)
"""Steps that take turns."""
WIDTHS = (8, 16, 32)
"""Columns of a tile in which they do."""
STEPS = (4, 8, 16, 32)
"""Steps of a tile through time."""
WHOLE = 0
"""Of the iterations of a tile along a loop: all."""
TILES = (WHOLE, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
"""Iterations of a tile through time along a loop."""
SIZES = {1: (16, 2048, WHOLE), 2: (16, 16, WHOLE), 3: (8, 8, 16)}
"""Steps of a tile, and its iterations along the outermost loops, by how many there are."""
ROWS = (1, 2, 4, 8)
"""Rows, or vectors, that are taken together."""

NEAR = (2, 1)
"""The cache up to which sweeps are not tiled, counted from the nearest: over vectors, and over arrays with rows, whose
tiles have long loops, too."""
APART = 0
"""Of the vectors that neighbours share: none."""
RESULT = 2
"""Registers of a loop for its result, and for what is added to it."""
NEIGHBOURS = 8
"""Vectors that are taken together where neighbours share them: one more is loaded for each so many."""


@named
def by_steps(machine: Machine, precision: str, rounded: bool = False) -> Op:
    """What has an order to keep: a square updated by its own rows and columns (`in_panels`); sweeps over time in tiles
    that go through several steps (`time_tile`), which take turns where elements wait for each other
    (`interleave_steps`); rows of recurrences, which take turns, too (`rows_in_turns`); rows that share nothing, each in
    vectors (`rows_apart`); vectors that are updated by themselves turned round (`mirror_images`). If
    `rounded`, elements are computed as they are written. Focus: the outermost loop. Fails if it is none of these.
    """
    return try_else(
        panels(machine) >> remark("a square that its own rows and columns update, in panels"),
        turns(machine, precision, rounded) >> remark("several steps of time in turns"),
        through_time(machine, precision) >> remark("tiles that go through several steps of time"),
        waiting_rows(machine, precision) >> remark("several rows in turns, as elements wait for those before"),
        rows_apart(machine, precision) >> remark("each row in vectors"),
        mirror_images(machine, precision) >> remark("a vector turned round, from both ends"),
    )


@strategy
def panels(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """`in_panels`, of a size that is a hole. Focus: the outermost loop."""
    if not updates_square(c):
        yield fail("this is no update of a square by its own rows and columns")
    yield in_panels(machine, (yield hole("size", PANELS, default=32)))


@strategy
def turns(p: Proc, c: ForCursor, machine: Machine, precision: str, rounded: bool) -> Script:
    """`interleave_steps`, of numbers that are holes. Focus: the loop over time."""
    if not elements_wait(c):
        yield fail("this is no sweep of two loops in which elements wait for those before")
    s = nest(c)[-1].body()[0]
    if rounded and not (isinstance(s, AssignCursor) and rounds_alike(s)):
        yield fail("what was computed in the iteration before would be added last, and so rounded otherwise")
    steps = yield hole("steps", TURNS, default=8)
    yield interleave_steps(machine, precision, steps, (yield hole("width", WIDTHS, default=16)))


@strategy
def waiting_rows(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`rows_in_turns`, so many as a hole says. Focus: the loop over rows."""
    if not has_recurrence(c):
        yield fail("no element waits for the one before in its row")
    yield rows_in_turns(machine, precision, (yield hole("rows", ROWS, default=4)))


@strategy
def through_time(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for t: for i: for j: s`, in tiles of several steps; see `time_tile`. Where arrays fit into the nearest
    cache, there are no tiles. Rows are in vectors. Focus: the loop over time."""
    time, found = forms.V(c.sym), accesses(c.body())
    written = {a.sym for a in found if a.writes}
    if any(time in forms.lin_atoms(x) for a in found if a.sym in written for x in a.index):
        yield fail("this is no loop over time: elements that it writes are taken by its iterator")
    if not any(a.kind == "R" for a in found if a.sym in written):
        yield fail("this is no loop over time: nothing that an iteration writes is read by another, only added to")
    loops = [s for s in c.body() if isinstance(s, ForCursor)]
    if not loops or not found:
        yield fail("there are no sweeps in it")
        return
    depth = max(len(nest(s)) for s in loops)
    steps, outer, inner = SIZES[min(depth, max(SIZES))]
    tiles = yield hole("steps", STEPS, default=steps)
    sizes = [(yield hole("outer", TILES, default=outer))]
    sizes += [(yield hole("inner", TILES, default=inner))] if depth > 1 else []
    tiled = time_tile(tiles, *(size for size in sizes if size != WHOLE))
    extent = near(c, depth, machine)
    ends = unique(text(x.hi()) for s in loops for x in nest(s))
    p, choice = yield specialize(" and ".join(f"{end} <= {extent}" for end in ends))
    p, far = yield on(choice.orelse()[0], tiled)
    for time_loop in (choice.body()[0], far):
        p, _ = yield on(time_loop, rows_in_vectors(machine, precision))


def near(c: ForCursor, depth: int, machine: Machine) -> int:
    """How many elements arrays of so many dimensions may have along each, at most, to fit together into the cache up
    to which sweeps over them are not tiled."""
    kinds = declarations(c.proc.tree)
    types = [t.base if isinstance(t := kinds[sym], Tensor) else t for sym in {a.sym for a in accesses(c.body())}]
    room = machine.processor.cache(NEAR[depth > 1]).bytes
    elements = room // sum(analysis.size_of(t) for t in types if isinstance(t, Scalar))
    return next(n for n in count(elements, -1) if n**depth <= elements)


@strategy
def rows_in_vectors(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """Each innermost loop in vectors, if that can be. Focus: a loop around them."""
    for loop in innermost_loops(c):
        p, _ = yield attempt(on(loop, vectors_of(machine, precision, TOGETHER)))


@strategy
def vectors_of(p: Proc, c: ForCursor, machine: Machine, precision: str, vectors: int) -> Script:
    """Level 1, with vectors that are shared where elements beside each other are read (`share_neighbours`), also where
    it isn't known that a loop has a range. Unless said, they are not shared where that would spare few loads: where
    nothing else is read, and a vector is shorter than a line of the cache, so few loads take two; nor where registers
    are too few for two vectors of each row beside what all iterations read. Focus: the loop."""
    ways = [optimize_level_1(machine, precision, vectors, strict=True)]
    if machine.vec_widths and (rows := neighbours(c)):
        reads = {(a.sym, a.index): a for a in accesses(c.body()) if a.kind == "R"}
        few = len(reads) == len(rows[0].places) and machine.vec_bits(precision) < 8 * machine.processor.cache(1).line
        kept = [a for a in reads.values() if stride(a, c) == 0]
        full = len(kept) + 2 * len(rows) + RESULT > machine.registers
        together = yield hole("neighbours", (APART, *ROWS), default=APART if few or full else NEIGHBOURS)
        if together != APART:
            ways.insert(0, share_neighbours(machine, precision, together))
    yield try_else(*(way for plan in ways for way in (plan, std.if_it_runs(plan))))


@strategy
def rows_apart(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`for i: for j: s`, each row in vectors. Focus: the outermost loop. Fails if rows share what moves with the
    columns, or columns what is summed: then several are better taken together."""
    p, c = yield try_else(contiguous_innermost(), focus(c))
    *outer, inner = nest(c)
    if not outer or loops_inside(inner) or sums(inner) or in_all_rows(outer[-1], inner):
        yield fail("these are no rows that share nothing")
    yield on(inner, vectors_of(machine, precision, (yield hole("vectors", ROWS, default=4))))


@strategy
def mirror_images(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """`mirrored_in_place`, in vectors. Focus: the loop that fills the temporary."""
    p, c = yield mirrored_in_place()
    yield vectors_of(machine, precision, (yield hole("vectors", ROWS, default=4)))


def in_all_rows(rows: ForCursor, columns: ForCursor) -> bool:
    """Whether there are elements that move with the columns and are the same in all rows."""
    return any(stride(a, rows) == 0 and stride(a, columns) != 0 for a in accesses(columns.body()))
