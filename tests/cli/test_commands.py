"""The command line: what it prints, its exit codes, and one readable message for each mistake."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from backends.native_machine import native_machine
from exo_strat import Machine, Op, Proc, identity, plugins, proc
from exo_strat.cli.commands import app
from exo_strat.cli.demo import Error, Report, Speed, check, print_report
from exo_strat.cli.files import split
from exo_strat.cli.targets import TargetError, find_target, runnable, targets


@proc
def scale(n: size, x: f32[n]):  # type: ignore
    for i in seq(0, n):  # type: ignore
        x[i] = 2.0 * x[i]


KERNELS = """
from __future__ import annotations
from exo_strat import *

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

@proc
def _helper(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 0.0

alias = scale
number = 3

def blocked(machine: Machine) -> Proc:
    width = machine.vec_width("f32")
    return direct.rename(direct.divide_loop(scale, "i", width, ["io", "ii"], tail="cut"), "blocked")
"""


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


def stops(result: Result, code: int, *words: str) -> None:
    """The command stops with this code and one message on stderr that holds these words."""
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return path


# -- show ---------------------------------------------------------------------------------------------


def test_show_lists_what_a_file_exports(kernels: Path) -> None:
    shown = run("show", kernels)
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.stdout.splitlines()] == ["scale", "blocked"]
    assert "def scale(n: size, x: f32[n]" in shown.stdout


def test_show_prints_a_proc_as_plain_text_into_a_pipe(kernels: Path) -> None:
    shown = run("show", f"{kernels}:scale")
    assert shown.exit_code == 0
    assert "for i in seq(0, n):\n" in shown.stdout
    assert "\x1b" not in shown.stdout


def test_show_prints_private_procs_by_name(kernels: Path) -> None:
    assert "def _helper" in run("show", f"{kernels}:_helper").stdout


def test_show_prints_what_a_schedule_makes_for_a_target(kernels: Path) -> None:
    shown = run("show", f"{kernels}:blocked", "--target", "avx2")
    assert shown.exit_code == 0, shown.stderr
    assert "for ii in seq(0, 8):" in shown.stdout


def test_all_says_what_a_file_exports(kernels: Path) -> None:
    kernels.write_text(KERNELS + "__all__ = ['_helper']\n")
    assert run("show", kernels).stdout.split()[0] == "_helper"


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("{}/nothing.py", ["nothing.py does not exist"]),
        ("{}", ["is a folder"]),
        ("{}/kernels.py:nothing", ["nothing does not exist", "its Procs: scale, blocked"]),
        ("{}/kernels.py:number", ["number is no Proc"]),
        ("{}/kernels.py:blocked", ["choose one with --target"]),
        ("{}/kernels.py:p:x", ["'p:x'", "is no name of a Proc", "kernels.py:NAME"]),
        ("{}/kernels.py:", ["'' in", "is no name of a Proc"]),
    ],
)
def test_show_explains_a_bad_reference(reference: str, words: list[str], kernels: Path) -> None:
    stops(run("show", reference.format(kernels.parent)), 2, *words)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f(:\n", ["SyntaxError", "line 1"]),
        ("import no_such_module_of_anyone\n", ["No module named", "no_such_module_of_anyone"]),
        (
            "from __future__ import annotations\nfrom exo_strat import *\n"
            "@proc\ndef p(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i + 1] = 0.0\n",
            ["broken.py", "x[i + 1] = 0.0"],
        ),
        (
            KERNELS + "direct.divide_loop(scale, 'i', 8, ['io', 'ii'], perfect=True)\n",
            ["broken.py", "8 divides"],
        ),
        (f"x = {'-' * 200_000}1\n", ["broken.py", "nested too deeply for Python"]),
        (f"x = {' + '.join('1' * 20_000)}\n", ["broken.py", "nested too deeply for Python"]),
        ("import sys\nsys.path.clear()\n1 / 0\n", ["broken.py", "ZeroDivisionError"]),
        ("import sys\ndel sys.modules[__name__]\n1 / 0\n", ["broken.py", "ZeroDivisionError"]),
    ],
    ids=["syntax", "import", "bounds", "schedule", "depth", "length", "path", "modules"],
)
def test_a_broken_file_is_explained_without_a_traceback(source: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    with pytest.MonkeyPatch.context() as m:  # the file may empty it
        m.setattr(sys, "path", [*sys.path])
        stops(run("show", path), 2, *words)


def test_a_mistake_in_a_file_is_told_with_its_line_and_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(f"{KERNELS}plan = unroll_loop()\nplan = plan.fill({{'widht': 4}})\n")
    said = run("show", path)
    stops(said, 2, "plan.fill({'widht': 4})", "ValueError: unroll_loop() has no hole 'widht': it has none")
    assert "spaces.py" not in said.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("op = at('for i in', unroll_loop())", ["bad.py, line 3: not a pattern"]),
        ("p = proc_from_source('def p(x: f32):\\n    x = y')", ["bad.py, line 3: ", "'y' means nothing"]),
        ("import nothing_of_this_name", ["bad.py", "line 3, in <module>", "import nothing_of_this_name", "No module"]),
        ("from exo_strat import nothing", ["bad.py", "line 3, in <module>", "ImportError: cannot import name"]),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(line: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text(f"from exo_strat import *\n\n{line}\n")
    stops(run("show", path), 2, *words)


def test_a_file_may_import_its_neighbours_and_leaves_no_trace(kernels: Path) -> None:
    before = list(sys.path)
    neighbour = kernels.parent / "schedules.py"
    neighbour.write_text("from kernels import scale\n")
    assert "scale" in run("show", neighbour).stdout
    assert sys.path == before
    sys.modules.pop("kernels")


def test_a_file_of_a_package_may_import_its_neighbours(kernels: Path, tmp_path: Path) -> None:
    package = tmp_path / "somebodys" / "blas"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    (package / "kernels.py").write_text(KERNELS)
    (package / "one.py").write_text("from .kernels import scale\n")
    (package / "two.py").write_text("from ..blas.kernels import scale\n")
    before = list(sys.path)
    for name in ("one", "two"):
        assert "scale" in run("show", package / f"{name}.py").stdout
    assert sys.path == before
    for name in [m for m in sys.modules if m.partition(".")[0] == "somebodys"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def f():\n    return 1 / 0\n\nf()\n", ["line 4, in <module>", "line 2, in f", "ZeroDivisionError"]),
        (KERNELS.replace("from __future__ import annotations\n", ""), ["name 'n'", "begin the file with `from __fut"]),
    ],
)
def test_a_file_that_raises_is_told_by_its_own_lines(source: str, words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bug.py"
    path.write_text(source)
    stops(run("show", path), 2, *words)
    assert "exo_strat/cli" not in run("show", path).output


@pytest.mark.parametrize(
    "command",
    [
        ["view", "{0}:scale", "-o", "{0}"],
        ["view", "{1}:scale", "{0}:scale", "-o", "{1}"],
        ["figure", "{0}:scale", "-o", "{2}/../{3}/kernels.py"],
        ["import", "{0}", "-o", "{0}"],
    ],
    ids=["view", "strategy", "figure", "import"],
)
def test_a_file_that_is_read_is_not_written_over(command: list[str], kernels: Path) -> None:
    other = kernels.with_name("other.py")
    other.write_text(kernels.read_text())
    before = kernels.read_text()
    parts = (kernels, other, kernels.parent, kernels.parent.name)
    stops(run(*(word.format(*parts) for word in command)), 2, "that is the file that is read; give another name")
    assert kernels.read_text() == before == other.read_text()


def test_show_says_what_it_looked_for_in_a_file_without_procs(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    stops(run("show", path), 2, "empty.py exports no Proc", "those without a _ in front", "@proc", "annotated Machine")
    path.write_text(KERNELS + "__all__ = []\n")
    stops(run("show", path), 2, "those in __all__", "not exported: scale, _helper, alias")
    path.write_text("from exo_strat import *\nforward = at('for i in _: _', unroll_loop())\n")
    stops(run("show", path), 2, "it has strategies, for `exo-strat explain`: forward\n")


def test_split_takes_a_name_after_the_last_colon_only() -> None:
    assert split("a.py:f") == (Path("a.py"), "f")
    assert split("a.py") == (Path("a.py"), None)
    assert split("odd:place/a.py") == (Path("odd:place/a.py"), None)


# -- build --------------------------------------------------------------------------------------------


def test_build_writes_c_that_compiles(kernels: Path, tmp_path: Path) -> None:
    built = run("build", kernels, "-o", tmp_path / "out", "--target", "c", "--name", "mine")
    assert built.exit_code == 0, built.stderr
    header, source = map(Path, built.stdout.split())
    assert (header, source) == (tmp_path / "out" / "mine.h", tmp_path / "out" / "mine.c")
    assert "void scale(" in header.read_text()
    assert "void blocked(" in header.read_text()
    compiles(built.stderr, tmp_path)


def compiles(message: str, folder: Path) -> list[str]:
    """Run the command that `build` prints. Warnings are errors."""
    line = next(line for line in message.splitlines() if line.startswith("compile with: "))
    command = shlex.split(line.removeprefix("compile with: "))
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} can't be found")
    subprocess.run([*command, "-Wall", "-Wextra", "-Werror", "-Wno-unused"], cwd=folder, check=True)
    return command


BUILT = """
from __future__ import annotations
from exo_strat import DRAM, proc
from backends.x86_avx2 import AVX2, mm256_loadu_ps, mm256_storeu_ps
from backends.gemmini import GEMM_SCRATCH

@proc
def plain(x: f32[8] @ DRAM):
    for i in seq(0, 8):
        x[i] += sin(x[i])

@proc
def integers(x: i8[8] @ DRAM):
    for i in seq(0, 8):
        x[i] += 1

@proc
def threads(n: size, x: f32[n] @ DRAM):
    for i in par(0, n):
        x[i] += 1.0

@proc
def lanes(n: size, x: f32[n] @ DRAM):
    for i in vec(0, n):
        x[i] += 1.0

@proc
def registers(x: f32[8] @ DRAM, y: f32[8] @ DRAM):
    r: f32[8] @ AVX2
    mm256_loadu_ps(r[0:8], x[0:8])
    mm256_storeu_ps(y[0:8], r[0:8])

@proc
def scratchpad(x: f32 @ DRAM):
    t: i8[16, 16] @ GEMM_SCRATCH
    x = 1.0
"""


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("plain", "-O3"),
        ("integers", "-fwrapv"),
        ("threads", "-fopenmp"),
        ("lanes", "-fopenmp-simd"),
        ("registers", "-mavx2"),
        ("scratchpad", "riscv64-linux-gnu-gcc"),
    ],
)
def test_build_prints_a_command_that_compiles_the_file(tmp_path: Path, name: str, flag: str) -> None:
    """Without --target: what the code needs is in the code."""
    (tmp_path / "kernels.py").write_text(BUILT)
    built = run("build", f"{tmp_path / 'kernels.py'}:{name}", "-o", tmp_path / "a folder")
    assert built.exit_code == 0, built.stderr
    assert flag in compiles(built.stderr, tmp_path)
    wanted = {"plain": "-lm", "registers": "-lm", "threads": "-fopenmp"}.get(name)
    assert ("link with:" in built.stderr) == (wanted is not None)
    assert wanted is None or built.stderr.split("link with: ")[1].split() == [wanted]


def test_build_makes_code_for_a_processor_that_is_not_here(tmp_path: Path) -> None:
    path = tmp_path / "axpy.py"
    path.write_text("from strategies.axpy import schedule_axpy as axpy\n")
    assert run("build", f"{path}:axpy", "-o", tmp_path, "--target", "neon").exit_code == 0
    assert "vld1q_f32" in (tmp_path / "axpy.c").read_text()


@pytest.mark.parametrize(
    ("target", "needs"),
    [("avx512", ""), ("avx2", "avx512f, avx512bw, avx512dq, avx512vl"), ("c", "avx512f"), (None, "")],
)
def test_build_says_where_the_code_needs_more_than_the_target_has(
    target: str | None, needs: str, tmp_path: Path
) -> None:
    """A schedule for one target, built for another: the C has its instructions all the same."""
    path = tmp_path / "axpy.py"
    path.write_text("from backends.targets import avx512\nfrom strategies.axpy import schedule_axpy\n"
                    "axpy = schedule_axpy(avx512)\n")  # fmt: skip
    built = run("build", f"{path}:axpy", "-o", tmp_path, *(("--target", target) if target else ()))
    assert built.exit_code == 0, built.stderr
    assert ("the code needs" in built.stderr) == bool(needs)
    assert not needs or f"exo-strat: the code needs {needs}" in built.stderr
    assert not needs or f", which the target {target} does not ask of a processor\n" in built.stderr


def test_build_takes_one_proc_and_the_files_name(kernels: Path, tmp_path: Path) -> None:
    assert run("build", f"{kernels}:scale", "-o", tmp_path).exit_code == 0
    assert "blocked" not in (tmp_path / "kernels.h").read_text()


def test_build_leaves_c_alone_that_it_has_not_written(kernels: Path, tmp_path: Path) -> None:
    """It may be what the file was imported from."""
    mine = tmp_path / "kernels.c"
    mine.write_text("void scale(int n) {}\n")
    stops(run("build", f"{kernels}:scale", "-o", tmp_path), 2, "kernels.c was not written by exo-strat")
    assert mine.read_text() == "void scale(int n) {}\n" and not mine.with_suffix(".h").exists()
    mine.unlink()
    for _ in range(2):
        assert run("build", f"{kernels}:scale", "-o", tmp_path).exit_code == 0


def test_build_is_the_same_every_time(kernels: Path, tmp_path: Path) -> None:
    texts = set()
    for out in ("one", "two"):
        run("build", f"{kernels}:scale", "-o", tmp_path / out)
        texts.add((tmp_path / out / "kernels.c").read_text())
    assert len(texts) == 1


def test_build_explains_what_it_cannot_do(kernels: Path, tmp_path: Path) -> None:
    stops(run("build", kernels, "-o", tmp_path), 2, "blocked", "--target")
    stops(run("build", kernels, "-o", tmp_path, "--target", "z80"), 2, "no target 'z80'", "avx2")
    stops(run("build", kernels, "-o", kernels, "--target", "c"), 2, f"{kernels} is a file, and a folder is needed")
    stops(run("build", kernels, "-o", kernels / "sub", "--target", "c"), 2, "a part of this path is a file")
    stops(run("figure", f"{kernels}:scale", "-o", tmp_path), 2, f"{tmp_path} is a folder, and a file is needed")
    nowhere = tmp_path / "no"
    stops(run("figure", f"{kernels}:scale", "-o", nowhere / "x.svg"), 2, f"there is no folder {nowhere}")
    stops(run("build", f"{kernels}:p:x", "-o", tmp_path), 2, "'p:x'", "is no name of a Proc")
    for name in ("not a name", "", "3d", "é"):
        stops(run("build", f"{kernels}:scale", "-o", tmp_path, "--name", name), 2, f"--name {name!r}", "C identifier")
    empty = tmp_path / "empty.py"
    empty.touch()
    stops(run("build", empty, "-o", tmp_path), 2, "exports no Proc")
    assert run("build", kernels).exit_code == 2, "no -o"


def test_build_says_what_to_do_with_two_procedures_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(KERNELS + "\nfast = schedule(at('for i in _: _', divide_loop(4, ('a', 'b'), tail='cut')), scale)\n")
    said = (f"({path}:fast)", "list the ones to build in __all__")
    stops(run("build", path, "-o", tmp_path, "--target", "c"), 2, "scale and fast in", *said)
    assert run("build", f"{path}:fast", "-o", tmp_path).exit_code == 0


def test_code_that_cannot_be_compiled_ends_with_1(tmp_path: Path) -> None:
    path = tmp_path / "mixed.py"
    path.write_text(KERNELS.replace("n: size, x: f32[n]", "n: size, y: f64, x: f32[n]").replace("2.0 *", "y *"))
    stops(run("build", f"{path}:scale", "-o", tmp_path), 1, "f64", "f32", "x[i] = y * x[i]")


# -- a strategy and its place -------------------------------------------------------------------------


STRATEGIES = ["unroll_loop", "unroll_loop() | unroll_loop()", 'divide_loop(4, ("io", "ii"), tail="cut")']


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_place_that_a_refusal_proposes_is_one(strategy: str, kernels: Path, tmp_path: Path) -> None:
    """What stands after the comma is put into the command as it is."""
    for options in ([], ["--steps"]):
        refused = run("explain", f"{kernels}:{strategy}", f"{kernels}:scale", *options)
        assert refused.exit_code == 1
        (proposed,) = shlex.split(refused.stdout.splitlines()[-1].partition("give it a place, ")[2])
        again = run("explain", proposed, f"{kernels}:scale", *options)
        assert "whole procedure" not in again.stdout
    drawing: list[str | Path] = ["figure", f"{kernels}:scale", "-o", tmp_path / "x.svg", "--schedule"]
    refused = run(*drawing, strategy)
    stops(refused, 2, "was applied to the whole procedure: give it a place")
    (proposed,) = shlex.split(refused.stderr.splitlines()[-1].partition("give it a place, ")[2])
    assert "whole procedure" not in run(*drawing, proposed).stderr


def test_a_place_that_is_no_loop(kernels: Path) -> None:
    refused = run("explain", f"{kernels}:lift_alloc()", f"{kernels}:scale").stdout
    assert "give it a place, at(PATTERN, lift_alloc())" in refused


@pytest.mark.parametrize(
    ("expression", "message"),
    [("1/0", "ZeroDivisionError"), ("[][1]", "IndexError"), ("exit(0)", "it ends the program, by exit(0)")],
)
def test_an_expression_that_fails(expression: str, message: str, kernels: Path, tmp_path: Path) -> None:
    stops(run("explain", f"{kernels}:{expression}", f"{kernels}:scale"), 2, message)
    stops(run("figure", f"{kernels}:scale", "--schedule", expression, "-o", tmp_path / "x.svg"), 2, message)


def test_a_place_later_in_a_strategy_would_not_help(kernels: Path) -> None:
    file = kernels.with_name("tiles.py")
    file.write_text("from exo_strat import divide_loop\nby4 = divide_loop(4, ('io', 'ii'), tail='cut')\n")
    later = f"{file}:at('for i in _: _', by4) >> unroll_loop()"
    assert "whole procedure" not in run("explain", later, f"{kernels}:scale").stdout, "a place would not help"


# -- targets ------------------------------------------------------------------------------------------


def test_targets_lists_each_with_its_vectors() -> None:
    listed = run("targets")
    assert listed.exit_code == 0
    for word in ("avx2", "avx512", "f32 8", "f32 16", "no vectors"):
        assert word in listed.stdout


def test_the_numbers_of_this_processor_are_shown_with_how_they_were_found(monkeypatch: pytest.MonkeyPatch) -> None:
    load = plugins.load
    ours = {(plugins.BACKENDS, "native"): native_machine}  # also where the installation is older than this
    monkeypatch.setattr(plugins, "load", lambda group, name: ours.get((group, name)) or load(group, name))
    shown = run("targets", "--native", "--target", "c")
    assert shown.exit_code == 0
    for word in ("how it was found", "L1 cache", "KiB", "latency of a", "nproc"):
        assert word in shown.stdout
    monkeypatch.setenv("COLUMNS", "60")
    assert "…" not in run("targets", "--native", "--target", "c").stdout  # nothing is cut
    stops(run("targets", "--native", "--target", "gemmini"), 2, "lacks gemmini")


def test_the_widest_target_that_runs_here_is_taken() -> None:
    here = [t for t in targets() if not t.missing]
    assert runnable(None) == here[-1]
    assert [t.lanes for t in targets()] == sorted(t.lanes for t in targets())


def test_a_target_that_does_not_run_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    load = plugins.load
    without = {(plugins.BACKENDS, "features"): lambda: frozenset({"sse2"})}
    monkeypatch.setattr(plugins, "load", lambda group, name: without.get((group, name)) or load(group, name))
    assert runnable(None).name == "c"
    assert find_target("avx2").missing
    with pytest.raises(TargetError, match=r"lacks avx2.*can run c"):
        runnable("avx2")
    stops(run("demo", "axpy", "--target", "avx512"), 2, "can't run avx512")


# -- demo ---------------------------------------------------------------------------------------------


def test_an_unknown_demo_is_named_beside_the_known_ones() -> None:
    stops(run("demo", "fft"), 2, "no demo 'fft'", "axpy, blur, gemv, gemv_t, sgemm")


@dataclass(frozen=True)
class Scale:
    """A demo: `x *= 2`, unscheduled. `sign` -1 makes its reference wrong."""

    sign: float = 1.0
    name: str = "scale"
    doc: str = "x = 2 x"
    shapes: tuple[tuple[int, ...], ...] = ((1,), (7,))
    bench_shape: tuple[int, ...] = (1000,)
    outputs: tuple[int, ...] = (1,)
    program: Proc = scale

    def plan(self, machine: Machine) -> Op:
        return identity

    def inputs(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Any, ...]:
        return shape[0], rng.random(shape[0], np.float32) + np.float32(1)

    def reference(self, args: tuple[Any, ...]) -> list[Any]:
        return [self.sign * 2 * args[1]]

    def tolerance(self, shape: tuple[int, ...]) -> float:
        return 1e-6

    def flops(self, shape: tuple[int, ...]) -> int:
        return shape[0]

    def peer(self, args: tuple[Any, ...]) -> Callable[[], object]:
        return lambda: np.multiply(args[1], 2)

    @property
    def rival(self) -> str:
        return "numpy.multiply"


def test_a_kernel_that_does_nothing_or_writes_nan_is_caught() -> None:
    def nan(n: int, x: Any) -> None:
        x[...] = np.nan

    def double(n: int, x: Any) -> None:
        x *= 2

    assert all(e.passed for e in check(Scale(), double))
    assert not any(e.passed for e in check(Scale(), lambda n, x: None))
    assert not any(e.passed for e in check(Scale(), nan))


@pytest.mark.parametrize(("sign", "code"), [(1.0, 0), (-1.0, 1)])
def test_a_demo_reports_and_its_exit_code_says_whether_it_passed(
    sign: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = plugins.load
    monkeypatch.setattr(plugins, "load", lambda group, name: Scale(sign) if name == "scale" else load(group, name))
    shown = run("demo", "scale", "--target", "c", "--out", tmp_path)
    assert shown.exit_code == code, shown.stderr
    assert "rewrites applied" in shown.stdout
    assert "2 shapes checked against NumPy" in shown.stdout
    assert ("GFLOP/s" in shown.stdout) == (code == 0), "no speed of a wrong kernel"
    assert ("differs from NumPy" in shown.stderr) == (code == 1)
    assert "void scale(" in (tmp_path / "scale.c").read_text()
    assert "\x1b" not in shown.stdout, "no colours into a pipe"


def test_a_missing_compiler_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = plugins.load
    monkeypatch.setattr(plugins, "load", lambda group, name: Scale() if name == "scale" else load(group, name))
    monkeypatch.setenv("CC", "no-such-cc")
    shown = run("demo", "scale", "--target", "c", "--out", tmp_path)
    assert (shown.exit_code, type(shown.exception)) == (1, SystemExit)
    assert "no-such-cc" in shown.stderr


def test_a_report_names_the_worst_shape(tmp_path: Path) -> None:
    errors = (Error((3, 4), 0.25), Error((5, 6), 0.5))
    report = Report(Scale(), 7, 1.25, 0.5, errors, Speed(20.0, 10.0), (tmp_path / "scale.c",))
    with (tmp_path / "out").open("w") as out:
        print_report(report, Console(file=out, width=200))
    text = (tmp_path / "out").read_text()
    for word in ("7", "1.25 s", "0.50 s", "0.5 of the bound, at 5 x 6", "2.00 times that", "numpy.multiply", "scale.c"):
        assert word in text
    assert report.passed
    assert not replace(report, errors=(*errors, Error((1, 1), float("nan")))).passed


def test_numpy_is_not_loaded_before_its_threads_are_set() -> None:
    code = "import sys, exo_strat.cli.commands; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- plug-ins and help --------------------------------------------------------------------------------


def test_a_missing_installation_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "entry_points", lambda group: ())
    stops(run("targets"), 2, "install exo-strat")


@pytest.mark.parametrize("command", ["demo", "show", "build", "figure", "targets"])
def test_help_has_an_example(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert f"exo-strat {command}" in shown.stdout.partition("Example")[2]


def test_version_and_usage() -> None:
    assert run("--version").stdout.startswith("exo-strat ")
    assert run("nonsense").exit_code == 2
