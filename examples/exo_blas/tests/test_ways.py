"""Level 1: object code that calls loops on pieces of vectors computes what the naive loops do, on exact numbers by the
interpreter, for vectors of any increments and for long ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from examples.exo_blas.builder.catalogue import find
from exo_strat.interp import Array, run

LONG = (2048, 2049, 2111, 4200)
Update = Callable[[Any, Any], tuple[Any, Any]]
UPDATES: dict[str, tuple[dict[str, int], Update]] = {
    "saxpy": ({"alpha": 3}, lambda x, y: (x, y + 3 * x)),
    "dcopy": ({}, lambda x, y: (x, x)),
    "sswap": ({}, lambda x, y: (y, x)),
    "drotm": ({"h11": 2, "h12": -1, "h21": 3, "h22": 5}, lambda x, y: (2 * x - y, 3 * x + 5 * y)),
    "sscal": ({"alpha": -2}, lambda x, y: (-2 * x, y)),
}
"""Programs with the numbers that they are given, and what becomes of two elements."""
SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "sasum": lambda x, y: abs(x),
    "ddot": lambda x, y: x * y,
    "dsdot": lambda x, y: x * y,
}


@pytest.fixture
def rng() -> random.Random:
    return random.Random(5)


def drawn(rng: random.Random, n: int) -> list[int]:
    return [rng.randint(-9, 9) for _ in range(n)]


def result(name: str, **given: Any) -> dict[str, Any]:
    """What a kernel's program leaves in its arguments; those that it does not have are not given."""
    program = find(name)[1].program
    outcome = run(program, {a.name(): given[a.name()] for a in program.args()})
    assert outcome.trap is None, outcome.trap
    return dict(outcome.outputs)


def one_by_one(step: Update, n: int, x: list[Any], y: list[Any]) -> tuple[list[Any], list[Any]]:
    """What the reference leaves, of vectors of which each has n elements or one."""
    x, y = list(x), list(y)
    for i in range(n):
        at, into = min(i, len(x) - 1), min(i, len(y) - 1)
        x[at], y[into] = step(x[at], y[into])
    return x, y


def pairs(re: Sequence[Any], im: Sequence[Any]) -> list[list[Any]]:
    return [list(z) for z in zip(re, im, strict=True)]


@pytest.mark.parametrize("name", UPDATES)
def test_updates_of_vectors_of_any_increments(rng: random.Random, name: str) -> None:
    numbers, step = UPDATES[name]
    for n, nx, ny in ((1, 1, 1), (2, 2, 2), (7, 7, 7), (7, 7, 1), (7, 1, 7), (7, 1, 1)):
        if nx == n or name in ("sswap", "drotm", "sscal"):  # x may be one element where it is written
            parts = [(drawn(rng, nx), drawn(rng, ny)) for _ in range(2)]
            want = [one_by_one(step, n, *part) for part in parts]
            given = {"n": n, "nx": nx, "ny": ny, **numbers}
            found = result(f"{name}_apart", **given, x=parts[0][0], y=parts[0][1])
            assert all(list(found[v]) == w for v, w in zip("xy", want[0], strict=True) if v in found)
            both = {v: pairs(parts[0][i], parts[1][i]) for i, v in enumerate("xy")}
            found = result(f"{name}_parts", **given, **both)
            for i, v in enumerate("xy"):
                assert v not in found or [list(z) for z in found[v]] == pairs(want[0][i], want[1][i])


@pytest.mark.parametrize("name", [*UPDATES, "dcopy_far"])
def test_updates_of_long_vectors(rng: random.Random, name: str) -> None:
    numbers, step = UPDATES[name.removesuffix("_far")]
    for n, before, shared in ((5, 0, 2048), (9, 3, 2048), (2048, 0, 2048), (2055, 7, 2048), (4300, 5, 2048)):
        x, y = drawn(rng, n), drawn(rng, n)
        want = one_by_one(step, n, x, y)
        found = result(f"{name}_long", n=n, before=before, shared=shared, **numbers, x=x, y=y)
        assert all(list(found[v]) == w for v, w in zip("xy", want, strict=True) if v in found)


@pytest.mark.parametrize("name", SUMS)
def test_sums(rng: random.Random, name: str) -> None:
    for n in LONG:
        x, y = drawn(rng, n), drawn(rng, n)
        assert result(f"{name}_long", n=n, x=x, y=y, r=0)["r"] == sum(map(SUMS[name], x, y))
    for n in (1, 2, 9):
        (x, y), (u, v) = ((drawn(rng, n), drawn(rng, n)) for _ in range(2))
        want = sum(map(SUMS[name], x + u, y + v))
        assert result(f"{name}_parts", n=n, x=pairs(x, u), y=pairs(y, v), r=0)["r"] == want


@pytest.mark.parametrize("kind", ["", "few", "many", "long", "apart"])
def test_the_first_of_the_largest(rng: random.Random, kind: str) -> None:
    sizes = {"": (1, 2, 7, 64), "few": (1, 8, 33, 64), "many": (32, 65, 100, 4097), "long": (2048, 2100), "apart": ()}
    for n in sizes[kind] or (3, 64, 65, 520, 1030):
        x = drawn(rng, n)
        cells = Array([c for v in x for c in (v, None)], 0, (n,), (2,)) if kind == "apart" else x
        name = "diamax" + f"_{kind}" * bool(kind)
        found = result(name, n=n, counts=list(range(64)), x=cells, start=0, r=0)
        assert found["r"] == max(range(n), key=lambda i: (abs(x[i]), -i)), (kind, n)


@pytest.mark.parametrize("s", [1, -1])
def test_sums_of_products_of_complex_numbers(rng: random.Random, s: int) -> None:
    for n, ending in ((3, ""), (3, "_apart"), (300, "_apart"), (2100, "_long")):
        x, y = (pairs(drawn(rng, n), drawn(rng, n)) for _ in range(2))
        want = [
            sum(a * c - s * b * d for (a, b), (c, d) in zip(x, y, strict=True)),
            sum(a * d + s * b * c for (a, b), (c, d) in zip(x, y, strict=True)),
        ]
        given = (x, y) if ending == "_apart" else ([v for z in x for v in z], [v for z in y for v in z])
        found = result(f"zproducts{ending}", n=n, s=s, x=given[0], y=given[1], r=[0, 0])
        assert list(found["r"]) == want


def test_the_first_of_the_largest_complex_numbers(rng: random.Random) -> None:
    for n, shared in ((1, 9999), (9, 9999), (300, 9999), (2100, 2048)):
        x = pairs(drawn(rng, n), drawn(rng, n))
        found = result("ciamax", n=n, shared=shared, counts=list(range(64)), x=x, r=0)
        assert found["r"] == max(range(n), key=lambda i: (abs(x[i][0]) + abs(x[i][1]), -i)), n
