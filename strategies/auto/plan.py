"""One strategy for any program."""

from __future__ import annotations

from exo_strat import (
    Cursor,
    ReduceCursor,
    repeat,
    ForCursor,
    IfCursor,
    Machine,
    Op,
    Proc,
    ProcCursor,
    Script,
    StmtCursor,
    attempt,
    fail,
    focus,
    forms,
    fold_into_reduce,
    hole,
    identity,
    moves,
    named,
    nav,
    on,
    strategy,
    traversals,
    try_else,
)

from ..blas.level1 import optimize_level_1
from ..blas.level2 import optimize_level_2_general
from ..inspect import accesses, enclosing_loops, loops_inside, nest, statements
from ..normal import nest_nf, tidy
from ..normal.fission_and_fusion import nest_step
from ..stencils import time_tile
from .products import as_product, product_of
from .triangles import in_rectangles
from .strides import contiguous_innermost


@strategy
def auto(p: Proc, c: ProcCursor, machine: Machine, precision: str) -> Script:
    """`s  ~>  s`, as fast as is known for a machine."""
    yield tidy()
    for s in statements(p.root()):
        yield attempt(on(s, fold_into_reduce()))
    p, c = yield nest_nf() >> nav(moves.root)
    for s in p.body():
        yield attempt(on(s, auto_nest(machine, precision)))
    yield nav(moves.root)
    return None


@strategy
def auto_nest(p: Proc, c: StmtCursor, machine: Machine, precision: str) -> Script:
    """A loop nest, or what is around several."""
    if isinstance(c, ForCursor):
        yield try_else(as_product(machine), in_time(machine, precision), blocks(machine, precision), by_rows(machine, precision))
    elif isinstance(c, IfCursor):
        for s in (*c.body(), *(c.orelse() if c.has_else() else ())):
            yield attempt(on(s, auto_nest(machine, precision)))
    else:
        yield fail("this is no loop")


@strategy
def blocks(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """Triangles in blocks of rows, whose rectangles are products; what is left by rows."""
    size = yield hole("block", (32, 64, 96, 128, 192), default=64)
    before, after = len(c.expand(None, 0)) - 1, len(c.expand(0, None)) - 1
    p, rows = yield in_rectangles(size)
    for block in rows.body():
        p, _ = yield attempt(on(block, reductions_apart()))
    whole = p.forward(rows).expand(None, None)
    parts = [*p.forward(rows).body(), *whole[before + 1 : len(whole) - after]]
    if not any(product_of(s) for s in parts if isinstance(s, ForCursor)):
        yield fail("no rectangle of it is a product")
    for s in parts:
        yield attempt(on(s, auto_nest(machine, precision)))


@strategy
def reductions_apart(p: Proc, c: ForCursor) -> Script:
    """`nest_nf` of one nest."""
    levels = len(enclosing_loops(c))
    for s in statements(c):
        if isinstance(s, ReduceCursor):
            here: Cursor = s
            while isinstance(here, StmtCursor) and len(enclosing_loops(here)) > levels:
                p, _ = yield repeat(on(here, nest_step()))
                here = p.forward(here).parent()


@strategy
def in_time(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    """A loop over time steps in tiles that go through several."""
    atom = forms.V(c.sym)
    if any(atom in forms.lin_atoms(x) for a in accesses(c.body()) for x in a.index):
        yield fail("the loop is not over time: its iterator is an index")
    depth = min((len(nest(s)) for s in c.body() if isinstance(s, ForCursor)), default=0)
    steps = yield hole("steps", (4, 8, 16, 32), default=16)
    first = yield hole("first", (8, 16, 32, 64, 128, 256, 512, 1024), default=512 if depth == 1 else 32)
    second = yield hole("second", (32, 64, 128, 256, 512, 1024), default=512)
    sizes = (2048,) if depth == 1 else (first, second)
    yield time_tile(steps, *sizes)
    return None


@strategy
def by_rows(p: Proc, c: ForCursor, machine: Machine, precision: str) -> Script:
    p, c = yield try_else(contiguous_innermost(), focus(c))
    loops = nest(c)
    inner = loops[-1]
    if loops_inside(inner):
        for s in inner.body():
            yield attempt(on(s, auto_nest(machine, precision)))
        return None
    rows = hole("rows", (1, 2, 4, 8), default=4)
    columns = optimize_level_1(machine, precision, hole("vectors", (1, 2, 4, 8), default=4), strict=True)
    ways = [on(inner, columns)]
    if len(loops) > 1:
        ways.insert(0, on(loops[-2], optimize_level_2_general(machine, precision, rows, hole("across", (1, 2, 4), default=2), strict=True)))
    yield try_else(*ways, identity)
    return None
