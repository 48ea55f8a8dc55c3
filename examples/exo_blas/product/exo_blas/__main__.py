"""The command `exo-blas`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Collection, Sequence
from datetime import date
from math import inf
from pathlib import Path

from .choices import Choices, choices, shown
from .trials import TRIALS
from .tuning import VARIABLE, Found, tuned

DESCRIPTION = """\
exo-blas tune      measures the numbers that decide which way a routine goes, and writes a profile of this processor,
                   which the library reads if EXO_BLAS_PROFILE names it; let nothing else run meanwhile
exo-blas choices   shows the numbers in use, what each may be, and what it is about: as text, a profile
"""

BUSY = 0.7
"""The load of a system on which something else runs."""


def main(words: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    given = arguments().parse_args(words)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # whoever reads may stop early: `exo-blas choices | head -3`
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it so wants what it has found, too
    if given.command == "tune":
        os.environ.pop(VARIABLE, None)  # what it would set is found anew
    now = choices()
    if given.command == "choices":
        print(f"processor: {now.processor}")
        for c in now.numbers.values():
            print(f"{now.isa} {c.name} {shown(c.value)}  # {c.about}")
        return 0
    unknown = [n for n in given.only if n not in TRIALS]
    if unknown:
        print(f"exo-blas: nothing is measured for {', '.join(unknown)}; there are {', '.join(TRIALS)}", file=sys.stderr)
        return 2
    if not 0 < given.minutes < inf:
        print(f"exo-blas: --minutes is {given.minutes}, and has to be a number above 0", file=sys.stderr)
        return 2
    return tune(now, given.minutes, given.only, given.output)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "exo-blas", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="tune|choices")
    search = commands.add_parser("tune", help="measure, and write a profile")
    search.add_argument(
        "--minutes", type=float, default=10.0, help="about how long (10); in less than five, much is left to chance"
    )
    search.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="measure these numbers of `exo-blas choices` only"
    )
    search.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("exo_blas.profile"),
        help="the profile (exo_blas.profile); what it says of other numbers is kept",
    )
    commands.add_parser("choices", help="show the numbers in use")
    return parser


def tune(now: Choices, minutes: float, only: Sequence[str], output: Path) -> int:
    """Measure, tell what was found, and write the profile: also of what was found until it is interrupted."""
    values: dict[str, int] = {}
    remarks: dict[str, str] = {}
    new = not output.exists()
    try:
        with output.open("a"):  # before minutes are spent: whether it can be written
            pass
        before = output.read_text().splitlines() if output.is_file() else []
    except (OSError, UnicodeDecodeError) as e:
        return unwritten(output, e)
    load = os.getloadavg()[0]
    remark = f", while other programs ran (load {load:.1f})" if load > BUSY else ""
    if remark:
        print(f"other programs use the processors (load {load:.1f}): numbers will be wrong", file=sys.stderr)
    interrupted, measured = False, set[str]()
    start = time.monotonic()
    waiting(start, minutes)
    try:
        for found in tuned(now, 60 * minutes, only):
            waiting(None, minutes)
            if isinstance(found, Found):
                measured.add(found.name)
            if isinstance(found, Found) and found.gain > 1:
                values[found.name] = found.value
                remarks[found.name] = f"{found.gain:.2f} times as fast as with {shown(now.numbers[found.name].value)}"
            print(told(now, found), flush=True)
            waiting(start, minutes)
    except KeyboardInterrupt:
        interrupted = True
    waiting(None, minutes)
    status = 130 if interrupted else 0 if measured else 1
    kept = [line for line in before if others(line, now.isa, measured)]
    if not values and kept == [line for line in before if others(line, now.isa, ())]:
        if new:
            output.unlink()
        print(f"nothing better than before, so {'there is no' if new else 'nothing is written to'} {output}")
        return status
    rest = "".join(f"{line}\n" for line in kept)
    text = f"# exo-blas tune --minutes {minutes:g}, {date.today()}{remark}\n{now.profile(values, remarks)}{rest}"
    try:
        written(text, output)
    except OSError as e:
        print(text)
        return unwritten(output, e)
    has = f"{output} has {'them' if values else 'others'}"
    print(f"{len(values)} better than before; {has}. To use it: export EXO_BLAS_PROFILE={output.resolve()}")
    return status


def others(line: str, isa: str, measured: Collection[str]) -> bool:
    """Whether a line of a profile sets a number that was not measured now.

    >>> others("avx2 gemm_slim 33", "avx2", ["gemm_dots"]), others("avx2 gemm_dots 33  # ..", "avx2", ["gemm_dots"])
    (True, False)
    >>> others("avx2 gemm_reach no limit", "avx2", ["gemm_dots"])
    True
    """
    words = line.partition("#")[0].split()
    sets_one = len(words) == 3 or words[2:] == ["no", "limit"]
    return sets_one and (words[0] != isa or words[1] not in measured)


def written(text: str, output: Path) -> None:
    """Write a file as a whole, or not at all."""
    if not output.is_file():
        output.write_text(text)
        return
    scratch = output.with_name(f"{output.name}.{os.getpid()}")
    try:
        scratch.write_text(text)
        scratch.replace(output)
    finally:
        scratch.unlink(missing_ok=True)


def unwritten(output: Path, e: OSError | UnicodeDecodeError) -> int:
    why = e.strerror if isinstance(e, OSError) else "it is something else than a profile"
    print(f"exo-blas: can't write {output}: {why}", file=sys.stderr)
    return 1


def told(now: Choices, found: Found | str) -> str:
    if isinstance(found, str):
        return f"{found:20} could not be measured"
    if found.gain == 1:
        return f"{found.name:20} {shown(found.value)} stays"
    before = shown(now.numbers[found.name].value)
    return f"{found.name:20} {before} -> {shown(found.value)}, {found.gain:.2f} times as fast"


def waiting(start: float | None, minutes: float) -> None:
    """How long it has been, on a terminal; nothing, without a start."""
    if sys.stderr.isatty():
        text = "" if start is None else f"{(time.monotonic() - start) / 60:.1f} of {minutes:g} minutes"
        print(f"\r{text:40}\r{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
