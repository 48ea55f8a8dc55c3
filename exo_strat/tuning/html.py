"""How records, and what a search found, show in a notebook: as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from ..ir.html import Html, bold, box, dim, escaped, paragraph, table
from ..source import brief, show
from .found import Tuning
from .records import Record
from .search import Tried, number
from .tuned import cost

ROWS: Final = 50
"""So many rows of a table are shown."""
WIDTH: Final = 100
"""So many characters of a strategy are shown."""

_COLUMNS: Final[Mapping[str, Callable[[Record], str]]] = {
    "program": lambda r: r.program,
    "strategy": lambda r: brief(r.strategy, WIDTH),
    "setting": lambda r: str(r.setting),
    "sizes": lambda r: _values(r.sizes),
    "values": lambda r: _values(r.values),
    "time": cost,
    "date": lambda r: r.date,
    "exo_strat": lambda r: r.version,
}


def records_html(records: Sequence[Record]) -> Html:
    """Records, one in a row. What is the same for all of them stands above."""
    if not records:
        return box(escaped("no records"))
    cells = {name: [text(r) for r in records[:ROWS]] for name, text in _COLUMNS.items()}
    is_same = {name: len(records) > 1 and len(set(found)) == 1 and name != "time" for name, found in cells.items()}
    above = table([], [(name, found[0]) for name, found in cells.items() if is_same[name]])
    apart = [name for name in cells if not is_same[name]]
    rows = zip(*(cells[name] for name in apart), strict=True)
    return box(*((above,) if any(is_same.values()) else ()), table(apart, rows), *_left(len(records), "records"))


def tuning_html(found: Tuning) -> Html:
    """What a search found: how it ended, and all that was tried, the fastest first."""
    told = paragraph(bold(escaped(found, 2_000)))
    tried = sorted(found.tried, key=lambda t: (t.seconds is None, t.seconds or 0.0))
    was = [_row(found.unscheduled, "the procedure as it was")] if found.unscheduled is not None else []
    rows = [*was, *(_row(t, _values(t.values.items()) or "the strategy as it is") for t in tried[:ROWS])]
    return box(told, table(["candidate", "came of it", "time", "why"], rows), *_left(len(tried), "candidates"))


def _row(t: Tried, candidate: str) -> tuple[str, ...]:
    return candidate, t.came_of, "" if t.seconds is None else number(t.seconds, t.unit), t.reason


def _values(values: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name} = {show(value)}" for name, value in values)


def _left(n: int, what: str) -> tuple[Html, ...]:
    return (dim(escaped(f"{n - ROWS} more {what} are left out")),) if n > ROWS else ()
