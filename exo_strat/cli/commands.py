"""The command line, `exo-strat`.

Exit codes: 0 all well; 1 a check failed, or the code can't be imported or compiled; 2 wrong usage or bad input; 130
interrupted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Console
from rich.table import Table

from .. import plugins
from ..cursors.proc import Proc
from ..machine import Machine
from ..shadow import shadows
from .audit import objections, run_audit
from .check import FORMATS, Format, check_file
from .explain import run_explain, run_lint
from .files import (
    FileError,
    Source,
    check_apart,
    flags_of,
    importer_of,
    options_of,
    procs_of,
    read,
    split,
    split_expression,
    split_proc,
)
from .messages import cache, columns, how_to_compile, print_python, reporting, say, stop
from .new import new_command
from .package import package_command
from .serving import serve_command
from .targets import find_target, native, runnable, targets, write_c
from .tuning import check_sizes, parsed_sizes
from .tuning_commands import Defined, Ignored, Included, Nonnull, auto_command, tune_command, tuned_command
from .viewing import view

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

BLAS_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

TargetName = Annotated[str | None, typer.Option("--target", "-t", help="A target that `exo-strat targets` lists.")]
WidestName = Annotated[
    str | None,
    typer.Option("--target", "-t", help="A target that `exo-strat targets` lists, else the widest of this processor."),
]


def main() -> None:
    """Run the command line, unless a folder of the user hides one of our packages."""
    hidden = shadows()
    if hidden:
        Console(stderr=True).print("\n".join(map(str, hidden)), style="red", markup=False, soft_wrap=True)
        raise SystemExit(2)
    app()


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(f"exo-strat {version('exo-strat')}")
        except PackageNotFoundError:
            typer.echo("exo-strat, from a checkout that is not installed")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Loop programs made fast by rewriting strategies that are values."""


# -- commands -----------------------------------------------------------------------------------------


@app.command("demo")
def demo_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="sgemm (the default), gemv, gemv_t, axpy, blur; packages may add more."),
    ] = None,
    target: TargetName = None,
    image: Annotated[Path | None, typer.Option(help="For blur: an image; else one is generated.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A folder for the C, else the user's cache; or for blur, the new image."),
    ] = None,
    compare: Annotated[Path | None, typer.Option(help="For blur: an image of before and after, side by side.")] = None,
) -> None:
    """Schedule programs, compile them, check them against NumPy and time them beside NumPy.

    Takes the widest vectors that this processor has, unless --target names another target.

    Examples: [b]exo-strat demo[/b], [b]exo-strat demo gemv --target avx2 -o /tmp/gemv[/b],
    [b]exo-strat demo blur --image in.png --out out.png[/b]
    """
    for variable in BLAS_THREADS:  # read once, when NumPy is first imported
        os.environ[variable] = "1"
    from .images import Asked, run_any

    with reporting():
        asked = Asked(image, out, compare, cache() / "demo")
        wrong = run_any(names or ["sgemm"], runnable(target), asked, Console())
    if wrong:
        stop(f"{', '.join(wrong)}: differs from NumPy by more than its bound: please report this as a bug", 1)


@app.command()
def show(
    where: Annotated[str, typer.Argument(metavar="FILE[:NAME]", help="A Python file, and a Proc in it.")],
    target: TargetName = None,
) -> None:
    """Print a Proc of a Python file, or without NAME the list of the file's Procs.

    A function of the file with one parameter, annotated Machine, is a schedule: it makes its Proc for --target.

    Examples: [b]exo-strat show gemm.py[/b], [b]exo-strat show gemm.py:sgemm --target avx2[/b]
    """
    with reporting():
        path, name = split(where)
        source = read(path)
        if name is None:
            _list(source)
        else:
            print_python(str(source.proc(name, _machine(target))))


