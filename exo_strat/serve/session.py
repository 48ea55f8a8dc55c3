"""A session: versions of procedures, and which is the current one. It never changes; a request makes the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from pyrsistent import PMap, pmap

from ..cursors.proc import Proc
from ..frontend.decorators import reparse_env
from ..ir.config import Config
from ..ir.memo import memo_by_identity
from ..ir.nodes import ProcDef
from ..ir.printing import print_proc
from .actions import Reading
from .faults import Fault
from .naming import Names

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Version:
    """A version of a procedure: how it was made, and what names mean for it."""

    id: str
    proc: Proc
    names: Names
    parent: str | None = None
    action: Json | None = None
    text: str = ""

    @property
    def key(self) -> str:
        """What is equal for equal programs."""
        return key_of(self.proc)

    def told(self) -> dict[str, Any]:
        """What is known of it, as JSON."""
        action = None if self.action is None else dict(self.action)
        known = {"version": self.id, "parent": self.parent, "name": self.proc.name(), "key": self.key}
        return {**known, "action": action, "text": self.text}


def key_of(p: Proc) -> str:
    """What is equal for equal programs, in any process: a hash of the object code, and of what it names.

    `tuning.keys` has keys that tell the code of memories and functions apart, too, and take twenty times as long.

    >>> from exo_strat import proc_from_source, rename_variable
    >>> p, q, r = (proc_from_source(f"def foo(x: f32):\\n    x = {n}.0") for n in (1, 1, 2))
    >>> key_of(p) == key_of(q), key_of(p) == key_of(r)
    (True, False)
    """
    return _key(p.tree)


@memo_by_identity
def _key(tree: ProcDef) -> str:
    things = sorted((name, _told(thing)) for name, thing in reparse_env(tree).items())
    return sha256(repr((print_proc(tree), things)).encode(errors="surrogatepass")).hexdigest()


def _told(thing: object) -> str:
    """What a name in object code stands for."""
    if isinstance(thing, Proc):
        return _key(thing.tree)
    fields = sorted((n, str(t)) for n, t in thing.fields.items()) if isinstance(thing, Config) else []
    return f"{type(thing).__module__}.{type(thing).__qualname__} {getattr(thing, 'name', '')} {fields}"


@dataclass(frozen=True)
class Session:
    """All versions, by name; the current one; how many were made."""

    versions: PMap[str, Version] = field(default_factory=pmap)
    current: str | None = None
    made: int = 0

    def version(self, name: str | None = None) -> Version:
        """The version of a name, or the current one. Raises `Fault` if there is none."""
        if name is None and self.current is None:
            raise Fault("no_version", "nothing is open: `open` comes first")
        found = self.versions.get(name or self.current or "")
        if found is None:
            raise Fault("unknown_version", f"there is no version {name}, or it was forgotten")
        return found

    def reading(self, v: Version) -> Reading:
        """What reads places and arguments of a request for a version."""
        return Reading(v.proc, v.names, lambda name: self.version(name).proc)

    def with_version(self, p: Proc, names: Names, **how: Any) -> Session:
        """The session with one more version, which is the current one."""
        v = Version(f"v{self.made}", p, names, **how)
        return replace(self, versions=self.versions.set(v.id, v), current=v.id, made=self.made + 1)

    def going(self, v: Version) -> Session:
        """The session in which a version is the current one."""
        return replace(self, current=v.id)

    def line(self, v: Version) -> list[Version]:
        """A version and those from which it was made, the first one first. Raises `Fault` if one was forgotten."""
        found = [v]
        while found[-1].parent is not None:
            found.append(self.version(found[-1].parent))
        return found[::-1]

    def without(self, names: set[str]) -> tuple[Session, list[str]]:
        """The session without some versions and all that were made from them, and which these are. The current one
        becomes the nearest that is left."""
        gone = set[str]()
        for v in self._in_order():
            if v.id in names or v.parent in gone:
                gone.add(v.id)
        here = self.current
        while here in gone:
            here = self.versions[here].parent
        left = self.versions.evolver()
        for name in gone:
            left.remove(name)
        return replace(self, versions=left.persistent(), current=here), [v.id for v in self._in_order() if v.id in gone]

    def _in_order(self) -> list[Version]:
        return sorted(self.versions.values(), key=lambda v: int(v.id[1:]))

    def told(self) -> list[dict[str, Any]]:
        """What is known of all versions."""
        return [v.told() for v in self._in_order()]
