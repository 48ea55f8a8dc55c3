"""Procedures: a tree and where it came from.

A `Proc` is one version of a procedure. It remembers the version it was made from, the rewrite that
made it and that rewrite's edits; so versions form a tree ("branching time", paper section 5.1) and a
cursor of one version can be carried to any later one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload
from weakref import WeakValueDictionary

from ..ir.frozen import fast_init
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Call, ProcDef, ReadConfig
from ..ir.pickled import LEVELS, reduced
from ..ir.printing import print_proc
from ..ir.room import with_room
from ..ir.walk import Path, declarators
from .edits import Edit

if TYPE_CHECKING:
    from .cursor import BlockCursor, Cursor, ProcCursor
    from .kinds import ArgCursor


class InvalidCursorError(Exception):
    """Navigation to a place that does not exist, or from a version that is no ancestor."""


@memo_by_identity
def _found_equal(tree: ProcDef) -> WeakValueDictionary[int, Proc]:
    """Procedures whose trees were found to be equal to this one, by their identity."""
    return WeakValueDictionary()


@fast_init
@dataclass(frozen=True, slots=True)
class Rewritten:
    """How a version was made: the primitive with its arguments (`op`), its edits, the path in the parent where
    it was applied, and the whole target there (a block, a gap), without which `op` cannot be replayed.

    `leaves` are the config fields in which a run of the version may leave other values than one of its parent.
    `needs` are the data arguments of which it may read an element, before it writes it, that its parent need not
    read: it may trap where such an element was never written.
    """

    op: object
    edits: tuple[Edit, ...]
    at: Path
    target: Cursor | None = None
    leaves: frozenset[ReadConfig] = frozenset()
    needs: frozenset[Sym] = frozenset()


class Proc:
    """One version of a procedure. Never changes; equal to another if their trees are equal.

    `Proc(tree)` is a first version, for `frontend`, which has checked the tree. Later versions are made by primitives.

    `origin` is the first version of the procedures that compute the same values as this one, and may take its place
    in a call (`call_eqv`): those with the very same `origin`. Nobody can set it. What is made in any other way than by
    a primitive of this package, from a tree, a text or by edits of one's own, is an origin itself.
    """

    __slots__ = ("__weakref__", "_depth", "origin", "parent", "rewritten", "tree")

    tree: ProcDef
    parent: Proc | None
    rewritten: Rewritten | None
    origin: Proc
    _depth: int

    def __new__(cls, tree: ProcDef) -> Proc:
        # not in __init__, which could be called again
        p = object.__new__(cls)
        p._set(tree, None, None, p)
        return p

    def _set(self, tree: ProcDef, parent: Proc | None, rewritten: Rewritten | None, origin: Proc) -> None:
        """Fills in a new object: the only place where an origin is set."""
        set_ = object.__setattr__
        set_(self, "tree", tree)
        set_(self, "parent", parent)
        set_(self, "rewritten", rewritten)
        set_(self, "origin", origin)
        set_(self, "_depth", 0 if parent is None else parent._depth + 1)

    if not TYPE_CHECKING:  # type checkers would take any attribute to be there, and what follows to be unreachable

        def __getattr__(self, name: str) -> NoReturn:
            """Asked only for what is not there."""
            hint = f"what is asked of code is asked of a cursor, such as {self.tree.name}.root()"
            raise AttributeError(f"a Proc has no attribute {name!r}; {hint}", name=name, obj=self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Proc never changes: cannot set {name}")

    def __init_subclass__(cls) -> None:
        raise TypeError("Proc has no subclasses: one could claim another origin")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Proc):
            return False
        # callees that two procedures share are compared once, not again at each call
        known = _found_equal(self.tree)
        if known.get(id(other)) is other:
            return True
        equal = self.tree == other.tree
        if equal:
            known[id(other)] = other
        return equal

    def __hash__(self) -> int:
        return hash((self.tree.name, self.tree.next_id, len(self.tree.body)))

    def __copy__(self) -> Proc:
        return self

    def __deepcopy__(self, _: object) -> Proc:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its history. What is pickled together stays of one origin; it is of another one than the
        procedures of the process that reads it."""
        keeps = self.parent is not None and self.parent.origin is self.origin
        return reduced(_inside(self), _restored, self.tree, self.parent, self.rewritten, keeps)

    def __str__(self) -> str:
        return print_proc(self.tree)

    def __repr__(self) -> str:
        return f"<Proc {self.tree.name}: {len(self.history())} rewrites>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .html import proc_html

        return proc_html(self)

    def __call__(self, *args: object) -> None:
        raise TypeError(f"{self.tree.name} is object code: call it inside a @proc, or compile it with a backend's jit")

    # -- questions ------------------------------------------------------------------------------

    def name(self) -> str:
        """The procedure's name."""
        return self.tree.name

    def is_instr(self) -> bool:
        """Whether the procedure stands for a machine instruction."""
        return self.tree.instr is not None

    def root(self) -> ProcCursor:
        """The cursor to the whole procedure."""
        from .cursor import ProcCursor

        return ProcCursor(self, ())

    def args(self) -> list[ArgCursor]:
        """Cursors to the arguments."""
        return self.root().args()

    def body(self) -> BlockCursor:
        """The cursor to the procedure's statements."""
        return self.root().body()

    @overload
    def find(self, pattern: str, many: Literal[False] = ...) -> Cursor: ...
    @overload
    def find(self, pattern: str, many: Literal[True]) -> list[Cursor]: ...
    @overload
    def find(self, pattern: str, many: bool) -> Cursor | list[Cursor]: ...
    def find(self, pattern: str, many: bool = False) -> Cursor | list[Cursor]:
        """The first match of a pattern, in textual order (all of them with `many`)."""
        return self.root().find(pattern, many)

    def find_all(self, pattern: str) -> list[Cursor]:
        """Every match of a pattern, in textual order."""
        return self.root().find_all(pattern)

    @overload
    def find_loop(self, name: str, many: Literal[False] = ...) -> Cursor: ...
    @overload
    def find_loop(self, name: str, many: Literal[True]) -> list[Cursor]: ...
    @overload
    def find_loop(self, name: str, many: bool) -> Cursor | list[Cursor]: ...
    def find_loop(self, name: str, many: bool = False) -> Cursor | list[Cursor]:
        """The first loop whose iterator has this name; `"i #2"` picks the third."""
        return self.root().find_loop(name, many)

    def find_alloc(self, name: str) -> Cursor:
        """The first allocation of a buffer of this name."""
        return self.root().find_alloc(name)

    def find_alloc_or_arg(self, name: str) -> Cursor:
        """The argument or the first allocation of this name."""
        return self.root().find_alloc_or_arg(name)

    # -- time -----------------------------------------------------------------------------------

    def versions(self) -> Iterator[Proc]:
        """This version, the one it was made from, and so on to the first."""
        p: Proc | None = self
        while p is not None:
            yield p
            p = p.parent

    def history(self) -> tuple[object, ...]:
        """The primitive rewrites that made this version, oldest first."""
        ops = [p.rewritten.op for p in self.versions() if p.rewritten is not None]
        return tuple(reversed(ops))

    def leaves_since(self, older: Proc) -> frozenset[ReadConfig]:
        """The config fields in which a run of this version may leave other values than one of an older version."""
        found: frozenset[ReadConfig] = frozenset()
        for p in self.versions():
            if p is older or p.rewritten is None:
                break
            found |= p.rewritten.leaves
        return found

    def needs_since(self, older: Proc) -> frozenset[Sym]:
        """The data arguments of which a run of this version may read elements, before it writes them, that one of
        an older version need not read. Where all elements of these were written, it traps only if the older does."""
        found: frozenset[Sym] = frozenset()
        for p in self.versions():
            if p is older or p.rewritten is None:
                break
            found |= p.rewritten.needs
        return found

    def edits_since(self, older: Proc) -> list[tuple[ProcDef, tuple[Edit, ...]]]:
        """The edits that lead from an older version to this one, version by version, each with the tree edited."""
        steps: list[tuple[ProcDef, tuple[Edit, ...]]] = []
        p = self
        while p is not older:
            if p.parent is None or p.rewritten is None or p._depth <= older._depth:
                raise InvalidCursorError(_unrelated(self, older))
            steps.append((p.parent.tree, p.rewritten.edits))
            p = p.parent
        return steps[::-1]

    def forward(self, cursor: Cursor) -> Cursor:
        """Where a cursor of an older version points now. What was deleted gives a `GoneCursor`.

        Raises `InvalidCursorError` if this version was not made from the cursor's, or if the cursor was made by hand
        and there is no such place.
        """
        if getattr(cursor, "_exists", False) and cursor.proc is self:
            return cursor  # one that was looked at before: see `cursor.exists`
        if not hasattr(cursor, "forwarded"):
            raise TypeError(f"a cursor is needed, as p.find(..) gives one, not {cursor!r}")
        from .cursor import GoneCursor, exists

        if not (exists(cursor) or type(cursor) is GoneCursor):
            raise InvalidCursorError(f"there is nothing to which this {type(cursor).__name__} could point")
        if cursor.proc is self:
            return cursor
        return cursor.forwarded(self, self.edits_since(cursor.proc))

    def fresh_sym(self, name: str) -> Sym:
        """A variable that this version does not have yet (the counter is in the tree)."""
        return Sym(name, self.tree.next_id)