@app.command("import")
def import_command(
    where: Annotated[
        str, typer.Argument(metavar="FILE[:FUNCTION]", help="A C file, or a Python file with NumPy, and a function.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The Python file; else it is printed.")] = None,
    nonnull: Nonnull = None,
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="NAME=TYPE", help="For NumPy: what an argument is, such as a=f64[n,m]."),
    ] = None,
    ignore: Ignored = None,
    include: Included = None,
    define: Defined = None,
) -> None:
    """Write a function in C or NumPy, and those it calls, as object code: a Python file for `show` and `build`.

    All that isn't taken is reported at once, each with its line, the reason and what to do; then the exit code is 1 and
    nothing is written.

    Examples: [b]exo-strat import kernel.c:gemm -o gemm.py[/b], [b]exo-strat import kernel.c[/b],
    [b]exo-strat import model.py:smooth --shape "a=f64\\[n,m]" -o smooth.py[/b]
    """
    path, name = split(where)
    with reporting():
        head, colon, names = where.rpartition(":")
        if name is None and colon and Path(head).is_file():
            raise FileError(f"{names!r} is no name of a function: one is imported, with those that it calls")
        if not path.is_file():
            raise FileError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}: expected a file")
        if out is not None:
            check_apart(out, path)
        given = {"nonnull": nonnull, "ignore": ignore, "flags": flags_of(include, define), "shapes": shape}
        importer = importer_of(path)
        try:
            text = importer(path, name, **options_of(importer, path, given))
        except ValueError as e:
            stop(str(e), 1)
        if out is None:
            print_python(text.removesuffix("\n"))
        else:
            out.write_text(text)


@app.command("figure")
def figure_command(
    where: Annotated[str, typer.Argument(metavar="FILE:NAME", help="A Python file, and a Proc in it.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The SVG file.")],
    strategy: Annotated[
        str | None, typer.Option("--schedule", help="A strategy in the file or a call of one, applied first.")
    ] = None,
    target: TargetName = None,
) -> None:
    """Draw the loop nest of a Proc as SVG: where each buffer is computed and stored, and the windows.

    Example: [b]exo-strat figure blur.py:blur --schedule "tiles(32, 256)" -o blur.svg[/b]
    """
    with reporting():
        path, name = split_proc(where)
        source, machine = read(path), _machine(target)
        check_apart(out, path)
        proc = source.proc(name, machine)
        if strategy is not None:
            proc = source.scheduled(strategy, proc, machine)
        draw = cast(Callable[[Proc], str], plugins.load(plugins.FIGURES, "nest"))
        out.write_text(draw(proc))
    typer.echo(out)


@app.command()
def build(
    where: Annotated[str, typer.Argument(metavar="FILE[:NAME]", help="A Python file, and a Proc in it.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the C; made if missing.")],
    target: TargetName = None,
    name: Annotated[str | None, typer.Option("--name", help="The C module's name; else the file's.")] = None,
) -> None:
    """Write C and a header for the Procs that a file exports: those in __all__, else all public ones.

    Schedules (functions of one parameter, annotated Machine) make their Procs for --target. A warning says where the
    code of others needs more of a processor than --target does.

    Examples: [b]exo-strat build blur.py -o out[/b], [b]exo-strat build gemm.py:sgemm -o out --target avx512[/b]
    """
    with reporting():
        path, only = split(where)
        if name is not None and not (name.isidentifier() and name.isascii()):
            raise FileError(f"--name {name!r} is no C identifier: use letters, digits and _, and no digit first")
        source = read(path)
        machine = _machine(target)
        procs = procs_of(source, (only,) if only else source.exports, machine)
        written = write_c(procs, name or _c_name(path), out, machine)
    for file in written.files:
        typer.echo(file)
    if written.beyond:
        say(f"the code needs {', '.join(written.beyond)}, which the target {machine} does not ask of a processor")
    how_to_compile(written.command, written.linked)


