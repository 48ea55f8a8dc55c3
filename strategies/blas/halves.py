"""Products of which one triangle is wanted."""

from __future__ import annotations

from exo_strat import (
    DRAM,
    DRAM_STACK,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ProcCursor,
    Script,
    cut_loop,
    divide_loop,
    drop_guard,
    fission,
    lift_alloc,
    moves,
    nav,
    on,
    rearrange_dim,
    reorder_loops,
    resize_dim,
    seq,
    set_memory,
    shift_loop,
    simplify,
    stage_mem,
    strategy,
    tighten_loop,
    widen_loop,
)

from .. import std
from ..inspect import inner_loop
from ..std.writing import INSIDE, text
from .level3 import ROWS, optimize_gemm
from .symmetric import moved
from .triangles import loop_over, tile_of

ROOT = moves.root


@strategy
def optimize_half(p: Proc, c: ProcCursor, machine: Machine, precision: str, add: Proc, new: Proc) -> Script:
    """`for i: for j in (0, i + 1): t = ..; c += t  ~>  for io: add(..); new(s, ..); for i: for j: c += s`.

    Rows are taken as many together as a tile has. Columns that all of them have are a product that is added; of the few
    others, more are computed than wanted, and those that are wanted are added. `add` and `new` are the programs of
    products. Focus: the procedure. Returns it.

    >>> from backends.targets import plain_c
    >>> from exo_strat import proc_from_source, schedule
    >>> source = '''
    ... def {}(m: size, n: size, k: size, alpha: f32, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] {} alpha * t
    ... '''
    >>> add, new = (proc_from_source(source.format(*names)) for names in (("add", "+="), ("new", "=")))
    >>> half = proc_from_source('''
    ... def half(m: size, k: size, alpha: f32, a: [f32][m, k], b: [f32][k, m], c: [f32][m, m]):
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for i in seq(0, m):
    ...         for j in seq(0, i + 1):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] += alpha * t
    ... ''')
    >>> q = schedule(optimize_half(plain_c, "f32", add, new), half)
    >>> [call.subproc().name() for call in q.find_all("_(_)")]
    ['add', 'add', 'new']
    """
    big, rows = tile_of(machine, precision), loop_over(p, "i")
    lower = text(inner_loop(rows).lo()) == "0"
    if lower:
        p, single = yield on(rows, cut_loop(f"m % {ROWS}"))
        p, blocks = yield on(single.next(), shift_loop(0), divide_loop(ROWS, ("io", "i"), tail="perfect"))
        first = f"{ROWS} * io + m % {ROWS}"
    else:
        p, blocks = yield on(rows, divide_loop(ROWS, ("io", "i"), tail="cut"))
        single, first = blocks.next(), f"{ROWS} * io"
    yield seq(nav(ROOT), simplify())
    added = std.as_call(add, optimize_gemm(machine, precision, add, None))
    computed = std.as_call(new, optimize_gemm(machine, precision, new, None))
    yield on(blocks, nav(INSIDE), some_rows(first, big.width, lower, added, computed))
    p, _ = yield on(single, divide_loop(1, ("io", "i"), tail="perfect"))
    yield on(single, nav(INSIDE), simplify(), reorder_loops(), shift_loop(0), added)
    return None


@strategy
def some_rows(p: Proc, c: ForCursor, first: str, width: int, lower: bool, added: Op, computed: Op) -> Script:
    """The same for the rows from `first` on. Focus: the loop over them."""
    start = f"{width} * (({first}) / {width})"
    if lower:
        p, far = yield on(c.body()[0], cut_loop(start))
        near, split, end = far.next(), far, f"{first} + {ROWS}"
    else:
        end = f"min(m, {width} * (({first} + {ROWS - 1}) / {width}) + {width})"
        p, near = yield on(c.body()[0], cut_loop(end))
        far, split = near.next(), near
    yield on(split, nav(moves.after), fission())
    p, near = yield on(near, widen_loop(start, end), shift_loop(0))
    p, value = yield on(p.forward(near).find("alpha * t"), std.stage_expr("s", DRAM, 3))
    guard = value.parent()
    sums = guard.parent().parent()
    yield on(guard, nav(INSIDE), lift_alloc(1))
    yield on(guard, drop_guard())
    yield on(sums.next(), nav(INSIDE), tighten_loop())
    buffer = sums.prev()
    yield on(buffer, resize_dim(1, 3 * width, 0))
    yield on(sums, reorder_loops(), computed)
    yield on(buffer, set_memory(DRAM_STACK))
    yield on(far, nav(moves.parent), reorder_loops(), shift_loop(0), std.if_it_runs(added))
    return None


@strategy
def optimize_half_across(
    p: Proc, c: ProcCursor, machine: Machine, precision: str, add: Proc, new: Proc, memory: Memory
) -> Script:
    """As `optimize_half`, of a b that is handed over turned: it is copied to rows. Focus: the procedure. Returns it.

    >>> from backends.targets import plain_c
    >>> from exo_strat import DRAM, proc_from_source, schedule
    >>> source = '''
    ... def {}(m: size, n: size, k: size, alpha: f32, a: [f32][m, k], b: [f32][k, n], c: [f32][m, n]):
    ...     assert stride(b, 1) == 1
    ...     assert stride(c, 1) == 1
    ...     for j in seq(0, n):
    ...         for i in seq(0, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[p, j]
    ...             c[i, j] {} alpha * t
    ... '''
    >>> add, new = (proc_from_source(source.format(*names)) for names in (("add", "+="), ("new", "=")))
    >>> half = proc_from_source('''
    ... def half(m: size, k: size, alpha: f32, a: [f32][m, k], b: [f32][m, k], c: [f32][m, m]):
    ...     assert stride(c, 1) == 1
    ...     for i in seq(0, m):
    ...         for j in seq(i, m):
    ...             t: f32
    ...             t = 0.0
    ...             for p in seq(0, k):
    ...                 t += a[i, p] * b[j, p]
    ...             c[i, j] += alpha * t
    ... ''')
    >>> q = schedule(optimize_half_across(plain_c, "f32", add, new, DRAM), half)
    >>> [loop.name() for loop in q.find_all("for _ in _: _")]
    ['i1', 'i0', 'io', 'i', 'j', 'io']
    """
    p, block = yield seq(nav(moves.find_loop("i")), stage_mem("b[0:m, 0:k]", "rows"))
    copy = block[0].prev()
    # an odd number of lines of the cache, which are then not all the same ones
    yield on(copy.prev(), rearrange_dim((1, 0)), resize_dim(1, "32 * ((m + 15) / 32) + 16", 0))
    yield optimize_half(machine, precision, add, new)
    yield on(copy, moved(machine, precision))
    yield on(copy.prev(), set_memory(memory))
    return None
