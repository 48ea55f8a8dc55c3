"""What a strategy did to a program: its steps, and as a Python file to go on from."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

from ..cursors.cursor import Cursor, ProcCursor
from ..cursors.proc import Proc
from ..ops.combinators import TryElse
from ..ops.explain import line_of
from ..ops.spaces import scoped
from ..ops.strategy import Called, Op
from ..ops.tracing import Trace
from ..plugins import TARGETS, entry
from ..source import holds_lambda, layout, show
from ..source.places import place_source
from ..tuning import __all__ as tuning_names
from .files import PUBLIC, Source, file_of, importable, package_root
from .targets import Target


@dataclass(frozen=True)
class Step:
    """A part of what a strategy did: an Op at a place, with the values of its holes, by name as from there; what was
    refused before it, with the reasons. `op` is None where nothing was done."""

    op: Op | None
    place: Cursor
    values: Mapping[str, Any]
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def line(self) -> str:
        """The line of object code at which it acts."""
        return line_of(self.place.proc, self.place.place())


def steps(t: Trace) -> tuple[Step, ...]:
    """What a strategy did, one step for each part of the program: what is applied to the whole is looked into as far as
    it has holes, or could not be written down."""
    return tuple(_steps(t, ""))


def _steps(t: Trace, path: str) -> Iterator[Step]:
    within, whole = _within(t, path), isinstance(t.place, ProcCursor)
    if t.failure is not None:
        met = next((x for x in t.walk() if isinstance(x.op, Called) and not isinstance(x.place, ProcCursor)), None)
        if met is not None:
            yield Step(None, met.place, {}, tuple(_alternatives(met)))
    elif changed(t) and not (whole and t.inside and (_has_holes(t) or holds_lambda(t.op))):
        yield _step(t, path)
    elif changed(t) or not isinstance(t.op, Called) or _has_holes(t):
        for x in t.inside:
            yield from _steps(x, within)


def _step(t: Trace, path: str) -> Step:
    """What changed a part of the program: by the name of the innermost function that made all of it."""
    refused = list[tuple[str, str]]()
    chosen, around, here = t, path, t
    while (inner := _alone(here)) is not None:
        refused += [r for x in here.inside if x is not inner for r in _alternatives(x)]
        around, here = _within(here, around), inner
        if isinstance(here.op, Called) or not isinstance(chosen.op, Called):
            chosen, path = here, around
    return Step(chosen.op, chosen.place, _values(chosen, path), tuple(refused))


def _within(t: Trace, path: str) -> str:
    """What the names of holes inside an Op begin with."""
    return f"{path}{t.op.name}." if isinstance(t.op, Called | scoped) else path


def changed(t: Trace) -> bool:
    """Whether an Op made another program."""
    return t.result is not None and t.result is not t.place.proc


def _alone(t: Trace) -> Trace | None:
    """The Op inside that made all of a change, if it is one."""
    made = [x for x in t.inside if x.failure is None and changed(x)]
    return made[0] if len(made) == 1 and made[0].result is t.result and made[0].place.proc is t.place.proc else None


def _has_holes(t: Trace) -> bool:
    return any(x.decisions for x in t.walk())


def _values(t: Trace, path: str) -> dict[str, Any]:
    """The values of the holes that a run came to, by their names as from the Op."""
    found = (d for x in t.walk() for d in x.decisions if d.name.startswith(path))
    return {d.name.removeprefix(path): d.value for d in found}


def _alternatives(t: Trace) -> Iterator[tuple[str, str]]:
    """The functions that were refused, each with the reason; in the place of one that chooses among others, these."""
    if t.failure is None:
        return
    last = t.inside[-1] if t.inside else t
    if isinstance(t.op, Called) and not (isinstance(last.op, TryElse) and last.failure is not None):
        yield t.op.name, t.failure.reason().splitlines()[0]
    else:
        for x in t.inside:
            yield from _alternatives(x)


_HEAD = "from exo_strat import *"
"""What an imported file has before its procedures."""


# -- files --------------------------------------------------------------------------------------------


class NoTextError(ValueError):
    """A strategy that can't be written down: something in it has no name that can be imported."""


