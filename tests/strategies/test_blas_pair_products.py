"""`optimize_pair_product`: the product in tiles computes what its naive program does, and is instructions."""

from __future__ import annotations

from random import Random

import pytest

from backends.targets import avx2, avx512, plain_c
from examples.exo_blas.programs.complex_gemm import pair_product, product_pairs
from examples.exo_blas.programs.kernel import typed
from exo_strat import CallCursor, Machine, Proc, schedule, traversals
from exo_strat.interp import run
from strategies.blas.calls import calls


def both(machine: Machine, precision: str) -> tuple[Proc, Proc]:
    """The program, and as scheduled for a machine."""
    letter = {"f32": "c", "f64": "z"}[precision]
    program = typed(product_pairs, precision, f"{letter}product_pairs")
    return program, schedule(pair_product(precision, machine), program)


@pytest.mark.parametrize("machine", [avx2, avx512], ids=str)
def test_a_product_in_tiles_is_what_its_program_says(machine: Machine) -> None:
    program, scheduled = both(machine, "f64")
    for m, n, k in ((1, 1, 1), (2, 3, 2), (3, 4, 1), (4, 9, 2), (7, 2, 3), (7, 9, 1), (5, 9, 2)):
        rng = Random(m)

        def drawn(*shape: int, rng: Random = rng) -> object:
            return rng.randint(-9, 9) if not shape else [drawn(*shape[1:]) for _ in range(shape[0])]

        given = {"m": m, "n": n, "k": k, "f": drawn(4, 2), "a": drawn(m, k, 2), "b": drawn(k, 2 * n)}
        given["c"] = drawn(m, 2 * n)
        wanted, found = run(program, given), run(scheduled, given)
        assert wanted.trap is None and found.trap is None, found.trap
        assert found.outputs == wanted.outputs, (m, n, k)


def test_all_that_a_tile_does_is_instructions() -> None:
    _, scheduled = both(avx2, "f32")
    tiles = {c.subproc().name(): c.subproc() for c in calls(scheduled)}
    assert {"cproduct_pairs_6x1", "cproduct_pairs_3x2", "cproduct_pairs_1x1m"} <= set(tiles)
    for tile in tiles.values():
        # all loops are over p
        assert [loop.name() for loop in tile.find_all("for _ in _: _")] == ["p"]
        assert all(isinstance(s, CallCursor) for s in traversals.nlr(tile.root()) if hasattr(s, "rhs"))


def test_without_vectors_a_product_stays_as_it_is() -> None:
    program, scheduled = both(plain_c, "f32")
    assert str(program) == str(scheduled)
