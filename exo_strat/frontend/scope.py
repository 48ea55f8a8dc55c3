"""What names mean at a place of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from pyrsistent import PMap, pmap, pvector

from ..ir import build as b
from ..ir.cells import written_args
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Alloc, Arg, Expr, For, Interval, Node, ProcDef, ViewExpr, WindowDef, WindowExpr
from ..ir.outside import mentioned
from ..ir.precisions import element
from ..ir.printing import names_in_scope
from ..ir.types import SCALARS, Control, Tensor, Type, index
from ..ir.walk import Path, declarators, in_scope
from .errors import ScopeError


@dataclass(frozen=True)
class Given:
    """What a name stands for that is no variable: a control value, which is put in wherever the name is used. `what`
    says in messages what the name is."""

    value: Expr
    type: Control
    what: str


@dataclass(frozen=True)
class Scope:
    """Spellings and the variables that they mean, with their types; and Python values by name.

    `given` are the names that stand for control values: no name is in `names` too. `assigned` says in which line of
    its text a procedure first assigns to a name, wherever that is. `tree` is the procedure around the place, if there
    is one already.
    """

    names: PMap[str, Sym]
    types: PMap[Sym, Type]
    env: Mapping[str, object]
    given: PMap[str, Given] = field(default_factory=pmap)
    assigned: PMap[str, int] = field(default_factory=pmap)
    tree: ProcDef | None = None

    def bind(self, spelling: str, sym: Sym, t: Type) -> Scope:
        """The scope with one more variable."""
        names, types = self.names.set(spelling, sym), self.types.set(sym, t)
        return replace(self, names=names, types=types, given=self.given.discard(spelling))

    def give(self, name: str, given: Given) -> Scope:
        """The scope in which a name stands for a control value."""
        return replace(self, names=self.names.discard(name), given=self.given.set(name, given))

    def sym(self, name: str) -> Sym | None:
        """The variable that a name means, if any."""
        return self.names.get(name)

    def is_steady(self, sym: Sym) -> bool:
        """Whether a buffer is, as far as is known, an argument that nothing writes."""
        if self.tree is None:  # before there is one all may be: the end of the text tells
            return True
        return any(a.sym == sym for a in self.tree.args) and sym not in written_args(self.tree)

    def type(self, sym: Sym) -> Type:
        """A variable's type."""
        return self.types[sym]

    def unknown(self, name: str) -> ScopeError:
        """The error for a name that means nothing, with the nearest spelling that does."""
        if name in SCALARS:
            return ScopeError(f"{name} is a type, not a value: a buffer is declared as in `t: {name}[8]`")
        known = {*self.names, *self.given, *self.env} - {name}
        return ScopeError(f"{name!r} means nothing here{near_names(name, known)}")


def near_names(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not known: the nearest one that is."""
    near = get_close_matches(name, sorted(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def window_type(w: WindowExpr, base: Type) -> Tensor:
    """The type of a window on a buffer of type `base`."""
    assert isinstance(base, Tensor)
    shape: list[Expr] = [b.sub(d.hi, d.lo) for d in w.idx if isinstance(d, Interval)]
    return Tensor(base.base, pvector(shape), True)


def shown_type(e: WindowExpr | ViewExpr, base: Type) -> Tensor:
    """The type of a window on a buffer of type `base`, or of the buffer with other extents."""
    return Tensor(element(base), e.shape, False) if isinstance(e, ViewExpr) else window_type(e, base)


@memo_by_identity
def declarations(tree: ProcDef) -> Mapping[Sym, Type]:
    """The type of every variable of a procedure."""
    types: dict[Sym, Type] = {}
    for n in declarators(tree):
        t = declared(n, types)
        if t is not None:
            types[t[0]] = t[1]
    return types


def declared(n: Node, types: Mapping[Sym, Type]) -> tuple[Sym, Type] | None:
    """The variable that a node introduces, and its type."""
    if isinstance(n, (Arg, Alloc)):
        return n.sym, n.type
    if isinstance(n, For):
        return n.iter, index
    if isinstance(n, WindowDef):
        return n.sym, shown_type(n.rhs, types[n.rhs.sym])
    return None


def types_at(tree: ProcDef, path: Path) -> dict[Sym, Type]:
    """The types of the variables in scope just before what stands at `path`, outermost first."""
    types: dict[Sym, Type] = {}
    for _, n in in_scope(tree, path):
        found = declared(n, types)
        assert found is not None
        types[found[0]] = found[1]
    return types


def scope_at(tree: ProcDef, path: Path) -> Scope:
    """What the names that a procedure prints with mean just before the node at `path`."""
    types = types_at(tree, path)
    spelled = {name: s for s, name in names_in_scope(tree, path).items()}
    for s in types:  # the innermost variable of a name may also be called by that name
        if s.name not in spelled or spelled[s.name].name == s.name:
            spelled[s.name] = s
    return Scope(pmap(spelled), pmap(types), {thing.name: thing for thing in mentioned(tree)}, tree=tree)
