"""From a C file to a Python file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import exo_strat
from exo_strat import Proc, with_room

from ..externs import externs
from ..report import ImportRefusedError, Problem, Report
from . import output
from .context import Context, Hints
from .options import Options
from .preprocess import check, preprocessed
from .program import Procedure
from .reader import read
from .shapes import find_shapes
from .syntax import Call, Function, Unit, Variable
from .translate import translate
from .verify import verify
from .walks import expressions, variables


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
    report = Report()
    functions = _in_order(wanted, unit, report)
    names = {v: v.name for f in functions for v in variables(f)}
    shared = frozenset[Variable]()
    while True:
        found, done, seen = _all(functions, unit, options, shared)
        more = shared.union(_changed_elsewhere(seen, shared))
        if more == shared:
            break
        shared = more
        for v, name in names.items():
            v.name, v.single, v.rows, v.shared = name, False, (), v in shared
    for p in found.problems:
        report.add(p)
    if report.problems:
        lines = file.read_text(errors="replace").splitlines()
        raise report.refuse(str(file), lines)
    called = _calls(done, wanted.name)
    return output.text([p for name, p in done.items() if name in called], file)


def _all(
    functions: Sequence[Function], unit: Unit, options: Options, shared: frozenset[Variable]
) -> tuple[Report, dict[str, Procedure], dict[str, Procedure]]:
    """Translate functions, callees first: what is said of them, those that are taken, and all."""
    report, done, seen = Report(), dict[str, Procedure](), dict[str, Procedure]()
    env: dict[str, object] = dict(vars(exo_strat)) | dict(externs())
    for f in functions:
        ctx, proc = _one(f, unit, done, report, options, env, Hints(changing=shared, shared=shared), f is functions[-1])
        seen[f.name] = ctx.procedure
        if proc is not None:
            done[f.name], env[ctx.procedure.name] = ctx.procedure, proc
    return report, done, seen


def _changed_elsewhere(seen: Mapping[str, Procedure], shared: frozenset[Variable]) -> Iterator[Variable]:
    """The arguments from which functions take indices, and for which others pass arrays that are no arguments, or that
    something writes."""
    for p in seen.values():
        for name, formal, array in p.passed:
            changes = array.storage == "local" or array in p.written or array in shared
            if changes and formal in seen[name].indexing:
                yield formal


def _one(
    f: Function,
    unit: Unit,
    done: Mapping[str, Procedure],
    report: Report,
    options: Options,
    env: Mapping[str, object],
    hints: Hints,
    last: bool,
) -> tuple[Context, Proc | None]:
    """Translate a function, and check what it became; the last one is called by no other."""
    first: list[Problem] = []
    names = {v: v.name for v in variables(f)}
    while True:
        own = Report()
        ctx = translate(f, unit, done, own, options, hints)
        ctx.procedure.windows = not last
        changing = hints.changing | (ctx.indexing.keys() & ctx.written)
        is_whole = not own.problems and changing == hints.changing
        if is_whole:
            with ctx.reporting():
                find_shapes(ctx)
        proc = verify(ctx, env) if is_whole and not own.problems else None
        single = {v for v in ctx.indexing if v.single}  # nothing can be asserted of the elements of a number
        more = Hints(
            hints.data | (ctx.lost & names.keys()),  # and not those that each attempt makes
            changing | single,
            hints.flat | ctx.flat,
            hints.shared | single,
            hints.sized | ctx.unsized,
        )
        if proc is not None or more == hints:
            break
        hints, first = more, first or ([] if ctx.unsized else own.problems)
        for v, name in names.items():
            v.name, v.single, v.rows, v.shared = name, False, (), v in hints.shared
    if not last and f.exits is not None:
        why = "its caller would go on"
        own.add(Problem(f.exits, "exit(..) in a function that another one calls", why, "return a number instead"))
    for p in _plainest(first, own.problems):
        report.add(p)
    return ctx, None if own.problems else proc


def _calls(done: Mapping[str, Procedure], name: str) -> set[str]:
    """A function and those that it calls, but for those that were put in place."""
    return {name}.union(*(_calls(done, c) for c in done[name].calls))


def _plainest(first: Sequence[Problem], last: Sequence[Problem]) -> Iterator[Problem]:
    """What is said of a function after several attempts: of lines that remain untaken, what was found first."""
    lines = {p.place.line for p in last}
    yield from (p for p in first if p.place.line in lines)
    yield from (p for p in last if p.place.line not in {q.place.line for q in first})


def _wanted(unit: Unit, name: str | None) -> Function:
    """The function to import."""
    if not unit.functions:
        raise ImportRefusedError(f"{unit.file} has no function with a body: nothing to import")
    if name is None:
        called = {e.name for f in unit.functions.values() for e in expressions(f.body) if isinstance(e, Call)}
        free = [f for n, f in unit.functions.items() if n not in called and n != "main"]
        if len(free) != 1:
            names = [f.name for f in free or unit.functions.values()]
            listed = f"name one of {', '.join(names)}, as in {unit.file}:NAME"
            what = "several functions" if len(names) > 1 else "no function beside main"
            raise ImportRefusedError(f"{unit.file} has {what}: {listed}", several=names)
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
