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
    directory.mkdir(parents=True, exist_ok=True)
    compiler = next((c for c in COMPILERS if shutil.which(c) and works(c, directory)), None)
    if compiler is None:
        console.print("skipped: there is no clang with ThreadSanitizer and libarcher (Debian: clang-19, libomp-19-dev)")
        return SKIPPED
    sources = tree(directory)
    jobs = f"-j{os.cpu_count() or 1}"
    own = (f"CC={compiler}", f"CFLAGS={SANITIZER} -g", "LIBRARIES=exo_blas")
    subprocess.run(["make", "-s", "-C", sources, jobs, *own, "build/threads_exo_blas"], check=True)
    told, races, status = run(compiler, sources / "build/threads_exo_blas")
    console.print(told, markup=False, highlight=False, soft_wrap=True, end="")
    console.print(f"{races} races by {compiler}")
    return 1 if races or status else 0


def run(compiler: str, program: Path) -> tuple[str, int, int]:
    """What a program tells under the sanitizer, how many races that are, and how it ends but for them."""
    runtime = subprocess.run([compiler, "-print-file-name=libarcher.so"], capture_output=True, text=True, check=True)
    env = {**os.environ, "OMP_TOOL_LIBRARIES": runtime.stdout.strip()}
    env |= {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=0"}
    done = subprocess.run([program.resolve()], env=env, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    return told, told.count(RACE), done.returncode


PROGRAM = """
int main(void) {
    int sums[2] = {0, 0}, all = 0;
    for (int turn = 0; turn < 100; turn++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 2; i++) SUM += 1;
        all += sums[0] + sums[1];
    }
    return all == 0;
}
"""
"""Without a race if each thread has a SUM of its own, sums[i]."""


def works(compiler: str, directory: Path) -> bool:
    """Whether it finds a race where there is one, and none where there is none."""
    found = []
    for where in ("sums[i]", "sums[0]"):
        source, program = directory / "races.c", directory / "races"
        source.write_text(PROGRAM.replace("SUM", where))
        flags = (SANITIZER, "-fopenmp", "-O1", "-g")
        if subprocess.run([compiler, *flags, source, "-o", program], capture_output=True, check=False).returncode:
            return False
        found.append(run(compiler, program)[1] > 0)
    return found == [False, True]
