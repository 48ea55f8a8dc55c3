"""The tables of docs/performance.md: means over what `benchmarks.blas` wrote into a folder.

    python -m benchmarks.blas_summary [docs/blas]
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.blas_routines import LEVELS, Routine
from benchmarks.blas_tables import Table, markdown, mean, titled

ISAS = {"AVX2": "ours, avx2, ns", "AVX-512": "ours, avx512, ns"}
"""The columns with our times."""

TITLES = {
    **{"1": "Level 1", "2": "Level 2", "3": "Level 3", "skinny": "Skinny, N = 40"},
    **{"strided": "Increments 2 and -3", "unaligned": "Level 1, one element after a cache line"},
}
LARGE = 64
"""The least size of the squares that a mean of gemm is asked for, besides products that are no squares."""

Line = Mapping[str, str]
"""A line of a CSV file: a case."""


def lines(folder: Path, level: str) -> list[Line]:
    """The cases of a level; none if it was not measured."""
    path = folder / f"{titled(level)}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def ratio(line: Line, column: str) -> float:
    """How many times as fast we are as the best of the others."""
    others = (float(v) for k, v in line.items() if k.endswith(", ns") and not k.startswith(("ours", "limit")) and v)
    return min(others) / float(line[column])


def means(some: Iterable[Line]) -> tuple[object, ...]:
    """The means for each instruction set; nothing of no cases."""
    some = list(some)
    return tuple(mean(ratio(line, column) for line in some) if some else "" for column in ISAS.values())


def overview(folder: Path) -> Table:
    """The means of the levels, and of those products that have a target of their own."""
    found = {title: lines(folder, level) for level, title in TITLES.items()}
    products = (line for line in found[TITLES["3"]] if line["routine"].partition("_")[0] in ("sgemm", "dgemm"))
    found[f"gemm, squares from {LARGE} to 2048 and skinny"] = [line for line in products if is_large(line["size"])]
    rows = [(title, len(some), *means(some)) for title, some in found.items() if some]
    return "BLAS", ("", "cases", *ISAS), rows


def is_large(size: str) -> bool:
    """Whether it is no square, or a large one.

    >>> is_large("48"), is_large("64"), is_large("8x1000x1000")
    (False, True, True)
    """
    return "x" in size or int(size) >= LARGE


def by_routine(folder: Path, level: str) -> Iterator[tuple[object, ...]]:
    """For each routine of a level the means in single and in double precision."""
    some = lines(folder, level)
    for routine in LEVELS[level]:
        families = [family(routine, precision) for precision in ("f32", "f64")]
        found = [[line for line in some if line["routine"].split()[0].partition("_")[0] == f] for f in families]
        if any(found):
            yield routine.name, *means(found[0]), *means(found[1])


def family(routine: Routine, precision: str) -> str:
    """What a routine is called in a precision, or nothing if it isn't there."""
    return routine.function(precision).removeprefix("cblas_") if precision in routine.precisions else ""


def main() -> None:
    """All tables, in Markdown. Ends with a message if the folder has no figures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/blas")
    tables = [overview(folder)]
    for level in ("1", "2", "3", "skinny"):
        columns = (TITLES[level], "single, AVX2", "AVX-512", "double, AVX2", "AVX-512")
        tables.append((TITLES[level], columns, list(by_routine(folder, level))))
    if not any(rows for _, _, rows in tables):
        sys.exit(f"{folder} has no CSV files: `python -m benchmarks.blas --out {folder}` writes them")
    print(*(markdown(table) for table in tables if table[2]))


if __name__ == "__main__":
    main()
