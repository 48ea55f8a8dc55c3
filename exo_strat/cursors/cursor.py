"""Cursors: stable references to places in a version of a procedure.

A cursor is a version (time) and a path (space). Navigation stays inside one version and raises
`InvalidCursorError` where there is nothing; `Proc.forward` carries a cursor through time. Paper:
section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import index
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, cast, overload

from typing_extensions import TypeVar

from ..frontend.errors import PatternError
from ..frontend.near import count, missed
from ..frontend.patterns import Match, NodeAt, Pattern, parse_pattern
from ..ir.names import Sym
from ..ir.nodes import Expr, For, Node, ProcDef, Stmt
from ..ir.printing import names_in_scope, print_expr, render
from ..ir.room import with_room
from ..ir.span import Span, span_of
from ..ir.walk import Path, get, statements, walk
from .blocks import forward_path, forward_span
from .edits import Edit
from .proc import InvalidCursorError, Proc

if TYPE_CHECKING:
    from .kinds import ArgCursor

N = TypeVar("N", bound=Node, default=Node, covariant=True)
S = TypeVar("S", bound=Stmt, default=Stmt, covariant=True)
E = TypeVar("E", bound=Expr, default=Expr, covariant=True)


@dataclass(frozen=True, eq=False)
class Cursor:
    """A reference to a place in one version of a procedure."""

    proc: Proc

    def _where(self) -> object:
        raise InvalidCursorError(f"a {type(self).__name__} has no place")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Cursor) or type(self) is not type(other):
            return False
        return self.proc is other.proc and self._where() == other._where()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._where()))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .html import cursor_html

        return cursor_html(self)

    @property
    def is_valid(self) -> bool:
        """Whether the cursor still points somewhere."""
        return True

    def root(self) -> ProcCursor:
        """The whole procedure."""
        return ProcCursor(self.proc, ())

    def place(self) -> Path:
        """The path at which messages about this cursor mark the object code."""
        raise InvalidCursorError("this cursor points nowhere")

    def parent(self) -> NodeCursor:
        """The enclosing node."""
        raise InvalidCursorError("this cursor has no parent")

    def forwarded(self, proc: Proc, steps: Steps) -> Cursor:
        """This cursor after the edits, version by version, that made `proc` (see `Proc.forward`)."""
        raise InvalidCursorError("this cursor cannot be forwarded")

    def _matches(self, pattern: Pattern) -> Iterator[Match]:
        raise InvalidCursorError("nothing can be found below this cursor")

    def _roots(self) -> tuple[Path, ...]:
        """The nodes below which patterns are searched for."""
        return ()

    @with_room
    def find_all(self, pattern: str) -> list[Cursor]:
        """Every match of an object-code pattern below this cursor, in textual order (maybe none)."""
        return [from_match(self.proc, m) for m in self._matches(parse_pattern(pattern))]

    @overload
    def find(self, pattern: str, many: Literal[False] = ...) -> Cursor: ...
    @overload
    def find(self, pattern: str, many: Literal[True]) -> list[Cursor]: ...
    @overload
    def find(self, pattern: str, many: bool) -> Cursor | list[Cursor]: ...
    @with_room
    def find(self, pattern: str, many: bool = False) -> Cursor | list[Cursor]:
        """The first match of an object-code pattern below this cursor; all of them with `many`.

        A pattern is object code with holes: `"for i in _: _"`, `"x[_] = _ + 1.0 #2"`, `"foo(_)"`, `"x"`.
        Raises `InvalidCursorError` if nothing matches, `PatternError` if it is no pattern.
        """
        if many:
            return self.find_all(pattern)
        parsed = parse_pattern(pattern)
        for m in self._matches(parsed):
            return from_match(self.proc, m)
        passed = 0 if parsed.nth is None else count(self._matches(replace(parsed, nth=None)))
        message = missed(parsed, self.proc.tree, self._roots(), passed)
        raise InvalidCursorError(message if self._roots() == ((),) else f"{message}\n{self}")

    @overload
    def find_loop(self, name: str, many: Literal[False] = ...) -> Cursor: ...
    @overload
    def find_loop(self, name: str, many: Literal[True]) -> list[Cursor]: ...
    @overload
    def find_loop(self, name: str, many: bool) -> Cursor | list[Cursor]: ...
    def find_loop(self, name: str, many: bool = False) -> Cursor | list[Cursor]:
        """The first loop over an iterator of this name below this cursor; `"i #2"` picks the third.

        Takes a pattern too, as `"for i in _: _"`.
        """
        return self.find(_named("for {} in _: _", name), many)

    def find_alloc(self, name: str) -> Cursor:
        """The first allocation of this name below this cursor (or of this pattern, as `"x: f32[_]"`)."""
        return self.find(_named("{}: _", name))

    def find_alloc_or_arg(self, name: str) -> Cursor:
        """The argument, or else the first allocation, of this name."""
        _named("{}: _", name)
        for a in self.root().args():
            if a.name() == name.partition(":")[0].strip():
                return a
        return self.find_alloc(name)


def _named(form: str, name: str) -> str:
    """The pattern for what has a name, maybe with `#n`; a pattern itself stays as it is."""
    if not isinstance(name, str):
        raise PatternError(f"a name is a text, not {name!r}")
    base, mark, n = name.partition("#")
    if ":" in base:
        return name
    if not base.strip().isidentifier():
        raise PatternError(f"{name!r} is no name, such as 'i' or 'i #2'")
    return form.format(base.strip()) + (f" #{n.strip()}" if mark else "")


class GoneAttributeError(InvalidCursorError, AttributeError):
    """Of a cursor to gone code something was asked: to a strategy a failure, to `hasattr` an attribute that is not
    there."""


@dataclass(frozen=True, eq=False)
class GoneCursor(Cursor):
    """What a cursor becomes when the code it pointed to is gone. Stays invalid for ever."""

    def _where(self) -> object:
        return None

    @property
    def is_valid(self) -> bool:
        return False

    def forwarded(self, proc: Proc, steps: Steps) -> Cursor:
        return GoneCursor(proc)

    def __getattr__(self, name: str) -> Any:
        """What a cursor to such code would have: a strategy that asks for it fails, and is no fault of the program."""
        if name.startswith("_"):
            raise AttributeError(name)
        raise GoneAttributeError("this cursor points to code that is gone")

    def __str__(self) -> str:
        return "<a cursor to code that is gone>"


Steps: TypeAlias = Sequence[tuple[ProcDef, Sequence[Edit]]]
"""Version by version, the tree that was edited and the edits."""


@dataclass(frozen=True, eq=False)
class NodeCursor(Cursor, Generic[N]):
    """A cursor to one node: a statement, an expression, an argument or the procedure."""

    path: Path

    def _where(self) -> object:
        return self.path

    @property
    def node(self) -> N:
        """The tree node that the cursor points to."""
        return cast(N, get(self.proc.tree, self.path))

    def place(self) -> Path:
        return self.path

    def parent(self) -> NodeCursor:
        """The enclosing statement or expression; a top-level statement has none."""
        for n in range(len(self.path) - 1, 0, -1):
            kind = kind_of(get(self.proc.tree, self.path[:n]))
            if kind is not None:
                return kind(self.proc, self.path[:n])
        raise InvalidCursorError(f"this is at the top level: it has no parent\n{self}")

    def forwarded(self, proc: Proc, steps: Steps) -> Cursor:
        path = forward_path(self.path, chain.from_iterable(edits for _, edits in steps))
        return GoneCursor(proc) if path is None else at_path(proc, path)

    def _matches(self, pattern: Pattern) -> Iterator[Match]:
        return pattern.matches(self.proc.tree, self.path)

    def _roots(self) -> tuple[Path, ...]:
        return (self.path,)

    def descendants(self) -> Iterator[NodeCursor]:
        """Cursors to this node and everything below it, in textual order."""
        for path, n in walk(self.node, self.path):
            kind = kind_of(n)
            if kind is not None:
                yield kind(self.proc, path)

    def statements(self) -> Iterator[StmtCursor]:
        """Cursors to the statements at and below this node, in textual order."""
        for path, n in statements(self.node, self.path):
            yield cast("StmtCursor", KINDS[type(n)](self.proc, path))

    def _child(self, label: str) -> ExprCursor:
        return cast(ExprCursor, at_path(self.proc, (*self.path, (label, None))))

    def _list(self, label: str) -> list[ExprCursor]:
        n = len(getattr(self.node, label))
        return [cast(ExprCursor, at_path(self.proc, (*self.path, (label, i)))) for i in range(n)]

    def _block(self, label: str) -> BlockCursor:
        return BlockCursor(self.proc, Span(self.path, label, 0, len(getattr(self.node, label))))

    def __str__(self) -> str:
        return render(self.proc.tree, self.path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'/'.join(a if i is None else f'{a}[{i}]' for a, i in self.path)}>"


@dataclass(frozen=True, eq=False, repr=False)
class ProcCursor(NodeCursor[ProcDef]):
    """The whole procedure."""

    def name(self) -> str:
        """The procedure's name."""
        return self.proc.name()

    def args(self) -> list[ArgCursor]:
        """The arguments."""
        return [cast("ArgCursor", at_path(self.proc, (("args", i),))) for i in range(len(self.node.args))]

    def body(self) -> BlockCursor:
        """The statements."""
        return self._block("body")

    def __str__(self) -> str:
        return str(self.proc)