@dataclass(frozen=True)
class About:
    """What a strategy is applied to: a Proc, the file and the name in it that make it, and for which target; and by
    which command. It may be a schedule, which makes its Proc for a machine."""

    proc: Proc
    source: Source
    name: str
    target: Target
    command: str = "auto"

    def text(self, done: tuple[Step, ...] | Op, beside: Path) -> str:
        """A Python file in the folder `beside`: a strategy `plan`, and the Proc that it makes.

        Raises `NoTextError` if the strategy can't be written down."""
        body, ops = _body(done)
        is_schedule = not isinstance(vars(self.source.module)[self.name], Proc)
        made = f"_made({show(self.target.machine)})" if is_schedule else "_given"
        origins = _origins(ops)
        files = {Path(f) for f, _ in origins.values() if f}
        own, code = set[str](), ""
        if self.source.text:  # it is in another language: what it was imported as stands in the file itself
            head, _, code = self.source.text.partition(_HEAD)
            own = {x for x in head.splitlines() if x.startswith(("import ", "from ")) and "__future__" not in x}
            code, made = f"\n\n\n{code.strip()}", self.name
        else:
            files.add(self.source.path.resolve())
            own = {f"from {importable(self.source.path)} import {self.name} as {'_made' if is_schedule else '_given'}"}
        imports = "\n".join(sorted({*_imports(ops, self.target, is_schedule), _HEAD, *own}))
        name = self.proc.name()
        return (
            f'"""{name} for {self.target.name}, as `exo-strat {self.command}` made it: a strategy to go on from."""\n\n'
            f"from __future__ import annotations\n\n{_path_to(files, beside)}{imports}{code}\n\n\n{body}\n\n"
            f"{name} = schedule(plan(), {made})\n__all__ = [{name!r}]\n"
        )


def _path_to(files: Iterable[Path], beside: Path) -> str:
    """Lines that put the folders of files on the module path, where they are others."""
    folders = {package_root(file) for file in files} - {beside.resolve()}
    if not folders:
        return ""
    there = sorted(os.path.relpath(folder, beside.resolve()) for folder in folders)
    lines = (f"sys.path.insert(0, str(Path(__file__).parent / {folder!r}))\n" for folder in there)
    return f"import sys\nfrom pathlib import Path\n\n{''.join(lines)}\n"


def _body(done: tuple[Step, ...] | Op) -> tuple[str, tuple[Op, ...]]:
    """The strategy `plan` as Python, and the Ops in it."""
    if isinstance(done, Op):
        return f"@named\ndef plan():\n{indent('return ' + layout(show(done)), '    ')}\n", (done,)
    applied = [(step, step.op) for step in done if step.op is not None]
    lines = []
    for step, op in applied:
        filled = op.fill(step.values) if step.values else op
        place = place_source(step.place).removeprefix(step.place.proc.name())
        lines.append(f"# {step.line}\n" if step.line else "")
        lines.append(f"p, c = yield {layout(f'on(p{place}, {show(filled)})')}\n")
    code = indent("".join(lines) or "yield identity\n", "    ")
    return f"@strategy\ndef plan(p, c: ProcCursor):\n{code}", tuple(op for _, op in applied)


def _imports(ops: tuple[Op, ...], target: Target, names_machine: bool) -> set[str]:
    """The imports of what stands in some Ops, and of the machine, if that is named elsewhere."""
    wanted = {n.id for op in ops for n in ast.walk(ast.parse(show(op))) if isinstance(n, ast.Name)} - PUBLIC.keys()
    known = {name: f"from exo_strat.tuning import {name}" for name in tuning_names}
    known |= {name: line for name, (_, line) in _origins(ops).items()}
    machine = show(target.machine)
    module, _, name = entry(TARGETS, target.name).partition(":")
    known[machine] = f"from {module} import {name}" + (f" as {machine}" if name != machine else "")
    wanted |= {machine} if names_machine else set()
    missing = wanted - known.keys()
    if missing:
        raise NoTextError(f"it names {', '.join(sorted(missing))}, which can't be imported")
    return {known[name] for name in wanted}


def _origins(ops: tuple[Op, ...]) -> dict[str, tuple[str, str]]:
    """The functions in some Ops, by the names that they print as: the file, if it is one that the command line runs,
    and the import."""
    found: dict[str, tuple[str, str]] = {}
    stack: list[Any] = list(ops)
    while stack:
        x = stack.pop()
        if isinstance(x, Called):
            stack.append(x.fn)
            stack += [*x.args, *(v for _, v in x.kwargs)]
        elif isinstance(x, Op):
            stack += vars(x).values()
        elif isinstance(x, tuple):
            stack += x
        elif callable(x) and "<" not in getattr(x, "__qualname__", "<"):
            name, file = x.__qualname__.partition(".")[0], file_of(x)
            found[name] = (file, f"from {importable(Path(file)) if file else _home(x.__module__, name)} import {name}")
    return found


def _home(module: str, name: str) -> str:
    """The package by which users import a name of a module: the outermost one that exports it."""
    parts = module.split(".")
    value = getattr(sys.modules.get(module), name, None)
    packages = (".".join(parts[:k]) for k in range(1, len(parts) + 1))
    return next((m for m in packages if getattr(sys.modules.get(m), name, None) is value), module)
