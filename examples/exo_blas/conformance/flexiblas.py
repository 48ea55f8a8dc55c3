"""The library as a backend of FlexiBLAS: `python -m examples.exo_blas flexiblas`, and part of `callers`.

FlexiBLAS is a BLAS that hands every call on to the one that FLEXIBLAS names. What the backend has not it takes from
netlib's library, which it has inside and says only if it is asked: so that is looked at first. Then programs run that
call FlexiBLAS: the distribution's check of every function, which is compiled here, netlib's test programs and those of
`callers`. One that was built for integers of 64 bits (INTEGER8) has these in Fortran, by the usual names, as has
`libexo_blas_ilp64.so`; only what it hands on is looked at, as there are no programs for it: its CBLAS has 32-bit
integers, and ends in a fault where complex numbers are multiplied, whatever the backend is (3.4.82).

FlexiBLAS is found by its command, `flexiblas` or `flexiblas64`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

from ..builder.interface import Bits, header
from . import callers, netlib

CHECK = Path(__file__).parents[1] / "product" / "check" / "check.c"
SETS = ("c", "avx2", "avx512")
MORE = re.compile(r"(?:cblas_)?[sdcz](?:axpby|geadd|[io]matcopy|gemmtr?)")
"""What FlexiBLAS has besides BLAS."""

_FALLBACK = re.compile(r"Load (\w+) from internal fallback BLAS")
_TOLD = """
import ctypes, sys
n = ctypes.c_int64(0)
ctypes.CDLL(sys.argv[1]).dasum_(ctypes.byref(n), None, ctypes.byref(n))
"""


class Wrapper(NamedTuple):
    """A FlexiBLAS for integers of so many bits, what its variables begin with, and the backend for it."""

    library: Path
    integers: Bits
    variable: str
    backend: Path

    def env(self) -> Mapping[str, str]:
        """In which it hands calls on to the backend, and finds what is its own from a copy of it, too."""
        own = self.library.resolve().parent / self.variable.lower()
        more = {"COLOR_OUTPUT": "0", "LIBRARY_PATH": str(own)}
        return {self.variable: str(self.backend.resolve())} | {f"{self.variable}_{n}": v for n, v in more.items()}


def found(backends: Mapping[Bits, Path]) -> list[Wrapper]:
    """Those that are installed and that there is a backend for."""
    made = list[Wrapper]()
    for integers, backend in backends.items():
        name = "flexiblas64" if integers == 64 else "flexiblas"
        command = shutil.which(name)
        if command and backend.is_file():
            libraries = sorted(Path(command).resolve().parents[1].glob(f"lib*/**/lib{name}.so.[0-9]"))
            made += [Wrapper(path, integers, name.upper(), backend) for path in libraries[:1]]
    return made


def not_handed_on(to: Wrapper) -> str:
    """What FlexiBLAS calls from elsewhere, or says of the backend that it shouldn't."""
    env = {**os.environ, **to.env(), f"{to.variable}_VERBOSE": "2"}
    done = subprocess.run(
        [sys.executable, "-c", _TOLD, to.library], env=env, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    own = MORE if to.integers == 32 else re.compile(f"{MORE.pattern}|cblas_.*")
    others = [name for name in _FALLBACK.findall(said) if not own.fullmatch(name)]
    if done.returncode or f"({to.integers // 8}-byte integers)" not in said:
        return f"ended with {done.returncode}: {said[-1500:]}"
    return f"not from the library: {' '.join(others)}" if others else ""


Told: TypeAlias = tuple[str, str]
"""What is said of a program, and what is wrong."""


def checks(to: Wrapper, scratch: Path) -> Iterator[Told]:
    """The distribution's check, linked with FlexiBLAS; with the library behind it for what no other BLAS has."""
    (scratch / "exo_blas.h").write_text(header())
    program = scratch / "check"
    command = [os.environ.get("CC", "cc"), "-O1", "-std=c11", f"-I{scratch}"]
    subprocess.run([*command, CHECK, "-o", program, to.library, to.backend.resolve(), "-lm"], check=True)
    folders = ":".join(str(p.resolve().parent) for p in (to.library, to.backend))
    for isa in SETS:
        env = {**os.environ, **to.env(), "EXO_BLAS_ISA": isa, "LD_LIBRARY_PATH": folders}
        done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
        said = done.stdout + done.stderr
        wrong = f"ended with {done.returncode}: {said}" if done.returncode else ""
        yield f"check: {said.splitlines()[-1] if said else isa}", wrong


def programs(to: Wrapper, scratch: Path) -> Iterator[Told]:
    """Those of netlib, LAPACK, GSL, NumPy and SciPy, if they can be had; they have 32-bit integers."""
    folder = netlib.programs()
    if folder is not None:
        for tested in netlib.run(folder, to.backend, SETS[-1], to.library):
            yield str(tested), "" if tested.passed else tested.text
        env = {**os.environ, **to.env(), "LD_LIBRARY_PATH": ":".join(netlib.libraries(folder))}
        command = ["sh", str(netlib.SCRIPT), str(to.library.resolve()), str(folder)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        passed = done.stdout.count(" passed")
        yield f"{passed} programs of netlib passed by Fortran names", done.stdout if done.returncode else ""
    root = netlib.fetched("callers", callers.PACKAGES)
    if root is not None:
        at = callers.place(root, to.library, SETS[-1], scratch, **to.env())
        for family in (callers.gsl, callers.lapack, callers.python):
            yield from ((str(told), told.wrong if told.called else "calls nothing") for told in family(at))


def main(library: Path) -> int:
    """Run all of them through each FlexiBLAS that there is. Returns the exit code."""
    wrappers = found({32: library, 64: library.with_name("libexo_blas_ilp64.so")})
    if not wrappers:
        print("skipped: FlexiBLAS is not there (neither flexiblas nor flexiblas64 is in PATH)")
        return netlib.SKIPPED
    failed = False
    for to in wrappers:
        wrong = not_handed_on(to)
        print(f"{to.library.name}: {wrong or 'hands all of BLAS on'}", flush=True)
        failed |= bool(wrong)
        with TemporaryDirectory() as folder:
            scratch = Path(folder)
            for run in (checks, programs) if to.integers == 32 else ():
                for told, wrong in run(to, scratch):
                    failed |= bool(wrong)
                    print(f"{to.library.name}: {told}", f"FAILED\n{wrong}" if wrong else "", flush=True)
    return int(failed)
