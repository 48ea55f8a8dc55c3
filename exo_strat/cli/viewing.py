"""`exo-strat view`: a schedule as an HTML file to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeAlias, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from .. import plugins
from ..cursors.proc import Proc
from ..machine import Machine
from ..ops.strategy import Op
from ..ops.tracing import Trace, trace
from ..tuning import Ended
from ..tuning.fitting import too_large
from ..tuning.measures import Measure, Timed
from ..view import Asked, Film, Listing, Panel, film, page, reels, replayed
from .files import write_whole

Time: TypeAlias = Callable[[Proc, Mapping[str, int]], Timed | str]
"""What a call takes, with integer arguments; or why that can't be measured."""
MakePanel: TypeAlias = Callable[[Proc, Machine, Mapping[str, int], Time], Panel | None]


class Measuring(Protocol):
    """The plug-in that measures."""

    def __call__(self, p: Proc, sizes: Mapping[str, int], machine: Machine) -> Measure: ...


def view(
    p: Proc, machine: Machine, op: Op | None, name: str, sizes: Mapping[str, int], out: Path, console: Console
) -> Trace | None:
    """Write what a strategy made of a procedure, or how a procedure was made, as an HTML file; sizes are for what is
    measured, and `name` is what the strategy is called. Returns what was tried, if there was a strategy."""
    t = trace(op, p)[1] if op is not None else None
    made = p if t is None else t.reached
    with _progress(console) as told:
        asked = replayed(made, told)
    title = made.name() if op is None else f"{name} on {p.name()}"
    _write(_films(made, t, asked), title, made, machine, sizes, out)
    return t


def write_film(p: Proc, machine: Machine, op: Op, out: Path) -> None:
    """Write what a strategy made of a procedure as an HTML file, without what was proved, as that would be to make it
    again."""
    t = trace(op, p)[1]
    _write(_films(t.reached, t), p.name(), t.reached, machine, {}, out)


def _films(made: Proc, t: Trace | None, asked: Asked = MappingProxyType({})) -> list[Film]:
    """The film of a procedure, with what a strategy tried for it, and those of what it calls."""
    among = reels(made)
    return [film(made, t, asked, among), *(film(q, asked=asked, among=among) for q in among[1:])]


def _write(
    films: Sequence[Film], title: str, made: Proc, machine: Machine, sizes: Mapping[str, int], out: Path
) -> None:
    """Write films with the C, the assembly and the panels of the last version."""
    listing, panels = _listing(made, machine), _panels(made, machine, sizes)
    write_whole({out: page(films, title, listing, panels).encode()})


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[int, int], None] | None]:
    """What shows on a terminal how many of how many rewrites are made again."""
    if not console.is_terminal:
        yield None
        return
    with Progress(
        TextColumn("proving again"), BarColumn(), MofNCompleteColumn(), console=console, transient=True
    ) as progress:
        task = progress.add_task("")
        yield lambda done, of: progress.update(task, completed=done, total=of)


def _listing(p: Proc, machine: Machine) -> Listing:
    """C and assembly; of what is no C yet, as it is half scheduled or an instruction, why not."""
    make = cast(Callable[[Proc, Machine], Listing], plugins.load(plugins.BACKENDS, "listing"))
    try:
        return make(p, machine)
    except ValueError as e:
        return Listing(note=str(e))


def _panels(p: Proc, machine: Machine, sizes: Mapping[str, int]) -> Sequence[Panel]:
    measuring = cast(Measuring, plugins.load(plugins.BACKENDS, "measure"))

    def time(q: Proc, given: Mapping[str, int]) -> Timed | str:
        if problem := too_large(q, given):
            return problem
        try:
            measure = measuring(q, given, machine)
        except (ValueError, MemoryError) as e:
            return str(e)
        prepared = measure.prepare(q)
        taken = prepared if isinstance(prepared, Ended) else measure.time(prepared, None)
        return taken.reason if isinstance(taken, Ended) else taken

    makers = [cast(MakePanel, plugins.load(plugins.PANELS, name)) for name in plugins.names(plugins.PANELS)]
    found = [make(p, machine, sizes, time) for make in makers]
    return [panel for panel in found if panel is not None]
