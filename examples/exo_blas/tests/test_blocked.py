"""Blocked forms that were written down, against the naive programs, by the interpreter: blocks are small here."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from examples.exo_blas.programs import halves, triangles
from examples.exo_blas.programs.kernel import typed
from exo_strat import Proc, direct, partial_eval, schedule
from exo_strat.interp import Array, run
from exo_strat.interp.values import blank

ORDERS = ((1, 1), (2, 5), (4, 6), (7, 13), (9, 3))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (triangles, halves):
        monkeypatch.setattr(module, "DEPTH", 3)
        monkeypatch.setattr(module, "WIDTH", {"f32": 4})
        monkeypatch.setattr(module, "MANY", 3)
        monkeypatch.setattr(module, "PAD", {"f32": 1})
    monkeypatch.setattr(triangles, "FEW", 2)
    monkeypatch.setattr(triangles, "PIECE", 2)
    yield


def filled(*shape: int) -> Array:
    array, rng = blank(shape), Random(str(shape))
    return array._replace(cells=[rng.randrange(-4, 5) for _ in array.cells])


def by_columns(a: Array) -> Array:
    """The same matrix, whose columns are of neighbours."""
    m, n = a.shape
    return Array([a.cells[i * n + j] for j in range(n) for i in range(m)], 0, (m, n), (1, m))


def outputs(p: Proc, **given: object) -> dict[str, object]:
    ran = run(p, given)
    assert ran.trap is None, str(ran.trap)
    return dict(ran.outputs)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("program", (*triangles.SYSTEMS, *triangles.PRODUCTS), ids=Proc.name)
def test_triangles_by_blocks_of_rows(program: Proc, across: bool) -> None:
    naive = typed(program, "f32", program.name())
    naive = schedule(partial_eval(k=0), direct.transpose(naive, "b") if across else naive)
    whole = triangles.whole_of(program, "f32", across).program
    for m, n in ORDERS:
        given = {"m": m, "n": n, "alpha": 3, "a": filled(m, m), "b": filled(*((n, m) if across else (m, n)))}
        given |= {"d": filled(m)} if program in (triangles.trsm_lower, triangles.trsm_upper) else {}
        wanted = outputs(naive, **given)["b"]
        for a, (near, shared) in product((given["a"], by_columns(given["a"])), ((0, 1), (4, 1000))):
            ran = outputs(whole, **{**given, "a": a}, near=near, far=4, shared=shared)
            assert ran["b"] == wanted, (m, n, near)


@pytest.mark.parametrize("across", [False, True])
def test_a_system_is_multiplied_by_inverses_if_these_have_all_their_bits(across: bool) -> None:
    kernel = triangles.kernel(triangles.SYSTEMS, "f32", across).program
    b = filled(*((4, 5) if across else (5, 4)))
    for upper, last in product((False, True), (1.0, 0.5, 2.0**-126, 2.0**-127, 2.0**126, 2.0**127)):
        diagonal = [3, -2, 5, 1, Fraction(last)]
        a = filled(5, 5)
        a = a._replace(cells=[diagonal[i // 6] if i % 6 == 0 else x for i, x in enumerate(a.cells)])
        program = getattr(triangles, f"quotients_{'upper' if upper else 'lower'}")
        naive = typed(program, "f32", program.name())
        naive = direct.transpose(naive, "b") if across else naive
        given = {"m": 5, "n": 4, "alpha": 3, "a": a, "b": b}
        found = outputs(kernel, near=0, far=4, shared=1, upper=upper, unit=False, **given)
        assert found["b"] == outputs(naive, **given)["b"], (upper, last)


@pytest.mark.parametrize("across", [False, True])
def test_a_kernel_takes_the_triangle_that_is_meant(across: bool) -> None:
    kernel = triangles.kernel(triangles.PRODUCTS, "f32", across).program
    given = {"m": 5, "n": 4, "alpha": 3, "a": filled(5, 5), "b": filled(*((4, 5) if across else (5, 4)))}
    for upper, unit in product((False, True), (False, True)):
        program = getattr(triangles, f"trmm_{'upper' if upper else 'lower'}{'_unit' * unit}")
        naive = typed(program, "f32", program.name())
        naive = schedule(partial_eval(k=0), direct.transpose(naive, "b") if across else naive)
        found = outputs(kernel, near=0, far=4, shared=1, upper=upper, unit=unit, **given)
        assert found["b"] == outputs(naive, **given)["b"], (upper, unit)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("half", ["lower", "upper"])
def test_updates_by_squares_of_the_diagonal(half: str, across: bool) -> None:
    kernel = halves.kernel("f32", across, False).program
    scale, add = (typed(getattr(halves, f"{x}_{half}"), "f32", x) for x in ("scale", "half"))
    add = direct.transpose(add, "b") if across else add
    for (n, k), alpha, beta in product(((1, 1), (4, 3), (9, 7)), (0, 3), (0, 1, 2)):
        a, b, c = filled(n, k), filled(*((n, k) if across else (k, n))), filled(n, n)
        wanted = outputs(scale, n=n, beta=beta, c=c)["c"]
        wanted = outputs(add, m=n, k=k, alpha=alpha, a=a, b=b, c=wanted)["c"]
        found = outputs(kernel, n=n, k=k, shared=1, lower=half == "lower", alpha=alpha, beta=beta, a=a, b=b, c=c)["c"]
        assert found == wanted, (n, k, alpha, beta)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("half", ["lower", "upper"])
def test_updates_of_both_products(half: str, across: bool) -> None:
    kernel = halves.kernel("f32", across, True).program
    scale, add = (typed(getattr(halves, f"{x}_{half}"), "f32", x) for x in ("scale", "half"))
    add = direct.transpose(add, "b")
    for n, k in ((1, 1), (4, 3), (9, 5)):
        a, b, c = filled(n, k), filled(n, k)._replace(cells=filled(k, n).cells[::-1]), filled(n, n)
        right = {f"t{name}": x if across else turned(x, n, k) for name, x in (("a", a), ("b", b))}
        wanted = outputs(scale, n=n, beta=2, c=c)["c"]
        wanted = outputs(add, m=n, k=k, alpha=3, a=a, b=b, c=wanted)["c"]
        wanted = outputs(add, m=n, k=k, alpha=3, a=b, b=a, c=wanted)["c"]
        lower = half == "lower"
        found = outputs(kernel, n=n, k=k, shared=1, lower=lower, alpha=3, beta=2, a=a, b=b, c=c, **right)["c"]
        assert found == wanted, (n, k)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_left_matrices_by_columns_are_turned(lower: bool, both: bool) -> None:
    across, in_place = halves.kernel("f32", True, both), halves.kernel("f32", False, both)
    kernel = halves.along("f32", both, across, in_place).program
    for (n, k), alpha in product(((2, 7), (3, 2), (9, 7), (5, 3)), (0, 3)):
        rows = {"a": filled(n, k)} | ({"b": filled(n, k)._replace(cells=filled(k, n).cells[::-1])} if both else {})
        right = {(f"t{x}" if both else "b"): turned(rows[x], n, k) for x in rows}
        given = {"n": n, "k": k, "shared": 1, "lower": lower, "alpha": alpha, "beta": 2, "c": filled(n, n), **right}
        wanted = outputs(in_place.program, **given, **rows)["c"]
        found = outputs(kernel, **given, far=4, **{x: by_columns(m) for x, m in rows.items()})["c"]
        assert found == wanted, (n, k, alpha)


def turned(x: Array, m: int, n: int) -> Array:
    return by_columns(x)._replace(shape=(n, m), strides=(m, 1))
