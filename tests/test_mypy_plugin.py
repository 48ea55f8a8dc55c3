"""mypy and ruff on a user's files with object code, set up as docs/editors.md says: what is right is clean, and every
mistake outside of object code is reported at its line."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "editors.md"

KERNELS = '''\
from __future__ import annotations

import exo_strat as es
from exo_strat import (
    DRAM,
    DRAM_STACK,
    Config,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    Script,
    at,
    config,
    direct,
    divide_loop,
    f32,
    i8,
    index,
    instr,
    named,
    on,
    par,
    proc,
    schedule,
    select,
    seq,
    simplify,
    size,
    strategy,
    stride,
    unroll_loop,
)

TILE = 8
SCRATCH = Memory("SCRATCH")


@config
class Load:
    row: stride
    scale: f32


@instr("load_rows({n}, {to}, {x});", c_global="#include <rows.h>")
def load_rows(n: size, to: [f32][n, TILE] @ SCRATCH, x: [f32][n, TILE] @ DRAM):
    assert stride(x, 0) == Load.row
    assert n <= 16
    for i in seq(0, n):
        for j in seq(0, TILE):
            to[i, j] = x[i, j]


@proc
def copy_row(n: size, x: [f32][n], y: [f32][n]):
    for i in seq(0, n):
        y[i] = x[i]


@proc
def product(
    n: size, m: size, k: size, first: index, flags: i8[n], a: f32[n, k] @ DRAM, b: [f32][k, m], c: f32[n, m]
):
    assert n % 4 == 0
    assert first >= 0 and first < n
    for i in par(0, n):
        for j in seq(0, m):
            acc: f32 @ DRAM_STACK
            acc = 0.0
            for l in seq(0, k):
                acc += a[i, l] * b[l, j]
            if flags[i] > 0 and i >= first:
                c[i, j] = select(0.0, acc, acc, -acc)
            else:
                c[i, j] = acc / 2.0
        row = c[i, 0:m]
        copy_row(m, c[0, :], row)


@es.proc
def by_module(n: size, x: es.f32[n]):
    x[0] = 1.0


@strategy
def tiled(p: Proc, c: ForCursor, width: int, unroll: bool = False) -> Script:
    """`for i: s  ~>  for io: for ii: s`."""
    p, outer = yield divide_loop(width, ("io", "ii"), tail="cut")
    if unroll:
        yield on(outer.body()[0], unroll_loop())
    return outer


@named
def plan(machine: Machine) -> Op:
    return at("for i in _: _", tiled(machine.vec_width("f32"))) >> simplify()


def for_machine(machine: Machine) -> Proc:
    return direct.rename(schedule(plan(machine), product), "fast")


def make(rows: int) -> Proc:
    @proc
    def local(x: f32[rows, 4]):
        for i in seq(0, rows):
            x[i, 0] = 0.0

    return local


fields: Config = Load
procs: list[Proc] = [load_rows, copy_row, product, by_module, make(4)]
'''
UNCHECKED = """\
from __future__ import annotations

import typing
from typing import no_type_check

from exo_strat import DRAM, Proc, at, divide_loop, f32, instr, proc, schedule, seq, size


@proc
@no_type_check
def scale(n: size, x: f32[n, n] @ DRAM):
    for i in seq(0, n):
        x[i, 0] = 2.0 * x[i, 0]


@instr("zero({n}, {x});")
@typing.no_type_check
def zero(n: size, x: [f32][n]):
    for i in seq(0, n):
        x[i] = 0.0


scale.nothing()  # E: attr-defined
zero.nothing()  # E: attr-defined
fast: Proc = schedule(at("i", divide_loop(4, ("io", "ii"), tail="cut")), scale)
"""
STARRED = """\
from __future__ import annotations

from exo_strat import *
from strategies.halide import *


@proc
def blur(n: size, x: f32[n + 2], y: f32[n]):
    for i in seq(0, n):
        y[i] = (x[i] + x[i + 1] + x[i + 2]) / 3.0


first: Proc = blur
"""
COMPILED = """\
from __future__ import annotations

