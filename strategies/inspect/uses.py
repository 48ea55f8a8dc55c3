"""What code reads, writes and depends on.

All functions are pure and take public cursors. One that asks for something that is not there raises
`InvalidCursorError`, which in a strategy is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from itertools import chain, count, product
from typing import TypeAlias, overload

from toolz import unique

from exo_strat import (
    AllocCursor,
    ArgCursor,
    AssignCursor,
    Control,
    Cursor,
    ForCursor,
    InvalidCursorError,
    NodeCursor,
    Proc,
    ReduceCursor,
    Scalar,
    Sym,
    Tensor,
    WindowDefCursor,
    analysis,
    binders,
    declarations,
    in_scope,
    is_control,
    mentions,
    names_at,
    nodes,
    walk,
)

from .accesses import Scope, accesses
from .structure import pieces, statements

Declaration: TypeAlias = ArgCursor | AllocCursor | WindowDefCursor | ForCursor
Named: TypeAlias = str | Sym | NodeCursor

# -- variables ----------------------------------------------------------------------------------------


def symbols_read(c: Scope) -> tuple[Sym, ...]:
    """The buffers that are read below a cursor, in the order of first use.

    A window counts as the buffer that it is a part of, a call as what its callee does, a reduction as a read and a
    write.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] += x[i]
    ... ''')
    >>> [str(s) for s in symbols_read(p.find_loop("i"))], [str(s) for s in symbols_written(p.find_loop("i"))]
    (['x', 'y'], ['y'])
    """
    return tuple(unique(a.sym for a in accesses(c) if a.reads))


def symbols_written(c: Scope) -> tuple[Sym, ...]:
    """The buffers that are written or accumulated into below a cursor, in the order of first use.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> [str(s) for s in symbols_written(p.root())]
    ['y']
    """
    return tuple(unique(a.sym for a in accesses(c) if a.writes))


def symbol(c: Cursor, name: Named) -> Sym:
    """The variable that a name means in object code at a place; or the variable of a cursor.

    A name that is not in scope there may be that of a variable declared below. Raises `InvalidCursorError` for others.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def rows(n: size, x: f32[n, 8], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 0.0
    ...         for j in seq(0, 8):
    ...             y[i] += x[i, j]
    ... ''')
    >>> loop = p.find_loop("i")
    >>> symbol(loop, "j") == p.find_loop("j").sym == symbol(loop, p.find_loop("j"))
    True
    """
    if isinstance(name, Sym):
        return name
    if not isinstance(name, str):
        if isinstance(sym := getattr(name, "sym", None), Sym):
            return sym
        raise InvalidCursorError(f"this has no variable\n{name}")
    outside = [_introduced(n) for _, n in in_scope(c.proc.tree, c.place())][::-1]
    inside = [s for x in pieces(c) for s in binders(x.node)]
    spelled = names_at(c.proc.tree)
    for known, in_text in product((outside, inside), (True, False)):
        if found := [s for s in known if (spelled[s] if in_text else s.name) == name]:
            return found[0]
    raise InvalidCursorError(f"{name!r} means nothing here\n{c}")


def declaration(c: Cursor, name: Named) -> Declaration:
    """The cursor to where a variable is declared: an argument, an allocation, a window's definition or a loop. The
    variable is given by its name at a place, or by a cursor. Raises `InvalidCursorError` if the name means nothing.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> declaration(p.find("x[_] = _"), "x")
    <ArgCursor args[1]>
    """
    sym, tree = symbol(c, name), c.proc.tree
    everything = ((path, n) for path, n in walk(tree) if type(n) in DECLARATIONS)
    found = ((path, n) for path, n in chain(in_scope(tree, c.place()), everything) if _introduced(n) == sym)
    path, node = next(found)
    return DECLARATIONS[type(node)](c.proc, path)


DECLARATIONS: Mapping[type, Callable[..., Declaration]] = {
    nodes.Arg: ArgCursor,
    nodes.Alloc: AllocCursor,
    nodes.WindowDef: WindowDefCursor,
    nodes.For: ForCursor,
}


def _introduced(n: nodes.Node) -> Sym:
    found: Sym = n.iter if isinstance(n, nodes.For) else n.sym  # type: ignore[union-attr]
    return found


def unique_name(p: Proc, base: str) -> str:
    """`base`, or the first of `base_1`, `base_2`, .. that no variable of a procedure has.

    >>> from exo_strat import proc_from_source
    >>> unique_name(proc_from_source("def foo(x: f32, x_1: f32):\\n    x = x_1"), "x")
    'x_2'
    """
    return unique_names(p, (base,))[0]


@overload
def unique_names(p: Proc, bases: tuple[str, str]) -> tuple[str, str]: ...
@overload
def unique_names(p: Proc, bases: Iterable[str]) -> tuple[str, ...]: ...
def unique_names(p: Proc, bases: Iterable[str]) -> tuple[str, ...]:
    """For each of some names, the name or a numbered one, such that all differ from each other and from the names of a
    procedure's variables.

    >>> from exo_strat import proc_from_source
    >>> unique_names(proc_from_source("def foo(x: f32): x = 0.0"), ("x", "t", "t"))
    ('x_1', 't', 't_1')
    """
    syms = declarations(p.tree)
    taken = {s.name for s in syms} | {names_at(p.tree)[s] for s in syms}
    out: list[str] = []
    for base in bases:
        out.append(free_name(base, taken.union(out)))
    return tuple(out)


def free_name(base: str, taken: Container[str]) -> str:
    """`base`, or the first of `base_1`, `base_2`, .. that is not taken."""
    numbered = (f"{base}_{n}" for n in count(1))
    return next(name for name in chain((base,), numbered) if name not in taken)


# -- values -------------------------------------------------------------------------------------------


def is_constant(e: NodeCursor) -> bool:
    """Whether an expression is made of literals only.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(n: size, x: f32[n]): x[n - 1] = 2.0 * 3.0")
    >>> is_constant(p.find("2.0 * 3.0")), is_constant(p.find("x[_] = _").idx()[0])
    (True, False)
    """
    return not mentions(e.node) and not _fields(e.node, nodes.ReadConfig)


def is_reduction(c: Cursor, loop: ForCursor | None = None) -> bool:
    """Whether a statement is a reduction; with `loop`, one into an element that is the same in all its iterations.

    Of a loop: whether every statement in it that writes a buffer is a reduction into such an element.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m], y: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, m):
    ...             y[i] += x[i, j]
    ... ''')
    >>> is_reduction(p.find_loop("j")), is_reduction(p.find_loop("i"))
    (True, False)
    """
    if isinstance(c, ForCursor):
        written = [s for s in c.statements() if not isinstance(s, ForCursor)]
        updates = [s for s in written if isinstance(s, AssignCursor | ReduceCursor)]
        calls = any(isinstance(s.node, nodes.Call | nodes.WriteConfig) for s in written)
        return bool(updates) and not calls and all(is_reduction(s, c) for s in updates)
    if not isinstance(c, ReduceCursor):
        return False
    return loop is None or not any(depends_on(i, loop) for i in c.idx())


def updates(c: ForCursor) -> list[AssignCursor | ReduceCursor]:
    """The assignments and reductions in a loop whose result outlives an iteration, in textual order.

    Left out are those into buffers that the loop allocates: each iteration has such a buffer of its own.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def squares(n: size, x: f32[n], y: f32[n]):
    ...     for i in seq(0, n):
    ...         t: f32
    ...         t = x[i]
    ...         y[i] = t * t
    ... ''')
    >>> [s.name() for s in updates(p.find_loop("i"))]
    ['y']
    """
    own = {s.sym for s in statements(c) if isinstance(s, AllocCursor)}
    return [s for s in statements(c) if isinstance(s, AssignCursor | ReduceCursor) and s.sym not in own]


def sums(c: ForCursor) -> list[AssignCursor | ReduceCursor]:
    """The reductions among `updates(c)` in which all iterations of the loop accumulate into the same elements: no index
    mentions the iterator. Below, the loop over i accumulates the vector y, and the loop over j the element z[i].

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m], y: f32[m], z: f32[n]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, m):
    ...             y[j] += x[i, j]
    ...             z[i] += x[i, j]
    ... ''')
    >>> [s.name() for s in sums(p.find_loop("i"))], [s.name() for s in sums(p.find_loop("j"))]
    (['y'], ['z'])
    """
    same = [s for s in updates(c) if not any(c.sym in mentions(i.node) for i in s.idx())]
    return [s for s in same if isinstance(s, ReduceCursor)]


def depends_on(e: Cursor, loop: ForCursor) -> bool:
    """Whether a value may differ from iteration to iteration of a loop: it mentions the iterator, or what the loop
    introduces, or a buffer or config field that the loop may write.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n], a: f32):
    ...     for i in seq(0, n):
    ...         y[i] = a * x[0]
    ... ''')
    >>> depends_on(p.find("a * x[_]"), p.find_loop("i")), depends_on(p.find("y[_] = _"), p.find_loop("i"))
    (False, True)
    """
    parts = pieces(e)
    named = frozenset[Sym]().union(*(mentions(x.node) for x in parts))
    fields = frozenset[tuple[str, str]]().union(*(_fields(x.node, nodes.ReadConfig) for x in parts))
    if not named.isdisjoint(binders(loop.node)) or (fields and fields & _fields(loop.node, nodes.WriteConfig)):
        return True
    types = declarations(e.proc.tree)
    if all(isinstance(types.get(s), Control) for s in named):
        return False  # nothing writes these
    read = {a.sym for x in parts for a in accesses(x) if a.reads or a.kind == "P"}
    return not (named | read).isdisjoint([*binders(loop.node), *symbols_written(loop)])


def is_invariant(e: Cursor, loop: ForCursor) -> bool:
    """Whether a value is the same in all iterations of a loop: the opposite of `depends_on`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def scale(n: size, x: f32[n], a: f32):
    ...     for i in seq(0, n):
    ...         x[i] = x[i] * (a + 1.0)
    ... ''')
    >>> is_invariant(p.find("a + 1.0"), p.find_loop("i"))
    True
    """
    return not depends_on(e, loop)


def _fields(node: nodes.Node, kind: type[nodes.ReadConfig | nodes.WriteConfig]) -> frozenset[tuple[str, str]]:
    """The config fields that a node, or what it calls, reads or writes."""
    below = [n for _, n in walk(node)]
    own = frozenset((n.config.name, n.field) for n in below if isinstance(n, kind))
    return own.union(*(_fields(n.f.tree, kind) for n in below if isinstance(n, nodes.Call)))


def precision(c: NodeCursor) -> Scalar:
    """The precision of a declaration, an assignment, a reduction, a window or a data expression.

    An expression has the precision of its conversion, as in `f64(x)`, or else that of the first buffer or config field
    that it reads. A literal has that of what it is computed with, or else of the buffer to which it is assigned. Raises
    `InvalidCursorError` for a control expression, or a statement without a value.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32, y: f64): y = 2.0")
    >>> print(precision(p.find_alloc_or_arg("x")), precision(p.find("y = _").rhs()))
    f32 f64
    """
    tree, node = c.proc.tree, c.node
    held: object = None
    match node:
        case nodes.Arg(sym=s) | nodes.Alloc(sym=s) | nodes.Assign(sym=s) | nodes.Reduce(sym=s):
            held = declarations(tree)[s]
        case nodes.WindowDef(sym=s) | nodes.WindowExpr(sym=s) | nodes.ViewExpr(sym=s):
            held = declarations(tree)[s]
        case _ if isinstance(node, nodes.Expr) and not is_control(node):
            held = analysis.precision_at(tree, c.path)
    match held.base if isinstance(held, Tensor) else held:
        case Scalar() as found:
            return found
        case _:
            raise InvalidCursorError(f"this is no data: it has no precision\n{c}")
