"""The table of what searches find."""

from __future__ import annotations

from benchmarks.tuning import KERNELS, Compared, row
from exo_strat import *
from exo_strat.tuning import Modelled, exhaustive, tune


@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


def test_a_row_tells_what_differs_from_the_defaults() -> None:
    op = at("for i in _: _", divide_loop(hole("width", (4, 8)), ("io", "ii"), tail=hole("tail", ("cut", "perfect"))))

    def model(p: Proc) -> float:
        return 1.0 if "seq(0, 8)" in str(p) else 2.0

    found = tune(op, scale, Modelled(model), search=exhaustive(), jobs=1)
    cells = row("scale", "n = 9", Compared("2 s", "1 s", 2.0, found))
    assert cells == ("scale", "n = 9", "2 s", "1 s", "2.00", "4", "2", "width = 8")


def test_each_customer_has_a_plan_for_its_program() -> None:
    names = [f"{name} {sizes}" for name, customers in KERNELS.items() for c in customers for sizes, _ in c.cases()]
    assert len(set(names)) == len(names) and "sgemm m = 64, n = 64, k = 64" in names
    assert {"sgemm", "axpy", "gemv", "convolution", "gemmini"} <= {*KERNELS}