@dataclass(frozen=True, eq=False)
class GapCursor(Cursor):
    """The gap before or after a statement, its anchor."""

    anchor_path: Path
    is_after: bool

    def _where(self) -> object:
        return self.anchor_path, self.is_after

    def place(self) -> Path:
        return self.anchor_path

    def anchor(self) -> StmtCursor:
        """The statement that the gap goes with."""
        return stmt_at(self.proc, self.anchor_path)

    def parent(self) -> NodeCursor:
        return self.anchor().parent()

    @property
    def span(self) -> Span:
        """The empty span at the gap."""
        s = span_of(self.anchor_path)
        at = s.hi if self.is_after else s.lo
        return Span(s.parent, s.label, at, at)

    def forwarded(self, proc: Proc, steps: Steps) -> Cursor:
        """The gap on the same side of the code that the anchor stood for, as a block of it is forwarded."""
        path = self.anchor_path
        for tree, edits in steps:
            run = forward_span(tree, span_of(path), edits)
            if run is None:
                return GoneCursor(proc)
            path = run.path(run.hi - run.lo - 1 if self.is_after else 0)
        return GapCursor(proc, path, self.is_after)

    def __str__(self) -> str:
        return render(self.proc.tree, self.anchor_path, f"the gap {'after' if self.is_after else 'before'} this")


