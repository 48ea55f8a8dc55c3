"""ThreadSanitizer on the calls that threads share. `python -m examples.exo_blas races`.

The C sources of the distribution are built by clang with `-fsanitize=thread`, and `product/check/threads.c` runs on
that library. Threads of OpenMP wait for each other in its runtime, which is built without the sanitizer: LLVM's tells
it by `libarcher.so`, gcc's doesn't, so this takes clang and LLVM's runtime (Debian: clang-19 and libomp-19-dev).
Without them it is skipped, and says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from rich.console import Console

from ..builder.distribution import tree

COMPILERS = ("clang", *(f"clang-{n}" for n in range(25, 14, -1)))
SANITIZER = "-fsanitize=thread"
SKIPPED = 77
"""How the command ends where it can't be done, as test drivers take it."""

RACE = "WARNING: ThreadSanitizer"


def main(directory: Path, console: Console) -> int:
    """Build, run, and say how many races there are. Returns 0 without any, 1 with some, 77 without a compiler."""
    compiler = next((c for c in COMPILERS if shutil.which(c) and works(c, directory)), None)
    if compiler is None:
        console.print("skipped: there is no clang with ThreadSanitizer and libarcher (Debian: clang-19, libomp-19-dev)")
        return SKIPPED
    sources = tree(directory)
    jobs = f"-j{os.cpu_count() or 1}"
    own = (f"CC={compiler}", f"CFLAGS={SANITIZER} -g", "LIBRARIES=exo_blas")
    subprocess.run(["make", "-s", "-C", sources, jobs, *own, "build/threads_exo_blas"], check=True)
    done = subprocess.run(
        [(sources / "build/threads_exo_blas").resolve()],
        env={**os.environ, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    races = done.stderr.count(RACE)
    console.print(done.stdout + done.stderr, markup=False, highlight=False, soft_wrap=True, end="")
    console.print(f"{races} races by {compiler}")
    return 1 if races or done.returncode else 0


PROGRAM = """
#include <stdio.h>
int main(void) {
    int sums[2] = {0, 0}, all = 0;
    for (int turn = 0; turn < 100; turn++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 2; i++) sums[i]++;
        all += sums[0] + sums[1];
    }
    return all != 10100;
}
"""


def works(compiler: str, directory: Path) -> bool:
    """Whether it finds no race in a program that has none."""
    directory.mkdir(parents=True, exist_ok=True)
    source, program = directory / "races.c", directory / "races"
    source.write_text(PROGRAM)
    flags = (SANITIZER, "-fopenmp", "-O1")
    if subprocess.run([compiler, *flags, source, "-o", program], capture_output=True, check=False).returncode:
        return False
    env = {**os.environ, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    return subprocess.run([program.resolve()], env=env, capture_output=True, check=False).returncode == 0
