"""Products with a symmetric matrix: as scheduled, they compute what they are defined to on exact numbers, and read
nothing beyond the triangle that is stored; their instructions do what their bodies say."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from backends import available, jit
from backends.targets import avx2, avx512
from examples.exo_blas.programs import lanes, level2
from exo_strat import Machine, Proc, proc_from_source
from exo_strat.interp import Array, run

MACHINES = (avx2, avx512)
SIZES = (1, 3, 4, 7, 8, 9, 12, 15, 16, 17, 24, 31, 33)


@cache
def scheduled(half: str, machine: Machine) -> Proc:
    return level2.kernel("f64", level2.MIRRORED[f"symv_{half}"]).scheduled(machine)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
@pytest.mark.parametrize("half", "lu")
def test_only_what_is_stored_is_read(half: str, machine: Machine) -> None:
    rng = np.random.default_rng(5)
    for n in SIZES:
        stored = (np.tril if half == "l" else np.triu)(rng.integers(-3, 4, (n, n)))
        there = (np.tril if half == "l" else np.triu)(np.ones((n, n), bool))
        cells: list[Any] = list(np.where(there, stored.astype(object), np.array(None)).flat)
        x, y = rng.integers(-3, 4, n), rng.integers(-3, 4, n)
        matrix = Array(cells, 0, (n, n), (n, 1))
        found = run(scheduled(half, machine), {"n": n, "alpha": 2, "a": matrix, "x": x.tolist(), "y": y.tolist()})
        assert found.trap is None, (n, found.trap)
        wanted = y + 2 * (stored + stored.T - np.diag(np.diag(stored))) @ x
        assert (np.array(found.outputs["y"], object) == wanted).all(), n


def using(machine: Machine, precision: str) -> Proc:
    """A procedure that loads registers, uses the instructions on them, and stores the results."""
    w, s = machine.vec_width(precision), lanes.SUFFIX[precision]
    mm = lanes.SPELLING[machine.name]["prefix"].lstrip("_")
    own = (lanes.loaded_once(machine, precision), *lanes.others(machine, precision))
    body = [f"r: {precision}[{w}, {w}] @ V", f"s: {precision}[{w}] @ V", f"v: {precision}[{w}] @ V"]
    body += [f"{mm}_loadu_once_{s}(r[{k}, 0:{w}], x[{k}, 0:{w}])" for k in range(w)]
    body += [f"{mm}_loadu_{s}(s[0:{w}], y[0:{w}])"]
    body += [f"{mm}_sums_{s}(s[0:{w}], {', '.join(f'r[{k}, 0:{w}]' for k in range(w))})"]
    for n in range(1, w):
        body += [f"{mm}_loadu_from_{s}({n}, v[0:{w}], x[{n}, {n}:{w}])"]
        body += [f"{mm}_fmadd_from_{s}({n}, v[0:{w}], r[0, 0:{w}], s[0:{w}])"]
    body += [f"{mm}_storeu_{s}(y[0:{w}], s[0:{w}])"]
    source = f"def using(x: {precision}[{w}, {w}], y: {precision}[{w}]):\n" + "\n".join(f"    {line}" for line in body)
    known = {p.name(): p for p in (*own, *machine.get_instructions(precision))}
    return proc_from_source(source, known | {"V": machine.mem_type})


@pytest.mark.parametrize("machine", [m for m in MACHINES if available(m)], ids=lambda m: m.name)
@pytest.mark.parametrize("precision, dtype", [("f32", np.float32), ("f64", np.float64)])
def test_instructions_do_what_they_say(machine: Machine, precision: str, dtype: type) -> None:
    p, w = using(machine, precision), machine.vec_width(precision)
    rng = np.random.default_rng(2)
    x: np.ndarray = rng.integers(-3, 4, (w, w)).astype(dtype)
    y: np.ndarray = rng.integers(-3, 4, w).astype(dtype)
    wanted = y + x.sum(axis=1) + sum(np.where(np.arange(w) >= n, x[n] * x[0], 0) for n in range(1, w))
    found = run(p, {"x": x.astype(int).tolist(), "y": y.astype(int).tolist()})
    assert found.trap is None and (np.array(found.outputs["y"], object) == wanted).all()
    jit(p, machine)(x, y)
    assert (y == wanted).all()
