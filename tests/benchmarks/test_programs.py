"""The programs of `benchmarks.auto` and their C do the same, and that is what their names say."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from backends.c import compile
from backends.toolchain import build
from benchmarks.programs import CLASSES, PROGRAMS, SCALES, class_of, sources
from exo_strat import Scalar

FLAGS = ("-std=gnu11", "-O0", "-w")
Found = dict[str, Any]


@pytest.fixture(scope="module")
def ours() -> ctypes.CDLL:
    module = compile([p.proc for p in PROGRAMS.values()], "programs")
    return ctypes.CDLL(str(build("programs", module.text, FLAGS)))


@pytest.fixture(scope="module")
def theirs() -> ctypes.CDLL:
    return ctypes.CDLL(str(build("peers", "".join(path.read_text() for path in sources()), FLAGS)))


def arguments(name: str) -> Found:
    """Small ones, with no two sizes equal."""
    p = PROGRAMS[name]
    return p.arguments({size: 9 - k for k, size in enumerate(p.large)})


def called(function: Any, given: Mapping[str, Any], number: Callable[[float], Any]) -> Found:
    """The arguments after a call."""
    copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}
    passed = [
        ctypes.c_void_p(v.ctypes.data)
        if isinstance(v, np.ndarray)
        else ctypes.c_int64(v)
        if isinstance(v, int)
        else number(v)
        for v in copies.values()
    ]
    function(*passed)
    return copies


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_and_c_agree_with_what_is_meant(name: str, ours: ctypes.CDLL, theirs: ctypes.CDLL) -> None:
    given = arguments(name)
    mine = called(ours[name], given, lambda x: ctypes.byref(ctypes.c_double(x)))
    peer = called(theirs[name], given, ctypes.c_double)
    assert PROGRAMS[name].difference(mine, peer) < 1e-12
    wanted = MEANT[name](**{k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()})
    assert wanted
    for array, value in wanted.items():
        np.testing.assert_allclose(mine[array], value, rtol=1e-9, atol=1e-12)
    assert any(not np.array_equal(mine[array], given[array]) for array in wanted)


def test_there_is_one_of_each_kind() -> None:
    assert {c: len(programs) for c, programs in CLASSES.items()} == {
        "products": 8, "vectors": 5, "solvers": 6, "statistics": 2, "dynamic": 2, "images": 1, "sweeps": 6,
    }  # fmt: skip
    assert class_of("lu") == "solvers"


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes_numbers_and_amounts(name: str) -> None:
    p = PROGRAMS[name]
    scalars = {a.name() for a in p.proc.args() if isinstance(a.type(), Scalar)}
    assert scalars == set(p.numbers)
    small, large = (p.sizes(scale) for scale in ("small", "large"))
    assert large == dict(p.large) and all(small[n] < large[n] for n in large)
    assert set(SCALES) == {"small", "medium", "large"}
    assert 0 < p.flops(small) < p.flops(large) and 0 < p.footprint(small) < p.footprint(large)


def test_what_is_not_a_number_is_far_from_all() -> None:
    p = PROGRAMS["gemm"]
    assert p.difference({"c": np.array([1.0, np.nan])}, {"c": np.ones(2)}) == np.inf
    assert p.difference({"c": np.array([1.0, 3.0])}, {"c": np.array([1.0, 2.0])}) == 0.5


# -- what is meant, in NumPy ------------------------------------------------------------------------


def covariances(x: Any, n: int, **_: Any) -> Found:
    return {"c": np.cov(x.T), "x": x - x.mean(0)}


def correlations(x: Any, **_: Any) -> Found:
    return {"c": np.corrcoef(x.T)}


def symmetric(a: Any) -> Any:
    return np.tril(a) + np.tril(a, -1).T


def lower(new: Any, old: Any) -> Any:
    return np.tril(new) + np.triu(old, 1)


def gemver(n: int, alpha: float, beta: float, a: Any, u1: Any, v1: Any, u2: Any, v2: Any, y: Any, z: Any, x: Any,
           w: Any) -> Found:  # fmt: skip
    a = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = x + beta * a.T @ y + z
    return {"a": a, "x": x, "w": alpha * a @ x}


def cholesky(a: Any, **_: Any) -> Found:
    return {"a": lower(np.linalg.cholesky(a), a)}


def lu(a: Any, **_: Any) -> Found:
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return {"a": a}


def durbin(n: int, r: Any, **_: Any) -> Found:
    row = np.concatenate([[1.0], r])
    toeplitz = row[np.abs(np.subtract.outer(np.arange(n), np.arange(n)))]
    return {"y": np.linalg.solve(toeplitz, -r)}


def gramschmidt(a: Any, r: Any, m: int, n: int, **_: Any) -> Found:
    q, upper = np.linalg.qr(a)
    signs = np.sign(np.diag(upper))
    return {"q": q * signs, "r": np.triu(upper * signs[:, None]) + np.tril(r, -1)}


def floyd_warshall(n: int, d: Any) -> Found:
    """The shortest paths of ever more edges."""
    paths = d
    for _ in range(n):
        paths = np.minimum(paths, (paths[:, :, None] + d[None]).min(1))
    return {"d": paths}


def nussinov(n: int, s: Any, t: Any) -> Found:
    """All ways to fold, for each stretch."""

    @cache
    def pairs(i: int, j: int) -> int:
        if j - i < 1:
            return 0
        ends = [pairs(i + 1, j - 1) + 1] if s[i] + s[j] == 3 and j - i > 1 else []
        return max([*ends, pairs(i + 1, j), *(pairs(i, k) + pairs(k + 1, j) for k in range(i, j))])

    return {"t": np.array([[pairs(i, j) if i < j else 0 for j in range(n)] for i in range(n)])}


def deriche(h: int, w: int, b1: float, x: Any, **_: Any) -> Found:
    """The sum over all of a row or column, weighted by the distance."""
    alpha = -np.log(b1 / 2)

    def weights(n: int) -> Any:
        k = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        scale = (1 - np.exp(-alpha)) ** 2 / (1 + 2 * alpha * np.exp(-alpha) - np.exp(-2 * alpha))
        return scale * (1 + alpha * k) * np.exp(-alpha * k)

    return {"y": weights(h) @ x @ weights(w)}


def jacobi_1d(steps: int, a: Any, b: Any, **_: Any) -> Found:
    for _step in range(steps):
        for x, y in ((a, b), (b, a)):
            y[1:-1] = np.convolve(x, [0.25, 0.5, 0.25], "valid")
    return {"a": a, "b": b}


def around(x: Any) -> Any:
    """The sum of the neighbours of what is inside, along each axis."""
    inside = (slice(1, -1),) * x.ndim
    return sum(np.roll(x, step, axis)[inside] for axis in range(x.ndim) for step in (-1, 1))


def jacobi_2d(steps: int, a: Any, b: Any, **_: Any) -> Found:
    for _step in range(steps):
        for x, y in ((a, b), (b, a)):
            y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + around(x))
    return {"a": a, "b": b}


def heat_3d(steps: int, a: Any, b: Any, **_: Any) -> Found:
    for _step in range(steps):
        for x, y in ((a, b), (b, a)):
            y[1:-1, 1:-1, 1:-1] = 0.25 * x[1:-1, 1:-1, 1:-1] + 0.125 * around(x)
    return {"a": a, "b": b}


def seidel_2d(steps: int, n: int, a: Any) -> Found:
    for _step in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                a[i, j] = a[i - 1 : i + 2, j - 1 : j + 2].mean()
    return {"a": a}


def fdtd_2d(ex: Any, ey: Any, hz: Any, source: Any, **_: Any) -> Found:
    for value in source:
        ey[0] = value
        ey[1:] -= 0.5 * np.diff(hz, axis=0)
        ex[:, 1:] -= 0.5 * np.diff(hz, axis=1)
        hz[:-1, :-1] -= 0.7 * (np.diff(ex, axis=1)[:-1] + np.diff(ey, axis=0)[:, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def adi(steps: int, n: int, a: float, u: Any, **_: Any) -> Found:
    """Each half step as a system of equations."""
    second = np.diag(np.full(n - 1, 1.0), 1) + np.diag(np.full(n - 1, 1.0), -1) - 2 * np.eye(n)
    second[[0, -1]] = 0
    implicit = np.eye(n) - a * second
    for _step in range(steps):
        v, inside = u.copy(), np.arange(n) % (n - 1) > 0
        v[:, 1:-1] = np.linalg.solve(implicit, np.where(inside[:, None], u + a * u @ second.T, u))[:, 1:-1]
        right = np.where(inside, v + a * second @ v, u)
        u[1:-1] = np.linalg.solve(implicit, right.T).T[1:-1]
    return {"u": u}


MEANT: dict[str, Callable[..., Found]] = {
    "gemm": lambda alpha, beta, a, b, c, **_: {"c": alpha * a @ b + beta * c},
    "mm2": lambda alpha, beta, a, b, c, d, **_: {"d": alpha * a @ b @ c + beta * d},
    "mm3": lambda a, b, c, d, **_: {"g": (a @ b) @ (c @ d)},
    "symm": lambda alpha, beta, a, b, c, **_: {"c": alpha * symmetric(a) @ b + beta * c},
    "syrk": lambda alpha, beta, a, c, **_: {"c": lower(alpha * a @ a.T + beta * c, c)},
    "syr2k": lambda alpha, beta, a, b, c, **_: {"c": lower(alpha * (a @ b.T + b @ a.T) + beta * c, c)},
    "trmm": lambda alpha, a, b, **_: {"b": alpha * np.triu(a) @ b},
    "doitgen": lambda x, w, **_: {"x": x @ w},
    "gemver": gemver,
    "gesummv": lambda alpha, beta, a, b, x, **_: {"y": alpha * a @ x + beta * b @ x},
    "atax": lambda a, x, **_: {"y": a.T @ (a @ x)},
    "bicg": lambda a, p, r, **_: {"q": a @ p, "s": a.T @ r},
    "mvt": lambda a, y1, y2, x1, x2, **_: {"x1": x1 + a @ y1, "x2": x2 + a.T @ y2},
    "cholesky": cholesky,
    "lu": lu,
    "ludcmp": lambda a, b, **_: {"x": np.linalg.solve(a, b)},
    "trisolv": lambda a, b, **_: {"x": np.linalg.solve(np.tril(a), b)},
    "durbin": durbin,
    "gramschmidt": gramschmidt,
    "covariance": covariances,
    "correlation": correlations,
    "floyd_warshall": floyd_warshall,
    "nussinov": nussinov,
    "deriche": deriche,
    "jacobi_1d": jacobi_1d,
    "jacobi_2d": jacobi_2d,
    "seidel_2d": seidel_2d,
    "heat_3d": heat_3d,
    "fdtd_2d": fdtd_2d,
    "adi": adi,
}
