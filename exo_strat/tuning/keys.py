"""Keys: what a program, a strategy and a machine are, as texts that are the same in any process.

A key is a SHA-256 of all that a value is made of. Equal keys mean equal values, written in equal files; where two keys
differ, the values may still be equal. No key rests on `hash`, on the order of a set or on where an object lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

from pyrsistent import PVector

from ..cursors.cursor import Cursor
from ..cursors.proc import Proc
from ..ir.externs import ExternFn
from ..ir.memo import memo_by_identity
from ..ir.nodes import ProcDef
from ..ir.room import with_room
from ..ir.walk import alpha_normal
from ..machine import Machine
from ..ops.strategy import Op
from ..primitives.framework import PrimitiveForm, Spec
from ..source import brief, show
from .sources import Origin, UnknownSourceError, origin, texts

DISTRIBUTION: Final = "exo-strat"


class NoKeyError(ValueError):
    """A value that can't be told from others in another process."""


@cache
def version() -> str:
    """The version of exo_strat; where it is not installed, a hash of its files."""
    try:
        return installed(DISTRIBUTION)
    except PackageNotFoundError:
        return _sources_of(Path(__file__).parent.parent)


def _sources_of(folder: Path) -> str:
    """A text that tells the Python files of a folder from others."""
    texts = [_digest(p.relative_to(folder).as_posix(), p.read_text()) for p in sorted(folder.rglob("*.py"))]
    return f"from sources {_digest('sources', *texts)[:16]}"


def program_key(p: Proc) -> str:
    """The key of a program: its tree, with variables by their names and the order in which they come; what it calls;
    the C text of instructions; memories, configs and extern functions, with the files in which their classes are.

    Raises `NoKeyError` if something in it has no key.

    >>> from exo_strat import proc_from_source
    >>> p, q = (proc_from_source(f"def foo(x: f32):\\n    x = {n}.0") for n in (1, 2))
    >>> program_key(p) == program_key(q), len(program_key(p))
    (False, 64)
    """
    return _key(p)


def strategy_key(op: Op) -> str:
    """The key of a strategy: its Ops and their arguments, and the text of each file with a function in it or with the
    class of an Op; of the files that these import too, at any depth. Python's own library is not looked into, nor is an
    installed package that has nothing to do with exo_strat: that goes by its version.

    What a strategy reads when it is imported or runs, such as a file or an environment variable, is no part of it.

    Raises `NoKeyError` if something in it has no key: a function that is in no file, such as one typed at a prompt, or
    whose file was changed since it was imported.

    >>> from exo_strat import unroll_loop, simplify
    >>> strategy_key(unroll_loop() >> simplify()) == strategy_key(unroll_loop() >> simplify())
    True
    """
    return _key(op)


def machine_key(machine: Machine) -> str:
    """The key of a machine: its numbers, its instructions, its flags.

    Raises `NoKeyError` if something in it has no key."""
    return _key(machine)


@with_room
def _key(value: object) -> str:
    walk = _Walk()
    shape = walk.key(value)
    return _digest("key", shape, *sorted(texts(walk.origins)))


def _digest(kind: str, *parts: str) -> str:
    """The hash of parts, of which none can run into the next."""
    return sha256("".join(f"{len(x)}:{x}" for x in (kind, *parts)).encode(errors="surrogatepass")).hexdigest()


@memo_by_identity
def _tree(tree: ProcDef) -> tuple[str, frozenset[Origin]]:
    """The key of a program, less the texts of the files that it rests on, and these."""
    walk = _Walk()
    return _digest("Proc", walk.key(alpha_normal(tree))), frozenset(walk.origins)


class _Walk:
    """One walk through a value: the keys of what is inside it, each found once, and the files that it rests on."""

    def __init__(self) -> None:
        self.origins: set[Origin] = set()
        self._known: dict[int, tuple[object, str]] = {}  # with the object, which must not go while its number is known

    def key(self, value: object) -> str:
        known = self._known.get(id(value))
        if known is None:
            self._known[id(value)] = (value, _digest("around"))  # while it is found, for a function that calls itself
            known = self._known[id(value)] = (value, self._found(value))
        return known[1]

    def _found(self, value: Any) -> str:
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes, complex):
            return _digest(kind.__name__, repr(value))
        match value:
            case Proc():
                key, origins = _tree(value.tree)
                self.origins |= origins
                return key
            case ExternFn():  # by its C: what it computes is what the C does, by the author's word
                return self._all("ExternFn", [getattr(value, f.name) for f in fields(value) if f.name != "eval"])
            case Spec() | PrimitiveForm():
                return self._all("primitive", [(value if isinstance(value, Spec) else value.spec).fn])
            case Cursor():
                return self._all("Cursor", [value.proc, show(value)])
            case Enum():
                return self._all("Enum", [kind, value.name])
            case partial():
                return self._all("partial", [value.func, value.args, value.keywords])
            case MethodType():
                return self._all("method", [value.__self__, value.__func__])
            case FunctionType():
                return self._function(value)
            case BuiltinFunctionType() if not isinstance(value.__self__, Mapping | list | set):
                return _digest("builtin", str(value.__module__), value.__qualname__)
            case type():
                return self._named(value, value.__qualname__)
            case tuple() | list() | PVector():
                return self._all("list", [kind if kind.__bases__ == (tuple,) else "", *value])
            case Mapping():
                return _digest("map", *sorted(self._all("item", item) for item in value.items()))
            case AbstractSet():
                return _digest("set", *sorted(map(self.key, value)))
        if is_dataclass(value):
            return self._all("data", [kind, *(getattr(value, f.name) for f in fields(value) if f.compare)])
        raise NoKeyError(f"{brief(show(value))} can't be told from others in another process: it is a {kind.__name__}")

    def _all(self, kind: str, values: Iterable[object]) -> str:
        return _digest(kind, *map(self.key, values))

    def _function(self, f: FunctionType) -> str:
        code = f.__code__
        where = next((str(p) for p in code.co_positions() if None not in p), "") if "<" in f.__qualname__ else ""
        closed = [cell.cell_contents for cell in f.__closure__ or ()]
        return self._all("function", [self._named(f, f.__qualname__), where, f.__defaults__, f.__kwdefaults__, closed])

    def _named(self, value: Callable[..., Any], name: str) -> str:
        """A function or class by its name, and the file that says what it is."""
        try:
            of = origin(value)
        except UnknownSourceError as e:
            raise NoKeyError(str(e)) from None
        self.origins.add(of)
        return _digest("name", of.label, name)
