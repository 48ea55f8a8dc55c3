"""The heat maps of docs/blas again, from the CSV files that are there: nothing is measured.

    python -m benchmarks.blas_maps [docs/blas]
"""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path

from benchmarks.blas_routines import LEVELS, cases
from benchmarks.blas_summary import ISAS, lines
from benchmarks.blas_tables import Row, titled, write_heatmaps

UNIT = ", ns"
"""How the heads of columns with times end."""


def rows_of(folder: Path, level: str, isa: str) -> list[Row]:
    """What the CSV file of a level on an instruction set has; nothing if there is none. Raises `KeyError` for a case
    that is no more."""
    known = {(c.name, str(c.dims)): c for c in cases(level)}
    found = []
    for line in lines(folder, level, isa):
        times = {k.removesuffix(UNIT): float(v) for k, v in line.items() if k.endswith(UNIT) and v}
        limit = times.pop("limit")
        found.append(Row(known[line["routine"], line["size"]], times, limit))
    return found


def main() -> None:
    """All that there are CSV files for. Ends with a message if there are none, or one has a case that is no more."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blas_maps")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/blas"))
    folder = parser.parse_args().folder
    written = 0
    for level, isa in product(LEVELS, ISAS.values()):
        try:
            rows = rows_of(folder, level, isa)
        except KeyError as e:
            sys.exit(f"{folder}/{titled(level)}-{isa}.csv has a case that is measured no more: {e.args[0]}")
        names = list(dict.fromkeys(name for row in rows for name in row.times))
        if rows:
            write_heatmaps(folder, level, rows, f"ours, {isa}", [n for n in names if not n.startswith("ours")])
        written += bool(rows)
    if not written:
        sys.exit(f"{folder} has no CSV files: `python -m benchmarks.blas --out {folder}` writes them")


if __name__ == "__main__":
    main()
