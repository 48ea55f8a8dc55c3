"""What the benchmark of the BLAS says: ratios, tables, CSV files and heat maps.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import exp, log
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.blas_routines import Case
from benchmarks.heatmap import heatmap
from benchmarks.measure import machine, show


class Row(NamedTuple):
    """Nanoseconds that a case takes each rival that has it, and the least that the machine needs."""

    case: Case
    times: Mapping[str, float]
    limit: float


# -- figures ------------------------------------------------------------------------------------------


def mean(values: Iterable[float]) -> float:
    """The geometric mean; NaN of none."""
    logs = [log(v) for v in values]
    return exp(sum(logs) / len(logs)) if logs else float("nan")


def ratio(row: Row, who: str, peers: Sequence[str]) -> float:
    """How many times as fast we are as the best of the peers."""
    return min(row.times[p] for p in peers if p in row.times) / row.times[who]


def by_family(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each routine."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.case.family].append(row)
    return found


def summary(rows: Sequence[Row], who: str, peers: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """For each routine our ratios to the best peer, where it is least, what we win and lose, the share of the limit,
    and who is best."""
    for family, some in (*by_family(rows).items(), ("all", list(rows))):
        ratios = [ratio(row, who, peers) for row in some]
        worst = some[ratios.index(min(ratios))].case
        best = Counter(min((p for p in peers if p in row.times), key=row.times.__getitem__) for row in some)
        reached = [row.limit / row.times[who] for row in some if row.limit > 50] or [float("nan")]
        wins, losses = sum(v > 1.05 for v in ratios), sum(v < 0.95 for v in ratios)
        share = f"{median(reached):.0%}"
        least = (min(ratios), f"{worst.name} {worst.dims}")
        yield family, mean(ratios), *least, max(ratios), wins, losses, share, best.most_common(1)[0][0]


def worst(rows: Sequence[Row], who: str, peers: Sequence[str], count: int = 20) -> Iterator[tuple[object, ...]]:
    """The cases where we lose most."""
    for row in sorted(rows, key=lambda row: ratio(row, who, peers))[:count]:
        best = min((p for p in peers if p in row.times), key=row.times.__getitem__)
        mine, theirs = row.times[who], row.times[best]
        yield f"{row.case.name} {row.case.dims}", mine, theirs, theirs / mine, f"{row.limit / mine:.0%}", best


def slowdowns(rows: Sequence[Row], names: Sequence[str], peers: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Each library's mean slowdown against the fastest of the peers."""
    for name in names:
        some = [row for row in rows if name in row.times]
        yield name, mean(1 / ratio(row, name, peers) for row in some), len(some)


# -- output -------------------------------------------------------------------------------------------


@contextmanager
def csv_file(folder: Path | None, level: str, isa: str, names: Sequence[str]) -> Iterator[Callable[[Row], object]]:
    """What adds a row to the CSV file of a level on an instruction set, at once; or does nothing, without a folder."""
    if folder is None:
        yield lambda row: None
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{titled(level)}-{isa}.csv").open("w", newline="", buffering=1) as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("routine", "size", "bytes", "limit, ns", *(f"{n}, ns" for n in names)))
        yield lambda row: out.writerow((*_columns(row), *(_number(row.times.get(n)) for n in names)))


def _columns(row: Row) -> tuple[object, ...]:
    return row.case.name, row.case.dims, f"{row.case.bytes:.0f}", _number(row.limit)


def _number(nanoseconds: float | None) -> str:
    return "" if nanoseconds is None else f"{nanoseconds:.1f}"


def write_heatmaps(folder: Path, level: str, rows: Sequence[Row], who: str, peers: Sequence[str]) -> None:
    """A figure of all variants against the best of the peers, and one of all routines against each that has some."""
    isa = who.removeprefix("ours, ")
    for title in ("the best", *peers):
        others = peers if title == "the best" else [title]
        cells: dict[tuple[str, str], list[float]] = defaultdict(list)
        for row in rows:
            if any(p in row.times for p in others):
                name = row.case.name if title == "the best" else row.case.family
                cells[name, str(row.case.dims)].append(ratio(row, who, others))
        caption = f"{titled(level)}, {isa}: times as fast as {title}"
        means = {cell: mean(ratios) for cell, ratios in cells.items()}
        if means:
            path = folder / f"{'-'.join((titled(level), isa, _slug(title)))}.svg"
            path.write_text(heatmap(caption, means))


def titled(level: str) -> str:
    """`level1`, `strided`.

    >>> titled("1"), titled("strided")
    ('level1', 'strided')
    """
    return f"level{level}" if level.isdigit() else level


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


Table = tuple[str, tuple[str, ...], list[tuple[object, ...]]]
"""A title, the names of columns, and rows."""


def tables(level: str, rows: Sequence[Row], who: str, peers: Sequence[str]) -> Iterator[Table]:
    """The tables of a level."""
    columns = ("routine", "mean", "least", "where", "most", "wins", "losses", "of limit", "mostly best")
    titles = ("case", "ours, ns", "best, ns", "ratio", "of limit", "best")
    yield f"{titled(level)}, {who}: times as fast as the best peer", columns, list(summary(rows, who, peers))
    yield f"{titled(level)}, {who}: where we lose most", titles, list(worst(rows, who, peers))
    table = list(slowdowns(rows, (who, *peers), peers))
    yield f"{titled(level)}: slowdown against the fastest peer of each case", ("library", "mean", "cases"), table


def report(
    folder: Path | None,
    level: str,
    rows: Sequence[Row],
    who: str,
    peers: Sequence[str],
    missing: Sequence[str],
    how: str,
) -> None:
    """Print the tables of a level, and which peers are missing; with a folder, write them there as Markdown, with the
    heat maps. `how` are other options of the command."""
    found = list(tables(level, rows, who, peers))
    described = f"{machine('one thread')}. Peers missing: {', '.join(missing) or 'none'}."
    for table in found:
        show(*table)
    if folder:
        isa = who.removeprefix("ours, ")
        command = f"python -m benchmarks.blas --level {level} --isa {isa} {how}"
        text = "".join((f"Written by `{command}`. {described}\n", *map(markdown, found)))
        (folder / f"{titled(level)}-{isa}.md").write_text(text)
        write_heatmaps(folder, level, rows, who, peers)
    print(described)


def markdown(table: Table) -> str:
    """A table in Markdown.

    >>> print(markdown(("Sums", ("what", "ratio"), [("asum", 1.0)])))
    <BLANKLINE>
    ## Sums
    <BLANKLINE>
    | what | ratio |
    |---|---|
    | asum | 1.00 |
    <BLANKLINE>
    """
    title, columns, rows = table
    lines = [columns, ("---",) * len(columns), *([_cell(x) for x in row] for row in rows)]
    ruled = ("|---" * len(columns) + "|" if n == 1 else f"| {' | '.join(line)} |" for n, line in enumerate(lines))
    return "\n".join(("", f"## {title}", "", *ruled, ""))


def _cell(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
