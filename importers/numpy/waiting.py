"""A sign of life while something takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A line on standard error that turns and counts seconds, if that is a terminal; afterwards it is gone."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # takes long to import, and is rarely needed
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    console = Console(stderr=True)
    shown = Progress(
        *columns,
        console=console,
        transient=True,
        disable=console.is_dumb_terminal,
        redirect_stdout=False,  # what the program prints meanwhile goes where it always goes
        redirect_stderr=False,
    )
    with shown:
        shown.add_task(what, total=None)
        yield
