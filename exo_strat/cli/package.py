"""`exo-strat package`: a wheel of compiled functions, which needs neither this library nor a compiler where it runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Final, cast

import typer

from .. import plugins
from ..cursors.proc import Proc
from ..machine import Machine
from .files import FileError, Source, procs_of, read, split_names
from .messages import UsageError, reporting
from .targets import Target, compiling, find_target, targets

_OF_C: Final = """
    c m dl rt gomp omp pthread immintrin complex ctype fenv float inttypes limits setjmp stdarg stdbool stddef stdint
    stdio stdlib tgmath threads unistd wchar wctype
"""
RESERVED: Final = frozenset(
    {"numpy", "exo_strat", "strategies", "backends", "importers", *sys.stdlib_module_names, *_OF_C.split()}
)
"""Modules of Python, and libraries and headers of C, that a package must not hide."""
_RELEASE = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?\Z")

Maker = Callable[[Sequence[tuple[Machine, Sequence[Proc]]], str, str, Path, bool], Path]
"""What makes a wheel, or a folder, of procedures for each of some machines."""


def module_name(name: str, what: str) -> str:
    """A name that a module, its distribution and a C library can have; `what` is said of one that they can't.

    >>> module_name("mykernels", "the name")
    'mykernels'

    Raises `UsageError`.
    """
    if not re.fullmatch(r"[A-Za-z](\w*[A-Za-z0-9])?", name, re.ASCII) or iskeyword(name):
        raise UsageError(
            f"{what} {name!r} can't be a module's: take letters, digits and _, a letter first, no _ last, no keyword"
        )
    if name in RESERVED:
        raise UsageError(f"{what} {name!r} is that of a module, a library or a header that is needed: take another")
    return name


def package_command(
    where: Annotated[
        str, typer.Argument(metavar="FILE[:NAME,..]", help="A Python file, and Procs or schedules in it; else all.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the wheel; made if missing.")],
    name: Annotated[str | None, typer.Option("--name", help="The module's name; else the file's.")] = None,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", help="Code for this target; may be repeated. Else plain C, AVX2 and AVX-512."),
    ] = None,
    release: Annotated[str, typer.Option("--release", help="The version that the wheel has.")] = "0.1.0",
    unpacked: Annotated[
        bool, typer.Option("--unpacked", help="Write the module's folder, for a build tool that packs it itself.")
    ] = False,
) -> None:
    """Make a wheel of the Procs that a file exports: functions on NumPy arrays, a C header, a shared library.

    Schedules (functions of one parameter, annotated Machine) make their Procs for each target, and the library takes
    the code that suits the processor when it is loaded. Where the wheel is installed, NumPy is all that it needs.

    Examples: [b]exo-strat package blur.py -o dist[/b],
    [b]exo-strat package gemm.py:sgemm,dgemm -o dist --name gemm -t avx2 -t avx512[/b]
    """
    with reporting():
        path, names = split_names(where)
        chosen = module_name(name or path.stem, "--name" if name else "give the module a --name: the file's name")
        if not _RELEASE.match(release):
            raise UsageError(f"--release {release!r} is no version: take numbers such as 1.0 or 1.2.3rc1")
        if unpacked and (out / chosen).exists():
            raise UsageError(f"{out / chosen} is there: remove it, or choose another folder with -o")
        wanted = _targets(target)
        source = read(path)
        versions = [(t.machine, _made(source, names or source.exports, t, wanted)) for t in wanted]
        make = cast(Maker, plugins.load(plugins.BACKENDS, "package"))
        with compiling():
            made = make(versions, chosen, release, out, unpacked)
    typer.echo(made)
    functions = ", ".join(p.name() for p in versions[0][1])
    typer.echo(f"{functions}: code for {', '.join(t.name for t in wanted)}", err=True)
    if not unpacked:
        typer.echo(f"install with: python -m pip install {made}", err=True)
    if chosen == path.stem:
        typer.echo(f"where {path.name} lies, `import {chosen}` means that file; --name gives another name", err=True)


def _targets(names: Sequence[str] | None) -> tuple[Target, ...]:
    """The targets that are asked for, the plainest first; else the usual ones."""
    if names:
        wanted = {find_target(n).name for n in names}
        return tuple(t for t in targets() if t.name in wanted)
    usual = cast(Callable[[], Sequence[Machine]], plugins.load(plugins.BACKENDS, "package_for"))()
    return tuple(t for t in targets() if t.machine in usual)


def _made(source: Source, names: Sequence[str], target: Target, targets: Sequence[Target]) -> list[Proc]:
    """The Procs for a target."""
    try:
        return procs_of(source, names, target.machine)
    except FileError as e:
        if len(targets) == 1 or not any(map(source.is_schedule, names)):
            raise
        raise FileError(f"for the target {target.name}: {e}\n--target chooses targets, and may be repeated") from e
