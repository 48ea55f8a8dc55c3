"""`exo-strat auto`: a program made fast by the strategy that is installed for who doesn't schedule."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

import typer
from rich.console import Console
from rich.text import Text

from .. import plugins
from ..cursors.kinds import CallCursor
from ..cursors.proc import Proc
from ..ir.types import Control
from ..ops.combinators import identity
from ..ops.explain import summary
from ..ops.spaces import Filled
from ..ops.strategy import Op
from ..ops.tracing import trace
from ..source import brief, layout, show
from ..tuning.found import Tuning
from ..tuning.keys import NoKeyError, program_key
from ..tuning.records import Record
from ..tuning.search import best_of, duration
from ..tuning.sizes import Sized
from ..tuning.tuned import WITHIN, SlowerWarning, Tuned, as_it_was, cost, tuned
from ..tuning.tuned import told as told_record
from .files import FileError, read
from .messages import INTERRUPTED, UsageError, how_to_compile, print_python, say, warned
from .targets import NotCompiledError, c_module, compiled_with
from .telling import in_short, told
from .tuning import Asked, check_sizes, known_of, no_record, of_others, run_tune, setting_of
from .writing import About, NoTextError, Step, steps

EMITS: Final = ("strategy", "proc", "c")
"""What can be printed: a Python file with the strategy, the object code, C."""
Plan = Callable[..., Op]
"""Made of a machine and, if there are several, a number of threads (`threads=`)."""


def check_emit(emit: str | None) -> None:
    """Raises `UsageError` for what can't be printed."""
    if emit not in (None, *EMITS):
        raise UsageError(f"--emit {emit}: there are {', '.join(EMITS)}")


@dataclass(frozen=True)
class Fast:
    """What a program became, and the ways to write down how."""

    about: About
    proc: Proc
    ways: Sequence[tuple[Step, ...] | Op]


@dataclass(frozen=True)
class Known:
    """Which numbers are taken without a search: the best that a file of records knows for some sizes."""

    sizes: Mapping[str, int]
    file: Path | None


def run_auto(
    about: About,
    asked: Asked | Known | None,
    console: Console,
    threads: int = 1,
    verbose: bool = False,
) -> Fast:
    """Apply the plan `auto`, with the values that a search finds or records know, if that is asked for; say what it
    did, in short or with all that was tried."""
    make = cast(Plan, plugins.load(plugins.PLANS, "auto"))
    shared = {"threads": threads} if threads > 1 else {}
    op, why = make(about.target.machine, **shared), ""
    if isinstance(asked, Known):
        op = _from_records(op, about, asked, console)
    elif asked is not None:
        (found, *_) = run_tune(op, about.proc, about.target, asked, console)
        if found.stopped == "interrupted":
            console.print("nothing else is written; without --tune, the same --sizes take what is known")
            raise typer.Exit(INTERRUPTED)
        if found.best is None:
            raise FileError("no candidate could be measured, so nothing is chosen")
        op, why = _chosen(op, found)
    outcome, t = trace(op, about.proc)
    if t.failure is not None:
        raise FileError(f"{show(op)} is refused:\n{outcome.failure()}")
    done = steps(t)
    head, *nests = in_short(t)
    lines = [f"{about.proc.name()} for {about.target.name}: {head}{why}", *nests]
    if verbose:
        lines = [f"{about.proc.name()} for {about.target.name}, by {show(op)}", *nests, *told(done), summary(t)]
    if about.source.path.suffix != ".py":
        lines += (about.source.module.__doc__ or "").splitlines()[2:]
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    assert t.result is not None
    return Fast(about, t.result, (done, op))


def _chosen(op: Op, found: Tuning) -> tuple[Op, str]:
    """The strategy that a search found to be the best; and why it leaves a procedure as it was, if it does, unless its
    steps tell."""
    if found.best is None or found.best is not found.unscheduled:
        return found.best_op, ""
    took, other = duration(found.best.seconds or 0.0), best_of(found.tried)
    if other is not None and other.seconds is not None:
        return found.best_op, f", which took {took} where the best schedule took {duration(other.seconds)}"
    same = next((t for t in found.tried if t.status == "same"), None)
    if same is not None:  # its steps say why it changed nothing
        return op.fill(same.decisions), ""
    return found.best_op, f", which took {took}: no schedule could be measured"


def _from_records(op: Op, about: About, asked: Known, console: Console) -> Op:
    """A strategy with the best values that are known for some sizes, or `identity`, if the program as it was is faster
    there; says which it is, or that nothing is known."""
    p = about.proc
    check_sizes(p, asked.sizes)
    missing = [str(a.sym) for a in p.tree.args if isinstance(a.type, Control) and str(a.sym) not in asked.sizes]
    if missing:
        raise UsageError(f"{p.name()} takes {', '.join(missing)}, too: say with which number in --sizes")
    here, (known, others) = setting_of(about.target), known_of(p, asked.file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowerWarning)  # it is acted on below
        best = tuned(op, known, here, asked.sizes)
    assert isinstance(best, Tuned)
    record = best.record(p)
    if record is None:
        console.print(
            Text(
                f"nothing is known of {p.name()} for {about.target.name}, so numbers are the defaults: "
                f"with --tune 60s they are searched for{of_others(p, others)}"
            ),
            soft_wrap=True,
        )
        return op
    console.print(Text(f"numbers from a record: {told_record(record)}"), soft_wrap=True)
    plain = as_it_was(known, program_key(p), here).get(record.sizes)
    if plain is None or record.seconds <= plain.seconds * (1 + WITHIN):
        return Filled(op, record.values)
    console.print(f"the procedure as it was took {cost(plain)}, so it stays as it is")
    return identity