@app.command()
def audit(
    where: Annotated[str, typer.Argument(metavar="FILE:NAME", help="A Python file, and a Proc in it.")],
    target: TargetName = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the obligations go; else the user's cache.")
    ] = None,
) -> None:
    """Write every proof that a Proc rests on as SMT-LIB 2, and have a second solver (cvc5) check it again.

    Replays all rewrites that made the Proc and those of the Procs that it calls. Ends with 1 if cvc5 disagrees.

    Examples: [b]exo-strat audit blur.py:blur[/b], [b]exo-strat audit gemm.py:sgemm --target avx2 -o proofs[/b]
    """
    with reporting():
        path, name = split_proc(where)
        folder = out or cache() / "audit" / name
        wrong = run_audit(read(path).proc(name, _machine(target)), folder, Console())
    if wrong:
        stop(objections(wrong, folder), 1)


@app.command()
def explain(
    strategy: Annotated[
        str, typer.Argument(metavar="FILE:STRATEGY", help="A Python file, and a strategy in it or a call of one.")
    ],
    where: Annotated[str, typer.Argument(metavar="FILE:PROC", help="A Python file, and a Proc in it.")],
    steps: Annotated[bool, typer.Option("--steps", help="A diff of the program at every primitive rewrite.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every step, moves and the insides of traversals too.")
    ] = False,
    target: WidestName = None,
) -> None:
    """Apply a strategy to a Proc, and print what it tried: what succeeded, what was refused and why, in which time.

    The strategy is applied to the whole procedure; to apply it to a loop, write at('for i in _: _', ..). A strategy
    for a machine is a function of one parameter, `def plan(machine: Machine)`, which gets that of --target; or the file
    imports a machine. Ends with 1 if the strategy as a whole is refused.

    Examples: [b]exo-strat explain gemm.py:blocked gemm.py:sgemm[/b],
    [b]exo-strat explain "tiles.py:at('for i in _: _', tile(4, 8))" gemm.py:sgemm --steps[/b]
    """
    with reporting():
        path, name = split_proc(where)
        file, expression = split_expression(strategy)
        source, machine = read(file), _chosen(target)
        op = source.op(expression, machine)
        p = (source if path == file else read(path)).proc(name, machine)
        with source.running():
            succeeded = run_explain(op, p, Console(), steps, everything, f"{file}:")
    if not succeeded:
        raise typer.Exit(1)


@app.command("view")
def view_command(
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="[FILE:STRATEGY] FILE:PROC", help="A Python file and a strategy in it or a call of one, and a Proc."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file.")],
    sizes: Annotated[
        str, typer.Option("--sizes", metavar="n=1000,m=500", help="Integer arguments, for footprints and the roofline.")
    ] = "",
    target: WidestName = None,
) -> None:
    """Write a schedule as an HTML file to look at: each rewrite, what it changed and proved, what was refused and why.

    With a strategy, it is applied to the Proc, as `explain` does; a Proc alone is shown with the rewrites that made it.
    The file needs no network. With --sizes, a call of the last version is measured. Ends with 1 if the strategy as a
    whole is refused; the file shows how far it came.

    Examples: [b]exo-strat view gemm.py:blocked gemm.py:sgemm -o film.html[/b],
    [b]exo-strat view gemm.py:sgemm_avx2 -o film.html --sizes M=512,N=512,K=512[/b]
    """
    if len(places) > 2:
        stop(f"view takes a strategy and a procedure, or a procedure alone, not {len(places)} places", 2)
    with reporting():
        given = parsed_sizes(sizes)
        path, name = split_proc(places[-1])
        machine, source = _chosen(target), read(path)
        check_apart(out, path)
        op, running, called = None, source, ""
        if len(places) == 2:
            file, called = split_expression(places[0])
            check_apart(out, file)
            running = source if file == path else read(file)
            op = running.op(called, machine)
        p = source.proc(name, machine)
        check_sizes(p, given)
        with running.running():
            t = view(p, machine, op, called, given, out, Console(stderr=True))
    typer.echo(out)
    if t is not None and t.failure is not None:
        stop(f"the strategy was refused: {t.failure.reason().splitlines()[0]}", 1)


