"""Instructions that other threads may see late: where the C code has their fence, and that it computes the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from backends import available, jit
from backends.c import compile
from backends.targets import avx2, avx512
from exo_strat import Machine, Proc, make_instr, proc_from_source

LATE = proc_from_source("""
@instr("late({y});", c_fence="fence();")
def late(y: [f32][1]):
    y[0] = 1.0
""")


def body(text: str, **env: object) -> list[str]:
    """The C of a procedure: from its outlined loops, if there are some, to the end, without indentation."""
    source = compile([proc_from_source(text, {"late": LATE, **env})]).source
    lines = [line.strip() for line in source.splitlines()]
    first = next(i for i, line in enumerate(lines) if line.startswith(("static void exo_par", "void ")))
    return [line for line in lines[first:] if line not in ("", "}")]


def test_a_function_ends_with_the_fence() -> None:
    assert body("""
    def foo(n: size, y: f32[n]):
        for i in seq(0, n):
            if i < 4:
                late(y[i : i + 1])
                late(y[i : i + 1])
    """) == [
        "void foo(int64_t n, float *restrict y) {",
        "for (int64_t i = 0; i < n; i++) {",
        "if (i < 4) {",
        "late(&y[i]);",
        "late(&y[i]);",
        "fence();",
    ]


def test_each_thread_ends_with_the_fence() -> None:
    lines = body("""
    def foo(n: size, y: f32[n]):
        for i in par(0, n):
            late(y[i : i + 1])
        y[0] = 0.0
    """)
    assert lines[1:3] == ["late(&y[i]);", "fence();"]
    assert lines[-1] == "y[0] = 0.0f;" and lines.count("fence();") == 1


def test_threads_start_behind_the_fence() -> None:
    lines = body("""
    def foo(n: size, x: f32[1], y: f32[n]):
        late(x)
        for i in par(0, n):
            y[i] = x[0]
    """)
    at = lines.index("#pragma omp parallel for")
    assert lines[at - 2 : at] == ["late(x);", "fence();"]
    assert lines[-1] == "fence();"


def test_threads_start_behind_what_an_earlier_iteration_left() -> None:
    lines = body("""
    def foo(n: size, m: size, x: f32[m], y: f32[n]):
        for j in seq(0, m):
            for i in par(0, n):
                y[i] = x[j]
            late(x[j : j + 1])
    """)
    at = lines.index("#pragma omp parallel for")
    assert lines[at - 3 : at] == ["for (int64_t j = 0; j < m; j++) {", "EXO_IN_ORDER;", "fence();"]
    assert lines[-2:] == ["late(&x[j]);", "fence();"]


def test_what_comes_later_needs_no_fence_before() -> None:
    lines = body("""
    def foo(n: size, x: f32[1], y: f32[n]):
        for i in par(0, n):
            y[i] = x[0]
        late(x)
    """)
    assert lines.count("fence();") == 1 and lines[-1] == "fence();"


def test_a_call_that_starts_threads_stands_behind_the_fence() -> None:
    inner = proc_from_source("""
    def inner(y: f32[8]):
        for i in par(0, 8):
            y[i] = 0.0
    """)
    outer = proc_from_source("def outer(y: f32[8]):\n    inner(y)", {"inner": inner})
    lines = body("def foo(x: f32[1], y: f32[8]):\n    late(x)\n    outer(y)", outer=outer)
    at = lines.index("outer(y);")
    assert lines[at - 2 : at] == ["late(x);", "fence();"]


def test_a_procedure_that_is_called_fences_what_it_wrote() -> None:
    inner = proc_from_source("def inner(y: f32[1]):\n    late(y)", {"late": LATE})
    lines = body("def foo(y: f32[1]):\n    inner(y)\n    y[0] = 2.0", inner=inner)
    assert lines == ["void foo(float *restrict y) {", "inner(y);", "y[0] = 2.0f;"]
    assert body("def foo(y: f32[1]):\n    late(y)")[-1] == "fence();"


def test_a_buffer_is_released_behind_the_fence() -> None:
    """The next one who gets the memory may be another thread."""
    lines = body("""
    def foo(n: size):
        for i in seq(0, n):
            t: f32[n]
            late(t[i : i + 1])
    """)
    assert lines[-4:] == ["late(&t[i]);", "fence();", "exo_free(t);", "fence();"]


def test_other_code_has_no_fence() -> None:
    assert "fence();" not in body("def foo(n: size, y: f32[n]):\n    for i in par(0, n):\n        y[i] = 0.0")


def test_the_fence_is_part_of_the_text() -> None:
    assert "@instr('late({y});', c_fence='fence();')" in str(LATE)
    assert proc_from_source(str(LATE)).tree.instr == LATE.tree.instr
    made = make_instr.direct(proc_from_source("def late(y: [f32][1]):\n    y[0] = 1.0"), "late({y});", "", "fence();")
    assert made.tree.instr == LATE.tree.instr


# -- stores that pass the caches ----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path))
        yield


def copy(machine: Machine, precision: str) -> Proc:
    """A copy of whole vectors by streaming stores, in parallel."""
    w, (stream,) = machine.vec_width(precision), machine.get_streams(precision)
    load = machine.instruction(stream.name().replace("stream", "loadu"))
    return proc_from_source(
        f"""
        def copied(n: size, x: {precision}[{w} * n], y: {precision}[{w} * n]):
            for i in par(0, n):
                v: {precision}[{w}] @ REGISTERS
                {load.name()}(v, x[{w} * i : {w} * i + {w}])
                {stream.name()}(y[{w} * i : {w} * i + {w}], v)
        """,
        {"REGISTERS": machine.mem_type, load.name(): load, stream.name(): stream},
    )


@pytest.mark.parametrize("precision", ("f32", "f64"))
@pytest.mark.parametrize("machine", (avx2, avx512), ids=str)
def test_streaming_stores_take_any_address(machine: Machine, precision: str) -> None:
    p = copy(machine, precision)
    assert "    _mm_sfence();\n}" in compile([p]).source
    if not available(machine):
        pytest.skip(f"this processor has no {machine}")
    run, n = jit(p, machine), 5 * machine.vec_width(precision)
    x = np.arange(n, dtype=np.float32 if precision == "f32" else np.float64)
    for first in range(16):
        room = np.full(n + 32, -1, x.dtype)
        run(5, x, room[first : first + n])
        assert np.array_equal(room[first : first + n], x)
        assert (room[:first] == -1).all() and (room[first + n :] == -1).all()


def test_strategies_use_them_if_asked() -> None:
    """A machine's instructions have no store that passes the caches among them."""
    for machine in (avx2, avx512):
        ordinary = {i.name() for kind in ("f32", "f64") for i in machine.get_instructions(kind)}
        streams = {i.name() for kind in ("f32", "f64") for i in machine.get_streams(kind)}
        assert len(streams) == 2 and not streams & ordinary
        assert all("c_fence='_mm_sfence();'" in str(machine.instruction(name)) for name in sorted(streams))
