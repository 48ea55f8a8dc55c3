"""`by_length` and `with_masked_end`: loops with vectors of two lengths compute what the naive ones do."""

from __future__ import annotations

from random import Random

import pytest

from backends.targets import avx2, avx512
from examples.exo_blas.programs import complex_matrix_vector, complex_updates
from examples.exo_blas.programs.kernel import typed
from exo_strat import Machine, Proc, at, schedule, traversals
from exo_strat.interp import run
from strategies.blas.lengths import with_masked_end

PRECISIONS = {"f32": 16, "f64": 8}
LOOPS = {
    **dict.fromkeys(("dots", "dot", "adds", "add", "boths"), complex_matrix_vector),
    **dict.fromkeys(("ranks", "rank", "rank2"), complex_updates),
}


def long(name: str, precision: str, machine: Machine = avx512) -> tuple[Proc, Proc]:
    """A loop over reals of a row, and as scheduled for long rows."""
    module = LOOPS[name]
    program = typed(getattr(module, name), precision, name)
    return program, schedule(module.LONG[name](precision, machine), program)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_computes_what_its_program_does(name: str, precision: str) -> None:
    program, scheduled = long(name, precision)
    width = PRECISIONS[precision]
    for n in (2, width - 2, width, width + 6, 3 * width - 2, 4 * width, 9 * width + 10):
        rng = Random(n)
        sizes = {"x": 8 if name in ("adds", "ranks") else 4 if name == "boths" else 2}
        sizes |= {"w": 8 if name == "dots" else 4 if name == "boths" else 2}
        sizes |= {"y": 2}
        names = [a.name() for a in program.args() if a.name() != "n"]
        given = {"n": n, **{k: [rng.randint(-9, 9) for _ in range(sizes.get(k, n))] for k in names}}
        wanted, found = run(program, given), run(scheduled, given)
        assert wanted.trap is None and found.trap is None, found.trap
        assert found.outputs == wanted.outputs, n


@pytest.mark.parametrize("name", LOOPS)
def test_short_loops_have_short_vectors_and_long_ones_long_vectors(name: str) -> None:
    _, scheduled = long(name, "f64")
    few, _, many = str(scheduled).partition("else:")
    assert "mm256_" in few and "mm512_" not in few
    assert "mm512_" in many


@pytest.mark.parametrize("name", ["adds", "ranks"])
def test_an_update_ends_without_a_mask(name: str) -> None:
    assert "_mask" not in str(long(name, "f64")[1])


def test_sums_and_updates_end_with_a_mask_and_add_up_lanes_once() -> None:
    _, _, many = str(long("boths", "f64")[1]).partition("else:")
    assert "mm512_mask_storeu_pd" in many
    assert many.count("_reduce_add_") == 4


def test_a_masked_end_leaves_no_single_numbers() -> None:
    program = typed(complex_updates.rank, "f64", "rank")
    scheduled = schedule(at("for j in _: _", with_masked_end(avx2, "f64")), program)
    assert not [c for c in traversals.nlr(scheduled.root()) if type(c).__name__ in ("AssignCursor", "ReduceCursor")]