@dataclass(frozen=True, eq=False)
class BlockCursor(Cursor):
    """A run of neighbouring statements."""

    span: Span

    def _where(self) -> object:
        return self.span

    def __len__(self) -> int:
        return self.span.hi - self.span.lo

    def __iter__(self) -> Iterator[StmtCursor]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, i: int) -> StmtCursor: ...
    @overload
    def __getitem__(self, i: slice) -> BlockCursor: ...
    def __getitem__(self, i: int | slice) -> StmtCursor | BlockCursor:
        n = len(self)
        if isinstance(i, slice):
            lo, hi, step = i.indices(n)
            if step != 1 or lo >= hi:
                raise InvalidCursorError(f"the block has {n} statements: none are at {i.start}:{i.stop}\n{self}")
            return BlockCursor(self.proc, self.span._replace(lo=self.span.lo + lo, hi=self.span.lo + hi))
        i = index(i)
        if not -n <= i < n:
            raise InvalidCursorError(f"the block has {n} statements: there is no number {i}\n{self}")
        return stmt_at(self.proc, self.span.path(i % n))

    def statements(self) -> Iterator[StmtCursor]:
        """Cursors to the statements of the block and those below them, in textual order."""
        return (s for stmt in self for s in stmt.statements())

    @property
    def stmts(self) -> Sequence[Stmt]:
        """The statements themselves."""
        return self.span.members(self.proc.tree)

    def place(self) -> Path:
        return self.span.path() if len(self) else self.span.parent

    def parent(self) -> NodeCursor:
        return self[0].parent()

    def before(self) -> GapCursor:
        """The gap before the first statement."""
        return self[0].before()

    def after(self) -> GapCursor:
        """The gap after the last statement."""
        return self[-1].after()

    def as_block(self) -> BlockCursor:
        """The block itself."""
        return self

    def expand(self, before: int | None = 0, after: int | None = 0) -> BlockCursor:
        """The block with so many more statements on either side; None: with all there are."""
        s = self.span
        n = len(getattr(get(self.proc.tree, s.parent), s.label))
        lo = 0 if before is None else s.lo - index(before)
        hi = n if after is None else s.hi + index(after)
        if not 0 <= lo < hi <= n:
            raise InvalidCursorError(f"the block cannot grow by {before} before and {after} after\n{self}")
        return BlockCursor(self.proc, Span(s.parent, s.label, lo, hi))

    def forwarded(self, proc: Proc, steps: Steps) -> Cursor:
        """The smallest block of all that is left of the code, and of what came in the place of the rest.

        Goes version by version: what stands between two statements of a block belongs to it from then on.
        """
        span: Span | None = self.span
        for tree, edits in steps:
            span = None if span is None else forward_span(tree, span, edits)
        return GoneCursor(proc) if span is None else BlockCursor(proc, span)

    def _matches(self, pattern: Pattern) -> Iterator[Match]:
        return pattern.matches_block(self.proc.tree, *self.span)

    def _roots(self) -> tuple[Path, ...]:
        return tuple(self.span.path(i) for i in range(len(self)))

    def __str__(self) -> str:
        more = len(self) - 1
        note = f"this and the {'statement' if more == 1 else f'{more} statements'} after it" if more else ""
        return render(self.proc.tree, self.place(), note)


