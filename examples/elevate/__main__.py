"""ELEVATE's case studies: scheduled, compiled, run, compared with the program they start from.

    python -m examples.elevate                 all of them, the matrix product with 1024 rows and columns
    python -m examples.elevate --size 256      with fewer
    python -m examples.elevate --only Harris   one of them
    python -m examples.elevate --show "cache blocks"    a version's strategy and program
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console

from . import matmul
from .cases import MATMUL_PAPER, STENCILS, Case, product_of
from .report import scheduled, table

NOTE = """\
rewrites   applications of primitives
steps      strategies that succeeded, with traversals and predicates, as ELEVATE's paper counts them
questions  what the solver was asked
schedule   seconds of the processor; the analysis remembers nothing of the versions before
run        the fastest one; parallel loops take all processors, and want them idle
bits       as the first version's, each operation rounded by itself; a separated filter is another sum
numbers    as the first version's in exact arithmetic, on random small inputs
ELEVATE    what the paper reports (ICFP 2020, sections 6.2 and 6.3), on its machine with its compiler"""
WIDTH = 124


def show(cases: Sequence[Case], name: str) -> None:
    """Print the versions of a name: strategy and program."""
    for case in cases:
        if name in case.versions:
            version = scheduled(name, case.versions[name], case.program)
            print(f"# {case.name}: {name}\n{case.versions[name]}\n\n{version.proc}\n")


def options(argv: Sequence[str] | None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m examples.elevate", description="ELEVATE's case studies")
    parser.add_argument("--size", type=int, default=1024, help="rows and columns of the matrices, a multiple of 32")
    parser.add_argument("--runs", type=int, default=3, help="at least so many, of which the fastest counts")
    parser.add_argument("--only", metavar="CASE", default="", help="only cases whose names begin so, as 'Harris'")
    parser.add_argument("--show", metavar="VERSION", help="print a version's strategy and program instead")
    found = parser.parse_args(argv)
    if found.size % 32 or found.size < 32:
        parser.error(f"--size must be a multiple of 32, not {found.size}")
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Print the tables, or a version."""
    args = options(argv)
    cases = [c for c in (product_of(args.size), *STENCILS) if c.name.startswith(args.only)]
    if args.show:
        show(cases, args.show)
        return
    console = Console(width=max(WIDTH, Console().width))
    for case in cases:
        console.print(table(case, MATMUL_PAPER if case.versions is matmul.VERSIONS else None, args.runs))
    console.print(NOTE, highlight=False)


if __name__ == "__main__":
    main()
