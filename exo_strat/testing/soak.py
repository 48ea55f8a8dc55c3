"""The soundness tests at length: each primitive applied a given number of times, with a table of what came out.

    python -m exo_strat.testing.soak -n 10000 [--primitive NAME ...] [--form NAME ...] [--jobs J] [--first SEED]

With `--form` each primitive is applied so often to programs that have a form of the object language (`forms.FORMS`;
`--form all` for each of them), and there is a row for each form and primitive.

The table goes to the standard output as Markdown, violations before it; progress goes to
the error output, if that is a terminal. The exit status is 1 if there was a violation. Runs with one first seed
try the same programs every time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..primitives import PRIMITIVES
from .forms import FORMS
from .harness import Tally, check_primitives

BARREN = 100
"""How many times more programs than applications are tried at most, of primitives that seldom find a target."""
SHARE = 50
"""How many applications of each primitive one process does at a time, to programs of its own that all primitives
share: drawing a program takes as long as trying a primitive on it."""


@dataclass(frozen=True)
class Row:
    """What came out for one primitive. `unsafe` of the refusals are of the condition of safety. `real` of the
    `examples` given with refusals were seen in a run; `open` ones could not be tried, or not to the end."""

    name: str
    tried: int = 0
    accepted: int = 0
    refused: int = 0
    unsafe: int = 0
    unknown: int = 0
    examples: int = 0
    real: int = 0
    open: int = 0
    seconds: float = 0.0
    violations: tuple[str, ...] = ()
    form: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        seen = f"{self.real} of {self.examples}"
        counts = (self.tried, self.accepted, self.refused, self.unsafe, self.unknown, seen, self.open)
        what = f"`{self.name}`" + (f", {self.form}" if self.form else "")
        return (what, *map(str, counts), str(len(self.violations)), f"{self.seconds:.0f}")

    def __add__(self, other: Row) -> Row:
        """What came out of further applications of the same primitive as well."""
        counts = [f.name for f in fields(self) if f.name not in ("name", "form")]
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in counts})


HEADS = (
    "primitive", "tried", "accepted", "refused", "unsafe", "unknown", "counterexamples seen", "open", "violations",
    "seconds",
)  # fmt: skip


def soak(names: Sequence[str], applications: int, first: int = 0, form: str = "") -> list[Row]:
    """Applies each of some primitives so many times, or a few more, to random programs, and checks all that the harness
    checks: to programs that have a form, if one is given. They share the programs.

    `refused` counts all refusals, `unsafe` those of the condition of safety, `unknown` those in which the solver gave
    up; `seconds` are without those that drawing programs takes.

    >>> [row] = soak(["reorder_loops"], 20)
    >>> row.tried >= 20 and row.tried == row.accepted + row.refused, row.violations
    (True, ())
    """
    tally, found = Tally(), list[tuple[str, str]]()
    for seed in range(first, first + BARREN * applications):
        wanting = [name for name in names if tally.tried(name) < applications]
        if not wanting:
            break
        try:
            check_primitives([PRIMITIVES[name] for name in wanting], seed, tally, form)
        except AssertionError as e:
            [name] = e.__notes__
            found.append((name, f"{name}, {form}{' ' * bool(form)}seed {seed}: {e}"))
    return [
        Row(
            name,
            tally.tried(name),
            tally.accepted[name],
            tally.refusals(name),
            tally.unsafe(name),
            tally.refused[name, "Unknown"],
            tally.claimed(name),
            tally.examples[name, "real"],
            tally.examples[name, "open"],
            tally.seconds.get(name, 0.0),
            tuple(text for of, text in found if of == name),
            form,
        )
        for name in names
    ]


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table, with their sum.

    >>> print(table([Row("fuse", 10, 2, 8, 5, 1, 3, 2, 1, 0.4)]).splitlines()[2])
    | `fuse` | 10 | 2 | 8 | 5 | 1 | 2 of 3 | 1 | 0 | 0 |
    """
    rows = sorted(rows, key=lambda r: (r.form, r.name))
    all_ = sum((replace(r, name="all", form="") for r in rows), Row("all"))
    lines = [HEADS, ("---", *["--:"] * (len(HEADS) - 1)), *(r.cells() for r in (*rows, all_))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def run(
    names: Sequence[str], applications: int, first: int = 0, jobs: int | None = None, forms: Sequence[str] = ("",)
) -> list[Row]:
    """`soak` for several primitives, with each of several forms, in parallel processes."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=console) if console.is_terminal else None
    shares = [(first + BARREN * k, min(SHARE, applications - k)) for k in range(0, applications, SHARE)]
    rows = {(name, form): Row(name, form=form) for name in names for form in forms}
    with progress or nullcontext(), ProcessPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        task = progress.add_task("applications of each", total=applications * len(forms)) if progress else None
        futures = {pool.submit(soak, names, n, seed, form): n for form in forms for seed, n in shares}
        for done in as_completed(futures):
            for row in done.result():
                rows[row.name, row.form] += row
            if progress and task is not None:
                progress.update(task, advance=futures[done])
    return [*rows.values()]


def main(
    applications: Annotated[int, typer.Option("-n", "--applications", min=1, help="How often to try each.")] = 10000,
    primitive: Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")] = None,
    form: Annotated[list[str] | None, typer.Option(help="Only programs in this form, or all; may be repeated.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many processes; default: one a processor.")] = None,
    first: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
) -> None:
    """Applies every primitive to random programs and checks all that is accepted or refuted."""
    forms = sorted(FORMS) if "all" in (form or ()) else form or [""]
    for what, asked, there in (("primitive", primitive or (), PRIMITIVES), ("form", forms if form else (), FORMS)):
        unknown = sorted({*asked} - {*there})
        if unknown:
            raise typer.BadParameter(f"no {what} is called {', '.join(unknown)}; there are {', '.join(sorted(there))}")
    rows = run(primitive or sorted(PRIMITIVES), applications, first, jobs, forms)
    for row in rows:
        for v in row.violations:
            print(f"{v}\n")
    print(table(rows))
    sys.exit(any(r.violations for r in rows))


if __name__ == "__main__":
    typer.run(main)
