"""Blocked forms that were written down, against the naive programs, by the interpreter: blocks are small here."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from examples.exo_blas.programs import halves, triangles
from examples.exo_blas.programs.kernel import typed
from exo_strat import Proc, direct, partial_eval, schedule
from exo_strat.interp import Array, run
from exo_strat.interp.values import blank

UNIT = [p for p in (*triangles.SYSTEMS, *triangles.PRODUCTS) if "unit" in p.name() or p in triangles.PRODUCTS]
"""Those that divide by nothing: whole numbers stay whole."""

ORDERS = ((1, 1), (2, 5), (4, 6), (7, 13), (9, 3))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (triangles, halves):
        monkeypatch.setattr(module, "DEPTH", 3)
        monkeypatch.setattr(module, "WIDTH", {"f32": 4})
    monkeypatch.setattr(triangles, "FEW", 2)
    yield


def filled(*shape: int) -> Array:
    array, rng = blank(shape), Random(str(shape))
    return array._replace(cells=[rng.randrange(-4, 5) for _ in array.cells])


def outputs(p: Proc, **given: object) -> dict[str, object]:
    ran = run(p, given)
    assert ran.trap is None, str(ran.trap)
    return dict(ran.outputs)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("program", UNIT, ids=Proc.name)
def test_triangles_by_blocks_of_rows(program: Proc, across: bool) -> None:
    naive = typed(program, "f32", program.name())
    naive = schedule(partial_eval(k=0), direct.transpose(naive, "b") if across else naive)
    whole = triangles.whole_of(program, "f32", across).program
    for m, n in ORDERS:
        given = {"m": m, "n": n, "alpha": 3, "a": filled(m, m), "b": filled(*((n, m) if across else (m, n)))}
        wanted = outputs(naive, **given)["b"]
        for near, shared in ((0, 1), (4, 1000)):
            assert outputs(whole, near=near, shared=shared, **given)["b"] == wanted, (m, n, near)


@pytest.mark.parametrize("across", [False, True])
def test_a_kernel_takes_the_triangle_that_is_meant(across: bool) -> None:
    kernel = triangles.kernel(triangles.PRODUCTS, "f32", across).program
    given = {"m": 5, "n": 4, "alpha": 3, "a": filled(5, 5), "b": filled(*((4, 5) if across else (5, 4)))}
    for upper, unit in product((False, True), (False, True)):
        program = getattr(triangles, f"trmm_{'upper' if upper else 'lower'}{'_unit' * unit}")
        naive = typed(program, "f32", program.name())
        naive = schedule(partial_eval(k=0), direct.transpose(naive, "b") if across else naive)
        found = outputs(kernel, near=0, shared=1, upper=upper, unit=unit, **given)
        assert found["b"] == outputs(naive, **given)["b"], (upper, unit)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("half", ["lower", "upper"])
def test_updates_by_squares_of_the_diagonal(half: str, across: bool) -> None:
    kernel = halves.kernel("f32", across).program
    scale, add = (typed(getattr(halves, f"{x}_{half}"), "f32", x) for x in ("scale", "half"))
    add = direct.transpose(add, "b") if across else add
    for (n, k), alpha, beta in product(((1, 1), (4, 3), (9, 7)), (0, 3), (0, 1, 2)):
        a, b, c = filled(n, k), filled(*((n, k) if across else (k, n))), filled(n, n)
        wanted = outputs(scale, n=n, beta=beta, c=c)["c"]
        wanted = outputs(add, m=n, k=k, alpha=alpha, a=a, b=b, c=wanted)["c"]
        found = outputs(kernel, n=n, k=k, shared=1, lower=half == "lower", alpha=alpha, beta=beta, a=a, b=b, c=c)["c"]
        assert found == wanted, (n, k, alpha, beta)
