"""The tables of docs/performance.md: means over what `benchmarks.blas` wrote into a folder.

    python -m benchmarks.blas_summary [docs/blas]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.blas_routines import LEVELS
from benchmarks.blas_tables import Table, markdown, mean, titled

ISAS = {"AVX2": "avx2", "AVX-512": "avx512"}
"""Instruction sets, each of which has files of its own."""

TITLES = {
    **{"1": "Level 1", "2": "Level 2", "3": "Level 3", "complex": "Complex numbers", "skinny": "Skinny, N = 40"},
    **{"small": "Small products", "batch": "Batches of small products"},
    **{"strided": "Increments 2 and -3", "unaligned": "Level 1, one element after a cache line"},
}
LARGE = 64
"""The least size of the squares that a mean of gemm is asked for, besides products that are no squares."""

PARTS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("3", "Level 3 without gemm", lambda routine: "gemm" not in routine),
    ("3", "Level 3 without gemm and trsm", lambda routine: "gemm" not in routine and "trsm" not in routine),
    ("complex", "Complex gemm", lambda routine: routine[1:].startswith("gemm")),
    ("batch", "Batches, s", lambda routine: routine.startswith("s")),
    ("batch", "Batches, d", lambda routine: routine.startswith("d")),
)
"""Parts of a level with a target of their own, by their routines."""

Line = Mapping[str, str]
"""A line of a CSV file: a case."""


def lines(folder: Path, level: str, isa: str) -> list[Line]:
    """The cases of a level on an instruction set; none if it was not measured."""
    path = folder / f"{titled(level)}-{isa}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def ratio(line: Line) -> float:
    """How many times as fast we are as the best of the others."""
    times = {k: float(v) for k, v in line.items() if k.endswith(", ns") and v}
    mine = next(v for k, v in times.items() if k.startswith("ours"))
    return min(v for k, v in times.items() if not k.startswith(("ours", "limit"))) / mine


def told(some: Iterable[Line]) -> str:
    """The mean of these cases, and the least; nothing of no cases."""
    ratios = [ratio(line) for line in some]
    return f"{mean(ratios):.2f} ({min(ratios):.2f})" if ratios else ""


def overview(folder: Path) -> Table:
    """The means of the levels, and of those products that have a target of their own."""
    found = {title: [lines(folder, level, isa) for isa in ISAS.values()] for level, title in TITLES.items()}
    large = [list(filter(is_large, some)) for some in found[TITLES["3"]]]
    found[f"gemm, squares from {LARGE} to 2048 and skinny"] = large
    for level, title, asked in PARTS:
        found[title] = [[line for line in some if asked(line["routine"])] for some in found[TITLES[level]]]
    rows = [(title, max(map(len, some)), *map(told, some)) for title, some in found.items() if any(some)]
    return "BLAS: times as fast as the best peer, in the mean and at least", ("", "cases", *ISAS), rows


def is_large(line: Line) -> bool:
    """Whether it is a product of matrices that are no squares, or large.

    >>> [is_large({"routine": "sgemm_nn", "size": size}) for size in ("48", "64", "8x1000x1000")]
    [False, True, True]
    """
    size = line["size"]
    return line["routine"].partition("_")[0] in ("sgemm", "dgemm") and ("x" in size or int(size) >= LARGE)


def by_function(folder: Path, level: str) -> Iterator[tuple[object, ...]]:
    """For each function of a level what is told on each instruction set."""
    some = [lines(folder, level, isa) for isa in ISAS.values()]
    functions = dict.fromkeys(map(function, (line for of_isa in some for line in of_isa)))
    for name in functions:
        yield name, *(told(line for line in of_isa if function(line) == name) for of_isa in some)


def function(line: Line) -> str:
    """The function of a case.

    >>> function({"routine": "saxpy inc 2"}), function({"routine": "sgemm_batch_strided_nt"})
    ('saxpy', 'sgemm_batch_strided')
    """
    name = line["routine"].split()[0]
    known = (r.function(p).removeprefix("cblas_") for level in LEVELS.values() for r in level for p in r.precisions)
    return max((f for f in known if name == f or name.startswith(f"{f}_")), key=len)


def main() -> None:
    """All tables, in Markdown. Ends with a message if the folder has no figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blas_summary")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/blas"))
    folder = parser.parse_args().folder
    tables = [overview(folder)]
    tables += [(title, (title, *ISAS), list(by_function(folder, level))) for level, title in TITLES.items()]
    if not any(rows for _, _, rows in tables):
        sys.exit(f"{folder} has no CSV files: `python -m benchmarks.blas --out {folder}` writes them")
    print(*(markdown(table) for table in tables if table[2]))


if __name__ == "__main__":
    main()