@app.command()
def lint(
    strategy: Annotated[
        str, typer.Argument(metavar="FILE:STRATEGY", help="A Python file, and a strategy in it or a call of one.")
    ],
    target: WidestName = None,
) -> None:
    """Look for faults in a strategy that show before it is applied: repetitions without end, dead alternatives.

    Names the law of strategies that shows each, and what to write instead. A strategy for a machine is a function of
    one parameter, `def plan(machine: Machine)`, which gets that of --target. Ends with 1 if there are any.

    Examples: [b]exo-strat lint gemm.py:blocked[/b], [b]exo-strat lint "tiles.py:tile(4, 8)"[/b]
    """
    with reporting():
        file, expression = split_expression(strategy)
        op = read(file).op(expression, _chosen(target))
    if not run_lint(op, Console()):
        raise typer.Exit(1)


@app.command("check")
def check_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE..", help="Python files with object code.")],
    form: Annotated[Format, typer.Option("--format", help="For editors, for programs, or for GitHub's checks.")] = (
        Format.TEXT
    ),
) -> None:
    """Print what is wrong in all Procs of Python files: FILE:LINE:COLUMN: error: MESSAGE, which editors take.

    The files are run; what uses a Proc with a mistake is left out, and noted. Ends with 1 if anything is wrong.

    Examples: [b]exo-strat check gemm.py[/b], [b]exo-strat check kernels/*.py --format github[/b]
    """
    with reporting():
        found = [f for path in files for f in check_file(path)]
    if found or form is Format.JSON:
        typer.echo(FORMATS[form](found))
    if any(f.severity == "error" for f in found):
        raise typer.Exit(1)


@app.command("targets")
def targets_command(
    shows_native: Annotated[
        bool, typer.Option("--native", help="Show the numbers of this processor instead, and how each was found.")
    ] = False,
    target: TargetName = None,
) -> None:
    """List the targets: vector widths, and whether this processor can run them.

    With --native: caches, units and cores, as strategies know them of the target, by default the widest that runs here.

    Examples: [b]exo-strat targets[/b], [b]exo-strat targets --native[/b]
    """
    if shows_native:
        _show_native(target)
        return
    with reporting():
        found = targets() if target is None else (find_target(target),)
    table = Table(*columns("target", "machine", "elements in a vector", "here"))
    for t in found:
        widths = ", ".join(f"{p} {n}" for p, n in sorted(t.machine.vec_widths.items())) or "no vectors"
        table.add_row(t.name, t.machine.name, widths, f"lacks {', '.join(t.missing)}" if t.missing else "yes")
    Console().print(table)


def _show_native(name: str | None) -> None:
    """The numbers of the processor as a target."""
    with reporting():
        chosen = runnable(name)
        found = native(chosen)
    table = Table(*columns("", chosen.name, "how it was found"))
    for fact in found.facts:
        table.add_row(fact.what, fact.value, fact.how)
    Console().print(table)


app.command("new")(new_command)
app.command("package")(package_command)
app.command("tune")(tune_command)
app.command("tuned")(tuned_command)
app.command("auto")(auto_command)
app.command("serve-json")(serve_command)


# -- helpers ------------------------------------------------------------------------------------------


def _machine(target: str | None) -> Machine | None:
    return find_target(target).machine if target is not None else None


def _chosen(target: str | None) -> Machine:
    """The machine of a target, or of the widest one that this processor has."""
    return (runnable(None) if target is None else find_target(target)).machine


def _c_name(path: Path) -> str:
    """The file's name as a C identifier."""
    word = "".join(c if c.isascii() and c.isalnum() else "_" for c in path.stem)
    return word if word.isidentifier() else f"_{word}"


def _list(source: Source) -> None:
    """The names that a file exports, each with its signature."""
    if not source.exports:
        raise FileError(source.nothing())
    width = max(map(len, source.exports))
    for name in source.exports:
        value = getattr(source.module, name)
        lines = str(value).splitlines() if isinstance(value, Proc) else ["a schedule: makes its Proc for --target"]
        signature = next((line for line in lines if line.startswith("def ")), lines[0])
        typer.echo(f"{name:{width}}  {signature}")