@dataclass(frozen=True, eq=False, repr=False)
class StmtCursor(NodeCursor[S]):
    """A statement."""

    def _sibling(self, by: int) -> Path | None:
        by = index(by)
        s = span_of(self.path)
        whole = getattr(get(self.proc.tree, s.parent), s.label)
        return s.path(by) if 0 <= s.lo + by < len(whole) else None

    def next(self, dist: int = 1) -> StmtCursor:
        """The statement `dist` places further on in the same block."""
        path = self._sibling(dist)
        if path is None:
            raise InvalidCursorError(f"there is no statement {dist} after this one\n{self}")
        return stmt_at(self.proc, path)

    def prev(self, dist: int = 1) -> StmtCursor:
        """The statement `dist` places before in the same block."""
        path = self._sibling(-dist)
        if path is None:
            raise InvalidCursorError(f"there is no statement {dist} before this one\n{self}")
        return stmt_at(self.proc, path)

    def before(self) -> GapCursor:
        """The gap before the statement."""
        return GapCursor(self.proc, self.path, False)

    def after(self) -> GapCursor:
        """The gap after the statement."""
        return GapCursor(self.proc, self.path, True)

    def as_block(self) -> BlockCursor:
        """The block of this one statement."""
        return BlockCursor(self.proc, span_of(self.path))

    def expand(self, before: int | None = 0, after: int | None = 0) -> BlockCursor:
        """The block of this statement and so many before and after it."""
        return self.as_block().expand(before, after)


