"""Nests that multiply matrices, as calls of one product that is scheduled in blocks and tiles.

A nest `for i: for j: for p: c[i, j] += e` over a rectangle, in any order, is a product if e multiplies one array that
depends on i and p, one that depends on p and j, and what depends on none of the three. The same program on windows is
scheduled by the plan of level 3, with either operand transposed; the nest is replaced by a call of it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeAlias

from exo_strat import (
    DRAM,
    ForCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    ReduceCursor,
    Script,
    Sym,
    analysis,
    at,
    call_eqv,
    divide_dim,
    divide_loop,
    fail,
    focus,
    forms,
    hole,
    identity,
    moves,
    named,
    nav,
    nodes,
    on,
    proc_from_source,
    rearrange_dim,
    reorder_loops,
    repeat_n,
    replace,
    resize_dim,
    schedule,
    seq,
    simplify,
    strategy,
)

from .. import std
from ..blas.level3 import DEPTH, DEPTHS, fits, in_deep_blocks, in_one_sum, in_packed_blocks, packed, tile_holes
from ..inspect import nest, precision
from ..std.writing import INSIDE
from .strides import LINE

SIZES: Final = {"i": "m", "j": "n", "p": "k"}
"""The trip counts of the loops over rows, columns and products."""
PRECISIONS: Final = ("f32", "f64")
REST: Final = (2,)
"""Rows of the tiles below those of a block: two or one, so that half as many micro-kernels are scheduled as for any
number of rows. What that costs a product: `python -m benchmarks.auto --kernels gemm --scale small`, and the others."""


@dataclass(frozen=True)
class Product:
    """What a nest multiplies: a program that does the same, on windows, with loops j, i, p; the positions of these in
    the nest; whether the columns of its b are contiguous rather than the rows."""

    source: str
    order: tuple[int, int, int]
    across: bool


def product_of(c: ForCursor) -> Product | None:
    """The product that a perfect nest of three loops is; None if it is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for k in seq(0, n):
    ...             for j in seq(0, n):
    ...                 c[i, j] += x * a[k, i] * b[j, k]
    ... ''')
    >>> found = product_of(p.find_loop("i"))
    >>> print(found.source)
    def product(m: size, n: size, k: size, x0: f32, a: [f32][k, m], b: [f32][n, k], c: [f32][m, n]):
        assert stride(b, 1) == 1
        assert stride(c, 1) == 1
        for j in seq(0, n):
            for i in seq(0, m):
                for p in seq(0, k):
                    c[i, j] += x0 * a[p, i] * b[j, p]
    >>> found.order, found.across
    ((2, 0, 1), True)
    """
    loops = nest(c)
    [s, *more] = loops[-1].body()
    if len(loops) != 3 or more or not isinstance(s, ReduceCursor) or s.op() != "+":
        return None
    kind, node = precision(s).name, s.node
    symbols = [loop.sym for loop in loops]
    target = moved(node.idx, symbols)
    bounds = moved([e.node for loop in loops for e in (loop.lo(), loop.hi())], symbols)
    if kind not in PRECISIONS or bounds != () or target is None or len(target) != 2:
        return None
    if moved(node.idx[-1:], symbols) != target[1:]:  # the elements of a row of c are not contiguous
        return None
    [depth] = {0, 1, 2}.difference(target)
    writer = _Writer(dict(zip((*target, depth), "ijp", strict=True)), symbols)
    added = writer.text(node.rhs)
    if added is None or set(writer.places) != {"a", "b"}:
        return None
    arguments = [*(f"{size}: size" for size in "mnk"), *(f"{x}: {kind}" for x in writer.scalars.values())]
    for name, place in (*sorted(writer.places.items()), ("c", ("i", "j"))):
        arguments.append(f"{name}: [{kind}][{', '.join(SIZES[x] for x in place)}]")
    source = f"""\
def product({', '.join(arguments)}):
    assert stride(b, 1) == 1
    assert stride(c, 1) == 1
    for j in seq(0, n):
        for i in seq(0, m):
            for p in seq(0, k):
                c[i, j] += {added}"""
    return Product(source, (target[1], target[0], depth), writer.places["b"] == ("j", "p"))


def moved(indices: Sequence[nodes.Expr], loops: Sequence[Sym]) -> tuple[int, ...] | None:
    """The loops, by position, on which indices depend, each on one at most and from one element to the next; None if
    it is otherwise."""
    found: list[int] = []
    for e in indices:
        form = forms.affine(e, {})
        used = [k for k, sym in enumerate(loops) if form is None or forms.V(sym) in forms.lin_atoms(form)]
        if form is None or len(used) > 1 or any(form.coefficient(forms.V(loops[k])) != 1 for k in used):
            return None
        found += used
    return tuple(found) if len(set(found)) == len(found) else None


@dataclass
class _Writer:
    """Writes what a product adds in terms of a[i, p], b[p, j] and scalars. `names` are those of the loops."""

    names: Mapping[int, str]
    loops: Sequence[Sym]
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scalars: dict[nodes.Expr, str] = field(default_factory=dict)

    def text(self, e: nodes.Expr) -> str | None:
        """The expression; None if it is no such product."""
        match e:
            case nodes.Binary(op="*", lhs=lhs, rhs=rhs):
                one, two = self.text(lhs), self.text(rhs)
                if one is None or two is None:
                    return None
                return f"{one} * ({two})" if isinstance(rhs, nodes.Binary) else f"{one} * {two}"
            case nodes.Unary(op="-", arg=arg):
                inner = self.text(arg)
                return None if inner is None else f"-({inner})" if isinstance(arg, nodes.Binary) else f"-{inner}"
            case nodes.Const(value=value):
                return repr(value)
            case nodes.Read(idx=idx):
                return self._place(e, moved(idx, self.loops))
        return None

    def _place(self, e: nodes.Expr, found: tuple[int, ...] | None) -> str | None:
        if found is None:
            return None
        if not found:
            return self.scalars.setdefault(e, f"x{len(self.scalars)}")
        place = tuple(self.names[k] for k in found)
        name = {frozenset("ip"): "a", frozenset("pj"): "b"}.get(frozenset(place))
        if name is None or name in self.places:
            return None
        self.places[name] = place
        return f"{name}[{', '.join(place)}]"


@strategy
def as_product(p: Proc, c: ForCursor, machine: Machine) -> Script:
    """`for i: for j: for p: c[i, j] += a[i, p] * b[p, j]  ~>  product(m, n, k, a, b, c)`, in blocks and tiles.

    Where a loop may have no iteration, the call is in an `if`. Holes: `rows` and `vectors` of a tile, `width` and
    `depth` of a block. Focus: the outermost of three loops. Fails if the nest is no product of matrices over a
    rectangle, or if a tile does not fit the registers.

    >>> from backends.targets import plain_c
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32, a: f32[n, n], b: f32[n, n], c: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for k in seq(0, n):
    ...             for j in seq(0, n):
    ...                 c[i, j] += x * a[k, i] * b[k, j]
    ... ''')
    >>> print(schedule(at("for i in _: _", as_product(plain_c)), p))
    def foo(n: size, x: f32 @ DRAM, a: f32[n, n] @ DRAM, b: f32[n, n] @ DRAM, c: f32[n, n] @ DRAM):
        product(n, n, n, x, a[0:n, 0:n], b[0:n, 0:n], c[0:n, 0:n])
    """
    found = product_of(c)
    if found is None:
        yield fail("this is no product of matrices over a rectangle")
        return
    empty = [k for k, x in enumerate(nest(c)) if not surely_runs(x)]
    if empty:
        yield in_order((empty[0], *(k for k in range(3) if k != empty[0]))) >> std.if_it_runs(as_product(machine))
        return
    kind = precision(nest(c)[-1].body()[0]).name
    blocks = yield from drawn(machine, kind)
    if not fits(machine, *blocks[:2]):
        yield fail(f"a tile of {blocks[0]} rows of {blocks[1]} vectors does not fit the registers")
        return
    program, plan = scheduled(found.source, found.across, machine, kind, blocks)
    yield in_order(found.order) >> replace(program) >> call_eqv(plan)


def surely_runs(c: ForCursor) -> bool:
    """Whether a loop is known to have an iteration."""
    return analysis.holds_everywhere(c.proc.tree, c.path, nodes.Binary("<", c.lo().node, c.hi().node))


@named
def in_order(order: tuple[int, ...]) -> Op:
    """`for i: for j: s  ~>  for j: for i: s`: the loops of a perfect nest in an order that is given by position.

    Focus: the outermost loop. Returns the loop that is outermost then.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             for k in seq(0, n):
    ...                 x[i, j, k] = 0.0
    ... ''')
    >>> q = schedule(at("for i in _: _", in_order((2, 0, 1))), p)
    >>> [loop.name() for loop in nest(q.body()[0])]
    ['k', 'i', 'j']
    """
    steps: list[Op] = []
    now = sorted(order)
    for place, k in enumerate(order):
        where = now.index(k)
        outwards = (on_depth(up - 1, reorder_loops()) for up in range(where, place, -1))
        steps += outwards
        now.insert(place, now.pop(where))
    return seq(*steps)


@named
def on_depth(depth: int, op: Op) -> Op:
    """`op` on the loop so many levels inside a perfect nest. Returns the outermost loop."""
    return seq(repeat_n(nav(INSIDE), depth), op, repeat_n(nav(moves.parent), depth))


# -- the product --------------------------------------------------------------------------------------


Blocks: TypeAlias = tuple[int, int, int, int]
"""Rows and vectors of a tile, columns and products of a block."""


def drawn(machine: Machine, kind: str) -> Generator[Any, Any, Blocks]:
    """The holes of a product in a strategy."""
    rows, vectors, width = tile_holes(machine, kind)
    return (yield rows), (yield vectors), (yield width), (yield hole("depth", DEPTHS, default=DEPTH))


@cache
def scheduled(source: str, across: bool, machine: Machine, kind: str, blocks: Blocks) -> tuple[Proc, Proc]:
    """A product as a program, and what the plan makes of it. Each is made once."""
    rows_of_tile, vectors, width, depth = blocks
    program = proc_from_source(source)
    by_rows = source.replace("[k, m]", "[m, k]").replace("a[p, i]", "a[i, p]")
    sums, tile = map(with_sums, (by_rows, by_rows.replace("[n, k]", "[k, n]").replace("b[j, p]", "b[p, j]")))
    pack = packed_columns if across else packed
    rows = identity if by_rows == source else rows_packed(depth)
    plan = in_packed_blocks(machine, kind, rows_of_tile, vectors, width, tile, pack, REST)
    return program, schedule(in_deep_blocks(sums, plan, depth, rows), program)


@cache
def with_sums(source: str) -> Proc:
    """A product with a sum for each element: one procedure, and so one set of micro-kernels, for all ways to store."""
    return schedule(at("for p in _: _", in_one_sum()), proc_from_source(source))


@strategy
def packed_columns(p: Proc, c: ProcCursor, t: std.Tile, width: int) -> Script:
    """`s[b]  ~>  for i0: for i1: panels[i0 / 64, i1, i0 % 64] = b[i0, i1]; s[panels]`: `level3.packed` for a b that is
    transposed. The C compiler makes what it can of the copy."""
    p, block = yield seq(nav(moves.find_loop("j")), std.auto_stage_mem("b", "panels", DRAM))
    copy = block[0].prev()
    yield on(copy.prev(), resize_dim(0, width, 0), divide_dim(0, t.cols), rearrange_dim((0, 2, 1)))
    yield on(copy, divide_loop(t.cols, ("jo", "ji"), tail="cut")) >> nav(moves.root) >> simplify()


@strategy
def rows_packed(p: Proc, c: ForCursor, depth: int) -> Script:
    """`s[a]  ~>  for i0: for i1: rows[i1, i0] = a[i0, i1]; s[rows]`, for an a that is transposed: what a tile reads of
    it is in as many pages as it is deep. Focus: the nest, which is returned."""
    p, block = yield std.auto_stage_mem("a", "rows", DRAM)
    # rows that are a page apart would share the same few lines of a cache
    yield on(block[0].prev().prev(), rearrange_dim((1, 0)), resize_dim(1, depth + LINE, 0))
    yield focus(block[0])
    return block[0]
