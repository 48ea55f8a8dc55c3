"""An edit in progress.

Primitives build the next version of a procedure with a `Rewrite`: it applies atomic edits one after
the other, remembers them, and carries paths of the old tree to where they stand now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyrsistent import PVector, pvector

from ..ir.names import Sym, checked_name
from ..ir.nodes import Expr, Node, Pass, ReadConfig, Stmt
from ..ir.span import Span, span_of
from ..ir.walk import Path, freshen, get, subst, with_child
from .blocks import forward_path
from .cursor import Cursor
from .edits import Carry, Delete, Edit, Insert, Move, Replace, Spread, Wrap, shared
from .proc import Proc, Rewritten, _next_version


class Rewrite:
    """The edits that turn one version into the next. `tree` is the tree as it stands now.

    Paths given to the editing methods are paths of `tree`; `now` brings a path of the old tree there.
    """

    def __init__(self, proc: Proc) -> None:
        self.proc = proc
        self.tree = proc.tree
        self.edits: list[Edit] = []
        self._next_id = proc.tree.next_id
        self._leaves: set[ReadConfig] = set()
        self._needs: set[Sym] = set()

    # -- where things stand -----------------------------------------------------------------------

    def now(self, path: Path) -> Path:
        """Where a path of the old tree stands now. It must still exist."""
        moved = forward_path(path, self.edits)
        assert moved is not None, f"{path} was deleted by this very rewrite"
        return moved

    def node(self, path: Path) -> Node:
        """What stands at a path of the current tree."""
        return get(self.tree, path)

    def fresh(self, name: str) -> Sym:
        """A new variable."""
        self._next_id += 1
        return Sym(checked_name(name, "a variable"), self._next_id - 1)

    def copy(self, stmts: Sequence[Stmt], values: Mapping[Sym, Expr] = MappingProxyType({})) -> PVector[Stmt]:
        """The same statements with new variables for those that they introduce, and `values` for others."""
        copied, self._next_id = freshen(pvector(stmts), self._next_id, values)
        return copied

    def leaves_other(self, field: ReadConfig) -> None:
        """Note that a run of the new version may leave another value in a config field than one of the old."""
        self._leaves.add(field)

    def reads_more(self, argument: Sym) -> None:
        """Note that a run of the new version may read elements of a data argument, before it writes them, that one
        of the old version need not read."""
        assert any(a.sym == argument for a in self.proc.tree.args), f"{argument} is no argument"
        self._needs.add(argument)

    # -- atomic edits -----------------------------------------------------------------------------

    def do(self, edit: Edit) -> None:
        """Apply one atomic edit."""
        self.tree = edit.apply(self.tree)
        self.edits.append(edit)

    def insert_before(self, path: Path, *stmts: Stmt) -> None:
        """Insert before the statement at `path`."""
        s = span_of(path)
        self.do(Insert(Span(s.parent, s.label, s.lo, s.lo), pvector(stmts)))

    def insert_after(self, path: Path, *stmts: Stmt) -> None:
        """Insert after the statement at `path`."""
        s = span_of(path)
        self.do(Insert(Span(s.parent, s.label, s.hi, s.hi), pvector(stmts)))

    def insert(self, gap: Span, *stmts: Stmt) -> None:
        """Insert at an (empty) span."""
        self.do(Insert(_span(gap), pvector(stmts)))

    def add_part(self, path: Path, *stmts: Stmt, before: bool = False) -> None:
        """Insert after (or before) the statement at `path` what is part of its code: blocks go on to hold both."""
        n, at, after = len(stmts), span_of(path), span_of(path)._replace(lo=span_of(path).hi)
        if before:
            self.insert_before(path, *stmts)
            self.spread(at._replace(lo=at.lo + n, hi=at.hi + n), at._replace(hi=at.lo + n))
        else:
            self.insert_after(path, *stmts)
            self.spread(at, after._replace(hi=after.lo + n))

    def delete(self, span: Span) -> None:
        """Delete statements. A body left empty gets a `pass` when the rewrite is finished."""
        self.do(Delete(_span(span)))

    def spread(self, src: Span, dst: Span) -> None:
        """Note that the code of some statements stands in others, too: blocks and gaps go there with them."""
        self.do(Spread(src, dst))

    def exchange(self, span: Span, *stmts: Stmt) -> Span:
        """Put statements in the place of others. Cursors to those are gone; blocks go on to what came instead."""
        at = span._replace(hi=span.lo + len(stmts))
        old = span._replace(lo=at.hi, hi=span.hi + len(stmts))
        self.insert(span._replace(hi=span.lo), *stmts)
        self.spread(old, at)
        self.delete(old)
        return at

    def carry(self, src: Path, dst: Path, but: Node | None = None) -> None:
        """Cursors to the parts of what stands at `src` go to `dst`, as far as the same parts stand there, and not in
        `but`."""
        here = get(self.tree, src)
        stay = {old for old, _ in shared(here, but)} if but is not None else set[Path]()
        for old, new in shared(here, get(self.tree, dst)):
            if old not in stay:
                self.do(Carry((*src, *old), (*dst, *new)))

    def replace(self, path: Path, new: Node, keep: Sequence[str] = (), but: Sequence[Path] = ()) -> None:
        """Put `new` where `path` points; `keep` names the child fields that both nodes share, but for what is
        below the places `but`. Cursors to other parts that both share go with these."""
        old = get(self.tree, path)
        if old is not new:
            moved = shared(old, new, keep)
            for b in but:
                if not any(b[:n] in but for n in range(len(b))):
                    moved += tuple(((*b, *x), (*b, *y)) for x, y in shared(get(old, b), get(new, b)))
            self.do(Replace(path, new, frozenset(keep), tuple(but), moved))

    def set(self, path: Path, **fields: object) -> None:
        """Change some fields of the node at `path`; cursors below the others stay valid."""
        old = get(self.tree, path)
        unknown = fields.keys() - set(type(old).__match_args__)
        if unknown:
            raise TypeError(
                f"a {type(old).__name__} has no field {', '.join(sorted(unknown))}; "
                f"its fields: {', '.join(type(old).__match_args__)}"
            )
        new = old
        for label, value in fields.items():
            new = with_child(new, label, value)
        self.replace(path, new, [label for label, _ in old.CHILDREN if label not in fields])

    def move(self, src: Span, dst: Span) -> None:
        """Move statements to a gap."""
        self.do(Move(_span(src), _span(dst)))

    def wrap(self, span: Span, frame: Stmt, slot: str = "body") -> Path:
        """Put a new statement around others; returns its path."""
        self.do(Wrap(_span(span), frame, slot))
        return span.path()

    # -- compositions -----------------------------------------------------------------------------

    def substitute(self, path: Path, sym: Sym, new: Expr) -> None:
        """Replace a control variable everywhere below `path`; cursors stay valid, also those to the variable."""
        old = get(self.tree, path)
        self.replace(path, subst(old, {sym: new}), [label for label, _ in old.CHILDREN])

    def substitute_in(self, span: Span, sym: Sym, new: Expr) -> None:
        """Replace a control variable in a run of statements."""
        for i in range(span.hi - span.lo):
            self.substitute(span.path(i), sym, new)

    def unwrap(self, path: Path, label: str = "body") -> Span:
        """Put a compound statement's block in the statement's place; returns where the block stands."""
        s = span_of(path)
        n = len(getattr(get(self.tree, path), label))
        self.move(Span(path, label, 0, n), Span(s.parent, s.label, s.lo, s.lo))
        self.delete(Span(s.parent, s.label, s.lo + n, s.lo + n + 1))
        return Span(s.parent, s.label, s.lo, s.lo + n)

    def swap(self, first: Span, second: Span) -> None:
        """Exchange two neighbouring runs."""
        self.move(second, Span(first.parent, first.label, first.lo, first.lo))

    def _fill_empty_bodies(self) -> None:
        """A body from which an edit took everything gets a `pass`; an else branch may be empty."""
        for n, e in enumerate(list(self.edits)):
            source = e.at if isinstance(e, Delete) else e.src if isinstance(e, Move) else None
            if source is None:
                continue
            parent = forward_path(source.parent, self.edits[n:])
            if parent is None or source.label != "body":
                continue
            body = getattr(get(self.tree, parent), "body", None)  # it may have been replaced since
            if body is not None and not body:
                self.do(Insert(Span(parent, "body", 0, 0), pvector([Pass()])))

    def finish(self, op: object, at: Path, target: Cursor | None = None) -> Proc:
        """The new version; the old one itself if nothing changed. It cannot take the old one's place in a call: nobody
        has shown that it computes the same."""
        return self._finish(op, at, target, False)

    def _finish(self, op: object, at: Path, target: Cursor | None, same_values: bool) -> Proc:
        """`finish`, for primitives of this package, whose conditions may show that values stay the same."""
        self._fill_empty_bodies()
        if not self.edits:
            return self.proc
        self.tree = with_child(self.tree, "next_id", self._next_id)
        made = Rewritten(op, tuple(self.edits), at, target, frozenset(self._leaves), frozenset(self._needs))
        return _next_version(self.proc, self.tree, made, same_values)


def _span(given: Span) -> Span:
    """A run of statements, which is easily mixed up with the path of one."""
    value: object = given
    if not isinstance(value, Span):
        raise TypeError(f"this takes a Span, not {value!r}: span_of(path) is that of the statement at a path")
    return given
