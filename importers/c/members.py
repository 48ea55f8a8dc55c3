"""Structs: each member that a function uses is an argument or a variable of its own.

`p->n` and `p->data[i]`, where p is an argument, are a number and an array; p itself is gone. So it is for a struct at
file scope, and for a local one. What a `void *` member points to is what it is cast to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..names import spelled
from ..report import NOWHERE, Place
from .constants import constant
from .syntax import Array, Literal, Pointer, Type, Untaken, Variable
from .types import I32, Float, Int, Other, Void

Node = Any


@dataclass(frozen=True)
class Path:
    """A member: the variable that holds or points to the struct, and the names of members from there on."""

    root: Variable
    fields: tuple[str, ...]
    type: Type

    def text(self) -> str:
        return "->".join((self.root.c_name, *self.fields))


class Members:
    """The structs of a file, and the members that its functions use."""

    def __init__(self) -> None:
        self.structs: dict[str, dict[str, Type]] = {}
        self.aliases: dict[Variable, Path] = {}
        self.found: dict[tuple[Variable, tuple[str, ...]], Variable] = {}
        self.arrays: frozenset[str] = frozenset()
        """The structs of which the function at hand has arrays."""
        self.rows: dict[Variable, str] = {}
        """The variables that are arrays of structs."""

    def declare(self, node: Node, place: Place, type_of: Callable[[Node], Type]) -> Other:
        """The type that a struct is, or a reference to one."""
        text = f"struct {node.name or f'of line {place.line}'}"
        if node.decls is not None:
            self.structs[text] = {}
            self.structs[text] |= {d.name: type_of(d.type) for d in node.decls if getattr(d, "name", None)}
        return Other(text)

    def holds(self, v: Variable) -> bool:
        """Whether a variable is a struct, or points to one."""
        t = v.type.to if isinstance(v.type, Pointer) else v.type
        return isinstance(t, Other) and t.text in self.structs

    # -- arrays of structs --------------------------------------------------------------------------

    def layout(self, text: str) -> tuple[Int | Float, int] | None:
        """The one type of all members of a struct, and how many numbers it has; None if there are several."""
        kinds: set[Type] = set()
        total = 0
        for t in self.structs.get(text, {}).values():
            count = 1
            while isinstance(t, Array):
                n = None if t.extent is None else constant(t.extent)
                if n is None:
                    return None
                count, t = count * n, t.of
            kinds.add(t)
            total += count
        one = kinds.pop() if len(kinds) == 1 else None
        return (one, total) if isinstance(one, Int | Float) else None

    def as_rows(self, t: Type) -> Type:
        """The type of an array of structs, or of a pointer into one: each struct is a row of numbers."""
        inner = t.of if isinstance(t, Array) else t.to if isinstance(t, Pointer) else None
        if not isinstance(inner, Other) or inner.text not in self.arrays:
            return t
        found = self.layout(inner.text)
        if found is None:
            return t
        row = Array(found[0], Literal(found[1], I32, str(found[1]), NOWHERE))
        return Array(row, t.extent) if isinstance(t, Array) else Pointer(row)

    def note(self, v: Variable, before: Type) -> None:
        """Remember of which struct a variable is an array."""
        inner = before.of if isinstance(before, Array) else before.to if isinstance(before, Pointer) else None
        if v.type != before and isinstance(inner, Other):
            self.rows[v] = inner.text

    def offset(self, text: str, name: str) -> tuple[int, bool]:
        """Where in its row a member begins, and whether it is an array."""
        at = 0
        for n, t in self.structs[text].items():
            if n == name:
                return at, isinstance(t, Array)
            count = 1
            while isinstance(t, Array):
                count, t = count * ((t.extent and constant(t.extent)) or 1), t.of
            at += count
        raise AssertionError("the compiler knows the member")

    # -- members ------------------------------------------------------------------------------------

    def path(self, node: Node, lookup: Callable[[str], object], type_of: Callable[[Node], Type]) -> Path | None:
        """The member that an expression means; None if it is none."""
        match type(node).__name__:
            case "ID":
                v = lookup(node.name)
                if not isinstance(v, Variable):
                    return None
                return self.aliases.get(v) or (Path(v, (), v.type) if self.holds(v) else None)
            case "StructRef":
                base = self.path(node.name, lookup, type_of)
                t = base.type if base is not None else None
                t = t.to if node.type == "->" and isinstance(t, Pointer) else t
                inner = self.structs.get(t.text, {}).get(node.field.name) if isinstance(t, Other) else None
                if base is None or inner is None:
                    return None
                return Path(base.root, (*base.fields, node.field.name), inner)
            case "UnaryOp" if node.op in ("*", "&"):
                base = self.path(node.expr, lookup, type_of)
                if base is None or (node.op == "*" and not isinstance(base.type, Pointer)):
                    return None
                t = base.type.to if isinstance(base.type, Pointer) else base.type
                if node.op == "*" and type(node.expr).__name__ == "Cast" and isinstance(t, Int | Float):
                    return Path(base.root, base.fields, t)
                kept = isinstance(t, Other) and t.text in self.structs
                return Path(base.root, base.fields, t if node.op == "*" else Pointer(base.type)) if kept else None
            case "Cast":
                base = self.path(node.expr, lookup, type_of)
                return None if base is None else cast(base, type_of(node.to_type))
            case _:
                return None

    def variable(self, p: Path, taken: set[str], place: Place) -> Variable | Untaken:
        """The variable that stands for a member of a number, array or pointer type."""
        key = (p.root, p.fields)
        if key not in self.found:
            name = spelled("_".join((p.root.name, *p.fields)), taken)
            storage = "member" if p.root.storage == "argument" else p.root.storage
            self.found[key] = Variable(name, p.text(), p.type, storage, p.root.place, elsewhere=True)
        found = self.found[key]
        if found.type != p.type:
            why = "it is read at two types, and an array of the object language has one"
            return Untaken(p.text(), why, "pass two arguments", place)
        return found

    def of(self, root: Variable) -> Iterator[Variable]:
        """The members of a variable that are used, in the order of their first use."""
        return (v for (r, _), v in self.found.items() if r is root)

    def fields(self, v: Variable) -> Iterator[Path]:
        """The members of a local struct."""
        assert isinstance(v.type, Other)
        return (Path(v, (name,), t) for name, t in self.structs[v.type.text].items())


def cast(p: Path, t: Type) -> Path | None:
    """A `void *` member as a pointer to something; any member at its own type."""
    if p.type == t:
        return p
    return Path(p.root, p.fields, t) if p.type == Pointer(Void()) and isinstance(t, Pointer) else None


def is_plain(t: Type) -> bool:
    """Whether a type is made of numbers."""
    while isinstance(t, Array | Pointer):
        t = t.of if isinstance(t, Array) else t.to
    return isinstance(t, Int | Float)
