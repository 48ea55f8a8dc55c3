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
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..primitives import PRIMITIVES
from .forms import FORMS
from .harness import Tally, check_primitives

BARREN = 100
"""How many times more programs than applications are tried at most, of primitives that seldom find a target."""
GROUP = 8
"""How many primitives share random programs: one that seldom finds a target keeps the programs from no others."""


@dataclass(frozen=True)
class Row:
    """What came out for one primitive. `unsafe` of the refusals are of the condition of safety. `real` of the
    `examples` given with refusals were seen in a run; `open` ones could not be tried, or not to the end."""

    name: str
    tried: int
    accepted: int
    refused: int
    unsafe: int
    unknown: int
    examples: int
    real: int
    open: int
    seconds: float
    violations: tuple[str, ...] = ()
    form: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        seen = f"{self.real} of {self.examples}"
        counts = (self.tried, self.accepted, self.refused, self.unsafe, self.unknown, seen, self.open)
        what = f"`{self.name}`" + (f", {self.form}" if self.form else "")
        return (what, *map(str, counts), str(len(self.violations)), f"{self.seconds:.0f}")


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
    fields = ("tried", "accepted", "refused", "unsafe", "unknown", "examples", "real", "open", "seconds")
    sums = {f: sum(getattr(r, f) for r in rows) for f in fields}
    all_ = Row("all", **sums, violations=tuple(v for r in rows for v in r.violations))
    lines = [HEADS, ("---", *["--:"] * (len(HEADS) - 1)), *(r.cells() for r in (*rows, all_))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def run(
    names: Sequence[str], applications: int, first: int = 0, jobs: int | None = None, forms: Sequence[str] = ("",)
) -> list[Row]:
    """`soak` for several primitives, with each of several forms, in parallel processes."""
    console, rows = Console(stderr=True), list[Row]()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    progress = Progress(*columns, console=console) if console.is_terminal else None
    with progress or nullcontext(), ProcessPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        task = progress.add_task("primitives", total=len(names) * len(forms)) if progress else None
        groups = [names[k :: -(-len(names) // GROUP)] for k in range(-(-len(names) // GROUP))]
        futures = [pool.submit(soak, group, applications, first, f) for f in forms for group in groups]
        for done in as_completed(futures):
            rows.extend(found := done.result())
            if progress and task is not None:
                progress.update(task, advance=len(found), description=f"{', '.join(r.name for r in found)} done")
    return rows


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
