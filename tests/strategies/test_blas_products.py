"""Ways that a product goes: each computes what the naive program does, with kernels that are naive themselves."""

from __future__ import annotations

from itertools import product as product_of
from random import Random

import pytest

from examples.exo_blas.programs.kernel import typed, unit_stride
from examples.exo_blas.programs.level3 import gemm, gemm_new, matrix_add, matrix_scale, matrix_turn, matrix_zero
from examples.exo_blas.programs.products import (
    A_EITHER,
    B_COLUMNS,
    B_ROWS,
    matrix_turn_rows,
    product,
    product_small,
    product_transposed,
)
from exo_strat import DRAM, Op, Proc, direct, moves, nav, schedule, seq
from exo_strat.interp import Array, run
from exo_strat.interp.values import Cell
from strategies.blas.products import (
    Kernels,
    Made,
    at_once,
    by_dots,
    by_long_rows,
    by_transposed,
    by_turns,
    calls,
    few_rows_apart,
    from_packed,
    if_narrow,
    in_place,
)


def asserted(p: Proc, *assertions: str) -> Proc:
    for assertion in assertions:
        p = direct.add_assertion(p, assertion)
    return p


def made(p: Proc, *assertions: str) -> Made:
    naive = asserted(typed(p, "f32", p.name()), *assertions)
    return Made(naive, naive)


SCALE, ADD, ZERO = (made(unit_stride(p)) for p in (matrix_scale, matrix_add, matrix_zero))
DOTS = made(gemm, B_COLUMNS, "stride(a, 1) == 1")
TURN, TURN_ROWS = made(matrix_turn), made(matrix_turn_rows)


def kernels(*assertions: str) -> Op:
    return calls(Kernels(made(gemm_new, *assertions), made(gemm, *assertions), SCALE))


NEAR = if_narrow(4, kernels(B_ROWS), kernels(B_ROWS))
AT_ONCE = seq(nav(moves.find_loop("j")), at_once(few_rows_apart(6, NEAR), SCALE))
WAYS = {
    "near": (product, in_place(NEAR), (B_ROWS,)),
    "packed": (product, from_packed(kernels(B_ROWS, "k <= 2"), TURN, DRAM, 2, 3), (B_ROWS,)),
    "dots": (product, by_dots(DOTS, ZERO, SCALE, TURN, DRAM), (B_COLUMNS, A_EITHER)),
    "turns": (product, by_turns(NEAR, TURN, DRAM), (B_COLUMNS,)),
    "long_rows": (product, by_long_rows(NEAR, TURN, DRAM), (B_COLUMNS,)),
    "small": (product_small, AT_ONCE, (B_ROWS,)),
    "transposed": (product_transposed, by_transposed(NEAR, SCALE, TURN_ROWS, ADD, DRAM), ()),
}
SIZES = ((1, 1, 1), (2, 3, 2), (7, 2, 3), (8, 3, 5), (5, 4, 1))


def matrix(rng: Random, rows: int, columns: int, by_columns: bool = False) -> Array:
    cells: list[Cell] = [rng.randrange(-9, 10) for _ in range(rows * columns)]
    return Array(cells, 0, (rows, columns), (1, rows) if by_columns else (columns, 1))


@pytest.mark.parametrize("beta", [0, 1, 3])
@pytest.mark.parametrize("way", WAYS)
def test_each_way_computes_the_product(way: str, beta: int) -> None:
    program, plan, assertions = WAYS[way]
    naive = asserted(typed(program, "f32", way), *assertions)
    scheduled = schedule(plan, naive)
    numbers = {a.name() for a in naive.args()} & {"deep", "wide", "tall", "most"}
    rng = Random(way)
    for m, n, k in SIZES:
        for step, a_columns in product_of((1, 2, 9) if numbers else (1,), (False, way != "transposed")):
            a, b = matrix(rng, m, k, a_columns), matrix(rng, k, n, B_COLUMNS in assertions)
            if way == "transposed":
                a, b = (Array(x.cells, 0, x.shape[::-1], (x.shape[0], 1)) for x in (a, b))
            given = {"m": m, "n": n, "k": k, "alpha": 2, "a": a, "b": b, "beta": beta, "c": matrix(rng, m, n)}
            wanted, found = (run(p, given | dict.fromkeys(numbers, step)) for p in (naive, scheduled))
            assert wanted.trap is None, str(wanted.trap)
            assert found.trap is None, str(found.trap)
            assert found.outputs == wanted.outputs


def test_a_copy_is_made_where_columns_are_of_neighbours() -> None:
    program, plan, assertions = WAYS["packed"]
    text = str(schedule(plan, asserted(typed(program, "f32", "packed"), *assertions)))
    assert "if stride(a, 0) == 1 and wide < n:" in text
    assert text.count("matrix_turn(") == 1
    assert text.count("gemm_new(") == 2
    assert text.count("    gemm(") == 4
