"""The product's command: `python -m examples.exo_blas`, and what it does: build, dist, list, netlib, callers and so on.

Exit codes: 0 all well; 1 the library can't be built, or a program found a fault; 2 wrong usage; 77 nothing to run here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Never

import typer
from rich.console import Console

from backends.targets import best_machine
from backends.toolchain import ToolchainError
from exo_strat import Machine

from .builder.distribution import archive
from .builder.interface import Bits
from .builder.library import TARGETS, BuildError, build
from .builder.listing import Effort, efforts
from .builder.units import units
from .conformance import callers, coverage, flexiblas, netlib, races

FOLDER = Path("build/blas")
DIST = Path("build")
INTEGERS: tuple[Bits, ...] = (32, 64)
ROW = "{:<28}{:<10}{:<28}{:>10}{:>10}{:>9}"
"""Fixed columns, so that a row can be printed before the next one is known."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

Library = Annotated[Path | None, typer.Argument(help="The library; without it, one is built into build/blas.")]


@app.command("build")
def build_command(
    directory: Annotated[Path, typer.Argument(help="Where they go.")] = FOLDER,
    integers: Annotated[int | None, typer.Option(help="32 or 64: only the library with such integers.")] = None,
) -> None:
    """Build libexo_blas.so, libexo_blas64.so, libexo_blas_ilp64.so and exo_blas.h, for all instruction sets of this
    kind of processor."""
    if integers not in (None, *INTEGERS):
        _stop(f"integers have 32 or 64 bits, not {integers}", 2)
    start = perf_counter()
    made = [_or_stop(directory, partial(build, directory, integers=n)) for n in INTEGERS if integers in (None, n)]
    machines = ", ".join(m.name for m in TARGETS)
    told = ", ".join(map(str, made))
    typer.echo(f"{told}: {len(units())} units for {machines} in {perf_counter() - start:.1f} s")


@app.command("dist")
def dist_command(directory: Annotated[Path, typer.Argument(help="Where it goes.")] = DIST) -> None:
    """Write the source distribution, C that make or CMake builds without Python: exo_blas-VERSION.tar.gz."""
    made = _or_stop(directory, partial(archive, directory))
    typer.echo(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


@app.command("list")
def list_command(
    target: Annotated[str | None, typer.Option("--target", "-t", help="c, avx2 or avx512; else the best here.")] = None,
) -> None:
    """List the kernels: the function that schedules each, its lines, the rewrites made, the seconds taken.

    All kernels are scheduled, which takes minutes the first time; the figures are kept.
    """
    machine = best_machine() if target is None else next((m for m in TARGETS if m.name == target), None)
    if machine is None:
        _stop(f"there is no target {target}, only {', '.join(m.name for m in TARGETS)}", 2)
    list_kernels(machine, efforts(machine), Console())


@app.command("netlib")
def netlib_command(library: Library = None) -> None:
    """Run netlib's CBLAS test programs on the library."""
    raise typer.Exit(netlib.main(_library(library)))


@app.command("callers")
def callers_command(library: Library = None) -> None:
    """Run LAPACK's test programs, NumPy's and SciPy's, and one that uses GSL, on the library, then `flexiblas`."""
    found = _library(library)
    codes = {callers.main(found), flexiblas.main(found)}
    raise typer.Exit(1 if 1 in codes else min(codes))


@app.command("flexiblas")
def flexiblas_command(library: Library = None) -> None:
    """Run the check of every function, netlib's test programs and what `callers` runs through FlexiBLAS.

    It is found by its command, flexiblas or flexiblas64; for the latter, libexo_blas_ilp64.so is beside the library.
    """
    raise typer.Exit(flexiblas.main(_library(library)))


@app.command("coverage")
def coverage_command(
    directory: Annotated[Path, typer.Argument(help="Where the library with counters goes.")] = FOLDER / "coverage",
) -> None:
    """Run the tests on a library that counts, and show which lines and branches of the wrappers none reaches."""
    raise typer.Exit(coverage.main(directory, Console()))


@app.command("races")
def races_command(
    directory: Annotated[Path, typer.Argument(help="Where the library with the sanitizer goes.")] = FOLDER / "races",
) -> None:
    """Run calls that threads share under ThreadSanitizer."""
    raise typer.Exit(races.main(directory, Console()))


def list_kernels(machine: Machine, found: Iterable[Effort], console: Console) -> None:
    """Print a row for each kernel as soon as it is scheduled: all together may take minutes."""

    def show(*cells: object) -> None:
        console.out(ROW.format(*map(str, cells)).rstrip(), highlight=False)
        console.file.flush()

    console.out(f"BLAS for {machine.name}: kernels are scheduled one after another, which takes minutes the first time")
    show("kernel", "routine", "schedule", "its lines", "rewrites", "seconds")
    count, total, seconds = 0, 0, 0.0
    for k in found:
        show(k.kernel, k.routine, k.plan, k.lines, k.rewrites, f"{k.seconds:.2f}")
        count, total, seconds = count + 1, total + k.rewrites, seconds + k.seconds
    show(f"{count} kernels", "", "", "", total, f"{seconds:.1f}")


def _library(given: Path | None) -> Path:
    if given is None:
        return _built(FOLDER)
    if not given.is_file():
        _stop(f"{given}: there is no such library; `make blas` builds {FOLDER}/libexo_blas.so", 2)
    return given


def _built(directory: Path) -> Path:
    return _or_stop(directory, partial(build, directory))


def _or_stop(directory: Path, make: Callable[[], Path]) -> Path:
    try:
        return make()
    except (BuildError, ToolchainError, OSError) as e:
        _stop(f"{directory}: {e}", 1)


def _stop(message: str, code: int) -> Never:
    typer.echo(f"exo_blas: {message}", err=True)
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
