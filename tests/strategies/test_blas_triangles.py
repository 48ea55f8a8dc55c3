"""Products with triangles and systems, in place, in panels, and of a B that is handed over turned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backends.targets import avx2, plain_c
from examples.exo_blas.programs import halves, symmetric, triangles
from examples.exo_blas.programs.calls import as_call_of, product_add
from examples.exo_blas.programs.kernel import typed
from examples.exo_blas.programs.level3 import gemm, gemm_new
from examples.exo_blas.programs.storage import NEAR
from exo_strat import Machine, Op, Proc, add_assertion, direct, partial_eval, schedule, seq
from strategies.blas.halves import optimize_half, optimize_half_across
from strategies.blas.symmetric import optimize_symmetric
from strategies.blas.triangles import in_panels, in_place, on_stack, tile_of

Same = Callable[..., None]

UNIT = [p for p in (*triangles.SYSTEMS, *triangles.PRODUCTS) if "unit" in p.name() or p in triangles.PRODUCTS]
"""Those that divide by nothing: whole numbers stay whole."""

SIZES = ((1, 1), (5, 9), (7, 16), (13, 23))


def of_rows(program: Proc, across: bool) -> tuple[Proc, Proc]:
    """A program as that of a tile, and of all rows, which are contiguous, or columns, if it is across."""
    tile = typed(program, "f32", program.name())
    rows = direct.transpose(tile, "b") if across else tile
    rows = schedule(seq(partial_eval(k=0), add_assertion("stride(b, 1) == 1")), rows)
    return direct.add_assertion(tile, "stride(b, 1) == 1"), rows


@pytest.mark.parametrize("program", UNIT, ids=Proc.name)
def test_rows_where_they_are(program: Proc, computes_the_same: Same) -> None:
    tile, rows = of_rows(program, False)
    fast = schedule(in_place(tile, tile_of(avx2, "f32")), rows)
    for m, n in SIZES:
        computes_the_same(rows, fast, m=m, n=n)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("program", UNIT, ids=Proc.name)
def test_rows_in_panels(program: Proc, across: bool, computes_the_same: Same) -> None:
    tile, rows = of_rows(program, across)
    rows = direct.add_assertion(rows, "n <= 32")
    fast = schedule(in_panels(tile, tile_of(avx2, "f32"), 32, across), rows)
    for m, n in SIZES:
        computes_the_same(rows, fast, m=m, n=n)


@pytest.mark.parametrize("machine", [avx2, plain_c], ids=lambda m: m.name)
def test_rows_on_the_stack(machine: Machine, computes_the_same: Same) -> None:
    tile, rows = of_rows(triangles.trsm_upper_unit, True)
    rows = direct.add_assertion(rows, "m <= 16")
    fast = schedule(on_stack(tile, tile_of(machine, "f32"), 16, 64), rows)
    for m, n in ((3, 5), (16, 70)):
        computes_the_same(rows, fast, m=m, n=n)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("half", ["lower", "upper"])
def test_a_symmetric_matrix_is_written_out(side: str, half: str, computes_the_same: Same) -> None:
    program = typed(getattr(symmetric, f"symm_{side}_{half}"), "f32", "symm")
    for x in "abc":
        program = direct.add_assertion(program, f"stride({x}, 1) == 1")
    plan = optimize_symmetric(avx2, "f32", 16, as_call_of(product_add, "f32"), NEAR)
    fast = schedule(plan, program)
    for m, n in ((1, 2), (9, 3), (2, 9), (20, 18), (35, 2), (2, 35)):
        computes_the_same(program, fast, m=m, n=n)


def half_plan(machine: Machine, across: bool) -> Op:
    add, new = (direct.add_assertion(typed(p, "f32", p.name()), "stride(b, 1) == 1") for p in (gemm, gemm_new))
    if across:
        return optimize_half_across(machine, "f32", add, new, NEAR)
    return optimize_half(machine, "f32", add, new)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("program", [halves.half_lower, halves.half_upper], ids=Proc.name)
@pytest.mark.parametrize("machine", [avx2, plain_c], ids=lambda m: m.name)
def test_half_of_a_product(machine: Machine, program: Proc, across: bool, computes_the_same: Same) -> None:
    naive = typed(program, "f32", program.name())
    naive = direct.transpose(naive, "b") if across else naive
    naive = schedule(seq(add_assertion("stride(b, 1) == 1"), add_assertion("stride(c, 1) == 1")), naive)
    fast = schedule(half_plan(machine, across), naive)
    for m, k in ((1, 1), (6, 3), (19, 4), (31, 5)):
        computes_the_same(naive, fast, m=m, k=k)
