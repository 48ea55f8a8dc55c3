"""A product is an instruction only of matrices that its C function takes."""

from __future__ import annotations

import pytest

from examples.exo_blas.programs.calls import as_call_of, product_add
from exo_strat import SchedulingError, at, proc_from_source, replace, schedule

CUBE = """
def cube(a: [f32][8, 8], b: [f32][8, 8], c: [f32][8, 8]):
    assert stride(c, 1) == 1
    {}
    for i in seq(0, 8):
        for j in seq(0, 8):
            for p in seq(0, 8):
                c[i, j] += 2.0 * (a[i, p] * b[p, j])
"""
CALL = at("for i in _: _", replace(as_call_of(product_add, "f32")))


def test_rows_or_columns_of_both_are_of_neighbours():
    cube = proc_from_source(CUBE.format("assert stride(a, 0) == 1\n    assert stride(b, 1) == 1"))
    assert "product_add_f32(8, 8, 8, 2.0, " in str(schedule(CALL, cube))


@pytest.mark.parametrize("side", ["a", "b"])
def test_what_has_no_neighbours_is_refused(side):
    other = "ab".replace(side, "")
    cube = proc_from_source(CUBE.format(f"assert stride({other}, 1) == 1"))
    with pytest.raises(SchedulingError, match=rf"asserts stride\({side}, 0\) == 1 or stride\({side}, 1\) == 1"):
        schedule(CALL, cube)
