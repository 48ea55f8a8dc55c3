"""From a C file to a Python file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import exo_strat
from exo_strat import Proc, with_room

from ..externs import externs
from ..report import ImportRefusedError, Problem, Report, Stop
from . import output
from .options import Options
from .preprocess import check, preprocessed
from .program import Procedure
from .reader import read
from .shapes import find_shapes
from .syntax import Call, Function, Unit
from .translate import translate
from .verify import verify
from .walks import expressions


def from_c(
    file: Path,
    function: str | None = None,
    nonnull: Collection[str] = (),
    ignore: Collection[str] = (),
    flags: Sequence[str] = (),
) -> str:
    """The text of a Python file with a procedure for a C function of a file (the only one that no other calls, if none
    is named), and for those that it calls. `nonnull` names pointers that are never null, `ignore` functions whose
    calls are left out, as they change nothing that this one reads; `flags` are for the preprocessor.

    Raises `ImportRefusedError` with all that isn't taken.
    """
    try:
        return _converted(file, function, Options(frozenset(nonnull), frozenset(ignore), tuple(flags)))
    except RecursionError as e:
        raise ImportRefusedError(f"{file} is nested too deeply to be read: split its longest expressions") from e


@with_room
def _converted(file: Path, function: str | None, options: Options) -> str:
    text = preprocessed(file, options.flags)
    check(file, options.flags)
    unit = read(text, file, options.ignore)
    wanted = _wanted(unit, function)
    report, done = Report(), dict[str, Procedure]()
    env: dict[str, object] = dict(vars(exo_strat)) | dict(externs())
    for f in _in_order(wanted, unit, report):
        made = _one(f, unit, done, report, options, env, called=f is not wanted)
        if made is not None:
            done[f.name], env[made.name()] = made.procedure, made.proc
    if report.problems:
        lines = file.read_text(errors="replace").splitlines()
        raise report.refuse(str(file), lines)
    return output.text(list(done.values()), file)


class _Made:
    """A procedure, translated and checked."""

    def __init__(self, procedure: Procedure, proc: Proc) -> None:
        self.procedure = procedure
        self.proc = proc

    def name(self) -> str:
        return self.procedure.name


def _one(
    f: Function,
    unit: Unit,
    done: Mapping[str, Procedure],
    report: Report,
    options: Options,
    env: Mapping[str, object],
    called: bool,
) -> _Made | None:
    before = len(report.problems)
    ctx = translate(f, unit, done, report, options)
    ctx.procedure.windows = called
    if called and f.exits is not None:
        why = "its caller would go on"
        report.add(Problem(f.exits, "exit(..) in a function that another one calls", why, "return a number instead"))
    if len(report.problems) == before:
        try:
            find_shapes(ctx)
        except Stop as found:
            report.add(found.problem)
    if len(report.problems) > before:
        return None
    proc = verify(ctx, env)
    return None if proc is None else _Made(ctx.procedure, proc)


def _wanted(unit: Unit, name: str | None) -> Function:
    """The function to import."""
    if not unit.functions:
        raise ImportRefusedError(f"{unit.file} has no function with a body: nothing to import")
    if name is None:
        called = {e.name for f in unit.functions.values() for e in expressions(f.body) if isinstance(e, Call)}
        free = [f for n, f in unit.functions.items() if n not in called and n != "main"]
        if len(free) != 1:
            names = ", ".join(f.name for f in free or unit.functions.values())
            raise ImportRefusedError(f"{unit.file} has several functions: name one of {names}, as in {unit.file}:NAME")
        return free[0]
    if name not in unit.functions:
        raise ImportRefusedError(f"{unit.file} has no function {name}; it has {', '.join(unit.functions)}")
    return unit.functions[name]


def _in_order(wanted: Function, unit: Unit, report: Report) -> list[Function]:
    """A function and all that it calls, callees first."""
    out: list[Function] = []
    running: list[str] = []

    def visit(f: Function) -> None:
        if f in out:
            return
        if f.name in running:
            what = f"{f.name} calls itself"
            report.add(Problem(f.place, what, "the object language has no recursion", "write it as a loop"))
            return
        running.append(f.name)
        for g in _called(f, unit):
            visit(g)
        running.pop()
        out.append(f)

    visit(wanted)
    return out


def _called(f: Function, unit: Unit) -> Iterator[Function]:
    names = dict.fromkeys(e.name for e in expressions(f.body) if isinstance(e, Call))
    return (unit.functions[n] for n in names if n in unit.functions)
