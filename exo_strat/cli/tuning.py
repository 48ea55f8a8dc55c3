"""`exo-strat tune` and `exo-strat tuned`: searches for the values of a strategy's holes, and what is known of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, cast

from returns.result import Success
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import plugins
from ..cursors.proc import Proc
from ..ir.printing import names_at, print_expr
from ..machine import Machine
from ..ops.combinators import identity
from ..ops.strategy import ACTS_ON, Op
from ..primitives import partial_eval
from ..source import brief, show
from ..tuning import (
    Programs,
    Search,
    Tried,
    Tuning,
    climbing,
    exhaustive,
    optuna_search,
    random_search,
    starting,
    tune,
)
from ..tuning.before import slower
from ..tuning.keys import program_key, strategy_key, version
from ..tuning.measures import Measure
from ..tuning.records import Record, Setting, append, differences, read, recorder, records_file
from ..tuning.search import duration
from ..tuning.tune import OVER
from ..tuning.tuned import cost, fastest, known_at, known_values
from .hints import focus_hint
from .messages import UsageError, columns, warned
from .targets import Target, compiling

SCREEN: Final = 4
"""With `--search model`, so many candidates are scheduled for each that is measured."""
MOST_REASONS: Final = 5
"""How many reasons of refusals are printed."""

SEARCHES: Final[Mapping[str, Callable[[int], Search]]] = {
    "random": random_search,
    "exhaustive": lambda seed: exhaustive(),
    "model": climbing,
    "optuna": optuna_search,
}
"""Searches by name, each from a seed."""
SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}


Records = Callable[[Iterable[Tried]], Sequence[Record]]
"""What makes records of candidates."""


Cells: TypeAlias = tuple[str | Mapping[str, Any], ...]
"""A row of a table: texts, and values of holes."""


class Measuring(Protocol):
    """The backend's measure of calls of a procedure."""

    def __call__(self, p: Proc, sizes: Mapping[str, int], machine: Machine) -> Measure: ...


@dataclass(frozen=True)
class Asked:
    """What a search is asked for: at which sizes, how long, by which search; and the file of records."""

    sizes: tuple[dict[str, int], ...]
    seconds: float | None = None
    trials: int | None = None
    search: str = "random"
    seed: int = 0
    jobs: int | None = None
    file: Path | None = None
    again: bool = False

    def __post_init__(self) -> None:
        if self.search not in SEARCHES:
            raise UsageError(f"--search {self.search}: there are {', '.join(SEARCHES)}")
        if self.seconds is None and self.trials is None:
            raise UsageError("say when the search ends: --budget 60s, or --trials 100")
        for name, n in (("--trials", self.trials), ("--jobs", self.jobs)):
            if n is not None and n < 1:
                raise UsageError(f"{name} {n}: at least 1 is needed")


