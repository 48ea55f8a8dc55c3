"""Parallel loops in C: what threads share, against the interpreter and under a sanitizer for threads."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import which

import numpy as np
import pytest
from pyrsistent import pmap

from backends import jit, x86_avx2
from backends.c import MemoryAccessError, RaceError, compile
from backends.targets import avx512
from backends.toolchain import compiler
from exo_strat import DRAM, DRAM_STACK, DRAM_STATIC, Config, Control, Proc, at, parallelize_loop, schedule
from exo_strat.interp import run
from exo_strat.testing.choices import Choices
from exo_strat.testing.parallel import EXTENT, callees, parallel_proc
from strategies.std import vectorize_for

Code = Callable[..., Proc]
MEMORIES = {"DRAM": DRAM, "DRAM_STACK": DRAM_STACK, "DRAM_STATIC": DRAM_STATIC}
SEED = int(os.environ.get("EXO_STRAT_SEED", "0"))

PROGRAMS = 24
"""How many random programs are one C file."""
WATCHED = ["-O1", "-g", "-fopenmp", "-fsanitize=thread"]
TSAN = "ignore_noninstrumented_modules=1"
"""As the OpenMP library itself is not compiled for the sanitizer."""
LARGEST = 2**45
"""Whole numbers up to this one, and what they are made of, are exact in double precision."""


# -- what threads share ---------------------------------------------------------------------------------


def test_no_thread_reads_a_bound_that_another_one_changes(code: Code) -> None:
    """There is one iteration. A thread that has none reads the bounds, too, when that one may have run."""
    state = Config("Cfg", pmap({"lo": Control("index"), "hi": Control("index")}))
    p = code(
        """
    def p(x: f32[4]):
        Cfg.lo = 1
        Cfg.hi = 2
        for i in par(Cfg.lo, Cfg.hi):
            Cfg.lo = 0
            Cfg.hi = 4
            x[i] = 1.0
    """,
        Cfg=state,
    )
    (header,) = re.findall(r"#pragma omp parallel for\s+(for .*)", compile([p], "p").source)
    assert "Cfg" not in header and "i_start" in header and "i_end" in header
    y = np.zeros(4, np.float32)
    jit(p)(y)
    assert y.tolist() == [0.0, 1.0, 0.0, 0.0]


def test_threads_take_turns_where_iterations_have_more_or_less_to_do(code: Code) -> None:
    text = compile(
        [
            code("""
    def p(n: size, x: f32[n, n], y: f32[n]):
        for i in par(0, n):
            y[i] = 0.0
        for i in par(0, n / 4):
            for j in seq(4 * i, 4 * i + 4):
                y[j] = 0.0
        for i in par(0, n):
            for j in seq(0, i):
                x[i, j] = 0.0
    """)
        ],
        "p",
    ).source
    even, uneven = "parallel for", "parallel for schedule(static, 1)"
    assert re.findall(r"#pragma omp (.*)", text) == [even, even, uneven]


def test_instructions_with_a_mask_take_as_long_as_others(code: Code) -> None:
    p = code("def p(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    q = schedule(at("for i in _: _", vectorize_for(avx512, "f32", tail="predicate")), p)
    text = compile([schedule(at("for _ in _: _", parallelize_loop()), q)], "p").source
    assert "mask" in text and re.findall(r"#pragma omp (.*)", text) == ["parallel for"]


@pytest.mark.parametrize("memory", ["DRAM", "DRAM_STACK", "DRAM_STATIC"])
def test_threads_see_a_buffer_that_is_declared_outside_of_the_loop(code: Code, memory: str) -> None:
    p = code(f"""
    def p(x: f32[64], y: f32[64]):
        t: f32[64] @ {memory}
        u: f32[64] @ {memory}
        for i in seq(0, 64):
            t[i] = x[i]
        for i in par(0, 64):
            u[i] = t[i] + 1.0
        for i in seq(0, 64):
            y[i] = u[i]
    """)
    assert _by_threads(p) == [1.0 + i for i in range(64)]


def test_threads_see_a_static_buffer_through_a_window_and_in_a_loop_that_stays_in_the_function(code: Code) -> None:
    p = code("""
    def p(x: f32[64], y: f32[64]):
        t: f32[2, 64] @ DRAM_STATIC
        for i in seq(0, 64):
            t[0, i] = x[i]
        w = t[0, 0:64]
        for i in par(0, 64):
            t[1, i] = w[i] + 1.0
        for i in par(0, 64):
            y[i] = t[1, i]
    """)
    assert _by_threads(p) == [1.0 + i for i in range(64)]


@pytest.mark.parametrize("write", ["a = x[i]", "put(a, x[i])", "a += x[i]"])
def test_one_iteration_writes_a_single_value(code: Code, write: str) -> None:
    put = code("def put(a: f32, b: f32):\n    a = b\n")
    p = code(
        f"""
    def p(x: f32[64], y: f32[64]):
        a: f32
        a = 0.0
        for i in par(0, 64):
            if i == 50:
                {write}
        for i in par(0, 64):
            y[i] = a
    """,
        put=put,
    )
    assert _by_threads(p) == [50.0] * 64


def _by_threads(p: Proc) -> list[float]:
    """What several threads leave in y."""
    module = compile([p])
    main = "int main(void) { float x[64], y[64]; for (int i = 0; i < 64; i++) x[i] = i, y[i] = -1; p(x, y);"
    text = f'#include <stdio.h>\n{module.text}{main} for (int i = 0; i < 64; i++) printf("%g\\n", y[i]); }}'
    return _run_c(text, ["-O2", "-fopenmp"])


def test_instructions_that_use_registers_of_the_processor_are_not_run_by_threads(code: Code) -> None:
    state = Config("State", pmap({"mode": Control("int")}))
    text = '@instr("use(&{x_data});")\ndef use(x: [f32][1]):\n    if State.mode == 1:\n        x[0] = 1.0\n'
    use = code(text, State=state)
    p = code("def p(x: f32[8]):\n    for i in par(0, 8):\n        use(x[i:i + 1])\n", use=use)
    with pytest.raises(RaceError, match=r"use uses State\.mode, and each thread has a processor"):
        compile([p])


def test_threads_do_not_write_one_register(code: Code) -> None:
    env = {"AVX2": x86_avx2.AVX2, "load": x86_avx2.mm256_loadu_ps, "store": x86_avx2.mm256_storeu_ps}
    text = """
    def p(x: f32[4, 8], y: f32[4, 8]):
        v: f32[4, 8] @ AVX2
        for i in {mode}(0, 4):
            load(v[i, 0:8], x[i, 0:8])
        for i in {mode}(0, 4):
            store(y[i, 0:8], v[i, 0:8])
    """
    with pytest.raises(MemoryAccessError, match="threads can't write one register together; allocate it inside"):
        compile([code(text.format(mode="par"), **env)])
    assert compile([code(text.format(mode="vec"), **env)]).source.count("omp simd") == 1


# -- loops that the C compiler is to vectorise ------------------------------------------------------------

IN_VEC = {
    "a parallel loop": "for j in par(0, 8):\n            x[i, j] += 1.0",
    "the call of a parallel loop": "bump(x[i, 0:8])",
    "a static buffer": "t: f32[8] @ DRAM_STATIC\n        for j in seq(0, 8):\n            t[j] = x[i, j]\n"
    "        for j in seq(0, 8):\n            x[i, j] = t[j] + 1.0",
    "the call of a static buffer": "through(x[i, 0:8])",
}


@pytest.mark.parametrize("what", sorted(IN_VEC))
def test_a_vec_loop_is_a_plain_one_where_iterations_cannot_be_side_by_side(code: Code, what: str) -> None:
    bump = code("def bump(v: [f32][8]):\n    for j in par(0, 8):\n        v[j] += 1.0\n")
    through = code(
        "def through(v: [f32][8]):\n    t: f32[8] @ DRAM_STATIC\n    for j in seq(0, 8):\n        t[j] = v[j]\n"
        "    for j in seq(0, 8):\n        v[j] = t[j] + 1.0\n"
    )
    p = code(f"def p(x: f32[8, 8]):\n    for i in vec(0, 8):\n        {IN_VEC[what]}\n", bump=bump, through=through)
    assert "omp simd" not in compile([p]).source
    x = np.arange(64, dtype=np.float32).reshape(8, 8)
    want = x + 1
    jit(p)(x)
    assert np.array_equal(x, want)


# -- random programs --------------------------------------------------------------------------------------


def programs(first: int) -> list[Proc]:
    env = {**MEMORIES, **callees(list(MEMORIES), MEMORIES)}
    return [parallel_proc(Choices.seeded(s), list(MEMORIES), env, f"p{s}") for s in range(first, first + PROGRAMS)]


def _main(procs: Sequence[Proc]) -> str:
    """A program that calls each procedure on the same numbers and prints its arrays; y has gaps."""
    n = EXTENT
    calls = list[str]()
    for p, f in zip(procs, compile(procs).functions, strict=True):
        window = f"(struct exo_win_2f64{'' if 1 in f.written else 'c'}){{ y, {{ {n + 2}, 1 }} }}"
        calls.append(f"fill(); {p.name()}(x, {window}, &r); show();")
    return f"""
