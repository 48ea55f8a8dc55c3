"""Squares that are updated by rows and columns of their own, as lengths of shortest paths are, in panels."""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    ForCursor,
    Machine,
    Proc,
    ReadCursor,
    ReduceCursor,
    Script,
    attempt,
    cut_loop,
    divide_loop,
    fail,
    focus,
    forms,
    moves,
    nav,
    on,
    rearrange_dim,
    repeat,
    stage_mem,
    strategy,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import affine_bound, innermost_loops, nest, precision, unique_name, unique_names
from ..std.staging import allocation
from ..std.writing import INSIDE, halves, text
from .semirings import as_like_product
from .triangles import reorder_after

VECTORS = 1
"""Vectors that are taken together in a panel: more make no difference, and take longer to plan. Measured by
`python -m benchmarks.auto --kernels floyd_warshall`."""


@strategy
def in_panels(p: Proc, c: ForCursor, machine: Machine, size: int) -> Script:
    """`for k: for i: for j: a[i, j] op= e(a[i, k], a[k, j])  ~>  for ko: (for ki: panels); product; ..; product`.

    In a block of `size` steps k, only the rows and columns k are read. What each step reads of them is kept, and the
    other elements, which are rectangles between the panels of these rows and columns, get all that the block adds to
    them after it, like products of matrices (`as_like_product`). Focus: the loop over steps. Fails if the nest is no
    such update of a square.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def paths(n: size, d: f32[n, n]):
    ...     for k in seq(0, n):
    ...         for i in seq(0, n):
    ...             for j in seq(0, n):
    ...                 d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    ... ''')
    >>> q = schedule(at("for k in _: _", in_panels(avx2, 64)), p)
    >>> len(q.root().find_all("like_product(_)"))
    5
    """
    if not updates_square(c):
        yield fail("this is no update of a square by its own rows and columns")
    n = text(c.hi())
    outer, inner = unique_names(p, halves(c))
    first, rest = f"{size} * {outer}", f"{size} * ({n} / {size})"
    p, blocks = yield divide_loop(size, (outer, inner), tail="cut_and_guard")
    yield on(blocks, nav(INSIDE), block_of_steps(machine, n, f"{first} + {inner}", (first, f"{first} + {size}")))
    yield on(blocks.next(), nav(INSIDE), block_of_steps(machine, n, f"{rest} + {inner}", (rest,)))


def updates_square(c: ForCursor) -> bool:
    """Whether a nest is `for k: for i: for j: a[i, j] op= e(a[i, k], a[k, j])`, with one range from 0."""
    loops = nest(c)
    [s, *more] = loops[-1].body()
    if len(loops) != 3 or more or not isinstance(s, ReduceCursor):
        return False
    k, i, j = (x.sym for x in loops)
    ranges = {(affine_bound(x.lo()), affine_bound(x.hi())) for x in loops}
    reads = [e for e in s.rhs().descendants() if isinstance(e, ReadCursor) and e.idx()]
    places = {tuple(forms.affine(x.node, {}) for x in e.idx()) for e in reads}
    row, column, here = (tuple(forms.Lin.of(forms.V(x)) for x in pair) for pair in ((k, j), (i, k), (i, j)))
    written = tuple(forms.affine(x.node, {}) for x in s.idx())
    square = len(ranges) == 1 and affine_bound(loops[0].lo()) == forms.Lin(0)
    return square and written == here and places == {row, column} and {e.sym for e in reads} == {s.sym}


@strategy
def block_of_steps(p: Proc, c: ForCursor, machine: Machine, n: str, k: str, cuts: Sequence[str]) -> Script:
    """`for ki: for i: for j: s  ~>  (for ki: panels); product; ..`, for the steps of one block.

    `n` is the end of i and j, `k` the step, and `cuts` are where the rows and columns of the block begin and end, if
    there are others after it. Focus: the loop over steps.
    """
    _, rows, columns = nest(c)
    s = columns.body()[0]
    assert isinstance(s, ReduceCursor)
    buffer = s.name()
    p, parts = yield on(columns, cut_all(cuts))
    p, parts = yield on(rows, std.fission_where_possible())
    products = []
    first, panel, *last = parts
    for side in (first, *last):
        p, _ = yield on(side, kept(f"{buffer}[0:{n}, {k}]", "column"))
        p, found = yield on(side, cut_all(cuts))
        above, _, *below = found
        for part in (above, *below):
            p, _ = yield on(part, kept(f"{buffer}[{k}, 0:{n}]", "row"))
            products.append(part)
    yield on(panel.body()[0], cut_all((k, f"{k} + 1")))
    yield on(panel, std.fission_where_possible())
    for part in products:
        p, _ = yield on(part, repeat(reorder_after()))
    for part in products:
        p, _ = yield on(part, std.fission_before())
    p, c = yield focus(c)
    for loop in innermost_loops(c):
        p, _ = yield attempt(on(loop, optimize_level_1(machine, precision(s).name, VECTORS, strict=True)))
    for part in products:
        p, _ = yield on(p.forward(part).parent(), attempt(as_like_product(machine)))


@strategy
def cut_all(p: Proc, c: ForCursor, cuts: Sequence[str]) -> Script:
    """`for i: s  ~>  for i in (0, c0): s; for i in (c0, c1): s; ..`. Focus: the loop. Returns the block of all."""
    for cut in reversed(cuts):
        p, c = yield cut_loop(cut)
    return c.expand(0, len(cuts))


@strategy
def kept(p: Proc, c: ForCursor, window: str, name: str) -> Script:
    """`for k: for i: s[a]  ~>  t: T[n, m]; for k: t[k, ..] = a[w]; for i: s[t]`: what each iteration reads is kept, the
    elements of a "column" as rows. Focus: a loop in another one."""
    p, block = yield nav(moves.as_block) >> stage_mem(window, unique_name(p, name))
    yield on(allocation(block), std.expand_alloc(), *[rearrange_dim((1, 0))] * (name == "column"))
