"""Our BLAS beside others: all libraries take turns, in one process, on one core, with one thread each.

    python -m benchmarks.blas [--level 1|2|3|complex|batch|skinny|..] [--isa avx2|avx512] [--only ROUTINE] [--quick]

Calls are timed in C, in rounds in which all take turns; the median counts. All are held to one instruction set, and
use it: `SETTINGS` of `blas_rivals`. First all must agree. What our library does not export is left out. With
--out docs/blas, CSV files, tables and heat maps are written there.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console

from backends.targets import best_machine
from benchmarks.blas_rivals import SETTINGS, Harness, Limits, Rival, missing, returns, rivals
from benchmarks.blas_routines import LEVELS, Case, arguments, cases, of_parts
from benchmarks.blas_tables import Row, csv_file, report, titled
from examples.exo_blas.builder.library import build

SAMPLE_SECONDS = 2e-4
TOO_SLOW = 4
"""A rival that takes so many times as long as the fastest is timed once."""
HOPELESS = 50
"""A rival that takes so many times as long as the fastest is not given larger sizes of the same case."""
LONG = 5e-3
"""A call that takes so many seconds does not need another one before it, to warm the caches."""
ROUNDINGS = 16
"""How many times as far as a sum's usual error may results be apart."""


# -- measuring ----------------------------------------------------------------------------------------


class Rounds(NamedTuple):
    """How many rounds there are, and what makes one figure of theirs."""

    number: int
    figure: Callable[[list[float]], float] = median


def measured(case: Case, some: Sequence[Rival], harness: Harness, limits: Limits, rounds: Rounds) -> Row:
    """A case, all rivals in turns."""
    given = arguments(case)
    once = {r: min(_sample(harness, r, case, 1, given) for _ in range(3)) for r in some}
    fastest = min(once.values())
    calls = max(1, round(SAMPLE_SECONDS / fastest))
    racing = [r for r in some if r.ours or once[r] < TOO_SLOW * fastest + 1e-6]
    found: dict[Rival, list[float]] = defaultdict(list)
    for k in range(rounds.number):
        for r in (*racing[k % len(racing) :], *racing[: k % len(racing)]):
            if fastest < LONG:
                _sample(harness, r, case, 1, given)
            found[r].append(_sample(harness, r, case, calls, given))
    times = {r.name: 1e9 * rounds.figure(found.get(r, [once[r]])) for r in some}
    limit = 1e9 * limits.seconds(of_parts(case.precision), case.flops, case.routine.kind, case.bytes)
    return Row(case, times, limit)


def _sample(harness: Harness, r: Rival, case: Case, calls: int, given: Sequence[Any]) -> float:
    return harness.seconds(r, case.function, calls, given) / calls


def result(harness: Harness, r: Rival, case: Case) -> list[np.ndarray]:
    """What a call returns and leaves in its arrays."""
    given = arguments(case, repeated=False)
    harness.seconds(r, case.function, 1, given)
    returned = [np.array([harness.returned(r)])] if returns(case.function) else []
    return [*returned, *(v for v in given if isinstance(v, np.ndarray))]


def disagreeing(case: Case, some: Sequence[Rival], harness: Harness) -> list[str]:
    """The rivals whose results differ from the first one's by more than rounding explains; that one, if most do; both,
    if there are two."""
    first, *rest = some
    usual = result(harness, first, case)
    apart = [r.name for r in rest if not all(map(partial(alike, case), usual, result(harness, r, case)))]
    named = [first.name] if 2 * len(apart) > len(rest) > 1 else apart
    if apart and len(rest) == 1:
        named = [f"{first.name} or {rest[0].name}"]
    return [f"{case.name} {case.dims}: {name}" for name in named]


def alike(case: Case, usual: np.ndarray, other: np.ndarray) -> bool:
    """Whether results are the same where they are exact, and else differ by no more than rounding explains. The error
    of a sum of n terms is as large as that of sqrt(n) roundings of it, if each goes up or down by chance."""
    if case.is_exact:
        return np.array_equal(usual, other)
    eps = float(np.finfo(np.float32 if of_parts(case.precision) == "f32" else np.float64).eps)
    terms = 1 if case.routine.name == "nrm2" else max(case.dims) + ROUNDINGS  # of exact squares, the sum is
    bound = ROUNDINGS * eps * sqrt(terms) * max(1.0, float(np.abs(usual).max(initial=0)))
    return bool(np.all(np.abs(usual - other) <= bound))  # of what is no number, it doesn't hold