def _next_version(p: Proc, tree: ProcDef, rewritten: Rewritten, same_values: bool) -> Proc:
    """The next version of `p`, for `Rewrite` alone. Unless it computes the same values it is an origin."""
    q = object.__new__(Proc)
    q._set(tree, p, rewritten, p.origin if same_values else q)
    return q


def _unrelated(p: Proc, other: Proc) -> str:
    """Why a cursor of `other` means nothing in `p`."""
    again = f"look the place up again in the {p.name()} at hand"
    mine, theirs = list(p.versions()), list(other.versions())
    if mine[-1] is not theirs[-1]:
        which = f"also called {p.name()}" if p.name() == other.name() else f"{other.name()}, not to {p.name()}"
        return f"the cursor belongs to another procedure, {which}; {again}"
    if any(p is q for q in theirs):
        return f"the cursor belongs to a later version of {p.name()}, and time goes forward only; {again}"
    return f"the cursor belongs to another version of {other.name()}, from which this one was not made; {again}"


# -- pickles ------------------------------------------------------------------------------------------


def _restored(tree: ProcDef, parent: Proc | None, rewritten: Rewritten | None, keeps: bool) -> Proc:
    return Proc(tree) if parent is None or rewritten is None else _next_version(parent, tree, rewritten, keeps)


@memo_by_identity
def _calls(tree: ProcDef) -> int:
    """How many procedures call each other, one inside the other, from this one on."""
    return 1 + max((_calls(f.tree) for f in _callees(tree)), default=0)


_depth_of_calls = with_room(_calls)


def _callees(tree: ProcDef) -> list[Proc]:
    return [s.f for s in declarators(tree) if isinstance(s, Call) and isinstance(s.f, Proc)]


def _inside(p: Proc) -> list[Proc]:
    """Some versions and callees of a procedure, the first and the innermost ones first: see `ir.pickled`."""
    found: dict[int, Proc] = {}
    stack = _callees(p.tree) if _depth_of_calls(p.tree) > LEVELS else []
    while stack:
        f = stack.pop()
        if id(f) not in found and _calls(f.tree) >= LEVELS:
            found[id(f)] = f
            stack += _callees(f.tree)
    callees = sorted((f for f in found.values() if _calls(f.tree) % LEVELS == 0), key=lambda f: _calls(f.tree))
    versions = [v for v in p.versions() if v._depth % LEVELS == 0 and v is not p]
    return [*callees, *reversed(versions)]
