"""Loops that threads share: which, from how much work on, and that results are the same for any number of threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from backends import jit
from backends.c import compile
from backends.targets import plain_c
from exo_strat import Control, ForCursor, IfCursor, Proc, at, attempt, proc_from_source, schedule
from exo_strat.testing import assert_equivalent
from strategies.auto import auto, private_sums, share, threads
from strategies.auto.strips import in_strips
from strategies.inspect import enclosing_loops, statements
from strategies.stencils import time_tile

TRIANGLE = proc_from_source("""
def triangle(m: size, n: size, a: f64[m, m], b: f64[m, n]):
    for k in seq(0, m):
        for i in seq(k + 1, m):
            for j in seq(0, n):
                b[k, j] += a[i, k] * b[i, j]
        for j in seq(0, n):
            b[k, j] = 2.0 * b[k, j]
""")
ROWS = proc_from_source("""
def rows(n: size, m: size, x: f64[n, m], y: f64[n], s: f64):
    for i in seq(0, n):
        y[i] = 0.0
        for j in seq(0, m):
            y[i] += x[i, j]
    for i in seq(0, n):
        s += y[i]
""")
STEPS = proc_from_source("""
def steps(t: size, n: size, x: f64[n + 2], y: f64[n + 2]):
    for k in seq(0, t):
        for i in seq(0, n):
            y[i + 1] = x[i] + x[i + 2]
        for i in seq(0, n):
            x[i + 1] = 0.5 * y[i + 1]
""")
PRODUCT = proc_from_source("""
def product(n: size, a: f64[n, n], b: f64[n, n], c: f64[n, n]):
    for i in seq(0, n):
        for j in seq(0, n):
            for k in seq(0, n):
                c[i, j] += a[i, k] * b[k, j]
""")
COLUMNS = proc_from_source("""
def columns(n: size, a: f64[n, n], y: f64[n], s: f64[n]):
    for i in seq(0, n):
        for j in seq(0, n):
            s[j] += a[i, j] * y[i]