import numpy as np
from importers.numpy import compiled
from numpy.typing import NDArray


@compiled
def softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    e: NDArray[np.float32] = np.exp(x - np.max(x, axis=-1, keepdims=True))
    total: NDArray[np.float32] = e / np.sum(e, axis=-1, keepdims=True)
    return total
"""
MISTAKES = """\
from __future__ import annotations

from exo_strat import Op, Proc, at, config, direct, divide_loop, f32, proc, schedule, seq, size


@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


def undefined() -> Op:
    return at("i", divide_lop(4))  # E: name-defined


@config
class Load:
    scale: f32


def wrong() -> Proc:
    scale.nothing()  # E: attr-defined
    Load.nothing()  # E: attr-defined
    text: str = direct.rename(scale, 3)  # E: assignment  # E: arg-type
    return schedule(scale, at("i", divide_loop(4)))  # E: call-arg  # E: arg-type  # E: arg-type


@proc
def after(n: size, x: f32[n]):
    x[0] = 1.0


number: int = "one"  # E: assignment


@undefined_decorator  # E: name-defined  # E: untyped-decorator
@proc
def decorated(n: size, x: f32[n]):
    x[0] = 1.0
"""
OWN = """\
from __future__ import annotations

from collections.abc import Callable

from exo_strat import Op, seq

nothing: Op = seq()


def proc(f: Callable[[int], int]) -> int:
    return f(3)


@proc
def three(n: int) -> int:
    return n + ""  # E: operator


class dataclasses:
    @staticmethod
    def config(c: type) -> type:
        return c


@dataclasses.config
class Settings:
    verbose: bool = "yes"  # E: assignment
"""
HIDDEN = """\
from __future__ import annotations

from collections.abc import Callable

from exo_strat import instr, proc


def inner(proc: Callable[[Callable[[int], int]], int]) -> int:
    @proc
    def three(n: int) -> int:
        return n + ""  # E: operator

    return three


def other() -> None:
    def instr(text: str) -> Callable[[Callable[[int], int]], int]:
        return lambda f: f(len(text))

    @instr("text")
    def three(n: int) -> int:
        return n + ""  # E: operator


@proc
def four(n: size, x: f32[n]):
    x[0] = 4.0


@instr("five")
def five(n: size, x: f32[n]):
    x[0] = 5.0


class Shop:
    proc: int = 6  # functions in a class don't see its names

    def make(self) -> object:
        @proc
        def six(n: size, x: f32[n]):
            x[0] = 6.0

        return six
"""
PRELUDE = """\
from collections.abc import Callable


def proc(f: Callable[[int], int]) -> int:
    return f(3)
"""
FOREIGN = """\
from exo_strat import *
from prelude import *  # E: assignment


@proc
def three(n: int) -> int:
    return n + ""  # E: operator
