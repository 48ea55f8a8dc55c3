"""How far a search is, shown on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from .search import Tried


@contextmanager
def progress(console: Console) -> Iterator[Callable[[int, Tried | None], None]]:
    """A line with how many candidates were tried, and the best so far; nothing where it is no terminal. It is drawn
    when something changed: a thread that draws it would be in the way of processes that are forked."""
    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    shown = Progress(*columns, console=console, transient=True, auto_refresh=False, disable=not console.is_terminal)
    with shown:
        task = shown.add_task("scheduling the first candidate", total=None)

        def show(count: int, best: Tried | None) -> None:
            shown.update(task, description=f"{count} tried; best: {best or 'none yet'}", refresh=True)

        yield show
