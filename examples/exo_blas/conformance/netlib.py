"""The reference CBLAS and BLAS test programs on the library. `python -m examples.exo_blas netlib`.

Debian has netlib's `xscblat1` to `xzcblat3` in the package libblas-test, and `xblat1s` to `xblat3z`, which call by
Fortran names and are run by the distribution's `netlib.sh`. Where it isn't installed, `apt-get download`
gets it, and what it needs, into the cache; where that can't be done, the tests are skipped, and say so. The programs
find the library as their libblas.so.3, so no other BLAS is there to answer.

Programs that see to wrong arguments themselves are written for netlib's library, which calls Fortran with the arguments
of a row-major matrix exchanged, and reports positions there, together with `RowMajorStrg`. `SHIM` says it in that way.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from backends.toolchain import build_object, cache_dir, link

PACKAGES = ("libblas-test", "libgfortran5", "libquadmath0")
PROGRAMS = tuple(f"x{letter}cblat{level}" for level in (1, 2, 3) for letter in "sdcz")
SCRIPT = Path(__file__).parents[1] / "product" / "check" / "netlib.sh"
SKIPPED = 77
"""How the command ends if there are no programs, as test drivers take it."""

SHIM = """
#include <string.h>
int CBLAS_CallFromC, RowMajorStrg;
void cblas_xerbla(int position, const char *routine, const char *form, ...);

static const struct { const char *routine; int one, other; } exchanged[] = {
    {"gemm", 4, 5}, {"gemm", 9, 11}, {"symm", 4, 5}, {"hemm", 4, 5}, {"trmm", 6, 7}, {"trsm", 6, 7},
    {"gemv", 3, 4}, {"gbmv", 3, 4}, {"gbmv", 5, 6}, {"ger", 2, 3}, {"ger", 6, 8}, {"gerc", 2, 3}, {"gerc", 6, 8},
    {"geru", 2, 3}, {"geru", 6, 8}, {"her2", 6, 8}, {"hpr2", 6, 8},
};

void cblas_xerblA(int position, const char *routine, const char *form) {
    int told = position;
    for (unsigned k = 0; RowMajorStrg && k < sizeof exchanged / sizeof *exchanged; k++)
        if (!strcmp(routine + strlen("cblas_s"), exchanged[k].routine)) {
            if (position == exchanged[k].one) told = exchanged[k].other;
            if (position == exchanged[k].other) told = exchanged[k].one;
        }
    cblas_xerbla(told, routine, form);
}
"""

_LINE = re.compile(r"^(cblas_\w+)(\s+)T\b", re.MULTILINE)
_TOTAL = re.compile(r"PASSED|----- PASS -----")
_WRONG = re.compile(r"FAIL|\*{4,}|undefined symbol|ABANDONED|UNRECOGNI[SZ]ED")


@dataclass(frozen=True)
class Outcome:
    """What a program printed, and the routines that it was told to leave out since the library has them not."""

    program: str
    text: str
    ended: int
    missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.ended == 0 and self.tests > 0 and not _WRONG.search(self.text)

    @property
    def tests(self) -> int:
        """How many times it says that something passed."""
        return len(_TOTAL.findall(self.text))

    def __str__(self) -> str:
        head = f"{self.program}: {'passed' if self.passed else 'FAILED'}, {self.tests} tests"
        return head + (f"; not in the library: {' '.join(self.missing)}" if self.missing else "")


def programs() -> Path | None:
    """A folder below which the test programs and the libraries are that they need; None if there is none to be had."""
    installed = [p.parent for p in Path("/usr/lib").glob("*/blas/xscblat1")]
    return installed[0] if installed else fetched("netlib", PACKAGES)


def fetched(name: str, packages: Sequence[str]) -> Path | None:
    """Debian packages, unpacked into a folder of the cache that has this name; None if they can't be got."""
    folder = cache_dir() / name
    if (folder / "complete").exists():
        return folder
    if not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(["apt-get", "download", *packages], cwd=folder, capture_output=True, check=False)
    files = sorted(folder.glob("*.deb"))
    if got.returncode or len(files) < len(packages):
        return None
    for file in files:
        subprocess.run(["dpkg-deb", "-x", file, folder], check=True)
    (folder / "complete").touch()
    return folder


def libraries(folder: Path) -> list[str]:
    """Where the libraries are that the programs need besides."""
    return sorted({str(p.parent) for p in folder.rglob("*.so*") if p.parent.name != "blas"})


def run(folder: Path, library: Path, isa: str, through: Path | None = None) -> Iterator[Outcome]:
    """What each program finds, with an instruction set at most; `through` is a FlexiBLAS that they call instead."""
    exported = cblas_names(through or library, "--defined-only")
    shared = libraries(folder)
    with TemporaryDirectory() as scratch:
        # it calls what the shim defines, not what the program does
        patched = library.read_bytes().replace(b"\0cblas_xerbla\0", b"\0cblas_xerblA\0")
        called, behind = Path(scratch) / "libblas.so.3", Path(scratch) / "behind.so"
        (behind if through else called).write_bytes(patched)
        env = {**os.environ, "LD_LIBRARY_PATH": ":".join((scratch, *shared)), "EXO_BLAS_ISA": isa}
        if through:
            called.symlink_to(through.resolve())
            env["FLEXIBLAS"] = str(behind)
        for name in PROGRAMS:
            yield _run(next(folder.rglob(name)), exported, env, Path(scratch))


def cblas_names(file: Path, which: str) -> frozenset[str]:
    """The CBLAS functions that a library has, or that a program wants."""
    names = subprocess.run(["nm", "-D", which, file], capture_output=True, text=True, check=True)
    return frozenset(re.findall(r"\bcblas_\w+", names.stdout))


def _run(program: Path, exported: frozenset[str], env: Mapping[str, str], scratch: Path) -> Outcome:
    letter, level = program.name[1], program.name[-1]
    given = (program.parent / f"{letter}in{level}").read_text() if level != "1" else ""
    missing = tuple(r for r, _ in _LINE.findall(given) if r not in exported)
    for r in missing:
        given = re.sub(rf"^({r}\s+)T\b", r"\1F", given, flags=re.MULTILINE)
    # a program begins only if all is there that it might call
    absent = sorted(cblas_names(program, "--undefined-only") - exported)
    stubs = "".join(f"void {r}(void) {{ __builtin_trap(); }}\n" for r in absent)
    shim = scratch / "shim.so"
    link(shim, [build_object("exo_netlib_shim", SHIM + stubs, ("-O1", "-fPIC"))])
    preload = {**env, "LD_PRELOAD": str(shim)}
    done = subprocess.run([program], input=given, env=preload, cwd=scratch, capture_output=True, text=True, check=False)
    return Outcome(program.name, done.stdout + done.stderr, done.returncode, missing)


def main(library: Path) -> int:
    """Run all programs with each instruction set; the output of those that fail is shown. Returns the exit code."""
    folder = programs()
    if folder is None:
        print("skipped: neither is libblas-test installed nor can apt-get download it")
        return SKIPPED
    failed = False
    for isa in ("c", "avx2", "avx512"):
        for outcome in run(folder, library, isa):
            failed |= not outcome.passed
            print(isa, outcome, flush=True)
            if not outcome.passed:
                print(outcome.text)
        env = {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries(folder)), "EXO_BLAS_ISA": isa}
        failed |= subprocess.run(["sh", SCRIPT, library.resolve(), folder], env=env, check=False).returncode != 0
    return int(failed)