def taking_part(case: Case, all_rivals: Sequence[Rival], before: Row | None = None) -> list[Rival]:
    """The rivals that have a case, and were not hopeless in a smaller one `before`; none if we don't."""
    some = [r for r in all_rivals if r.address(case.function) is not None and not hopeless(r, case, before)]
    some = [r for r in some if not (r.neighbours and case.inc != 1 and case.has_matrices)]
    return some if any(r.ours for r in some) else []


def hopeless(r: Rival, case: Case, before: Row | None) -> bool:
    """Whether a rival took far too long for the case before, which was a smaller one of the same."""
    if before is None or before.case.name != case.name or before.case.bytes > case.bytes:
        return False
    return before.times.get(r.name, float("inf")) > HOPELESS * min(before.times.values())


def run(level: str, asked: argparse.Namespace, some: Sequence[Rival], harness: Harness, limits: Limits) -> list[str]:
    """Measure and report a level. Returns who disagrees."""
    mine, *peers = (r.name for r in some)
    rows: list[Row] = []
    wrong: list[str] = []
    rounds = Rounds(asked.rounds, min if asked.least else median)
    todo = list(cases(level, asked.quick, asked.only))
    if not todo:
        return []
    with Console(stderr=True).status("") as status, csv_file(asked.out, level, asked.isa, (mine, *peers)) as keep:
        for k, case in enumerate(todo):
            racing = taking_part(case, some, rows[-1] if rows else None)
            if racing:
                status.update(f"level {level}: {case.name} {case.dims}, {k} of {len(todo)}")
                wrong += disagreeing(case, racing, harness)
                rows.append(measured(case, racing, harness, limits, rounds))
                keep(rows[-1])
    if rows:
        given = "".join(f" --peer '{peer.partition('=')[0]}=FILE'" for peer in asked.peer)
        how = f"{'--quick ' * asked.quick}--rounds {asked.rounds}{given}"
        report(asked.out, level, rows, mine, peers, missing(some), how)
    return wrong


def best_here() -> str:
    """The instruction set with the longest vectors that this processor has; if it has none, avx2, which is told."""
    return best_machine().name if best_machine().name in SETTINGS else "avx2"


def arguments_given() -> argparse.Namespace:
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blas")
    parser.add_argument("--level", action="append", choices=list(LEVELS), help="else all")
    parser.add_argument("--isa", choices=tuple(SETTINGS), default=best_here(), help="else the best here")
    parser.add_argument("--only", action="append", default=[], metavar="ROUTINE", help="gemv or sgemv, for example")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and variants")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--least", action="store_true", help="the fastest round counts: for a busy machine")
    parser.add_argument("--library", type=Path, help="libexo_blas.so, else it is built")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FILE", help="one more CBLAS library")
    parser.add_argument("--out", type=Path, help="a folder for CSV files, tables and heat maps")
    asked = parser.parse_args()
    unknown = [name for name in asked.only if not any(c for level in LEVELS for c in cases(level, only=[name]))]
    if unknown:
        parser.error(f"no routine is called {', '.join(unknown)}")
    if asked.library and not asked.library.is_file():
        parser.error(f"--library: there is no file {asked.library}")
    there = [level for level in LEVELS if asked.out and (asked.out / f"{titled(level)}-{asked.isa}.csv").exists()]
    if asked.only and there:
        parser.error(f"--only would leave a part of the figures in {asked.out}: give it a folder of its own by --out")
    if wrong := [peer for peer in asked.peer if "=" not in peer]:
        parser.error(f"--peer takes NAME=FILE, not {wrong[0]}")
    return asked


def main() -> None:
    """All tables. Ends with 1 if the libraries disagree."""
    asked = arguments_given()
    if not os.environ.items() >= SETTINGS[asked.isa].items():  # NumPy's OpenBLAS has been loaded, and asks when it is
        os.environ |= SETTINGS[asked.isa]
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.blas", *sys.argv[1:]])
    library = asked.library or build(Path("build/blas"))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        some = rivals(library, asked.isa, asked.peer)
    except ValueError as e:
        raise SystemExit(str(e)) from e
    harness, limits = Harness(), Limits(asked.rounds, asked.isa)
    if not any(c for level in asked.level or LEVELS for c in cases(level, asked.quick, asked.only)):
        raise SystemExit(f"level {', '.join(asked.level)} has no {', '.join(asked.only)}")
    wrong = [w for level in asked.level or LEVELS for w in run(level, asked, some, harness, limits)]
    if wrong:
        raise SystemExit("\n".join(("these results are further from the others' than rounding explains:", *wrong)))


if __name__ == "__main__":
    main()
