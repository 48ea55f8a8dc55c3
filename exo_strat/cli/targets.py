"""The installed targets, what this processor can run, and C for them."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from .. import plugins
from ..cursors.proc import Proc
from ..machine import Machine
from .files import FileError, write_whole


class TargetError(ValueError):
    """A target that this processor can't run."""


@dataclass(frozen=True)
class Target:
    """An installed target and the processor flags it wants that are missing here."""

    name: str
    machine: Machine
    missing: tuple[str, ...]

    @property
    def lanes(self) -> int:
        """Elements in the widest vector register."""
        return max(self.machine.vec_widths.values(), default=1)


class NotCompiledError(ValueError):
    """What a backend said of code that it can't compile."""


class Fact(Protocol):
    """A number of the processor, with its unit, and how it was found."""

    @property
    def what(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def how(self) -> str: ...


class Native(Protocol):
    """A machine with the numbers of the processor at hand."""

    @property
    def machine(self) -> Machine: ...
    @property
    def facts(self) -> Sequence[Fact]: ...


class CModule(Protocol):
    """What the C backend gives."""

    @property
    def header(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def headers(self) -> Sequence[Path]: ...
    @property
    def cpu_flags(self) -> Sequence[str]: ...
    def compile_command(self, source: Path, flags: Sequence[str], compiler: Sequence[str]) -> Sequence[str]: ...
    def link_flags(self) -> Sequence[str]: ...


class Written(NamedTuple):
    """The C files of some Procs, the source last; how to compile it, and what to link with; and the flags of a
    processor that the code needs and the machine has not."""

    files: tuple[Path, ...]
    command: str
    linked: str
    beyond: tuple[str, ...]


def targets() -> tuple[Target, ...]:
    """Every installed target, the narrowest vectors first."""
    features = cast(Callable[[], frozenset[str]], plugins.load(plugins.BACKENDS, "features"))()
    found = (_target(name, features) for name in plugins.names(plugins.TARGETS))
    return tuple(sorted(found, key=lambda t: (t.lanes, t.machine.registers, t.name)))


def _target(name: str, features: frozenset[str]) -> Target:
    machine = plugins.load(plugins.TARGETS, name)
    if not isinstance(machine, Machine):
        raise plugins.PluginError(f"the target {name} is a {type(machine).__name__}, expected a Machine")
    return Target(name, machine, tuple(sorted(f for f in machine.cpu_flags if f not in features)))


def find_target(name: str) -> Target:
    """The installed target of this name, whether or not this processor can run it."""
    plugins.load(plugins.TARGETS, name)
    return next(t for t in targets() if t.name == name)


def runnable(name: str | None) -> Target:
    """The target to run code for: the one of this name, or the widest that this processor has."""
    if name is None:
        return next(t for t in reversed(targets()) if not t.missing)
    chosen = find_target(name)
    if chosen.missing:
        here = ", ".join(t.name for t in targets() if not t.missing)
        lacks = ", ".join(chosen.missing)
        raise TargetError(f"this processor lacks {lacks}, so it can't run {name}; it can run {here}")
    return chosen


def native(target: Target) -> Native:
    """A target with the numbers of the processor at hand, and how each was found."""
    return cast(Callable[[Machine], Native], plugins.load(plugins.BACKENDS, "native"))(target.machine)


@contextmanager
def compiling() -> Iterator[None]:
    """Turn what a backend raises (a `ValueError` about the code, a `RuntimeError` about the compiler or
    the machine) into a `NotCompiledError`; the kernel doesn't know a backend's classes."""
    try:
        yield
    except (ValueError, RuntimeError) as e:
        raise NotCompiledError(str(e)) from e


def c_module(procs: Sequence[Proc], name: str) -> CModule:
    """What the C backend makes of some procedures."""
    compile_ = cast(Callable[[Sequence[Proc], str], CModule], plugins.load(plugins.BACKENDS, "c"))
    with compiling():
        return compile_(procs, name)


def compiled_with(module: CModule, source: Path, flags: Sequence[str] = ()) -> tuple[str, str]:
    """The command that compiles a C file that was written, and what to link with, if anything. `flags` are those of the
    machine."""
    command = module.compile_command(source, flags, shlex.split(os.environ.get("CC") or "cc"))
    return shlex.join(command), shlex.join(module.link_flags())


def write_c(procs: Sequence[Proc], name: str, folder: Path, machine: Machine | None = None) -> Written:
    """Compile to C, for a machine if one is given, and write what the C includes, `name.h` and `name.c` into a folder,
    which is made if missing. Raises `FileError` if a file is there that was not written so: it would be lost."""
    module = c_module(procs, name)
    folder.mkdir(parents=True, exist_ok=True)
    header, source = folder / f"{name}.h", folder / f"{name}.c"
    made = {header: module.header, source: module.source}
    for path, text in made.items():
        if path.exists() and text.splitlines()[0] not in path.read_text(errors="replace").splitlines()[:1]:
            raise FileError(f"{path} was not written by exo-strat: give another folder, or another name")
    write_whole({path: text.encode() for path, text in made.items()})
    copies = [Path(shutil.copy(path, folder)) for path in module.headers]
    compiled = compiled_with(module, source, machine.cc_flags if machine else ())
    beyond = tuple(f for f in module.cpu_flags if machine and f not in machine.cpu_flags)
    return Written((*copies, header, source), *compiled, beyond)