""")
FACTOR = proc_from_source("""
def factor(n: size, a: f64[n, n]):
    for k in seq(0, n):
        for i in seq(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
        for i in seq(k + 1, n):
            for j in seq(k + 1, n):
                a[i, j] += -(a[i, k] * a[k, j])
""")
TILES = proc_from_source("""
def tiles(t: size, m: size, n: size, x: f64[4 * m + 1, 4 * n + 1]):
    for k in seq(0, t):
        for io in seq(0, m):
            for jo in seq(0, n):
                for i in seq(0, 4):
                    for j in seq(0, 4):
                        x[4 * io + i + 1, 4 * jo + j + 1] += x[4 * io + i, 4 * jo + j + 1]
                        x[4 * io + i + 1, 4 * jo + j + 1] += x[4 * io + i + 1, 4 * jo + j]
""")
DOUBLE = proc_from_source("""
def double(n: size, x: f64[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]
""")
BLOCKS = proc_from_source(
    """
def blocks(n: size, m: size, x: f64[8 * n, m], y: f64[8 * n]):
    for io in seq(0, n):
        row_sums(m, x[8 * io:8 * io + 8, 0:m], y[8 * io:8 * io + 8])
""",
    {
        "row_sums": proc_from_source("""
def row_sums(m: size, x: [f64][8, m], y: [f64][8]):
    for i in seq(0, 8):
        for j in seq(0, m):
            y[i] += x[i, j]
""")
    },
)


def shared(p: Proc) -> list[str]:
    """The loops that threads share, by what they are in."""
    loops = [s for s in statements(p.root()) if isinstance(s, ForCursor) and s.mode() == "par"]
    return [" ".join(x.name() for x in (*enclosing_loops(s), s)) for s in loops]


def test_the_outermost_loops_that_are_safe_are_shared_and_sums_are_not() -> None:
    assert shared(schedule(share(1, 1), ROWS)) == ["i"]
    assert shared(schedule(share(1, 1), STEPS)) == ["k i", "k i"]
    assert shared(schedule(share(1, 1), FACTOR)) == ["k i", "k i"]


def test_tiles_that_need_those_before_them_are_shared_along_diagonals() -> None:
    q = schedule(share(3, 1), TILES)
    assert shared(q) == ["ko io ki"]
    wave = q.find_loop("ki")
    assert wave.lo().text() == "max(0, (m + io) / 2 - m + 1)"
    assert wave.hi().text() == "min(min(3, t - 3 * ko), io / 2 + 1)"


def test_a_step_of_time_stays_behind_as_far_as_it_must() -> None:
    """An iteration of t needs what the one before made at the next place, so tiles begin later with each step."""
    p = proc_from_source("""
def foo(steps: size, n: size, x: f64[n + 2]):
    for t in seq(0, steps):
        for i in seq(0, n):
            x[i + 1] = x[i] + x[i + 2]
    """)
    tiled = schedule(at("for t in _: _", time_tile(4, 16)), p)
    q = schedule(share(2, 1), tiled)
    [wave] = [s for s in statements(q.root()) if isinstance(s, ForCursor) and s.mode() == "par"]
    assert "to" in wave.name() and "/ 2" in wave.hi().text()
    assert assert_equivalent(p, q) > 0


def test_blocks_are_shared_where_there_are_some_for_each_thread_and_else_what_they_call() -> None:
    choice = schedule(share(2, 1), BLOCKS).body()[0]
    assert isinstance(choice, IfCursor) and choice.cond().text() == "n >= 8"
    assert [s.mode() for s in (choice.body()[0], choice.orelse()[0]) if isinstance(s, ForCursor)] == ["par", "seq"]


def test_what_is_left_of_a_triangle_is_shared_in_strips_of_columns() -> None:
    assert "ko jo" in shared(schedule(auto(plain_c, "f64", threads=2), TRIANGLE))
    strips = schedule(at("for k in _: _", in_strips(2)), TRIANGLE)
    assert shared(schedule(share(1, 1), strips))[0] == "jo"
    assert assert_equivalent(TRIANGLE, strips) > 0


@pytest.mark.parametrize("statement", ["x[0, i + 1] += x[0, i] * y[k]", "x[k, i] = y[k]"])
def test_there_are_no_strips_where_they_need_each_other_or_no_order_is_kept(statement: str) -> None:
    p = proc_from_source(f"""
def foo(n: size, x: f64[8, n + 1], y: f64[8]):
    for k in seq(0, 8):
        for i in seq(0, n):
            {statement}
    """)
    assert schedule(attempt(at("for k in _: _", in_strips(4))), p) is p


@pytest.mark.parametrize("p", [ROWS, STEPS, PRODUCT, FACTOR, TILES, BLOCKS], ids=lambda p: p.name())
def test_it_computes_the_same(p: Proc) -> None:
    assert assert_equivalent(p, schedule(share(1, 1), p)) > 0


def test_little_work_is_not_shared() -> None:
    q = schedule(share(), ROWS)
    choice = q.body()[0]
    assert isinstance(choice, IfCursor) and f"n >= {threads.PAYS * plain_c.processor.fork}" in choice.cond().text()
    assert {s.mode() for s in statements(choice.orelse()) if isinstance(s, ForCursor)} == {"seq"}
    short = proc_from_source("def foo(x: f64[9]):\n    for i in seq(0, 9):\n        x[i] = 0.0")
    assert schedule(share(), short) == short


CORNERS = proc_from_source("""
def corners(n: size, m: size, x: f64[n, 64], y: f64[n, 64]):
    for k in seq(0, n):
        x[k, 0] = 1.0
        for i in seq(1, 64):
            x[k, i] = x[k, i - 1] / y[k, 0]
        if k > 0:
            x[k, 0] += x[k - 1, 63]
        for i in seq(0, 64):
            y[k, i] = x[k, i]
    for i in seq(0, m % 64):
        y[0, i] = 0.0
""")
"""Loops with so many iterations, or no more than so many."""


def test_short_loops_are_not_shared_however_often_they_run() -> None:
    assert shared(schedule(share(1, 1), CORNERS)) == ["k i", "i"]
    assert schedule(share(), CORNERS) == CORNERS, "no condition that always fails, either"


def test_a_loop_with_enough_to_do_is_shared_without_a_condition() -> None:
    p = proc_from_source("def foo(x: f64[99999]):\n    for i in seq(0, 99999):\n        x[i] = 0.0")
    assert [s.mode() for s in schedule(share(), p).body() if isinstance(s, ForCursor)] == ["par"]


@pytest.mark.parametrize("row", ["seq(0, i)", "seq(i, n)"])
def test_rows_of_a_triangle_are_as_long_as_the_longest(row: str) -> None:
    p = proc_from_source(f"""
def foo(n: size, x: f64[n, n]):
    for i in seq(0, n):
        for j in {row}:
            x[i, j] = 0.0
    """)
    longest = "n - 1" if row == "seq(0, i)" else "n"
    choice = schedule(share(2, 64), p).body()[0]
    assert isinstance(choice, IfCursor)
    assert choice.cond().text() == f"n >= 2 and {longest} >= 32 or n >= 16 and {longest} >= 4 or n >= 64"


def test_how_much_it_takes_is_the_processors() -> None:
    dear = replace(plain_c, processor=replace(plain_c.processor, fork=10 * plain_c.processor.fork))
    conditions = [schedule(auto(m, "f64", threads=2), DOUBLE).body()[0] for m in (plain_c, dear)]
    assert [c.cond().text() for c in conditions if isinstance(c, IfCursor)] == ["n >= 65536", "n >= 655360"]


@pytest.mark.parametrize("p", [ROWS, PRODUCT, COLUMNS], ids=lambda p: p.name())
def test_results_do_not_depend_on_the_number_of_threads(p: Proc) -> None:
    n = 600
    rng = np.random.default_rng(0)
    run = jit(schedule(auto(plain_c, "f64", threads=2), p))
    assert "omp parallel for" in run.module.text
    shapes = {"x": (n, n), "y": (n,), "s": (n,) if p is COLUMNS else (1,), "a": (n, n), "b": (n, n), "c": (n, n)}
    data = {a.sym.name: rng.random(shapes[a.sym.name]) for a in p.tree.args if a.sym.name in shapes}
    results = []
    for count in (1, 2, 3):
        set_threads(count)
        given = {name: x.copy() for name, x in data.items()}
        run(**{a.sym.name: given.get(a.sym.name, n) for a in p.tree.args})
        results.append(given)
    set_threads(1)
    assert all(np.array_equal(r[name], results[0][name]) for r in results for name in data)


def set_threads(count: int) -> None:
    """How many threads the parallel loops of this process have."""
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(count)


@pytest.mark.sanitize
@pytest.mark.parametrize("p", [ROWS, STEPS, PRODUCT, COLUMNS, FACTOR, TILES], ids=lambda p: p.name())
def test_threads_do_not_race(p: Proc, tmp_path: Path) -> None:
    clang = which("clang")
    if clang is None:
        pytest.skip("clang is not installed")
    plan = auto(plain_c, "f64") >> share(2, 1)
    q = schedule(at("for i in _: _", private_sums(16)) >> share(2, 1) if p is COLUMNS else plan, p)
    controls = ", ".join("70" if isinstance(a.type, Control) else f"d{k}" for k, a in enumerate(p.tree.args))
    data = "".join(f"static double d{k}[72 * 72];" for k in range(len(p.tree.args)))
    fill = "".join(f"for (int i = 0; i < 72 * 72; i++) d{k}[i] = 1.0 + i % 7;" for k in range(len(p.tree.args)))
    source, made = tmp_path / "main.c", tmp_path / "main"
    source.write_text(f"{compile([q]).text}\n{data}\nint main(void) {{ {fill} {p.name()}({controls}); }}")
    flags = ["-O1", "-g", "-fopenmp", "-fsanitize=thread", "-std=gnu11"]
    subprocess.run([clang, *flags, str(source), "-o", str(made), "-lm"], check=True, capture_output=True)
    env = {**os.environ, "OMP_NUM_THREADS": "3", "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    ran = subprocess.run([str(made)], capture_output=True, text=True, env=env)
    assert ran.returncode == 0, ran.stderr
