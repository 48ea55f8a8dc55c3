"""Builds `libexo_blas.so` and `exo_blas.h`; with integers of 64 bits `libexo_blas64.so`, and `libexo_blas_ilp64.so`,
the same by the usual Fortran names.

Every unit is scheduled, compiled to C and to an object file once for each target; both are kept, the C text by what
the schedule depends on and the object by its source. So what didn't change isn't made again; nothing is looked at if
nothing changed, which a file beside the library tells. Units that share kernels are built by one process, which
schedules a kernel once.
"""

from __future__ import annotations

import gc
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from rich.console import Console
from rich.progress import Progress

from backends.c import BackendError
from backends.native import FLAGS
from backends.targets import avx2, avx512, plain_c
from backends.toolchain import SEARCHED, CompileError, build_object, compiler, link, which_compiler
from exo_strat import Machine, Proc, SchedulingError

from ..programs.kernel import Kernel
from .cache import kept
from .dispatch import dispatch
from .interface import FOLDER, Bits, header
from .sources import digest, of_everything
from .text import kernel_text
from .units import Unit, kernels_of, sharing, unit_text, units

TARGETS: tuple[Machine, ...] = (plain_c, avx2, avx512) if platform.machine() in ("x86_64", "AMD64") else (plain_c,)
"""What the library has code for, the plainest first."""

WORKERS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
ILP64 = "libexo_blas_ilp64.so"
HIDDEN = "-fvisibility=hidden"
T = TypeVar("T")


class BuildError(Exception):
    """A wrapper isn't there, or a kernel can't be scheduled or put into C. The message says which, for which target and
    why; unlike the failure of a schedule, which knows the procedure, it can be told to another process."""


class Built(NamedTuple):
    """An object file, and whether it has to be linked with OpenMP."""

    path: Path
    parallel: bool


def c_text(unit: Unit, machine: Machine) -> tuple[str, tuple[str, ...]]:
    """The C text of a unit's kernels and the flags that it asks for, from the cache if nothing that it depends on
    changed. Raises `BuildError`, or `CacheError` if it can't be kept."""
    found = kernels_of(unit)
    modules = dict.fromkeys(module for module, _ in found)
    here = Path(__file__).with_name("text.py").read_text()
    parts = [machine.name, unit.name, *unit.kernels(), *map(digest, modules), here]
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
    told = kept(f"{unit.name}_{machine.name}-{key}.c", lambda: _made(unit, machine, [k for _, k in found]))
    first, _, text = told.partition("\n")
    return text, tuple(first.removeprefix("//").split())


def _made(unit: Unit, machine: Machine, kernels: Sequence[Kernel]) -> str:
    """The C text, after a line of comment with the flags."""
    scheduled, apart = list[Proc](), list[Proc]()
    called = [own for k in kernels for own in k.reached()]
    for k in dict.fromkeys([*kernels, *called]):
        try:
            (scheduled if k in kernels else apart).append(k.scheduled(machine))
        except SchedulingError as e:
            raise BuildError(f"{unit.wrapper}.c: {k.name} can't be scheduled for {machine.name}\n{e}") from e
    try:
        text, flags = kernel_text(tuple(scheduled), f"exo_{unit.name}", tuple(apart))
    except BackendError as e:
        raise BuildError(f"{unit.wrapper}.c: {unit.name} has no C text for {machine.name}\n{e}") from e
    return f"// {' '.join(flags)}\n{text}"


class Source(NamedTuple):
    """The C text of a unit for a target, what its file is called (`saxpy_avx2`), and the flags that it is compiled
    with."""

    name: str
    text: str
    flags: tuple[str, ...]

    @property
    def parallel(self) -> bool:
        """Whether it has to be linked with OpenMP."""
        return "-fopenmp" in self.flags


def source_of(unit: Unit, machine: Machine) -> Source:
    """What a unit is for a target; see `c_text`. Raises `BuildError`."""
    kernels, wanted = c_text(unit, machine)
    text = unit_text(unit, machine, kernels)
    parallel = "omp parallel" in text
    # the few last iterations of a loop are no reason to call memcpy; what strides are 1 is said in the kernels; a loop
    # of a few instructions takes twice as long across two cache lines
    plain = ["-fno-tree-loop-distribute-patterns", *["-fno-version-loops-for-strides"] * unit.direct]
    vectors = bool(machine.vec_widths)
    line = machine.processor.cache(1).line
    # what C takes for a function that nobody declared is handed a double for a float
    own = [f"-falign-functions={line}", f"-falign-loops={line}", "-Werror=implicit-function-declaration"]
    own += [*(plain if vectors else []), *unit.flags(vectors)]
    all_flags = (*FLAGS, HIDDEN, *own, *machine.cc_flags, *wanted, *(["-fopenmp"] * parallel))
    return Source(f"{unit.name}_{machine.name}", text, tuple(dict.fromkeys(all_flags)))


def build_unit(unit: Unit, machine: Machine, flags: Sequence[str] = ()) -> Built:
    """The object file of a unit for a target. Raises `BuildError` or a `ToolchainError`."""
    source, asked = source_of(unit, machine), unit.flags(bool(machine.vec_widths))
    own = [f for f in source.flags if f not in asked or known(f)]
    return Built(build_object(source.name, source.text, (*own, *flags)), source.parallel)


@cache
def known(flag: str) -> bool:
    """Whether the C compiler knows a flag: what a unit asks of gcc, others may not."""
    try:
        build_object("exo_flag", "int exo_flag;", ("-Werror", flag))
    except CompileError:
        return False
    return True


