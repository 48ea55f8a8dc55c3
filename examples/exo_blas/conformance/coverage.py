"""Which lines and branches of the wrappers the tests reach: what sizes, flags and numbers decide.

The C sources of the distribution are built with gcc's `--coverage`, and tests run on that library. A wrapper is
compiled for each precision and instruction set, and a line of it counts as reached if one of these reaches it; so does
each way out of a condition.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..builder.distribution import tree
from ..builder.units import Unit, units

TESTS = ("examples/exo_blas/tests", "-n", "2", "-q", "-m", "not sanitize and not slow", "-p", "no:cacheprovider")
LEFT_OUT = ("--ignore=examples/exo_blas/tests/test_callers.py", "-k", "not meets_no_instruction")
"""Tests that link programs with the library or look at its instructions, which with counters are others."""

FLAGS = "--coverage -fprofile-update=atomic"
MARK = '#include "unit.h"'
"""After this line a source has the wrapper."""


@dataclass
class Reached:
    """Of one wrapper: how often each line was run, and each way out of the conditions in it; lines count from 1."""

    lines: dict[int, int] = field(default_factory=dict)
    ways: dict[int, list[int]] = field(default_factory=dict)

    def add(self, line: int, count: int, ways: Sequence[int]) -> None:
        """Count another version of the line. Versions with other ways are compiled otherwise: the most are kept."""
        self.lines[line] = self.lines.get(line, 0) + count
        known = self.ways.get(line, [])
        if len(known) == len(ways):
            self.ways[line] = [a + b for a, b in zip(known, ways, strict=True)]
        elif len(ways) > len(known):
            self.ways[line] = list(ways)

    def missed(self) -> Mapping[int, str]:
        """The lines that no test runs, and those of whose conditions one way is never gone.

        >>> found = Reached()
        >>> found.add(3, 0, [])
        >>> found.add(4, 2, [2, 0])
        >>> found.missed()
        {3: 'not reached', 4: '1 of 2 ways'}
        """
        found = {}
        for line, count in sorted(self.lines.items()):
            ways = self.ways.get(line, [])
            if not count:
                found[line] = "not reached"
            elif not all(ways):
                found[line] = f"{sum(map(bool, ways))} of {len(ways)} ways"
        return found


def main(directory: Path, console: Console) -> int:
    """Build, test, and print what isn't reached. Returns 0, or 1 if a test fails."""
    sources = tree(directory)
    for old in (sources / "build").rglob("*.gcda"):
        old.unlink()
    jobs = f"-j{os.cpu_count() or 1}"
    own = ("LIBRARIES=exo_blas", f"CFLAGS={FLAGS}", "LDFLAGS=--coverage")
    subprocess.run(["make", "-s", "-C", sources, jobs, *own], check=True)
    env = {**os.environ, "EXO_BLAS_LIBRARY": str((sources / "lib/libexo_blas.so").resolve())}
    done = subprocess.run([sys.executable, "-m", "pytest", *TESTS, *LEFT_OUT], env=env, check=False)
    show(wrappers(sources), console)
    return 1 if done.returncode else 0


def wrappers(sources: Path) -> Mapping[str, Reached]:
    """What was reached of each wrapper, in all its versions."""
    found: dict[str, Reached] = {}
    for unit in units():
        for source in sorted((sources / "src").glob(f"{unit.name}_*.c")):
            for line, count, ways in run_of(sources, source.stem):
                found.setdefault(unit.wrapper, Reached()).add(line, count, ways)
    return found


def run_of(sources: Path, name: str) -> Iterator[tuple[int, int, list[int]]]:
    """The lines of the wrapper in one source: their numbers in it, how often each was run, and each way out of it."""
    text = (sources / f"src/{name}.c").read_text().splitlines()
    first = text.index(MARK) + 1
    told = subprocess.run(
        ["gcov", "--json-format", "--stdout", "--branch-probabilities", f"build/exo_blas/{name}.o"],
        cwd=sources,
        capture_output=True,
        check=True,
    ).stdout
    report: dict[str, Any] = json.loads(gzip.decompress(told) if told[:2] == b"\x1f\x8b" else told)
    for file in report["files"]:
        if file["file"] == f"src/{name}.c":
            for line in file["lines"]:
                if line["line_number"] > first:
                    yield line["line_number"] - first, line["count"], [b["count"] for b in line["branches"]]


def show(found: Mapping[str, Reached], console: Console) -> None:
    """A table of the wrappers, and the lines that are missed."""
    table = Table("wrapper", "lines", "not reached", "conditions", "not all ways")
    lines: list[str] = []
    for name, reached in found.items():
        missed = reached.missed()
        unreached = [n for n, why in missed.items() if why == "not reached"]
        conditions = sum(1 for ways in reached.ways.values() if ways)
        table.add_row(name, *map(str, (len(reached.lines), len(unreached), conditions, len(missed) - len(unreached))))
        lines += told(name, missed)
    console.print(table)
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def told(wrapper: str, missed: Mapping[int, str]) -> Iterable[str]:
    text = Unit(wrapper, None).text.splitlines()
    return (f"{wrapper}.c: {why}: {text[n - 1].strip()}" for n, why in missed.items() if n <= len(text))
