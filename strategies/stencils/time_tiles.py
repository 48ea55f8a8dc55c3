"""Tiles of a loop over time that go through several steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from toolz import unique

from exo_strat import (
    AllocCursor,
    ForCursor,
    InvalidCursorError,
    Proc,
    Script,
    analysis,
    divide_loop,
    fail,
    focus,
    forms,
    fuse,
    lift_alloc,
    moves,
    names_at,
    nav,
    nodes,
    on,
    print_expr,
    reorder_loops,
    repeat,
    repeat_n,
    shift_loop,
    simplify,
    strategy,
    tighten_loop,
    widen_loop,
)

from ..inspect import affine_bound, enclosing_loops
from ..std.writing import INSIDE, halves
from .borders import even_sweeps
from .skews import Skew, find_skews
from .sweeps import distances, sweeps_of

MARGIN = 2
"""By how much the range of all sweeps may be larger than needed, where it isn't known which sweep reaches farthest."""

Range = tuple[forms.Lin, forms.Lin]


@strategy
def time_tile(p: Proc, c: ForCursor, steps: int, *sizes: int) -> Script:
    """`for t: (for i: s1); (for j: s2)  ~>  for to: for io: for ti: (for ii: s1); (for ji: s2)`: tiles through time.

    Each tile is computed with all of its `steps` time steps at once, while its data is in a cache; tiles run one after
    the other, as each needs some of those before it. The outermost loops
    of each sweep are cut into so many iterations as `sizes` says; the loops inside of these stay whole. Each sweep is
    skewed: shifted by so much for each step that it needs nothing of a later tile. How much that is comes from the
    accesses (`find_skews`). The bounds are tight, with `min` and `max` where a tile is not full.

    The loop over time has nothing in it but sweeps, perfect nests whose bounds don't depend on the loops around, and
    buffers, which are allocated before it instead. A sweep with fewer loops than others, such as one over a border,
    first gets loops that run once (`even_sweeps`).

    Focus: the loop over time. Returns the loop over its tiles. All steps are primitives, which prove that the values
    stay the same: a skew that is too small would be refused. Fails if the loops are no such sweeps, or if no skew of
    them makes tiles.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def sweep(T: size, n: size, x: f32[n + 2]):
    ...     for t in seq(0, 4 * T):
    ...         for i in seq(0, n):
    ...             x[i + 1] = x[i] + x[i + 2]
    ... ''')
    >>> print(schedule(at("for t in _: _", time_tile(4, 64)), p))
    def sweep(T: size, n: size, x: f32[n + 2] @ DRAM):
        for to in seq(0, T):
            for io in seq(0, (n + 2) / 64 + 1):
                for ti in seq(0, 4):
                    for ii in seq(max(ti - 64 * io, 0), min(n + ti - 64 * io, 64)):
                        x[64 * io + ii - ti + 1] = x[64 * io + ii - ti] + x[64 * io + ii - ti + 2]
    """
    if not sizes:
        yield fail("there is no loop to tile: give a size for each, after the number of steps")
    wrong = [n for n in (steps, *sizes) if type(n) is not int or n < 1]
    if wrong:
        yield fail(f"steps and sizes are positive integers, not {wrong[0]!r}")
    for s in c.body():
        if isinstance(s, AllocCursor):
            yield on(s, lift_alloc())
    p, c = yield focus(c) >> even_sweeps()
    sweeps = sweeps_of(c)
    depth = min(len(sweep.loops) for sweep in sweeps)
    if depth < len(sizes):
        yield fail(f"{len(sizes)} loops of each sweep are to be tiled, and there are {depth} perfectly nested ones")
    skews = find_skews(distances(c, sweeps), len(sweeps), len(sizes))
    if skews is None:
        yield fail("no skew makes tiles of these sweeps: iterations need others that are too far apart")
    yield divide_loop(steps, halves(c), tail="guard") >> nav(INSIDE) >> repeat(tighten_loop())
    for d, skew in enumerate(skews or ()):
        yield tile_sweeps([sweep.loops[d] for sweep in sweeps], skew, (steps, *sizes[:d]), sizes[d])
    yield focus(c) >> simplify()
    return c


@strategy
def tile_sweeps(
    p: Proc, c: ForCursor, loops: Sequence[ForCursor], skew: Skew, around: Sequence[int], size: int
) -> Script:
    """`for t: (for i: s1); (for j: s2)  ~>  for io: for t: (for ii: s1); (for ji: s2)`, for one loop of each sweep.

    `around` are the most iterations of t and of the loops between t and each loop. Focus: t, or a loop outside of it.
    """
    ranges = [_range(p, loop, len(around)) for loop in loops]
    shifted = [(lo + start, hi + start) for (lo, hi), start in zip(ranges, skew.starts, strict=True)]
    first = _outermost(c, "first", [lo for lo, _ in shifted])
    last = _outermost(c, "last", [hi for _, hi in shifted])
    factors = (skew.time, *skew.outer)
    longest = last - first + sum(k * (n - 1) for k, n in zip(factors, around, strict=True))
    whole = (longest + size - 1).div(size) * size
    for loop, (lo, _) in zip(loops, shifted, strict=True):
        outside = [forms.Lin.of(forms.V(x.sym)) for x in enclosing_loops(p.forward(loop))[-len(around) :]]
        skewed = sum((k * x for k, x in zip(factors, outside, strict=True)), forms.Lin(0))
        p, tiles = yield on(
            loop,
            shift_loop(forms.to_expr(lo - first + skewed)),
            widen_loop(0, forms.to_expr(whole)),
            divide_loop(size, halves(loop), tail="perfect"),
        )
        yield on(tiles, nav(INSIDE), repeat(tighten_loop()))
        p, _ = yield on(tiles, repeat_n(nav(moves.parent) >> reorder_loops(), len(around) - 1))
    for loop in loops[1:]:
        yield on(loops[0], fuse(p.forward(loop)))
    yield on(loops[0], nav(moves.parent), reorder_loops())


def _range(p: Proc, c: ForCursor, depth: int) -> Range:
    """The bounds of a loop, which must be the same in all iterations of so many loops around."""
    loop = p.forward(c)
    assert isinstance(loop, ForCursor)
    lo, hi = affine_bound(loop.lo()), affine_bound(loop.hi())
    around = {forms.V(x.sym) for x in enclosing_loops(loop)[-depth:]}
    if not around.isdisjoint((*forms.lin_atoms(lo), *forms.lin_atoms(hi))):
        raise InvalidCursorError(
            f"the bounds of {loop.name()} depend on a loop around: no tiles of it are made\n{loop}"
        )
    return lo, hi


def _outermost(c: ForCursor, what: str, ends: Sequence[forms.Lin]) -> forms.Lin:
    """One that is known to be the "first" or "last" of the ends of ranges, or a little outside of it."""
    sign = 1 if what == "first" else -1
    for out, x in product(range(MARGIN + 1), ends):
        chosen = x - sign * out
        apart = [(y - chosen) * sign for y in ends]
        if all(_is_natural(c, gap) for gap in apart):
            return chosen
    told = ", ".join(print_expr(forms.to_expr(x), names_at(c.proc.tree)) for x in unique(ends))
    raise InvalidCursorError(f"which of {told} comes {what} isn't known: an assertion may say it\n{c}")


def _is_natural(c: ForCursor, x: forms.Lin) -> bool:
    """Whether a form is known to be no less than 0 where a loop is."""
    if x.is_const:
        return x.const >= 0
    above = nodes.Binary(">=", forms.to_expr(x), forms.to_expr(forms.Lin(0)))
    return analysis.holds_everywhere(c.proc.tree, c.path, above)
