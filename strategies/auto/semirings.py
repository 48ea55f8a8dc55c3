"""Nests that are like a product of matrices, whatever their operations, in tiles that stay in registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from exo_strat import (
    ForCursor,
    Machine,
    Proc,
    ProcCursor,
    ReduceCursor,
    Script,
    add_assertion,
    at,
    attempt,
    call_eqv,
    divide_dim,
    divide_loop,
    fail,
    moves,
    nav,
    nodes,
    on,
    proc_from_source,
    rename,
    reorder_loops,
    replace,
    schedule,
    seq,
    strategy,
    walk,
)

from .. import std
from ..blas.level1 import optimize_level_1
from ..inspect import nest, precision
from ..std.staging import allocation
from ..std.writing import INSIDE
from .products import in_order, moved, surely_runs

ROWS, VECTORS = 4, 2
"""Rows and vectors of a tile in registers. Measured by `python -m benchmarks.auto --kernels floyd_warshall`."""
COLUMNS = 512
"""Columns of a block: what is read of b for them stays in a cache. Measured as the tile is."""
OPERATORS: Final = {"+": "c[i, j] += {}", "min": "c[i, j] = min(c[i, j], {})", "max": "c[i, j] = max(c[i, j], {})"}
"""How elements may be accumulated."""


@dataclass(frozen=True)
class LikeProduct:
    """`for i: for j: for p: c[i, j] op= e`, with e of elements a[i, p] and b[p, j]: the program on windows, and where
    i, j and p are in a nest that does the same."""

    source: str
    order: tuple[int, int, int]


def like_product(c: ForCursor) -> LikeProduct | None:
    """What a nest is of this kind; None if it is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n], y: f32[n, n], z: f32[n, n]):
    ...     for k in seq(0, n):
    ...         for i in seq(0, n):
    ...             for j in seq(0, n):
    ...                 z[i, j] = min(z[i, j], x[i, k] + y[k, j])
    ... ''')
    >>> found = like_product(p.find_loop("k"))
    >>> print(found.source)
    def like_product(m: size, n: size, k: size, a0: [f32][m, k], b1: [f32][k, n], c: [f32][m, n]):
        assert stride(b1, 1) == 1
        assert stride(c, 1) == 1
        for i in seq(0, m):
            for j in seq(0, n):
                for p in seq(0, k):
                    c[i, j] = min(c[i, j], a0[i, p] + b1[p, j])
    >>> found.order
    (1, 2, 0)
    """
    loops = nest(c)
    [s, *more] = loops[-1].body()
    if len(loops) != 3 or more or not isinstance(s, ReduceCursor) or s.op() not in OPERATORS:
        return None
    symbols = [loop.sym for loop in loops]
    target = moved(s.node.idx, symbols)
    if target is None or len(target) != 2 or moved([e.node for x in loops for e in (x.lo(), x.hi())], symbols) != ():
        return None
    (i, j), [p] = target, {0, 1, 2}.difference(target)
    places = {(i, p): ("a", "[i, p]", "m, k"), (p, j): ("b", "[p, j]", "k, n")}
    names: dict[nodes.Expr, str] = {}
    kind = precision(s).name
    arguments, strides = list[str](), ["c"]
    for _, e in walk(s.node.rhs):
        if isinstance(e, nodes.Read) and e not in names:
            moving = moved(e.idx, symbols)
            if moving is None or moving not in places:
                return None
            letter, index, shape = places[moving]
            name = f"{letter}{len(names)}"
            names[e] = name + index
            arguments.append(f"{name}: [{kind}][{shape}]")
            strides += [name] * (letter == "b")
    value = _text(s.node.rhs, names)
    if value is None:
        return None
    lines = [
        f"def like_product(m: size, n: size, k: size, {', '.join(sorted(arguments))}, c: [{kind}][m, n]):",
        *(f"    assert stride({name}, 1) == 1" for name in sorted(strides)),
        "    for i in seq(0, m):",
        "        for j in seq(0, n):",
        "            for p in seq(0, k):",
        f"                {OPERATORS[s.op()].format(value)}",
    ]
    return LikeProduct("\n".join(lines), (i, j, p))


def _text(e: nodes.Expr, names: Mapping[nodes.Expr, str]) -> str | None:
    """An expression of elements with names; None if there is anything else in it."""
    match e:
        case nodes.Read():
            return names[e]
        case nodes.Binary(op=op, lhs=lhs, rhs=rhs):
            one, two = _text(lhs, names), _text(rhs, names)
            if one is None or two is None:
                return None
            return (
                f"{one} {op} {two}"
                if isinstance(lhs, nodes.Read) and isinstance(rhs, nodes.Read)
                else f"({one}) {op} ({two})"
            )
        case _:
            return None


@strategy
def as_like_product(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """`for k: for i: for j: c[i, j] op= e  ~>  like_product(..)`: a call of the same, in blocks and tiles.

    Where a loop may have no iteration, the call is in an `if`. Focus: the outermost loop. Fails if the nest is no
    such thing (`like_product`).

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n], y: f32[n, n], z: f32[n, n]):
    ...     for k in seq(0, n):
    ...         for i in seq(0, n):
    ...             for j in seq(0, n):
    ...                 z[i, j] = min(z[i, j], x[i, k] + y[k, j])
    ... ''')
    >>> print(schedule(at("for k in _: _", as_like_product(avx2)), p))
    def foo(n: size, x: f32[n, n] @ DRAM, y: f32[n, n] @ DRAM, z: f32[n, n] @ DRAM):
        like_product(n, n, n, x[0:n, 0:n], y[0:n, 0:n], z[0:n, 0:n])
    """
    found = like_product(c)
    if found is None:
        yield fail("this is not like a product of matrices")
        return
    empty = [k for k, x in enumerate(nest(c)) if not surely_runs(x)]
    if empty:
        yield in_order((empty[0], *(k for k in range(3) if k != empty[0]))) >> std.if_it_runs(as_like_product(machine))
        return
    kind = precision(nest(c)[-1].body()[0]).name
    program, plan = scheduled(found.source, machine, kind)
    yield in_order(found.order) >> replace(program) >> call_eqv(plan)


@cache
def scheduled(source: str, machine: Machine, kind: str) -> tuple[Proc, Proc]:
    """A program like a product, and what the plan makes of it."""
    program = proc_from_source(source)
    t = std.Tile(machine, kind, ROWS, VECTORS)
    return program, schedule(in_blocks(t), program)


@strategy
def in_blocks(p: Proc, c: ProcCursor, t: std.Tile) -> Script:
    """A program like a product in blocks of columns, and these in tiles."""
    block = schedule(seq(rename(f"{p.name()}_block"), add_assertion(f"n <= {COLUMNS}")), p)
    then = std.as_call(block, at("for i in _: _", in_tiles(t)))
    yield nav(moves.find_loop("i")) >> reorder_loops() >> std.in_blocks(COLUMNS, ("jo", "j"), reorder_loops() >> then)


@strategy
def in_tiles(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for i: for j: for p: s  ~>  for io: for jo: t = c[tile]; for p: t op= e; c[tile] = t`, and what is left, which
    makes no tile, by rows. Focus: the loop over rows. Returns the procedure."""
    p, rows = yield divide_loop(t.rows, ("io", "i"), tail="cut")
    yield on(rows.next(), by_row(t))
    p, columns = yield on(rows, nav(INSIDE), reorder_loops(), divide_loop(t.cols, ("jo", "j"), tail="cut"))
    yield on(columns.next(), reorder_loops(), nav(INSIDE), reorder_loops())
    p, j = yield on(columns, nav(INSIDE))
    yield on(j, in_registers(t))
    yield std.cleanup()


@strategy
def by_row(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for i: for j: for p: s  ~>  for i: for p: for j: s`, in vectors. Focus: the loop over rows."""
    p, j = yield nav(INSIDE) >> reorder_loops() >> nav(INSIDE)
    yield on(j, attempt(optimize_level_1(t.machine, t.precision, t.vectors, strict=True)))


@strategy
def in_registers(p: Proc, c: ForCursor, t: std.Tile) -> Script:
    """`for j: for i: for p: c op= e  ~>  t = c[..]; for p: t op= e; c[..] = t`, with t in registers.

    Focus: the loop over the columns of a tile. Returns the procedure.
    """
    p, i = yield reorder_loops()
    p, depth = yield on(i, nav(INSIDE), reorder_loops(), nav(moves.parent), reorder_loops())
    p, block = yield on(depth, nav(moves.as_block), std.auto_stage_mem("c", "t", t.registers))
    tile, load, store = allocation(block), block[0].prev(), block[0].next()
    yield on(tile, divide_dim(1, t.width))
    for columns in (load.body()[0], nest(depth)[2], store.body()[0]):
        yield on(columns, std.by_vectors(t))
    yield nav(moves.root) >> std.to_instructions(t, (std.fma_rule,))