@dataclass(frozen=True, eq=False, repr=False)
class ExprCursor(NodeCursor[E]):
    """An expression."""

    def text(self) -> str:
        """The expression as object code, such as primitives take. (`str` shows where it stands.)

        >>> from exo_strat import proc_from_source
        >>> p = proc_from_source("def foo(n: size, x: f32[n]): x[n - 1] = 0.0")
        >>> p.find("x[_] = _").idx()[0].text()
        'n - 1'
        """
        return print_expr(self.node, names_in_scope(self.proc.tree, self.path))

    def stmt(self) -> StmtCursor:
        """The statement in which the expression stands."""
        c: NodeCursor = self
        while not isinstance(c, StmtCursor):
            c = c.parent()
        return c


class _Named(NodeCursor[N]):
    """What has a name."""

    @property
    def sym(self) -> Sym:
        """The variable itself (names may be shared, variables are not)."""
        node: Any = self.node
        found: Sym = node.iter if isinstance(node, For) else node.sym
        return found

    def name(self) -> str:
        """The variable's readable name."""
        return self.sym.name


def exists(c: Cursor) -> bool:
    """Whether there is what a cursor points to, of the very kind that it says. Navigation gives no other cursors, but
    one could be made by hand, and those who rewrite rely on it: Python takes index -1 for the last statement."""
    known: bool | None = vars(c).get("_exists")  # neither the cursor nor the tree changes
    if known is None:
        known = _exists(c)
        object.__setattr__(c, "_exists", known)
    return known


def _exists(c: Cursor) -> bool:
    if type(c.proc) is not Proc:
        return False
    if type(c) is BlockCursor:
        return type(c.span) is Span and _is_run(c.proc.tree, c.span)
    path = c.anchor_path if type(c) is GapCursor else c.path if isinstance(c, NodeCursor) else None
    node = _node_at(c.proc.tree, path)
    kind = None if node is None else kind_of(node)
    if type(c) is GapCursor:
        return kind is not None and issubclass(kind, StmtCursor)
    return kind is type(c)


def _is_run(tree: ProcDef, s: Span) -> bool:
    """Whether there is such a run of statements."""
    holder = _node_at(tree, s.parent)
    if holder is None or s.label not in ("body", "orelse") or not hasattr(holder, s.label):
        return False
    return type(s.lo) is type(s.hi) is int and 0 <= s.lo < s.hi <= len(getattr(holder, s.label))


def _node_at(tree: ProcDef, path: object) -> Node | None:
    """The node at a path, None if it leads to none."""
    node: Any = tree
    for step in path if type(path) is tuple else (None,):
        label: Any
        label, i = step if type(step) is tuple and len(step) == 2 else (None, None)
        if (label, i is not None) not in getattr(node, "CHILDREN", ()):
            return None
        node = getattr(node, label)
        if i is not None:
            if type(i) is not int or not 0 <= i < len(node):
                return None
            node = node[i]
    return cast(Node, node)


def stmt_at(proc: Proc, path: Path) -> StmtCursor:
    """The cursor to the statement at a path."""
    c = at_path(proc, path)
    if not isinstance(c, StmtCursor):
        raise InvalidCursorError(f"{path} is no statement")
    return c


def at_path(proc: Proc, path: Path) -> NodeCursor:
    """The cursor to the node at a path, of the class for its kind."""
    kind = kind_of(get(proc.tree, path))
    assert kind is not None, f"no cursor points to {path}"
    return kind(proc, path)


def from_match(proc: Proc, m: Match) -> Cursor:
    """The cursor to what a pattern matched."""
    if isinstance(m, NodeAt):
        return at_path(proc, m.path)
    return BlockCursor(proc, Span(m.parent, m.label, m.lo, m.hi))


KINDS: dict[type, type[NodeCursor]] = {ProcDef: ProcCursor}  # `kinds.py` adds one for each kind of node


def kind_of(node: Node) -> type[NodeCursor] | None:
    """The class of cursors to nodes of this kind; None for intervals, points and types."""
    return KINDS.get(type(node))
