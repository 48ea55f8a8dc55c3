"""The sums of the tables that several runs of `benchmarks.chains` printed: a long run is easier in slices.

    python -m benchmarks.chain_sums FILE...

Each file is what one run printed. Prints the sums of the first table of each, and how many different rewrites succeeded
in all of them: rows of one primitive or strategy with other arguments count once.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from .chains import DIFFERENT

SUM = re.compile(r"^\| ([^|`]+) \| (\d+) \|$", re.M)
REWRITE = re.compile(r"^\| `(.*)` \| (\d+) \| \d+ \|$", re.M)


def sums(texts: list[str]) -> dict[str, int]:
    """What each row of the runs' first tables adds up to."""
    total = Counter[str]()
    for text in texts:
        total.update({what: int(n) for what, n in SUM.findall(text)})
    total[DIFFERENT] = len({name for text in texts for name, n in REWRITE.findall(text) if int(n)})
    return dict(total)


def main(files: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="What runs printed.")]) -> None:
    """Adds the tables of several runs."""
    texts = [file.read_text() for file in files]
    if unfinished := [str(f) for f, text in zip(files, texts, strict=True) if DIFFERENT not in text]:
        sys.exit(f"no table of benchmarks.chains is in {', '.join(unfinished)}")
    rows = "\n".join(f"| {what} | {n:,} |" for what, n in sums(texts).items())
    print(f"| | |\n| --- | --: |\n{rows}")


if __name__ == "__main__":
    typer.run(main)
