"""The shape of code around and below a cursor: loops, branches, nests.

All functions are pure and take public cursors. One that asks for something that is not there raises
`InvalidCursorError`, which in a strategy is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from toolz import iterate, nth

from exo_strat import (
    BlockCursor,
    Cursor,
    ForCursor,
    IfCursor,
    InvalidCursorError,
    NodeCursor,
    ProcCursor,
    StmtCursor,
    Sym,
    analysis,
    forms,
    mentions,
    names_at,
    nodes,
    print_expr,
)

C = TypeVar("C", bound=Cursor)

# -- around -------------------------------------------------------------------------------------------


def _around(c: Cursor) -> Iterator[NodeCursor]:
    """The nodes around a cursor, the innermost first."""
    while not (isinstance(c, NodeCursor) and len(c.path) <= 1):  # at the top level: the message would show all code
        try:
            c = c.parent()
        except InvalidCursorError:
            return
        yield c


def _first(found: Iterator[C], missing: str, c: Cursor) -> C:
    for x in found:
        return x
    raise InvalidCursorError(f"{missing}\n{c}")


def enclosing_loops(c: Cursor) -> tuple[ForCursor, ...]:
    """The loops around a cursor, the outermost first.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> [loop.name() for loop in enclosing_loops(p.find("x[_] = _"))]
    ['i', 'j']
    """
    return tuple(s for s in _around(c) if isinstance(s, ForCursor))[::-1]


def enclosing_ifs(c: Cursor) -> tuple[IfCursor, ...]:
    """The branches around a cursor, the outermost first.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> [c.cond().text() for c in enclosing_ifs(p.find("x[_] = _"))]
    ['i > 0']
    """
    return tuple(s for s in _around(c) if isinstance(s, IfCursor))[::-1]


def enclosing_scopes(c: Cursor) -> tuple[ForCursor | IfCursor, ...]:
    """The loops and branches around a cursor, the outermost first.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> [type(c).__name__ for c in enclosing_scopes(p.find("x[_] = _"))]
    ['ForCursor', 'IfCursor', 'ForCursor']
    """
    return tuple(s for s in _around(c) if isinstance(s, ForCursor | IfCursor))[::-1]


def enclosing_loop(c: Cursor, name: str | None = None) -> ForCursor:
    """The innermost loop around a cursor; with `name`, the innermost of that name.

    Raises `InvalidCursorError` if there is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> s = p.find("x[_] = _")
    >>> enclosing_loop(s).name(), enclosing_loop(s, "i").name()
    ('j', 'i')
    """
    which = f"no loop {name} is around this" if name else "no loop is around this"
    return _first((x for x in enclosing_loops(c)[::-1] if name in (None, x.name())), which, c)


def enclosing_stmt(c: Cursor) -> StmtCursor:
    """The statement that a cursor points to, or that its expression stands in; of a block, the first.

    Raises `InvalidCursorError` where there is none, as at an argument.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32, y: f32): x = y + 1.0")
    >>> enclosing_stmt(p.find("y + 1.0")) == p.find("x = _")
    True
    """
    if isinstance(c, BlockCursor):
        return c[0]
    return _first((x for x in (c, *_around(c)) if isinstance(x, StmtCursor)), "this is in no statement", c)


# -- below --------------------------------------------------------------------------------------------


def pieces(c: Cursor) -> tuple[NodeCursor, ...]:
    """The statements of a block or procedure; another node alone."""
    if isinstance(c, ProcCursor):
        c = c.body()
    if isinstance(c, BlockCursor):
        return tuple(c)
    if isinstance(c, NodeCursor):
        return (c,)
    raise InvalidCursorError(f"there is no code at a {type(c).__name__}\n{c}")


def statements(c: Cursor) -> tuple[StmtCursor, ...]:
    """All statements at and below a cursor, in textual order.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> [type(s).__name__ for s in statements(p.find_loop("i"))]
    ['ForCursor', 'AssignCursor', 'ForCursor', 'ReduceCursor']
    """
    return tuple(s for x in pieces(c) for s in x.statements())


def loops_inside(c: Cursor) -> tuple[ForCursor, ...]:
    """The loops below a cursor, itself not among them, in textual order.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> [loop.name() for loop in loops_inside(p.find_loop("i"))]
    ['j']
    """
    return tuple(s for s in statements(c) if isinstance(s, ForCursor) and s != c)


def inner_loop(c: Cursor) -> ForCursor:
    """The first loop below a cursor, itself not counted.

    Raises `InvalidCursorError` if there is none.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> inner_loop(p.find_loop("i")).name()
    'j'
    """
    return _first(iter(loops_inside(c)), "no loop is inside this", c)


def nth_inner_loop(c: Cursor, n: int) -> ForCursor:
    """`inner_loop` applied n + 1 times: 0 gives the first loop below a cursor, 1 the first loop inside that one.

    Raises `InvalidCursorError` if there are fewer.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> nth_inner_loop(p.root(), 0).name(), nth_inner_loop(p.root(), 1).name()
    ('i', 'j')
    """
    found: ForCursor = nth(n + 1, iterate(inner_loop, c))
    return found


def innermost_loops(c: Cursor) -> tuple[ForCursor, ...]:
    """The loops at and below a cursor that have none inside, in textual order.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         if i > 0:
    ...             for j in seq(0, 8):
    ...                 x[i, j] = 0.0
    ... ''')
    >>> [loop.name() for loop in innermost_loops(p.root())]
    ['j']
    """
    return tuple(s for s in statements(c) if isinstance(s, ForCursor) and not loops_inside(s))


def nest(c: ForCursor) -> tuple[ForCursor, ...]:
    """The perfect nest that begins at a loop: each loop but the last has nothing but the next one in it.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, n):
    ...             x[i, j] = 0.0
    ... ''')
    >>> [loop.name() for loop in nest(p.find_loop("i"))]
    ['i', 'j']
    """
    out = [c]
    while len(out[-1].body()) == 1 and isinstance(inside := out[-1].body()[0], ForCursor):
        out.append(inside)
    return tuple(out)


def is_perfect_nest(c: Cursor, depth: int) -> bool:
    """Whether a cursor is the outermost of at least so many perfectly nested loops.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> is_perfect_nest(p.find_loop("i"), 1), is_perfect_nest(p.find_loop("i"), 2)
    (True, False)
    """
    return isinstance(c, ForCursor) and len(nest(c)) >= depth


def trip_count(c: ForCursor) -> int | None:
    """The trip count of a loop if it is a constant, as 4 for `seq(n, n + 4)`; else None.

    Raises `InvalidCursorError` for what is no loop.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> trip_count(p.find_loop("i")), trip_count(p.find_loop("j"))
    (None, 8)
    """
    if not isinstance(c, ForCursor):
        raise InvalidCursorError(f"this is no loop: it has no trip count\n{c}")
    n = analysis.trip_count(c.node)
    return None if n is None else max(0, n)


# -- bounds -------------------------------------------------------------------------------------------


def affine_bound(bound: Cursor) -> forms.Lin:
    """The bound of a loop as an affine form. Raises `InvalidCursorError` if the bound is not affine.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> affine_bound(p.find_loop("j").hi()).const
    8
    """
    if not isinstance(bound, NodeCursor) or (found := forms.affine(bound.node)) is None:
        raise InvalidCursorError(f"the bound of the loop is not affine\n{bound}")
    return found


def slope(bound: Cursor, loop: ForCursor) -> int:
    """The coefficient of a loop's iterator in an affine bound: how much the bound grows from one iteration of the loop
    to the next. A bound without the iterator doesn't grow, affine or not.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(i, n):
    ...             x[j] += 1.0
    ... ''')
    >>> rows, columns = p.find_loop("i"), p.find_loop("j")
    >>> slope(columns.lo(), rows), slope(columns.hi(), rows), growth(rows), is_rectangle(rows)
    (1, 0, -1, False)
    """
    if isinstance(bound, NodeCursor) and loop.sym not in mentions(bound.node):
        return 0
    return affine_bound(bound).coefficient(forms.V(loop.sym))


def growth(c: ForCursor) -> int:
    """How much the trip count of the first loop inside grows from one iteration of a loop to the next: 0 in a
    rectangle, 1 in a lower triangle by rows, -1 in an upper one.

    Raises `InvalidCursorError` if there is no loop inside, or its bounds are not affine.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def lower(n: size, x: f32[n, n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, i + 1):
    ...             x[i, j] = 0.0
    ... ''')
    >>> growth(p.find_loop("i"))
    1
    """
    columns = inner_loop(c)
    return slope(columns.hi(), c) - slope(columns.lo(), c)


def is_rectangle(c: ForCursor) -> bool:
    """Whether the body of a loop is one other loop, whose bounds do not depend on the iterator of the first.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> is_rectangle(p.find_loop("i")), is_rectangle(p.find_loop("j"))
    (False, False)
    """
    loops = nest(c)
    return len(loops) > 1 and not any(slope(bound, c) for bound in (loops[1].lo(), loops[1].hi()))


# -- shape --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """A statement in outline: a loop with its mode and range, `if`, or an assignment or reduction with the buffer that
    it writes. `inside` are the outlines of the statements in it. Names of iterators, indices and right-hand sides are
    left out.

    Prints as `seq n > par 4 > [y =; seq m > y +=]`: `>` is "contains", and brackets hold several statements.

    >>> print(Shape("seq n", (Shape("y ="), Shape("par 4", (Shape("y +="),)))))
    seq n > [y =; par 4 > y +=]
    """

    head: str
    inside: tuple[Shape, ...] = ()

    def __str__(self) -> str:
        inside = "; ".join(map(str, self.inside))
        return " > ".join([self.head, *([f"[{inside}]" if self.inside[1:] else inside] if inside else [])])


def nest_shape(c: Cursor) -> Shape:
    """The outline of the loop nest at a statement, block or procedure (`Shape`), to compare nests or to choose by them.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m], y: f32[n]):
    ...     for i in par(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, m):
    ...             y[i] += x[i, j]
    ... ''')
    >>> print(nest_shape(p.find_loop("i")))
    par n > [y =; seq m > y +=]
    """
    if isinstance(c, ProcCursor):
        return Shape(c.name(), _shapes(c.body()))
    if isinstance(c, BlockCursor):
        found = _shapes(c)
        return found[0] if len(found) == 1 else Shape("block", found)
    names = names_at(c.proc.tree)
    match enclosing_stmt(c):
        case ForCursor() as s:
            lo, hi = (print_expr(e.node, names) for e in (s.lo(), s.hi()))
            return Shape(f"{s.mode()} {hi if lo == '0' else f'{lo}:{hi}'}", _shapes(s.body()))
        case IfCursor() as s:
            orelse = (Shape("else", _shapes(s.orelse())),) if s.has_else() else ()
            return Shape("if", (*_shapes(s.body()), *orelse))
        case s:
            return Shape(_head(s.node, names))


def _shapes(block: BlockCursor) -> tuple[Shape, ...]:
    return tuple(nest_shape(s) for s in block)


def _head(s: nodes.Node, names: Mapping[Sym, str]) -> str:
    match s:
        case nodes.Assign(sym=x):
            return f"{names[x]} ="
        case nodes.Reduce(sym=x, op=op):
            return f"{names[x]} {op}="
        case nodes.Alloc(sym=x) | nodes.WindowDef(sym=x):
            return f"{names[x]}:"
        case nodes.Call(f=f):
            return f"{f.tree.name}()"
        case nodes.WriteConfig(config=c, field=field):
            return f"{c.name}.{field} ="
        case _:
            return "pass"
