"""How Ops and failures show in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ..cursors.html import place_html
from ..ir.html import (
    Html,
    Row,
    as_code,
    bold,
    box,
    code,
    dim,
    ended,
    escaped,
    folded,
    joined,
    paragraph,
    table,
)
from ..ir.printing import render
from ..source import brief, show
from .failure import Failure
from .iteration_space import picture

if TYPE_CHECKING:
    from .strategy import Op

OP_WIDTH: Final = 100
"""So many characters of an Op are shown beside other things."""
MESSAGE: Final = 2_000
"""So many characters of a message are shown."""
CAUSES: Final = 12
"""So many causes of a failure are shown."""
VALUES: Final = 30
"""So many variables of a counterexample are shown."""
SPACE: Final = Html(" ")


def op_html(op: Op) -> Html:
    """An Op: the Python that makes it, and what it does in a line, if its author says so."""
    told = op.in_short()
    head = [paragraph(_with_code(told))] if told else []
    return box(*head, code([Row(line) for line in str(op).splitlines()]))


def _with_code(text: str) -> Html:
    """A text in which code stands between backticks.

    >>> _with_code("`a` and b").count("<code")
    1
    """
    pieces = escaped(text, MESSAGE).split("`")
    if len(pieces) % 2 == 0:  # one that opens and never closes
        return escaped(text, MESSAGE)
    return joined(*(as_code(Html(x)) if n % 2 else Html(x) for n, x in enumerate(pieces)))


def failure_html(f: Failure) -> Html:
    """A failure: why, for which values, where; and the failures from which it comes, folded."""
    return box(*_told(f), *_causes(f))


def _told(f: Failure) -> Iterator[Html]:
    """A failure without its causes."""
    op = () if f.op is None else (SPACE, as_code(escaped(brief(show(f.op), OP_WIDTH))))
    yield paragraph(joined(ended(refused=True), *op))
    message = "\n".join((f.headline(), *f.remarks()))
    first, _, rest = message.partition("\n")
    yield paragraph(bold(escaped(first, MESSAGE)))
    if rest:
        yield code([Row(line) for line in rest.splitlines()])
    yield from _example(f)
    if f.place is not None and f.place.is_valid and not message.endswith(render(f.place.proc.tree, f.place.place())):
        yield place_html(f.place)


def _example(f: Failure) -> Iterator[Html]:
    """The counterexample as a table, in which a variable is a column, and as a picture, if it can be drawn."""
    values = sorted(f.example().items())
    if values:
        left = len(values) - VALUES
        yield paragraph(escaped("for instance with" + (f" ({left} more variables are left out)" if left > 0 else "")))
        yield table([name for name, _ in values[:VALUES]], [[n for _, n in values[:VALUES]]])
        yield Html(picture(f))


def _causes(f: Failure) -> Iterator[Html]:
    """The first causes, folded, but for a single one."""
    grounds = f.grounds()
    for cause, times in grounds[:CAUSES]:
        often = f", at {times} places," if times > 1 else ""
        op = () if cause.op is None else (SPACE, as_code(escaped(brief(show(cause.op), OP_WIDTH))))
        why = escaped(f": {cause.headline().splitlines()[0]}", MESSAGE)
        summary = joined(escaped(f"because{often}"), *op, why)
        yield folded(summary, *_told(cause), is_open=len(grounds) == 1)
    if len(grounds) > CAUSES:
        yield dim(Html(f"{len(grounds) - CAUSES} more causes are left out"))