def print_best(
    about: About, best: Op, known: Sequence[Record], emit: str | None, out: Path | None, others: int = 0
) -> None:
    """What a strategy with records (`tuned` or `sized`) is with the best values that are known, or what it makes of a
    program. Which record it is, or that none fits and why, is said beside what is emitted, or under the table of what
    is `known`."""
    assert isinstance(best, Tuned | Sized)
    p = about.proc
    with warned():
        outcome, t = trace(best, p)
    if t.result is None:
        raise FileError(f"{show(best.op)} is refused:\n{outcome.failure()}")
    found, said = best.op, ""
    if isinstance(best, Sized) and (decided := best.decided(p)):
        found, said = decided, f"as few cases as it takes to be within {best.within:.0%} of the best at each size"
    elif isinstance(best, Tuned) and (record := best.record(p)):
        values = {d.name: d.value for x in t.walk() for d in x.decisions}
        found = found.fill({name: values[name] for name, _ in record.values if name in values})
        said = told_record(record)
        if record.sizes and not best.sizes:
            said = f"the best over all sizes that are known; {said}"
    missing = "" if said else no_record(p, best.op, known, best.setting, others)
    if emit is not None:
        say(missing or f"numbers from {'records' if isinstance(best, Sized) else 'a record'}: {said}")
        print_made([Fast(about, t.result, (found,))], emit, out, p.name())
        return
    typer.echo(said or missing.splitlines()[0])
    print_python(layout(show(found)))


def check_out(out: Path | None, emit: str | None, where: Path) -> None:
    """Raises `UsageError` for a place where nothing can or is to be written, before there is anything to write."""
    if out is not None and emit is None:
        raise UsageError("--out needs --emit strategy, proc or c")
    if out is not None and out.resolve() == where.resolve():
        raise UsageError(f"--out {out}: the program itself is there; give another name")
    if out is not None and out.is_dir():
        raise UsageError(f"--out {out} is a folder, and a file is needed there: give another name")
    if out is not None and not out.absolute().parent.is_dir():
        raise UsageError(f"--out {out} can't be made: there is no folder {out.parent}")


def print_made(made: Sequence[Fast], emit: str, out: Path | None, name: str) -> None:
    """Print what is wanted of programs that were made, if there are any, or write it into a file. Several become one
    module of C, of this name; of strategies there is one."""
    if not made:
        return
    first = made[0]
    if emit != "c":
        text = _strategy(first, out) if emit == "strategy" else "\n".join(f"{p}\n" for p in _with_callees(made))
        if out is None:
            print_python(text.removesuffix("\n"))
        else:
            out.write_text(text)
        return
    name = first.proc.name() if len(made) == 1 else name
    module = c_module([m.proc for m in made], name)
    if out is None:
        typer.echo(module.text, nl=False)
    else:
        out.write_text(module.text)
    file = out or Path(f"{name}.c")
    how_to_compile(*compiled_with(module, file, first.about.target.machine.cc_flags), None if out else file)


def in_c(made: list[Fast], name: str) -> tuple[list[Fast], list[NotCompiledError]]:
    """The programs that go into one module of C, and why the others don't."""
    taken, refused = list[Fast](), list[NotCompiledError]()
    for m in made:
        try:
            c_module([x.proc for x in (*taken, m)], name)
        except NotCompiledError as e:
            refused.append(e)
        else:
            taken.append(m)
    return taken, refused


def _with_callees(made: Iterable[Fast]) -> Iterable[Proc]:
    """Programs that were made, each after the procedures that it calls, instructions aside."""
    found: dict[Proc, None] = {}

    def add(p: Proc) -> None:
        for call in p.find_all("_(_)"):  # calls of extern functions, too, which are expressions
            if isinstance(call, CallCursor) and not call.subproc().is_instr():
                add(call.subproc())
        found.setdefault(p)

    for m in made:
        add(m.proc)
    return found


def _strategy(made: Fast, out: Path | None) -> str:
    """A Python file that makes a program again, in the first of some ways that can be written down."""
    about, ways = made.about, made.ways
    beside = (out or about.source.path).parent
    for way in ways:
        try:
            text = about.text(way, beside)
        except NoTextError:
            continue
        if _rebuilds(about, way, made.proc):
            return text
    what = brief(show(ways[-1]))
    raise FileError(f"{what} can't be written down: something in it has no name that can be imported")


def _rebuilds(about: About, way: tuple[Step, ...] | Op, wanted: Proc) -> bool:
    """Whether the file makes just this program: it is run, as `explain` and `build` run it."""
    modules, path = dict(sys.modules), list(sys.path)
    try:
        with TemporaryDirectory() as folder:
            file = Path(folder, "plan.py")
            file.write_text(about.text(way, Path(folder)))
            return program_key(read(file).proc(wanted.name())) == program_key(wanted)
    except (FileError, NoKeyError):
        return False
    finally:
        for name in sys.modules.keys() - modules.keys():
            del sys.modules[name]
        sys.path[:] = path
