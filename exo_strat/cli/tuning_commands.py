"""The commands `tune`, `tuned` and `auto`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..tuning.sizes import sized
from ..tuning.tuned import tuned
from .automatic import Fast, Known, check_emit, check_out, in_c, print_best, print_made, run_auto
from .files import (
    FileError,
    RefusedImportError,
    flags_of,
    program_names,
    read,
    read_program,
    split_expression,
    split_names,
    split_program,
)
from .messages import INTERRUPTED, UsageError, reporting, stop, warned
from .targets import NotCompiledError, find_target, runnable
from .tuning import SEARCHES, Asked, check_sizes, known_of, parsed_sizes, print_known, run_tune, seconds, setting_of
from .writing import About

ProcPlace = Annotated[
    str, typer.Argument(metavar="FILE:PROC", help="A Python file and a Proc in it, or a C file and a function.")
]
Sizes = Annotated[
    list[str] | None, typer.Option("--sizes", metavar="n=1000,m=500", help="The integer arguments; may be repeated.")
]
TargetName = Annotated[
    str | None, typer.Option("--target", "-t", help="A target that this processor can run, else the widest.")
]
AutoTarget = Annotated[
    str | None, typer.Option("--target", "-t", help="A target that `exo-strat targets` lists, else the widest here.")
]
Trials = Annotated[int | None, typer.Option("--trials", help="How many candidates are tried at most, at each size.")]
SearchName = Annotated[str, typer.Option("--search", help=f"How candidates are chosen: {', '.join(SEARCHES)}.")]
Seed = Annotated[int, typer.Option("--seed", help="What a search draws by: the same one tries the same.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", help="How many candidates are compiled at once.")]
Records = Annotated[
    Path | None, typer.Option("--records", help="The file of records, read and added to; else the user's.")
]
Nonnull = Annotated[
    list[str] | None, typer.Option("--nonnull", metavar="NAME", help="For C: a pointer that is never null.")
]
Ignored = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="NAME", help="A function whose calls are left out.")
]
Included = Annotated[list[str] | None, typer.Option("-I", metavar="DIR", help="For C: where headers are.")]
Defined = Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=TEXT]", help="For C: a macro.")]
Emit = Annotated[str | None, typer.Option("--emit", help="Print this: strategy (a Python file), proc, or c.")]


def tune_command(
    strategy: Annotated[
        str, typer.Argument(metavar="FILE:STRATEGY", help="A Python file, and a strategy with holes in it.")
    ],
    where: ProcPlace,
    sizes: Sizes = None,
    budget: Annotated[str | None, typer.Option("--budget", help="How long to search: 60s, 2m, 1h.")] = None,
    trials: Trials = None,
    search: SearchName = "random",
    seed: Seed = 0,
    target: TargetName = None,
    records: Records = None,
    jobs: Jobs = None,
    again: Annotated[bool, typer.Option("--again", help="Also measure what records know to be slower.")] = False,
    nonnull: Nonnull = None,
    ignore: Ignored = None,
    include: Included = None,
    define: Defined = None,
) -> None:
    """Search for the values of a strategy's holes with which it makes the fastest program.

    Candidates are scheduled and compiled in processes of their own, then measured one by one, and what wins computes
    what the unscheduled program does. What was measured is recorded at once, so that Ctrl-C keeps it (the exit code is
    130 then). Each of the --sizes gets an equal part of the time. Ends with 1 if nothing could be measured, or if
    something computed other results.

    Examples: [b]exo-strat tune gemm.py:blocked gemm.py:sgemm --sizes n=1000,m=500 --budget 60s[/b]
    """
    with reporting():
        time = None if budget is None else seconds(budget)
        asked = Asked(_sizes(sizes), time, trials, search, seed, jobs, records, again)
        path, name = split_program(where)
        file, expression = split_expression(strategy)
        chosen, source = runnable(target), read(file)
        op = source.op(expression, chosen.machine)
        given = {"nonnull": nonnull, "ignore": ignore, "flags": flags_of(include, define)}
        of, name = (source, name) if path == file else read_program(path, name, given)
        p = of.proc(name, chosen.machine)
        with source.importable(), of.importable():
            found = run_tune(op, p, chosen, asked, Console())
    if found[-1].stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    came_of = {t.status for made in found for t in made.tried}
    if "measured" not in came_of or "wrong" in came_of:
        raise typer.Exit(1)


def tuned_command(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[FILE:STRATEGY] FILE:PROC",
            help="Maybe a strategy with holes in it; and a Proc, or a C file and a function.",
        ),
    ],
    records: Records = None,
    sizes: Sizes = None,
    by_sizes: Annotated[
        bool, typer.Option("--by-sizes", help="Values that depend on the sizes, decided when the program is called.")
    ] = False,
    emit: Emit = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where what --emit says is written.")] = None,
    target: TargetName = None,
    nonnull: Nonnull = None,
    ignore: Ignored = None,
    include: Included = None,
    define: Defined = None,
) -> None:
    """Print what was measured of a program; with a strategy, what it is with the best values that are known.

    A function in C is imported first, as `exo-strat import` does. Without --sizes these are the best over all sizes,
    else those at the nearest ones; with --by-sizes the program asks for its sizes, and takes what was fastest at such.
    Where nothing fits, holes have their defaults.

    Examples: [b]exo-strat tuned gemm.py:sgemm[/b],
    [b]exo-strat tuned gemm.py:blocked gemm.py:sgemm --sizes n=1000,m=500 --emit c[/b],
    [b]exo-strat tuned gemm.py:blocked gemm.py:sgemm --by-sizes --emit c[/b]
    """
    with reporting():
        check_emit(emit)
        if len(places) > 2:
            raise UsageError(f"a strategy and a Proc are all that is taken, not {len(places)} names")
        strategy = places[0] if len(places) == 2 else None
        (path, name), chosen = split_program(places[-1]), runnable(target)
        given = {"nonnull": nonnull, "ignore": ignore, "flags": flags_of(include, define)}
        source, name = read_program(path, name, given)
        p = source.proc(name, chosen.machine)
        plans, op = source, None
        if strategy is not None:
            file, expression = split_expression(strategy)
            plans = source if path == file else read(file)
            op = plans.op(expression, chosen.machine)
        elif emit or sizes or by_sizes:
            raise UsageError("--emit, --sizes and --by-sizes are for a strategy: name one before the Proc")
        at = None
        if sizes:
            if by_sizes:
                raise UsageError("--by-sizes is for all sizes that are known: leave --sizes out")
            if len(sizes) > 1:
                raise UsageError("one program has one set of numbers here: give --sizes once")
            at = parsed_sizes(sizes[0])
            check_sizes(p, at)
        check_out(out, emit, path)
        here, (known, others) = setting_of(chosen), known_of(p, records)
        if emit is None:
            print_known(p, op, known, here, Console(), others)
        if op is not None:
            about = About(p, source, name, chosen, "tuned")
            with plans.running():
                with warned():
                    best = sized(op, known, here) if by_sizes else tuned(op, known, here, at)
                print_best(about, best, known, emit, out, others if emit else 0)


def auto_command(
    where: Annotated[
        str,
        typer.Argument(
            metavar="FILE[:NAME,..]", help="A Python file and Procs in it, or a C file and functions; else all."
        ),
    ],
    target: AutoTarget = None,
    tune: Annotated[str | None, typer.Option("--tune", help="How long to search for the best numbers: 60s.")] = None,
    sizes: Sizes = None,
    search: SearchName = "random",
    seed: Seed = 0,
    jobs: Jobs = None,
    records: Records = None,
    threads: Annotated[int, typer.Option(min=1, help="How many threads share loops.")] = 1,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every step, and what was refused and why.")] = False,
    emit: Emit = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Where what --emit says is written.")] = None,
    nonnull: Nonnull = None,
    ignore: Ignored = None,
    include: Included = None,
    define: Defined = None,
) -> None:
    """Make a program fast without a strategy of your own, and say what became of each nest of loops.

    With --tune it searches first, as `exo-strat tune` does. With --sizes alone, it takes the best numbers that records
    know for the sizes. With --emit strategy, it prints a Python file with the
    steps that were taken, to go on from: `exo-strat explain` and `build` take it.

    Without a name it takes all programs of the file. A function in C is imported first, by what `exo-strat import`
    assumes. One that is not taken is reported, and the others are made fast; then it ends with 1.

    Examples: [b]exo-strat auto gemm.c:sgemm --emit c -o fast.c[/b],
    [b]exo-strat auto gemm.py:sgemm --emit strategy -o fast.py[/b],
    [b]exo-strat auto gemm.py:sgemm --tune 60s --sizes n=1000,m=500 --emit c[/b]
    """
    with reporting():
        check_emit(emit)
        if tune and not sizes:
            raise UsageError("--tune needs --sizes: those that the program is called with, such as n=1000,m=500")
        if len(sizes or ()) > 1:
            raise UsageError("one program has one set of numbers here: give --sizes once, or see `exo-strat tune`")
        path, named = split_names(where)
        check_out(out, emit, path)
        chosen = runnable(target) if tune or target is None else find_target(target)
        given = {"nonnull": nonnull, "ignore": ignore, "flags": flags_of(include, define)}
        names = program_names(path, named, given)
        if len(names) > 1 and (emit == "strategy" or sizes):
            what = "--emit strategy" if not sizes else "--tune" if tune else "--sizes"
            raise UsageError(f"{what} is for one program: name one of {', '.join(names)}, as in {path}:NAME")
        asked = None if tune is None else Asked(_sizes(sizes), seconds(tune), None, search, seed, jobs, records)
        known = Known(parsed_sizes(sizes[0]), records) if sizes else None
        console, made, refused = Console(stderr=emit is not None), list[Fast](), list[ValueError]()
        for name in names:
            try:
                source, name = read_program(path, name, given)
                about = About(source.proc(name, chosen.machine), source, name, chosen)
                with source.importable():
                    made.append(run_auto(about, asked or known, console, threads, verbose))
            except (RefusedImportError, FileError) as e:
                if len(names) == 1:
                    raise
                refused.append(e)
        if emit is not None:
            try:
                print_made(made, emit, out, path.stem)
            except NotCompiledError:
                if len(names) == 1:
                    raise
                made, more = in_c(made, path.stem)
                refused += more
                print_made(made, emit, out, path.stem)
        if refused:
            stop("\n".join(map(str, refused)), 1)


def _sizes(given: list[str] | None) -> tuple[dict[str, int], ...]:
    if not given:
        return ({},)
    return tuple(map(parsed_sizes, given))
