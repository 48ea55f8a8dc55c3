"""Builds `libexo_blas.so` and `exo_blas.h`: `python -m examples.blas.library [DIR]`. Imports this package, `backends`.

Every unit is scheduled, compiled to C and to an object file once for each target; both are kept, the C text by what
the schedule depends on and the object by its source. So what didn't change isn't made again.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from backends.native import FLAGS
from backends.targets import avx2, avx512, plain_c
from backends.toolchain import build_object, cache_dir, link
from exo_strat import Machine

from .dispatch import dispatch
from .sources import digest
from .units import FOLDER, Unit, kernel_text, kernels_of, unit_text, units

TARGETS: tuple[Machine, ...] = (plain_c, avx2, avx512) if platform.machine() in ("x86_64", "AMD64") else (plain_c,)
"""What the library has code for, the plainest first."""

WORKERS = 2


class Built(NamedTuple):
    """An object file, and whether it has to be linked with OpenMP."""

    path: Path
    parallel: bool


def c_text(unit: Unit, machine: Machine) -> tuple[str, tuple[str, ...]]:
    """The C text of a unit's kernels and the flags that it asks for, from the cache if nothing that it depends on
    changed."""
    found = kernels_of(unit)
    parts = [machine.name, unit.name, *unit.kernels(), *(digest(m) for m in dict.fromkeys(m for m, _ in found))]
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
    path = cache_dir() / "blas" / f"{unit.name}_{machine.name}-{key}.c"
    if not path.exists():
        text, flags = kernel_text(tuple(k.scheduled(machine) for _, k in found), f"exo_{unit.name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(f".{os.getpid()}")
        scratch.write_text(f"// {' '.join(flags)}\n{text}")
        os.replace(scratch, path)
    first, _, text = path.read_text().partition("\n")
    return text, tuple(first.removeprefix("//").split())


def build_unit(unit: Unit, machine: Machine, flags: Sequence[str] = ()) -> Built:
    """The object file of a unit for a target. Raises `SchedulingError`, a `BackendError` or a `ToolchainError`."""
    kernels, wanted = c_text(unit, machine)
    source = unit_text(unit, machine, kernels)
    parallel = "#pragma omp parallel" in source
    # the few last iterations of a loop are no reason to call memcpy
    own = ["-fno-tree-loop-distribute-patterns"] if machine.vec_widths else []
    all_flags = (*FLAGS, "-fvisibility=hidden", *own, *machine.cc_flags, *wanted, *(["-fopenmp"] * parallel), *flags)
    return Built(build_object(f"{unit.name}_{machine.name}", source, tuple(dict.fromkeys(all_flags))), parallel)


def build(
    directory: Path, targets: Sequence[Machine] = TARGETS, flags: Sequence[str] = (), only: Iterable[str] = ()
) -> Path:
    """Write `libexo_blas.so` and `exo_blas.h` into a folder. Returns the library.

    `targets` begins with plain C. `flags` are for the C compiler, such as a sanitizer's; `only` are the wrappers to
    be built, all of them if there are none.
    """
    chosen = [u for u in units() if not only or u.wrapper in set(only)]
    jobs = [(u, m.name) for u in chosen for m in targets]
    with ProcessPoolExecutor(WORKERS) as pool:
        built = list(pool.map(_job, *zip(*jobs, strict=True), [tuple(flags)] * len(jobs)))
    header = (FOLDER / "exo_blas.h").read_text()
    features = {m.name: m.cpu_flags for m in targets}
    entries = dispatch(header, [r for u in chosen for r in u.routines()], features)
    objects = [build_object("exo_dispatch", entries, (*FLAGS, "-fvisibility=hidden", *flags)), *(b.path for b in built)]
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / "libexo_blas.so"
    link(library, objects, (*(["-fopenmp"] if any(b.parallel for b in built) else []), *flags))
    (directory / "exo_blas.h").write_text(header)
    return library


def _job(unit: Unit, target: str, flags: Sequence[str]) -> Built:
    machine = next(m for m in TARGETS if m.name == target)
    return build_unit(unit, machine, flags)


def main() -> None:
    """Build everything into a folder, `build/blas` unless one is given."""
    directory = Path(sys.argv[1] if len(sys.argv) > 1 else "build/blas")
    start = perf_counter()
    library = build(directory)
    print(f"{library}: {len(units())} units for {', '.join(m.name for m in TARGETS)} in {perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
