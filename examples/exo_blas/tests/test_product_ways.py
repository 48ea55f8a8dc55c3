"""Which way a product goes, as object code decides it: ways that do nothing but say so, and in which blocks."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from backends.jit import jit
from examples.exo_blas.programs import products
from examples.exo_blas.programs.kernel import Kernel
from examples.exo_blas.programs.product_ways import chosen
from exo_strat import identity, proc_from_source

NO_LIMIT = 1 << 24
MODEL = {
    "line": 16, "longer": False, "near": 1 << 17, "shallow": 16, "ahead": 64, "ahead_narrow": 64, "cached": 1 << 19,
    "passed": 64, "slim": 64, "dots": 256, "dots_turned": 16, "large": 8 << 20, "few_products": 64, "few_bytes": 16,
    "few_rows": 48, "few_rows_short": 48, "reach": 128, "far": 2 << 20, "many_columns": 192,
}  # fmt: skip
"""The numbers of `choices.h` for a second cache of 1 MiB, without vectors of 512 bits."""

Gone = tuple[str, *tuple[int, ...]]


class Given(NamedTuple):
    """Sizes, whether rows of A and of B are of neighbours, and how much longer rows of B are stored than they are."""

    m: int
    n: int
    k: int
    a_rows: bool = True
    b_rows: bool = True
    beta: int = 1
    gap: int = 0


def told(number: int, way: Kernel) -> Kernel:
    """The way as a program that leaves its number, and those of its blocks."""
    head = [line for line in str(way.program).splitlines() if line.startswith(("def ", "    assert "))]
    names = {a.name() for a in way.program.args()}
    sizes = {"alpha": "deep", "beta": "wide", "a[0, 0]": "tall"} | ({"b[0, 0]": "most"} if "most" in names else {})
    body = [f"    c[0, 0] = {number}.0", *(f"    {place} = f64(i64({size}))" for place, size in sizes.items())]
    return Kernel(way.name, "f64", proc_from_source("\n".join((*head, *body))), lambda _: identity)


WAYS = [k for k in products.kernels_for("f64") if "deep" in {a.name() for a in k.program.args()}]
USED = {"near": (0, 1, 2), "packed": (1,), "across": (1,), "dots": (0,), "turns": (0, 2), "long_rows": (1, 2)}
USED["transposed"] = (0, 1, 2, 3)
"""Which of `deep`, `wide`, `tall` and `most` a way uses."""


@cache
def decision() -> tuple[Callable[..., None], list[str]]:
    """The decision as a function, and the names of its arguments."""
    program = chosen("f64", [told(i, k) for i, k in enumerate(WAYS)]).program
    return jit(program), [a.name() for a in program.args()]


def stored(rows: int, columns: int, by_rows: bool, gap: int = 0) -> np.ndarray:
    """A matrix whose rows, or columns, are of neighbours."""
    return np.zeros((rows, columns + gap))[:, :columns] if by_rows else np.zeros((columns, rows + gap)).T[:rows]


def gone(given: Given, rows: int | None = None, **numbers: int) -> Gone:
    """The way that a product goes, and in which blocks, on a thread that has some of the rows."""
    m, n, k = rows or given.m, given.n, given.k
    found = {name: stored(given.m, k, given.a_rows)[:m] for name in ("a", "ta")}
    found |= {name: stored(k, n, given.b_rows, given.gap) for name in ("b", "tb")}
    found |= {"alpha": np.zeros(()), "beta": np.full((), float(given.beta)), "c": np.zeros((m, n))}
    handed = MODEL | numbers | {"m": m, "n": n, "k": k, "rows": given.m}
    handed |= {name: x.T if name in ("ta", "tb") else x for name, x in found.items()}
    function, names = decision()
    function(*(handed[name] for name in names))
    way = WAYS[int(found["c"][0, 0])].name.removeprefix("dproduct_")
    turned = "t" * (way == "transposed")
    left = ("alpha", "beta", f"{turned}a", f"{turned}b")
    return way, *(int(found[left[i]].flat[0]) for i in USED[way])


@pytest.mark.parametrize(
    "given, want",
    [
        (Given(80, 80, 80), ("near", 80, 832, 80)),  # b is near
        (Given(9, 90, 90), ("near", 90, 768, 5)),  # nine rows are five and four
        (Given(7, 40, 40), ("near", 40, 40, 4)),
        (Given(9, 90, 500), ("near", 64, 1088, 5)),  # few rows of c, rows of b shorter than a page
        (Given(9, 90, 500, gap=1000), ("near", 16, 4160, 5)),
        (Given(400, 400, 8), ("near", 8, 400, 400)),
        (Given(400, 400, 8, beta=2), ("near", 8, 400, 16)),
        (Given(300, 300, 300), ("packed", 192)),
        (Given(900, 300, 300), ("packed", 64)),  # a is far
        (Given(300, 300, 300, b_rows=False), ("across", 192)),
        (Given(20, 30, 300, b_rows=False), ("dots", 512)),
        (Given(16, 100, 300, a_rows=False, b_rows=False), ("dots", 256)),
        (Given(17, 100, 300, a_rows=False, b_rows=False), ("across", 192)),
        (Given(500, 8, 10, b_rows=False), ("turns", 512, 500)),
        (Given(60, 60, 200, b_rows=False), ("turns", 68, 60)),
        (Given(1500, 1500, 10, b_rows=False), ("long_rows", 6553, 1500)),
        (Given(500, 50, 100, a_rows=False), ("transposed", 100, 704, 50, 80)),
        (Given(500, 50, 600, a_rows=False), ("transposed", 64, 1088, 50, 500)),
        (Given(199, 50, 100, a_rows=False), ("near", 100, 704, 199)),
    ],
)  # fmt: skip
def test_sizes_strides_and_numbers_decide(given: Given, want: Gone) -> None:
    assert gone(given) == want
    for rows in (2, 6, given.m - 1):  # of one thread
        assert gone(given, rows) == want


def test_numbers_of_a_profile_may_be_at_their_limits() -> None:
    assert gone(Given(300, 300, 300, b_rows=False), many_columns=0, slim=0) == ("across", 1)
    assert gone(Given(300, 300, 300), near=NO_LIMIT, reach=NO_LIMIT) == ("near", 300, 256, 300)
    assert gone(Given(300, 12, 900), near=0, few_rows_short=NO_LIMIT, ahead=NO_LIMIT, ahead_narrow=8, longer=True) == (
        *("near", 8, 8256, 300),
    )


def test_the_way_that_is_chosen_computes_the_product() -> None:
    rng = random.Random(3)
    program = products.kernels_for("f64")[-1].program
    product, names = jit(program), [a.name() for a in program.args()]
    for _ in range(100):
        m, n, k = (rng.choice((2, 7, 8, 9, 20, 70)) for _ in "mnk")
        numbers = {name: rng.choice((value, max(8, value // 16))) for name, value in MODEL.items() if name != "longer"}
        a, b = stored(m, k, rng.random() < 0.5), stored(k, n, rng.random() < 0.5)
        a[:], b[:] = (np.floor(9 * np.random.default_rng(rng.randrange(99)).random(x.shape)) for x in (a, b))
        c, beta = np.ones((m, n)), float(rng.choice((0, 1, 3)))
        want = 2 * a @ b + beta
        matrices = {"a": a, "ta": a.T, "b": b, "tb": b.T, "c": c, "alpha": np.full((), 2.0), "beta": np.full((), beta)}
        handed = MODEL | numbers | matrices | {"m": m, "n": n, "k": k, "rows": rng.choice((m, 10 * m))}
        product(*(handed[name] for name in names))
        assert (c == want).all(), (m, n, k, numbers)
