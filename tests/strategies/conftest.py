"""Runs procedures on exact numbers: instructions by what they say they do, so any processor can check any target."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from exo_strat import Proc, Tensor, names_at, print_expr
from exo_strat.interp import Array, run
from exo_strat.interp.values import blank


def _filled(shape: tuple[int, ...], rng: Random) -> Array:
    array = blank(shape)
    return array._replace(cells=[rng.randrange(-9, 10) for _ in array.cells])


def _inputs(p: Proc, sizes: dict[str, int], rng: Random) -> dict[str, object]:
    given: dict[str, object] = dict(sizes)
    for a in p.args():
        if a.name() not in sizes:
            t = a.type()
            extents = [print_expr(e.node, names_at(p.tree)) for e in a.shape()] if isinstance(t, Tensor) else []  # type: ignore[arg-type]
            given[a.name()] = _filled(tuple(int(eval(e, {}, dict(sizes))) for e in extents), rng)
    return given


@pytest.fixture
def computes_the_same() -> Callable[..., None]:
    """Asserts that a scheduled procedure leaves what the naive one does, on random whole numbers of given sizes."""

    def check(naive: Proc, scheduled: Proc, **sizes: int) -> None:
        given = _inputs(naive, sizes, Random(str(sizes)))
        wanted, found = run(naive, given), run(scheduled, given)
        assert wanted.trap is None
        assert found.trap is None, str(found.trap)
        assert found.outputs == wanted.outputs

    return check