def seconds(text: str) -> float:
    """A time as on the command line.

    >>> seconds("60s"), seconds("1.5m"), seconds("20")
    (60.0, 90.0, 20.0)
    """
    found = re.fullmatch(r"(\d+\.?\d*)(s|m|h|)", text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no time: write 60s, 2m or 1h")
    if not float(found[1]):
        raise UsageError(f"{text!r} leaves no time to search: write 60s, 2m or 1h")
    return float(found[1]) * SECONDS[found[2]]


def parsed_sizes(text: str) -> dict[str, int]:
    """Integer arguments as on the command line.

    >>> parsed_sizes("n=1000,m=500")
    {'n': 1000, 'm': 500}
    """
    found: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        given = re.fullmatch(r"(\w+)\s*=\s*(-?\d+)", part)
        if given is None:
            raise UsageError(f"--sizes {text}: {part!r} is no size: write n=1000,m=500")
        if given[1] in found:
            raise UsageError(f"--sizes {text}: {given[1]} is said twice; for several sizes repeat --sizes")
        found[given[1]] = int(given[2])
    return found


def check_sizes(p: Proc, sizes: Mapping[str, int]) -> None:
    """Raises `UsageError` if a procedure does not take some integer arguments, whatever the others are."""
    outcome = partial_eval(**sizes)(p) if sizes else None
    if outcome is None or isinstance(outcome, Success):
        return
    claims = ", ".join(print_expr(e, names_at(p.tree)) for e in p.tree.preds)
    asserts = f"; it asserts {claims}" if claims else ""
    raise UsageError(f"{p.name()} can't be called at {_written(sizes)}: {outcome.failure().reason()}{asserts}")


def setting_of(target: Target) -> Setting:
    """Where measurements for a target are made here."""
    with compiling():
        return cast(Callable[[Machine], Setting], plugins.load(plugins.BACKENDS, "setting"))(target.machine)


# -- tune ---------------------------------------------------------------------------------------------


def run_tune(op: Op, p: Proc, target: Target, asked: Asked, console: Console) -> tuple[Tuning, ...]:
    """Search at each of the sizes, with an equal part of the time; keep what was measured, and print what was found.
    A search begins with what is known of other sizes, of those before too. Of what is known of the very sizes, only
    what may be the best is measured again, unless all is asked for. The time of the procedure as it was is kept as one
    of `identity`."""
    if asked.file is not None and not asked.file.absolute().parent.exists():
        raise UsageError(f"--records {asked.file} can't be made: there is no folder {asked.file.parent}")
    where, begin = setting_of(target), date.today().isoformat()
    keep = [recorder(op, p, where, sizes, begin) for sizes in asked.sizes]
    measures = [_measure(p, sizes, target) for sizes in asked.sizes]
    append((), asked.file)  # where that can't be, it is said before anything is measured
    found: list[Tuning] = []
    programs, kept = Programs(), 0
    for sizes, records, measure in zip(asked.sizes, keep, measures, strict=True):

        def keeps(t: Tried, records: Records = records) -> None:
            nonlocal kept
            made = records([t])
            append(made, asked.file)
            kept += len(made)

        with warned():
            before = read(asked.file)
            values = known_values(op, p, before, where, sizes)
            known = () if asked.again else known_at(op, p, before, where, sizes)
            search = starting(values, SEARCHES[asked.search](asked.seed))
            one = partial(tune, measure=measure, search=search, before=known, programs=programs, told=keeps)
            made = _searched(op, p, sizes, target, asked, one)
        found.append(made)
        if made.unscheduled is not None:
            keeps(made.unscheduled, recorder(identity, p, where, sizes, begin))
        _report(made, sizes, target, console)
        left = len(slower(known))
        if left:
            console.print(Text(f"{left} were not tried, as records say that they are slower: --again measures them"))
        if made.stopped == "interrupted":
            break
    count = "1 record was" if kept == 1 else f"{kept} records were"
    last = f"{count} added to {asked.file or records_file()}"
    if found[-1].stopped == "interrupted":
        last = f"interrupted: {sum(len(made.tried) for made in found)} tried, {last}"
    console.print(Text(last), soft_wrap=True)
    return tuple(found)


def _measure(p: Proc, sizes: Mapping[str, int], target: Target) -> Measure:
    measuring = cast(Measuring, plugins.load(plugins.BACKENDS, "measure"))
    try:
        return measuring(p, sizes, target.machine)
    except (ValueError, MemoryError) as e:
        at = f" at {_written(sizes)}" if sizes else ""
        raise UsageError(f"{p.name()} can't be measured{at}: {e}") from e


def _searched(
    op: Op,
    p: Proc,
    sizes: Mapping[str, int],
    target: Target,
    asked: Asked,
    search: Callable[..., Tuning],
) -> Tuning:
    """One search, in its part of the time."""
    model, by_model = None, asked.search == "model"
    if by_model:
        models = plugins.load(plugins.MODELS, "cycles")
        model = cast(Callable[[Machine, Mapping[str, int]], Callable[[Proc], float]], models)(target.machine, sizes)
    share = None if asked.seconds is None else asked.seconds / len(asked.sizes)
    return search(
        op,
        p,
        seconds=share,
        trials=asked.trials,
        jobs=asked.jobs,
        model=model,
        screen=SCREEN if by_model else 1,
        unscheduled=True,
    )


def _report(found: Tuning, sizes: Mapping[str, int], target: Target, console: Console) -> None:
    """What was best, beside the defaults and the unscheduled program; and what came to nothing, with the reasons."""
    at = f" at {_written(sizes)}" if sizes else ""
    first = f"{found.proc.name()}{at} for {target.name}: {str(found).splitlines()[0]}"
    console.print(Text(first, "bold"), soft_wrap=True)
    if found.best is not None:
        base = None if found.unscheduled is None else found.unscheduled.seconds
        defaults = found.tried[0] if found.tried else None
        said = {"best": found.best, "defaults": defaults, "unscheduled": found.unscheduled}
        rows: list[Cells] = []
        for what, t in said.items():
            if t is not None:
                values = "the procedure as it was" if t is found.unscheduled else t.decisions
                rows.append((what, *_times(t, base), "the defaults" if what == "best" and t is defaults else values))
        console.print(_table(("", "time", "speed-up", "values"), rows, console.width))
    if not found.space.choices and any(t.status == "measured" for t in found.tried):
        console.print("the strategy has no holes here, so there was nothing to choose")
    elif found.stopped.endswith(OVER) and not any(t.status == "measured" for t in found.tried[1:]):
        what = "nothing else was tried" if len(found.tried) == 1 else "no other program was measured"
        console.print(f"the time was over after the defaults: {what}, so give it more", soft_wrap=True)
    for line in _reasons(found):
        console.print(Text(line), soft_wrap=True)
    if found.correlation is not None:
        console.print(f"rank correlation of model and times: {found.correlation:.2f}")


def _times(t: Tried, base: float | None) -> tuple[str, str]:
    """A time, and how many times faster than the unscheduled program."""
    if t.seconds is None:
        return t.status, ""
    return duration(t.seconds), f"{base / t.seconds:.2f}" if base and t.seconds else ""


NARROW: Final = 20
"""Values have so many columns at least, whatever else is in a table."""


def _table(heads: Sequence[str], rows: Sequence[Cells], width: int) -> Table:
    """A table with the values of holes in one of the columns. Where a line has no room for them, each has its own: with
    no more of its name than tells it from others, and broken at dots only."""
    at = heads.index("values")
    others = [max(len(str(row[k])) for row in (tuple(heads), *rows)) for k in range(len(heads)) if k != at]
    room = max(NARROW, width - sum(n + BESIDE for n in others) - BESIDE - 1)
    given = [row[at] for row in rows]
    texts = [x if isinstance(x, str) else _written(x) for x in given]
    first = ""
    if any(len(text) > room for text in texts):
        first = _first({name for x in given if not isinstance(x, str) for name in x})
        texts = ["\n".join(_lines(x, first, room)) if not isinstance(x, str) else x for x in given]
    table = Table(*columns(*(f"{head}, of {first}" if first and head == "values" else head for head in heads)))
    for row, text in zip(rows, texts, strict=True):
        table.add_row(*(Text(text if k == at else str(x)) for k, x in enumerate(row)))
    return table


BESIDE: Final = 3
"""A line and two blanks stand beside each column."""


def _first(names: Iterable[str]) -> str:
    """The parts, up to a dot, with which all names begin.

    >>> _first(["auto.planned.rows", "auto.planned.tile.width"])
    'auto.planned'
    """
    parts = [name.split(".")[:-1] for name in names]
    shared = takewhile(lambda same: len(set(same)) == 1, zip(*parts, strict=False))
    return ".".join(same[0] for same in shared)


def _lines(values: Mapping[str, Any], first: str, width: int) -> Iterator[str]:
    """A value a line, by a name less its `first` parts; what has no room goes on after a dot, under what several have
    in common.

    >>> list(_lines({"auto.by_nest.as_product.rows": 6, "auto.by_nest.as_product.width": 8}, "auto", 20))
    ['by_nest.as_product.', '  rows = 6', '  width = 8']
    """
    before: list[str] = []
    for name, value in values.items():
        *parts, last = name.removeprefix(f"{first}.").split(".")
        lines = [""]
        for part in (*(f"{p}." for p in parts), f"{last} = {show(value)}"):
            if lines[-1].strip() and len(lines[-1]) + len(part) > width:
                lines.append("  ")
            lines[-1] += part
        yield from lines[-1:] if lines[:-1] == before else lines
        before = lines[:-1]


def _reasons(found: Tuning) -> Iterable[str]:
    """Why candidates came to nothing, the most frequent reasons first, each with an instance."""
    ended = [t for t in (found.unscheduled, *found.tried) if t and t.status in ("refused", "crashed", "hung", "wrong")]
    reasons = Counter((t.status, t.reason) for t in ended)
    for (status, reason), n in reasons.most_common(MOST_REASONS):
        t = next(t for t in ended if (t.status, t.reason) == (status, reason))
        which = "the procedure as it was" if t is found.unscheduled else _written(t.values) or "the strategy as it is"
        yield f"{n} {status}, such as {which}: {reason}"
    left = sum(n for _, n in reasons.most_common()[MOST_REASONS:])
    if left:
        yield f"{left} more, for {len(reasons) - MOST_REASONS} other reasons"
    if found.tried and found.tried[0].reason.startswith(ACTS_ON):
        outcome = found.op(found.proc)
        yield focus_hint(outcome.failure(), found.proc, found.op)


def _written(values: Mapping[str, Any]) -> str:
    """Values as text."""
    return ", ".join(f"{name} = {show(v)}" for name, v in values.items())


# -- tuned --------------------------------------------------------------------------------------------


def known_of(p: Proc, file: Path | None) -> tuple[tuple[Record, ...], int]:
    """The records of a program in a file; and how many there are of others of its name, as it was once, maybe."""
    if file is not None and not file.is_file():
        raise UsageError(f"{file} {'is a folder' if file.is_dir() else 'does not exist'}: expected a file of records")
    program = program_key(p)
    with warned():
        found = read(file)
    named = [r for r in found if r.program == p.name()]
    return tuple(r for r in found if r.program_key == program), sum(r.program_key != program for r in named)


def of_others(p: Proc, others: int) -> str:
    """What is said of records of another program of this name, if there are any: one that was edited has another
    key."""
    if not others:
        return ""
    them = "1 record is" if others == 1 else f"{others} records are"
    return f"; {them} of another version of {p.name()}, or of another program of this name"


def print_known(
    p: Proc, op: Op | None, records: Sequence[Record], here: Setting, console: Console, others: int = 0
) -> None:
    """The fastest record at each of the sizes, of each strategy and setting; what does not fit here, or is not of the
    strategy that is asked for, with the reason."""
    if not records:
        name = f"{p.name()}{' as it is now' * bool(others)}"
        said = f"nothing is known of {name}: `exo-strat tune` and `auto --tune` measure{of_others(p, others)}"
        console.print(Text(said), soft_wrap=True)
        return
    plain, wanted = strategy_key(identity), None if op is None else strategy_key(op)
    for (key, where, made_by), found in _grouped(records).items():
        rows: list[Cells] = []
        for at, row in fastest(found).items():
            best = next(iter(row.values()))
            rows.append((_written(dict(at)), cost(best), str(len(row)), dict(best.values), best.date))
        what = "the procedure as it was" if key == plain else brief(found[0].strategy)
        other = OTHER if wanted is not None and key not in (plain, wanted) else ""
        head = f"{what}\n  {where}{other}{_misses(where, made_by, here)}"
        console.print(Text(head, "bold"), soft_wrap=True)
        console.print(_table(("sizes", "time", "of", "values", "date"), rows, console.width))


def no_record(p: Proc, op: Op, records: Sequence[Record], here: Setting, others: int = 0) -> str:
    """That no record of a program fits, so a strategy has its defaults; each kind of records that there are, with the
    reason."""
    lines = [f"no record of {p.name()} fits: the defaults{of_others(p, others)}"]
    if not records:
        return lines[0]  # a strategy without a key can't be looked for, and need not be
    plain, wanted = strategy_key(identity), strategy_key(op)
    for (key, where, made_by), found in _grouped(records).items():
        if key != plain:
            why = (OTHER if key != wanted else "") + _misses(where, made_by, here) or LACKING
            lines.append(f"  {len(found)} of {brief(found[0].strategy)}, {where}{why}")
    return "\n".join(lines)


def _grouped(records: Iterable[Record]) -> Mapping[tuple[str, Setting, str], list[Record]]:
    """Records by strategy, setting and version."""
    groups: dict[tuple[str, Setting, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r.strategy_key, r.setting, r.version), []).append(r)
    return groups


LACKING: Final = "; none tells all the sizes that are asked for"
OTHER: Final = "; of another strategy, or of this one before it or a file that it uses was changed"


def _misses(where: Setting, made_by: str, here: Setting) -> str:
    """Why records don't fit here."""
    if made_by != version():
        return f"; by exo_strat {brief(made_by)}, which is not this version"
    return "; not as here: " + "; ".join(differences(where, here)) if where != here else ""
