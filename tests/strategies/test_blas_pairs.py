"""`optimize_pairs`: every kernel computes what its naive program does, and is instructions of the machine."""

from __future__ import annotations

from random import Random

import pytest

from backends.targets import avx2, avx512, plain_c
from examples.exo_blas.programs import complex as programs
from exo_strat import (
    DRAM_STACK,
    AssignCursor,
    Machine,
    Proc,
    ReduceCursor,
    SchedulingError,
    at,
    identity,
    moves,
    nav,
    proc_from_source,
    schedule,
    seq,
    set_memory,
    traversals,
    try_else,
)
from exo_strat.interp import run
from strategies.blas.pairs import optimize_pairs
from strategies.std.writing import element

NEAR = {p.name(): p for p in programs.NEAR}
PRECISIONS = ("f32", "f64")


def both(name: str, machine: Machine, precision: str) -> tuple[Proc, Proc]:
    """The program of a kernel, and as scheduled for a machine, with all that its vectors have."""
    on_stack = try_else(at("b: _", set_memory(DRAM_STACK)), identity)
    plan = seq(on_stack, nav(moves.root), at("for i in _: _", optimize_pairs(machine, precision)))
    kernel = programs.kernel(NEAR[name], precision, lambda m: plan)
    return kernel.program, kernel.scheduled(machine)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("machine", [plain_c, avx2, avx512], ids=str)
@pytest.mark.parametrize("name", NEAR)
def test_a_kernel_computes_what_its_program_does(name: str, machine: Machine, precision: str) -> None:
    program, scheduled = both(name, machine, precision)
    for n in (1, 2, 3, 4, 9, 15, 71, 150):
        rng = Random(n)
        lengths = {"n": 0, "ar": 0, "ai": 0, **dict.fromkeys("pq", 2), **dict.fromkeys("xy", 2 * n)}
        whole = {k: [rng.randint(-9, 9) for _ in range(m)] or rng.randint(-9, 9) for k, m in lengths.items()}
        given = {a.name(): whole[a.name()] for a in program.args()} | {"n": n}
        wanted, found = run(program, given), run(scheduled, given)
        assert wanted.trap is None and found.trap is None, found.trap
        assert found.outputs == wanted.outputs, n


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("machine", [avx2, avx512], ids=str)
@pytest.mark.parametrize("name", NEAR)
def test_all_pairs_are_in_vectors(name: str, machine: Machine, precision: str) -> None:
    """Also the last ones, which so are rounded as the others are."""
    _, scheduled = both(name, machine, precision)
    singles = [s for s in traversals.nlr(scheduled.root()) if isinstance(s, AssignCursor | ReduceCursor)]
    assert {element(s) for s in singles} <= {"b[0]", "b[1]"}
    assert "_exchanged_" in str(scheduled)


def test_a_vector_is_read_and_added_to_once() -> None:
    _, scheduled = both("axpy_pairs", avx2, "f64")
    whole, _, rest = str(scheduled).partition("if 0 < n % 2:")
    vectors = 4 + 1
    assert whole.count("set1_") == 2 and rest.count("set1_") == 2
    assert whole.count("storeu_pd(y") == vectors and whole.count("loadu_pd(s") == vectors


def test_sums_have_registers_of_their_own() -> None:
    _, scheduled = both("dot_pairs", avx2, "f32")
    assert len({word for word in str(scheduled).split() if word.startswith("acc")}) >= 8


def test_what_has_no_instruction_is_said() -> None:
    p = proc_from_source("""
def powers(n: size, x: f32[2 * n], y: f32[2 * n]):
    for i in seq(0, n):
        for k in seq(0, 2):
            y[2 * i + k] = expf(x[2 * i + 1 - k])
""")
    with pytest.raises(SchedulingError, match="no instruction computes"):
        schedule(at("for i in _: _", optimize_pairs(avx2, "f32")), p)