#include <stdio.h>
static double x[{n * n}], y[{n * (n + 2)}], r;
static void fill(void) {{
    for (int i = 0; i < {n * n}; i++) x[i] = i % 7;
    for (int i = 0; i < {n * (n + 2)}; i++) y[i] = i % 5;
    r = 3;
}}
static void show(void) {{
    for (int i = 0; i < {n * n}; i++) printf("%.17g\\n", x[i]);
    for (int i = 0; i < {n * (n + 2)}; i++) if (i % {n + 2} < {n}) printf("%.17g\\n", y[i]);
    printf("%.17g\\n", r);
}}
int main(void) {{
    {chr(10).join(calls)}
    return 0;
}}
"""


def _wanted(p: Proc) -> Iterator[float]:
    n = EXTENT
    x = [[(i * n + j) % 7 for j in range(n)] for i in range(n)]
    y = [[(i * (n + 2) + j) % 5 for j in range(n)] for i in range(n)]
    done = run(p, {"x": x, "y": y, "r": 3})
    assert done.trap is None, done.trap
    for name in ("x", "y", "r"):
        yield from np.asarray(done.outputs[name], float).ravel()


def _run_c(text: str, flags: Sequence[str], command: Sequence[str] | None = None, **env: str) -> list[float]:
    """The numbers that a C program prints, with threads in threads."""
    with tempfile.TemporaryDirectory() as scratch:
        source, made = Path(scratch, "main.c"), Path(scratch, "main")
        source.write_text(text)
        built = [*(command or compiler()), "-std=gnu11", *flags, "-o", str(made), str(source), "-lm"]
        done = subprocess.run(built, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        threads = {"OMP_NUM_THREADS": "3", "OMP_MAX_ACTIVE_LEVELS": "2", **env}
        ran = subprocess.run([made], capture_output=True, text=True, env={**os.environ, **threads})
    assert ran.returncode == 0, ran.stderr
    return [float(line) for line in ran.stdout.split()]


def _compare(first: int, flags: Sequence[str], command: Sequence[str] | None = None, **env: str) -> None:
    procs = programs(first)
    got = np.array(_run_c(compile(procs).text + _main(procs), flags, command, **env)).reshape(len(procs), -1)
    compared = 0
    for p, numbers in zip(procs, got, strict=True):
        want = np.array([*_wanted(p)])
        if np.abs(want).max() <= LARGEST:
            compared += 1
            assert np.array_equal(numbers, want), f"in C: {numbers}, should be {want}\n{p}"
    assert compared > len(procs) // 2


@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_random_parallel_loops_compute_what_the_interpreter_says(level: str) -> None:
    _compare(SEED, [level, "-fopenmp", "-fopenmp-simd"])


def _clang() -> list[str]:
    if which("clang") is None:
        pytest.skip("clang can't be found; Debian has clang and libomp-dev")
    return ["clang"]


@pytest.mark.sanitize
def test_the_sanitizer_sees_a_race(code: Code) -> None:
    p = code("def p(x: f64[4, 4], y: [f64][4, 4], r: f64):\n    for i in seq(0, 4):\n        r += x[i, 0] + y[i, 0]\n")
    text = compile([p]).text.replace("    for (", "#pragma omp parallel for\n    for (") + _main([p])
    with pytest.raises(AssertionError, match="ThreadSanitizer: data race"):
        _run_c(text, WATCHED, _clang(), TSAN_OPTIONS=TSAN)


@pytest.mark.sanitize
@pytest.mark.parametrize("batch", range(20))
def test_random_parallel_loops_have_no_race_in_c(batch: int) -> None:
    """By clang: its OpenMP library tells the sanitizer what waits for what, where gcc's doesn't. It does not tell that
    the end of a parallel loop inside another waits for its threads, so inner loops run in one thread here."""
    first = SEED + 1000 + PROGRAMS * batch
    _compare(first, WATCHED, _clang(), TSAN_OPTIONS=TSAN, OMP_MAX_ACTIVE_LEVELS="1")