"""
FILES = {
    "kernels.py": KERNELS,
    "starred.py": STARRED,
    "unchecked.py": UNCHECKED,
    "compiled_numpy.py": COMPILED,
    "mistakes.py": MISTAKES,
    "own.py": OWN,
    "hidden.py": HIDDEN,
    "prelude.py": PRELUDE,
    "foreign.py": FOREIGN,
}


def settings() -> str:
    """The lines for pyproject.toml that docs/editors.md has."""
    return "\n".join(re.findall(r"```toml\n(.*?)```", DOCS.read_text(), re.S))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text(settings())
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def run(project: Path, *command: str) -> str:
    """What a checker prints; it ends well or with findings."""
    done = subprocess.run([sys.executable, "-m", *command], cwd=project, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def found(printed: str) -> list[tuple[str, int, str]]:
    """File, line and code of each finding of mypy, sorted; nothing else is printed that is an error."""
    lines = [*re.finditer(r"^(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", printed, re.M)]
    assert printed.count(" error: ") == len(lines), printed
    return sorted((m[1], int(m[2]), m[3]) for m in lines)


def expected() -> Iterator[tuple[str, int, str]]:
    """What the files say of themselves."""
    for name, text in FILES.items():
        for number, line in enumerate(text.splitlines(), 1):
            yield from ((name, number, code) for code in re.findall(r"# E: ([\w-]+)", line))


@pytest.fixture(scope="module")
def checked(project: Path) -> str:
    return run(project, "mypy", "--strict", *FILES)


def test_mypy_finds_every_mistake_outside_of_object_code_and_nothing_in_it(checked: str) -> None:
    assert found(checked) == sorted(expected()), checked


def test_a_second_run_from_the_cache_finds_the_same(checked: str, project: Path) -> None:
    assert run(project, "mypy", "--strict", *FILES) == checked


def test_without_the_plug_in_mypy_reads_object_code_as_python(checked: str, project: Path) -> None:
    """So what is clean above is so by the plug-in."""
    (project / "bare.toml").write_text("[tool.mypy]\n")
    printed = run(project, "mypy", "--strict", "--config-file", "bare.toml", "kernels.py")
    assert {n for file, n, _ in found(printed) if file == "kernels.py"} > {47, 63, 69}


def test_what_an_import_changes_is_seen_and_object_code_still_is_none(project: Path) -> None:
    """mypy takes a file that did not change from its cache, and looks at it again for what it imports."""
    (project / "changing.py").write_text("number: int = 1\n")
    (project / "stable.py").write_text(f"from changing import number\n{SCALE}\ncopy: int = number\n")
    assert found(run(project, "mypy", "--strict", "stable.py")) == []
    (project / "changing.py").write_text("number: str = '1'\n")
    assert found(run(project, "mypy", "--strict", "stable.py")) == [("stable.py", 10, "assignment")]


# -- ruff ---------------------------------------------------------------------------------------------

SCALE = """
from exo_strat import f32, proc, seq, size

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]
"""
RULES = "E4,E7,E9,F,I,UP,B,SIM"


def by_ruff(project: Path, name: str, text: str, *options: str) -> set[tuple[int, str]]:
    """Line and rule of each finding of ruff."""
    (project / name).write_text(text)
    printed = run(project, "ruff", "check", f"--select={RULES}", "--output-format=concise", *options, name)
    return {(int(m[1]), m[2]) for m in re.finditer(r"^\w+\.py:(\d+):\d+: (\w+) ", printed, re.M)}


def line(text: str, words: str) -> int:
    """The number of the first line with these words."""
    return next(n for n, there in enumerate(text.splitlines(), 1) if words in there)


def test_ruff_is_clean_on_files_with_object_code(project: Path) -> None:
    for text in (KERNELS.replace("for l in", "for e in").replace("[i, l] * b[l, j]", "[i, e] * b[e, j]"), UNCHECKED):
        assert by_ruff(project, "kernels_clean.py", text) == set()
    assert by_ruff(project, "compiled_numpy.py", COMPILED) == set()


def test_ruff_finds_mistakes_beside_object_code(project: Path) -> None:
    text = SCALE + "\n\nimport os\n\ndef wrong() -> None:\n    number = 3\n"
    told, there = by_ruff(project, "kernels_wrong.py", text), line(text, "import os")
    assert told >= {(line(text, "number = 3"), "F841"), (there, "F401"), (there, "E402")}


def test_ruff_without_the_settings_takes_sizes_for_undefined_names(project: Path) -> None:
    """So what is clean above is so by the settings."""
    assert (line(SCALE, "def scale"), "F821") in by_ruff(project, "other.py", SCALE)
    assert (line(SCALE, "def scale"), "F821") not in by_ruff(project, "kernels_other.py", SCALE)


def test_the_undefined_names_that_ruff_leaves_to_mypy_are_found_by_mypy(project: Path) -> None:
    text = f"from __future__ import annotations\n{SCALE}\n\ndef wrong() -> None:\n    undefined()\n"
    assert (line(text, "undefined"), "F821") not in by_ruff(project, "kernels_wrong.py", text)
    found_there = found(run(project, "mypy", "--strict", "kernels_wrong.py"))
    assert found_there == [("kernels_wrong.py", line(text, "undefined"), "name-defined")]
