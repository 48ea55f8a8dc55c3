"""What names in a request mean: Ops and what makes them, procedures, memories, configs.

And how a file in Python names the same things, so that a path can be saved.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from .. import plugins
from ..cursors.kinds import CallCursor
from ..cursors.proc import Proc
from ..ir.config import Config
from ..ir.memory import Memory
from ..ir.outside import mentioned
from ..machine import Machine
from ..ops.strategy import NOTE, Op
from ..primitives import PrimitiveForm
from .faults import Fault
from .opening import PUBLIC, Files, Source, Target

Maker: TypeAlias = Callable[..., Op] | Op
STANDARD: Final = ("DRAM", "DRAM_STACK", "DRAM_STATIC")
FILE: Final = "FILE"
"""Stands for the opened file in a list of modules."""


@dataclass(frozen=True)
class Written:
    """How a name is written in a saved file: the expression, and the lines that it needs; the folders that these need
    on the module path."""

    text: str
    lines: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Names:
    """The names that mean something for what was opened: those of its file, of its target, of exo_strat."""

    files: Files
    target: Target
    source: Source | None = None
    text: bytes = b""
    """What was in the file when it was run."""

    @property
    def machine(self) -> Machine:
        """The machine of the target."""
        return self.target.machine

    # -- Ops ------------------------------------------------------------------------------------------

    def maker(self, name: str) -> Maker:
        """The primitive, combinator or strategy of a name. Raises `Fault` if there is none."""
        found = self._own(name)
        if found is None:
            found = PUBLIC.get(name)
        if found is None and "." in name:
            found = _imported(name)
        if not makes_ops(found):
            raise Fault("unknown_op", f"{name!r} is no primitive or strategy{self._near(name)}")
        return found  # type: ignore[no-any-return]

    def _own(self, name: str) -> Any:
        """What only the opened file means by a name."""
        found = None if self.source is None else vars(self.source.module).get(name)
        return None if found is PUBLIC.get(name) else found

    def _near(self, name: str) -> str:
        if "." in name:
            return ": write MODULE.NAME, such as strategies.std.licm"
        own = "" if self.source is None else f", or in {self.source.path}"
        return f" of exo_strat{own}; strategies of modules are written MODULE.NAME, such as strategies.std.licm"

    def strategies(self, modules: list[str]) -> Iterator[tuple[str, Maker]]:
        """The strategies of some modules, by the names of a request."""
        for module in modules:
            home = self._module(module)
            listed = getattr(home, "__all__", None)
            names = sorted(n for n in vars(home) if not n.startswith("_")) if listed is None else listed
            for name in names:
                value: Any = vars(home).get(name)
                own = listed is not None or getattr(value, "__module__", None) == home.__name__
                if own and makes_ops(value) and value is not PUBLIC.get(name):
                    yield (name if module == FILE else f"{module}.{name}"), value

    def _module(self, name: str) -> ModuleType:
        if name != FILE:
            return _module_of(name)
        if self.source is None:
            raise Fault("unknown_op", "FILE stands for the opened file, and a text was opened")
        return self.source.module

    @contextmanager
    def applying(self, name: str) -> Iterator[None]:
        """Where an Op of a name runs: what is wrong in code of the file, or with arguments, is a `Fault`."""
        if self._own(name) is not None and self.source is not None:
            with self.files.running(self.source):
                yield
            return
        try:
            yield
        except (TypeError, ValueError) as e:
            if not any(note.startswith(NOTE) for note in getattr(e, "__notes__", ())):
                raise
            raise Fault("bad_arguments", f"{name}: {e}") from None

    # -- what arguments may be ------------------------------------------------------------------------

    @cached_property
    def instructions(self) -> Mapping[str, Proc]:
        """The instructions of the machine, by name."""
        tables = (self.machine.instructions, self.machine.streams, self.machine.transposes)
        found = {i.name(): i for table in tables for procs in table.values() for i in procs}
        return dict(sorted(found.items()))

    @cached_property
    def own_procs(self) -> Mapping[str, Proc]:
        """The procedures of the file, by name."""
        return dict(self._values(Proc))

    def procs(self, p: Proc) -> Mapping[str, Proc]:
        """The procedures that arguments may be: of the file, instructions of the machine, what the program calls."""
        return {**_called(p), **self.instructions, **self.own_procs}

    def proc(self, name: str, p: Proc) -> Proc:
        """The procedure of a name."""
        found = self.procs(p).get(name)
        if found is None:
            raise Fault("bad_arguments", f"no Proc is called {name!r}: neither in the file nor on the target")
        return found

    def memories(self, p: Proc) -> Mapping[str, Memory]:
        """The memories that arguments may be: of exo_strat, of the machine, of the program, of the file."""
        held = sorted((m for m in mentioned(p.tree) if isinstance(m, Memory)), key=lambda m: m.name)
        found = {m.name: m for m in (*held, self.machine.mem_type)}
        return {**found, **dict(self._values(Memory)), **{name: PUBLIC[name] for name in STANDARD}}

    def memory(self, name: str, p: Proc) -> Memory:
        """The memory of a name."""
        found = self.memories(p).get(name)
        if found is None:
            raise Fault("bad_arguments", f"no memory is called {name!r}; there are {', '.join(self.memories(p))}")
        return found

    def configs(self, p: Proc) -> Mapping[str, Config]:
        """The configs that arguments may be: of the program, of the file."""
        held = sorted((c for c in mentioned(p.tree) if isinstance(c, Config)), key=lambda c: c.name)
        return {c.name: c for c in held} | dict(self._values(Config))

    def config(self, name: str, p: Proc) -> Config:
        """The config of a name."""
        found = self.configs(p).get(name)
        if found is None:
            there = ', '.join(self.configs(p)) or 'none'
            raise Fault("bad_arguments", f"no config is called {name!r}; there are {there}")
        return found

    def _values(self, kind: type) -> list[tuple[str, Any]]:
        """The names of the file that are of a kind."""
        if self.source is None:
            return []
        return [(n, v) for n, v in vars(self.source.module).items() if isinstance(v, kind) and v is not PUBLIC.get(n)]

    # -- in Python ------------------------------------------------------------------------------------

    def written_maker(self, name: str, folder: Path) -> Written:
        """How a saved file names what makes Ops."""
        if self._own(name) is not None:
            return self._from_file(name, folder)
        if name in PUBLIC:
            return Written(name)
        module, _, last = name.rpartition(".")
        if module in PUBLIC:
            return Written(name)
        return Written(last, (f"from {module} import {last}",))

    def written_proc(self, name: str, folder: Path) -> Written:
        """How a saved file names a procedure."""
        if name in self.own_procs:
            return self._from_file(name, folder)
        if name in self.instructions:
            machine = self.written_machine()
            return Written(f"{machine.text}.instruction({name!r})", machine.lines)
        pattern = f"{name}(_)"
        return Written(f"p.find({pattern!r}).subproc()")

    def written_memory(self, name: str, p: Proc, folder: Path) -> Written:
        """How a saved file names a memory."""
        memory = self.memory(name, p)
        own = next((n for n, v in self._values(Memory) if v == memory), None)
        if name in STANDARD:
            return Written(name)
        if own is not None:
            return self._from_file(own, folder)
        if memory == self.machine.mem_type:
            machine = self.written_machine()
            return Written(f"{machine.text}.mem_type", machine.lines)
        raise Fault("not_savable", f"the memory {name} has no name in the opened file")

    def written_config(self, name: str, p: Proc, folder: Path) -> Written:
        """How a saved file names a config."""
        config = self.config(name, p)
        own = next((n for n, v in self._values(Config) if v == config), None)
        if own is None:
            raise Fault("not_savable", f"the config {name} has no name in the opened file")
        return self._from_file(own, folder)

    def written_machine(self) -> Written:
        """How a saved file names the machine of the target."""
        module, _, name = plugins.entry(plugins.TARGETS, self.target.name).partition(":")
        return Written(name, (f"from {module} import {name}",))

    def _from_file(self, name: str, folder: Path) -> Written:
        assert self.source is not None
        there, line = self.files.imports(self.source.path, name, folder)
        return Written(name, (line,), (there,) if there else ())


def _called(p: Proc) -> Mapping[str, Proc]:
    """The procedures that a program calls."""
    calls = (c.subproc() for c in p.find_all("_(_)") if isinstance(c, CallCursor))
    return {f.name(): f for f in calls}


def makes_ops(value: object) -> bool:
    """Whether a value is an Op, or a primitive, a class of Ops or a function that says that it makes one.

    >>> from exo_strat import attempt, divide_loop, identity, repeat, schedule
    >>> [makes_ops(x) for x in (divide_loop, identity, attempt, repeat, schedule, print)]
    [True, True, True, True, False, False]
    """
    if isinstance(value, Op | PrimitiveForm):
        return True
    if isinstance(value, type):
        return issubclass(value, Op)
    if not inspect.isfunction(value):
        return False
    told = inspect.signature(value).return_annotation
    return told is Op or told == "Op"


def _imported(name: str) -> Any:
    """What MODULE.NAME means, also MODULE.CLASS.NAME; None if it means nothing."""
    head, _, last = name.rpartition(".")
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    if head in PUBLIC and isinstance(PUBLIC[head], ModuleType):
        return getattr(PUBLIC[head], last, None)
    return getattr(_module_of(head), last, None)


def _module_of(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise Fault("unknown_op", f"{name!r} is no name of a module")
    try:
        return import_module(name)
    except ImportError as e:
        raise Fault("unknown_op", f"the module {name} can't be imported: {e}") from None


def signature_of(maker: Maker) -> inspect.Signature:
    """The parameters of what makes an Op; an Op itself has none."""
    return inspect.Signature() if isinstance(maker, Op) else inspect.signature(maker)