def build(
    directory: Path,
    targets: Sequence[Machine] = TARGETS,
    flags: Sequence[str] = (),
    only: Iterable[str] = (),
    integers: Bits = 32,
) -> Path:
    """Write `libexo_blas.so` and `exo_blas.h` into a folder; `libexo_blas64.so` and `libexo_blas_ilp64.so`, if integers
    are to have 64 bits. Returns the library.

    `targets` begins with plain C. `flags` are for the C compiler, such as a sanitizer's; `only` are the wrappers to
    be built (`axpy`), or in one precision (`saxpy`); all of them if there are none. Raises `BuildError`, a
    `ToolchainError`, or `OSError` if nothing can be written to the folder.
    """
    # files that flags or words of CC name, and headers that lie elsewhere, are seen where objects are made
    told_all = not flags and len(compiler()) == 1 and not any(map(os.environ.get, SEARCHED))
    flags = (*flags, *(["-DEXO_BLAS_64"] if integers == 64 else []))
    library, wanted = directory / file_name(integers), set(only)
    asked = ([m.name for m in targets], flags, sorted(wanted), integers)
    made_from = of_everything(*which_compiler(compiler()), asked)
    files = [library, directory / "exo_blas.h", *([directory / ILP64] if integers == 64 else [])]
    told = library.with_suffix(".from")
    if told_all and told.is_file() and told.read_bytes() == _told(made_from, files).encode():
        return library
    chosen = [u for u in units() if not wanted or wanted & {u.wrapper, u.name}]
    if missing := wanted - {name for u in chosen for name in (u.wrapper, u.name)}:
        raise BuildError(f"there is no wrapper {', '.join(sorted(missing))} in {FOLDER}")
    # before anything is scheduled, which takes minutes: whether there are a compiler, a cache and a folder
    table = build_object("exo_dispatch", entries(chosen, targets), (*FLAGS, HIDDEN, *flags))
    directory.mkdir(parents=True, exist_ok=True)
    built = for_all(partial(build_unit, flags=flags), chosen, targets)
    # OpenMP's threads wait for more in its code after a call: it must stay where it is when the library is closed
    parallel = ["-fopenmp", "-Wl,-z,nodelete"] if any(b.parallel for b in built) else []
    objects, own = [table, *(b.path for b in built)], (*parallel, *flags)
    # a program that is linked with it looks for it by its name, not where it was
    link(library, objects, (f"-Wl,-soname,{library.name}", *own))
    if integers == 64:
        usual_names(directory / ILP64, objects, own)
    (directory / "exo_blas.h").write_text(header())
    told.write_text(_told(made_from, files))
    return library


def _told(made_from: str, files: Sequence[Path]) -> str:
    """What is kept of a library: what it is made from, and how its files look."""
    return " ".join((made_from, *(hashlib.sha256(f.read_bytes()).hexdigest() for f in files if f.exists())))


def usual_names(library: Path, objects: Sequence[Path], flags: Sequence[str]) -> None:
    """Link a library with integers of 64 bits once more, by Fortran names without `_64`; the distribution does it by
    the same script. Raises `BuildError`."""
    command = ["sh", str(FOLDER.parent / "product/ilp64.sh"), str(library), " ".join(map(str, objects)), *flags, "-lm"]
    env = {**os.environ, "CC": " ".join(compiler())}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{library.name} can't be linked\n{done.stderr}")


def file_name(integers: Bits) -> str:
    """What the library with such integers is called."""
    return "libexo_blas64.so" if integers == 64 else "libexo_blas.so"


def for_all(make: Callable[[Unit, Machine], T], chosen: Sequence[Unit], targets: Sequence[Machine]) -> list[T]:
    """What is made of all units for all targets, by a process for each processor. On a terminal, it tells how far it
    is."""
    for module in dict.fromkeys(module for u in chosen for module, _ in kernels_of(u)):
        digest(module)  # here, so that the processes that are made don't each look at all files
    # some units are the same for all targets
    plain, *better = (m.name for m in targets)
    # kernels are often the same for all targets with vectors, so one process has these
    parts = [(g, names) for g in sharing(chosen) for names in (better, [plain]) if names]
    jobs = [(make, g, names) for g, names in parts if g[0].by_target or names == [plain]]
    # trees have no cycles, and to look for them takes a fifth of the time
    told = Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    with ProcessPoolExecutor(WORKERS, initializer=gc.disable) as pool, told:
        parts_made = pool.map(_job, *zip(*jobs, strict=True))
        return [made for part in told.track(parts_made, len(jobs), description="kernels") for made in part]


def entries(chosen: Sequence[Unit], targets: Sequence[Machine]) -> str:
    """The C source of the entry points of some units."""
    direct = [r for u in chosen if u.direct and avx2 in targets for r in u.routines()]
    defined = [r for u in chosen for r in u.routines()]
    zeros = "".join(u.letter for u in chosen if u.wrapper.endswith("zeros"))
    features = {m.name: m.cpu_flags for m in targets}
    return dispatch(defined, features, direct, second_cache=targets[0].processor.cache(2).bytes, zeros=zeros)


def _job(make: Callable[[Unit, Machine], T], group: Sequence[Unit], targets: Sequence[str]) -> list[T]:
    machines = [m for m in TARGETS if m.name in targets]
    return [make(unit, machine) for unit in group for machine in machines]
