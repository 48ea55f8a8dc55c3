"""A procedure's C and its assembly side by side, line by line: what `exo-strat view` shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from exo_strat.view import Listing, lines_of, reels

from .c import CModule, compile
from .c.origins import Origin
from .kernel import Machine, Proc
from .kernel import Path as Place
from .toolchain import ToolchainError, compiler

_PLACE: Final = re.compile(r"^\s*(?:inlined by )?(?P<file>\S.*?):(?P<line>\d+)(?: \(.*\))?$")
_INSTRUCTION: Final = re.compile(r"^\s*(?P<address>[0-9a-f]+):\t(?P<text>.*\S)\s*$")
_FUNCTION: Final = re.compile(r"^[0-9a-f]+ <(?P<name>[^>]+)>:$")
_SECONDS: Final = 60


def listing(p: Proc, machine: Machine | None = None) -> Listing:
    """The C of a procedure, each line with the line of object code that it is for, and its assembly by the C compiler
    at hand, each instruction with its line of C; without a compiler or `objdump`, why there is none.

    Raises a `BackendError` for what can't be compiled.
    """
    module = compile([p], p.name())
    shown = {id(q.tree): (k, lines_of(q)) for k, q in enumerate(reels(p))}
    places = [_place(shown, at) for at in module.origins]
    procs, origins = (tuple(column) for column in zip(*places, strict=True))
    c = tuple(module.source.split("\n"))
    try:
        assembly = tuple(_assembly(module, p.name(), () if machine is None else machine.cc_flags))
    except ToolchainError as e:
        return Listing(c, procs, origins, note=str(e))
    return Listing(c, procs, origins, tuple(text for text, _ in assembly), tuple(k for _, k in assembly))


def _place(shown: Mapping[int, tuple[int, Mapping[Place, int]]], at: Origin | None) -> tuple[int, int]:
    """The procedure of a line of C, and the line of object code."""
    if at is None or id(at[0]) not in shown:
        return -1, -1
    k, lines = shown[id(at[0])]
    return k, lines[at[1]]


def _assembly(module: CModule, name: str, flags: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The instructions, and the line of the source of each, counted from 0. Raises `ToolchainError`."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, f"{name}.c"), Path(folder, f"{name}.o")
        source.write_text(module.source)
        source.with_suffix(".h").write_text(module.header)
        for header in module.headers:
            shutil.copy(header, folder)
        command = module.compile_command(source, flags, compiler())
        _printed((*command, "-g", "-o", str(made)))
        tool = command[0].removesuffix("gcc") + "objdump" if command[0].endswith("-gcc") else "objdump"
        text = _printed((tool, "-d", "-l", "--inlines", "--no-show-raw-insn", str(made)))
        yield from _instructions(text.splitlines(), source.name)


def _printed(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=_SECONDS
        )
    except OSError as e:
        raise ToolchainError(f"{Path(command[0]).name} can't be run: {e.strerror}") from e
    except subprocess.TimeoutExpired as e:
        raise ToolchainError(f"{Path(command[0]).name} took more than {_SECONDS} s") from e
    if done.returncode:
        raise ToolchainError(f"{Path(command[0]).name} failed:\n{(done.stderr or done.stdout).strip()}")
    return done.stdout


def _instructions(lines: Sequence[str], source: str) -> Iterator[tuple[str, int]]:
    """What `objdump` says: places are told before the instructions that they are of, the innermost first. Of these the
    first in the source counts: what headers define is part of the line that uses it."""
    place, fresh = -1, False
    for line in lines:
        if found := _FUNCTION.match(line):
            yield f"{found['name']}:", -1
            place, fresh = -1, False
        elif found := _INSTRUCTION.match(line):
            yield f"{found['address']:>6}  {_spaced(found['text'])}", place
            fresh = False
        elif found := _PLACE.match(line):
            if not fresh:
                place, fresh = -1, True
            if place < 0 and Path(found["file"]).name == source:
                place = int(found["line"]) - 1


def _spaced(text: str) -> str:
    """An instruction with its operands in a column."""
    name, _, operands = text.replace("\t", " ").partition(" ")
    return f"{name:<12} {operands.strip()}" if operands else name
