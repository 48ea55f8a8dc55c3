"""Complex numbers, levels 2 and 3: object code that is written in blocks computes what its definition says, on exact
numbers by the interpreter. What isn't stored of a matrix has no values there, so that a read of it ends the test."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from examples.exo_blas import programs
from examples.exo_blas.programs import (
    complex_blocks,
    complex_matrix_vector,
    complex_triangle_vector,
    complex_updates,
)
from exo_strat import Proc
from exo_strat.interp import Array, run

Exact = tuple[Any, Any]
"""Real and imaginary parts, arrays of exact numbers."""

SIGNS = (1, -1)
SIZES = (1, 3, 4, 6, 9)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(7)


def drawn(rng: random.Random, *shape: int) -> Exact:
    """Small whole numbers."""
    re, im = (np.array([rng.randint(-3, 3) for _ in range(int(np.prod(shape)))], object).reshape(shape) for _ in "ri")
    return re, im


def conj(z: Exact, s: int = -1) -> Exact:
    return z[0], s * z[1]


def turned(z: Exact) -> Exact:
    return z[0].T, z[1].T


def add(z: Exact, w: Exact) -> Exact:
    return z[0] + w[0], z[1] + w[1]


def mul(z: Exact, w: Exact, times: Callable[..., Any] = np.multiply) -> Exact:
    return times(z[0], w[0]) - times(z[1], w[1]), times(z[0], w[1]) + times(z[1], w[0])


def dot(z: Exact, w: Exact) -> Exact:
    return mul(z, w, np.dot)


def outer(z: Exact, w: Exact) -> Exact:
    return mul(z, w, np.multiply.outer)


def where(there: Any, z: Exact, other: Exact) -> Exact:
    return np.where(there, z[0], other[0]), np.where(there, z[1], other[1])


def same(z: Exact, w: Exact) -> bool:
    return bool(np.array_equal(z[0], w[0]) and np.array_equal(z[1], w[1]))


def reals(z: Exact, there: Any = True) -> list[Any]:
    """Pairs side by side, None where there are none."""
    found = np.stack(np.broadcast_arrays(*z), -1).astype(object)
    found[~np.broadcast_to(there, found.shape[:-1])] = None
    return np.reshape(found, (*found.shape[:-2], -1)).tolist()


def pairs(z: Exact) -> list[Any]:
    return np.stack(z, -1).tolist()


def rows_of(z: Exact, there: Any = True) -> list[Any]:
    """As `ROWS` has them: the second dimension is of one element."""
    return [[row] for row in reals(z, there)]


def apart(values: Sequence[Any], inc: int) -> Array:
    """A vector whose elements are apart, in the interpreter's sense."""
    cells = [None] * (inc * len(values))
    cells[::inc] = values
    return Array(cells, 0, (len(values),), (inc,))


def parts(values: Sequence[Any]) -> Exact:
    """What `reals` took together."""
    found = np.array(values, object)
    return found[..., 0::2], found[..., 1::2]


def result(p: Proc, name: str, **given: Any) -> Exact:
    """What a program leaves in one of its arguments."""
    outcome = run(p, given)
    assert outcome.trap is None, outcome.trap
    found = outcome.outputs[name]
    return parts([row[0] for row in found]) if name == "a" else parts(found)


def bands(m: int, n: int) -> Iterator[tuple[int, int]]:
    yield from ((m, n), (0, 0), (2, 1), (1, 5))


def stored(m: int, n: int, below: int, above: int) -> Any:
    """Which elements a matrix has."""
    i, j = np.indices((m, n))
    return (j >= i - below) & (j <= i + above)


def triangles(n: int) -> Iterator[tuple[int, int]]:
    yield from ((n, 0), (0, n), (2, 0), (0, 2))


NOTHING = (np.array(0), np.array(0))


@pytest.mark.parametrize(("columns", "s"), [*product((False, True), SIGNS)])
def test_products_of_matrices_and_vectors(rng, columns, s):
    program = complex_matrix_vector.gbmv_columns if columns else complex_matrix_vector.gbmv_rows
    dense = complex_matrix_vector.gemv_columns if columns else complex_matrix_vector.gemv_rows
    for m, n, enough in product(SIZES, SIZES, (1, 3)):
        for below, above in bands(m, n):
            a, x, y = drawn(rng, m, n), drawn(rng, m if columns else n), drawn(rng, n if columns else m)
            alpha, beta = drawn(rng, 1), rng.choice([(np.array([0]), np.array([0])), drawn(rng, 1)])
            there = stored(m, n, below, above)
            sizes = {"m": m, "n": n, "below": below, "above": above, "enough": enough, "s": s}
            given = {"alpha": reals(alpha), "beta": reals(beta), "a": rows_of(a, there), "x": reals(x)}
            found = result(program, "y", **sizes, **given, y=apart(reals(y), rng.choice([1, 2])))
            whole = conj(where(there, a, NOTHING), s)
            want = add(mul(beta, y), mul(alpha, dot(turned(whole) if columns else whole, x)))
            assert same(found, want), (m, n, below, above)
            if there.all():
                given = {"m": m, "n": n, "s": s, **given, "a": reals(a), "x": apart(reals(x), 2)}
                assert same(result(dense, "y", **given, y=reals(y)), want), (m, n)


@pytest.mark.parametrize("s", SIGNS)
def test_products_with_hermitian_matrices(rng, s):
    for n in SIZES:
        for below, above in triangles(n):
            a, x, y, alpha, beta = (drawn(rng, *shape) for shape in ((n, n), (n,), (n,), (1,), (1,)))
            there = stored(n, n, below, above)
            half = where(there & ~np.eye(n, dtype=bool), a, NOTHING)
            whole = add(add(half, conj(turned(half))), (np.diag(a[0].diagonal()), 0 * a[1]))
            given = {"alpha": reals(alpha), "beta": reals(beta), "a": rows_of(a, there), "x": apart(reals(x), 3)}
            sizes, given = {"n": n, "below": below, "above": above, "s": s}, given | {"y": reals(y)}
            want = add(mul(beta, y), mul(alpha, dot(conj(whole, s), x)))
            assert same(result(complex_matrix_vector.hermitian, "y", **sizes, **given), want), (n, below, above)
            if below + above >= n - 1:
                found = result(complex_matrix_vector.hermitian_whole, "y", n=n, lower=above == 0, s=s, **given)
                assert same(found, want), (n, below, above)


@pytest.mark.parametrize(("s", "r"), [*product(SIGNS, SIGNS)])
def test_updates_of_matrices(rng, s, r):
    for m, n, enough in product(SIZES, SIZES, (1, 100)):
        a, x, y, alpha = (drawn(rng, *shape) for shape in ((m, n), (m,), (n,), (1,)))
        given = {"alpha": reals(alpha), "x": apart(reals(x), 2), "y": reals(y), "a": rows_of(a)}
        found = result(complex_updates.ger, "a", m=m, n=n, enough=enough, s=s, r=r, **given)
        assert same(found, add(a, outer(mul(alpha, conj(x, s)), conj(y, r)))), (m, n)


@pytest.mark.parametrize(("lower", "s"), [*product((False, True), SIGNS)])
def test_updates_of_hermitian_matrices(rng, lower, s):
    for n, alike in product((*SIZES, complex_updates.SPLIT + 3), (False, True)):
        a, x, y, alpha = (drawn(rng, *shape) for shape in ((n, n), (n,), (n,), (1,)))
        alpha = alpha[0] + 4, alpha[1]  # of 0, nothing is changed
        there = stored(n, n, n, 0) if lower else stored(n, n, 0, n)
        real = ~np.eye(n, dtype=bool)
        both = {"n": n, "lower": lower, "alike": alike, "s": s, "x": reals(x), "a": rows_of(a, there)}
        p, q, by = conj(x, s), conj(y, s), conj(alpha, s)
        one = add(a, outer(mul((alpha[0], 0 * alpha[0]), p), conj(p)))
        two = add(a, add(outer(mul(by, p), conj(q)), outer(mul(conj(by), q), conj(p))))
        for want, found in (
            (one, result(complex_updates.her, "a", **both, alpha=alpha[0][0])),
            (two, result(complex_updates.her2, "a", **both, alpha=reals(alpha), y=reals(y))),
        ):
            assert same(where(there, found, NOTHING), where(there, (want[0], np.where(real, want[1], 0)), NOTHING))


@pytest.mark.parametrize(("columns", "unit"), [*product((False, True), (False, True))])
def test_products_with_triangles(rng, columns, unit):
    program = complex_triangle_vector.trmv_columns if columns else complex_triangle_vector.trmv_rows
    for n, s, enough in product(SIZES, SIGNS, (1, 3)):
        for below, above in triangles(n):
            a, x = drawn(rng, n, n), drawn(rng, n)
            there = stored(n, n, below, above) & ~(unit & np.eye(n, dtype=bool))
            sizes = {"n": n, "below": below - (unit and not below), "above": above - (unit and not above)}
            given = {"a": rows_of(a, there), "x": reals(x), "enough": enough, "unit": unit, "s": s}
            whole = add(where(there, a, NOTHING), (unit * np.eye(n, dtype=int), 0 * a[1]))
            want = dot(conj(turned(whole) if columns else whole, s), x)
            assert same(result(program, "x", **sizes, **given), want), (n, below, above)


def invertible(rng: random.Random, n: int, unit: bool) -> Exact:
    """A matrix whose diagonal has no zeros, or ones."""
    re, im = drawn(rng, n, n)
    for i in range(n):
        re[i, i], im[i, i] = (1, 0) if unit else (Fraction(rng.choice([1, -2, 3])), Fraction(rng.choice([0, 1, -4])))
    return re, im


@pytest.mark.parametrize(("columns", "unit"), [*product((False, True), (False, True))])
def test_solutions_of_triangular_systems(rng, columns, unit):
    program = complex_triangle_vector.trsv_columns if columns else complex_triangle_vector.trsv_rows
    for n, s, enough in product(SIZES, SIGNS, (1, 3)):
        for below, above in triangles(n):
            a, x = invertible(rng, n, unit), drawn(rng, n)
            there = stored(n, n, below, above)
            held = rows_of(a, there & ~(unit & np.eye(n, dtype=bool)))
            sizes = {"n": n, "below": below, "above": above, "enough": enough, "unit": unit, "s": s}
            whole = where(there, a, NOTHING)
            found = result(program, "x", **sizes, a=held, x=reals(x))
            assert same(dot(conj(turned(whole) if columns else whole, s), found), x), (n, below, above)


# -- level 3 ------------------------------------------------------------------------------------------

SMALLER = {"DEEP": 8, "WIDE": 4, "TALL": 6, "SMALL": 2, "STRIP": 5, "SLICE": 7, "FEW": 2, "TURNED": 3, "EIGHT": 2}
SMALLER |= {"APART": 2}
OF_MATRICES = ("complex_gemm", "complex_rank_k", "complex_triangles")


@pytest.fixture(scope="module")
def blocked() -> Iterator[SimpleNamespace]:
    """The programs of level 3, with blocks so small that there are several."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in SMALLER.items():
            patch.setattr(complex_blocks, name, size)
        names = [f"{programs.__name__}.{name}" for name in OF_MATRICES]
        for name, full in zip(OF_MATRICES, names, strict=True):
            patch.setattr(programs, name, importlib.import_module(full))  # so that it is there again
            patch.delitem(sys.modules, full)
        found: dict[str, Any] = {}
        for full in names:
            found |= vars(importlib.import_module(full))
        yield SimpleNamespace(**found)


def strided(z: Exact, across: bool) -> Any:
    """A matrix of pairs; `across`, the pairs of a column are neighbours."""
    m, n = z[0].shape
    if not across:
        return pairs(z)
    cells = np.stack(turned(z), -1).reshape(-1).tolist()
    return Array(cells, 0, (m, n, 2), (2, 2 * m, 1))


SHAPES = ((1, 1, 1), (3, 5, 4), (7, 2, 9), (6, 9, 3))


@pytest.mark.parametrize(("across", "by_columns"), [*product((False, True), (False, True))])
def test_products_of_matrices(rng, blocked, across, by_columns):
    for (m, n, k), sa, sb in product(SHAPES, SIGNS, SIGNS):
        a, b, c, alpha, beta = (drawn(rng, *shape) for shape in ((m, k), (k, n), (m, n), (1,), (1,)))
        lying = turned(b) if by_columns else b
        r, q = lying[0].shape
        sizes = {"m": m, "n": n, "k": k, "turned": by_columns, "r": r, "q": q, "sa": sa, "sb": sb}
        given = {"alpha": reals(alpha), "beta": reals(beta), "a": strided(a, across), "b": reals(lying), "c": reals(c)}
        want = add(mul(beta, c), mul(alpha, dot(conj(a, sa), conj(b, sb))))
        for program in (blocked.gemm_scaled, blocked.gemm_near):
            assert same(result(program, "c", **sizes, **given), want), (m, n, k)


@pytest.mark.parametrize(("by_columns", "lower", "hermitian"), [*product((False, True), (False, True), (False, True))])
def test_one_triangle_of_a_product(rng, blocked, by_columns, lower, hermitian):
    for (n, k), across, near in product(((1, 1), (3, 4), (7, 2), (11, 5)), (False, True), (False, True)):
        a, b, c, alpha, beta = (drawn(rng, *shape) for shape in ((n, k), (k, n), (n, n), (1,), (1,)))
        alpha, beta = (alpha[0] + 4, alpha[1]), (beta[0], 0 * beta[1]) if hermitian else beta
        lying = turned(b) if by_columns else b
        there = stored(n, n, n, 0) if lower else stored(n, n, 0, n)
        r, q = lying[0].shape
        sizes = {"n": n, "k": k, "lower": lower, "turned": by_columns, "near": near, "r": r, "q": q}
        given = {"alpha": reals(alpha), "beta": reals(beta), "a": strided(a, across), "b": reals(lying)}
        want = add(mul(beta, c), mul(alpha, dot(conj(a), b)))
        if hermitian:
            want = (want[0], np.where(np.eye(n, dtype=bool), 0, want[1]))
        found = result(blocked.rank_k, "c", **sizes, hermitian=hermitian, sa=-1, sb=1, **given, c=reals(c, there))
        assert same(where(there, found, NOTHING), where(there, want, NOTHING)), (n, k)


@pytest.mark.parametrize(("by_columns", "lower", "hermitian"), [*product((False, True), (False, True), (False, True))])
def test_one_triangle_of_two_products(rng, blocked, by_columns, lower, hermitian):
    for n, k in ((1, 1), (3, 4), (7, 2)):
        a, b, c, alpha, beta = (drawn(rng, *shape) for shape in ((n, k), (n, k), (n, n), (1,), (1,)))
        alpha, beta = (alpha[0] + 4, alpha[1]), (beta[0], 0 * beta[1]) if hermitian else beta
        other, sign = (conj(alpha), -1) if hermitian else (alpha, 1)
        there = stored(n, n, n, 0) if lower else stored(n, n, 0, n)
        lying = [z if by_columns else turned(z) for z in (a, b)]
        r, q = lying[0][0].shape
        sizes = {"n": n, "k": k, "lower": lower, "turned": by_columns, "hermitian": hermitian, "r": r, "q": q}
        given = {"alpha": reals(alpha), "other": reals(other), "beta": reals(beta), "a": pairs(a), "b": pairs(b)}
        first, second = mul(alpha, dot(a, turned(conj(b, sign)))), mul(other, dot(b, turned(conj(a, sign))))
        want = add(mul(beta, c), add(first, second))
        if hermitian:
            want = (want[0], np.where(np.eye(n, dtype=bool), 0, want[1]))
        lines = {"u": reals(lying[0]), "v": reals(lying[1])}
        found = result(blocked.rank_2k, "c", **sizes, sa=1, sb=sign, **given, **lines, c=reals(c, there))
        assert same(where(there, found, NOTHING), where(there, want, NOTHING)), (n, k)


@pytest.mark.parametrize(("left", "hermitian", "s"), [*product((False, True), (False, True), SIGNS)])
def test_products_with_what_is_stored_by_half(rng, blocked, left, hermitian, s):
    for m, n in ((1, 1), (3, 5), (9, 4), (6, 7)):
        size = m if left else n
        a, b, c, alpha, beta = (drawn(rng, *shape) for shape in ((size, size), (m, n), (m, n), (1,), (1,)))
        low = where(stored(size, size, size, -1), a, NOTHING)
        diagonal = np.diag(a[0].diagonal()), (not hermitian) * np.diag(a[1].diagonal())
        whole = conj(add(add(low, conj(turned(low), -1 if hermitian else 1)), diagonal), s)
        held = np.array(pairs(a), object)
        held[~stored(size, size, size, 0)] = None
        given = {"alpha": reals(alpha), "beta": reals(beta), "a": held.tolist(), "b": reals(b) if left else pairs(b)}
        program = blocked.symm_left if left else blocked.symm_right
        found = result(program, "c", m=m, n=n, hermitian=hermitian, s=s, **given, c=reals(c))
        assert same(found, add(mul(beta, c), mul(alpha, dot(whole, b) if left else dot(b, whole)))), (m, n)


TRIANGULAR = ((1, 1), (3, 5), (9, 4), (4, 7), (15, 2))


@pytest.mark.parametrize(("left", "unit", "s"), [*product((False, True), (False, True), SIGNS)])
def test_products_with_triangles_and_their_inverses(rng, blocked, left, unit, s):
    for (m, n), across, far, near in product(TRIANGULAR, *[(False, True)] * 3):
        size = m if left else n
        a, b, alpha = invertible(rng, size, unit), drawn(rng, m, n), drawn(rng, 1)
        alpha[0][0] = alpha[0][0] or 2
        there = stored(size, size, size, 0)
        whole = conj(where(there, a, NOTHING), s)
        held = strided(where(there & ~(unit & np.eye(size, dtype=bool)), a, (np.array(None), np.array(None))), across)
        given = {"m": m, "n": n, "unit": unit, "far": far, "s": s, "alpha": reals(alpha), "a": held}
        given |= {"near": near} if left else {}
        kind = "left" if left else "right"

        def outcome(program: Proc, given: dict[str, Any] = given, b: Exact = b, left: bool = left) -> Exact:
            found = run(program, given | {"b": reals(b) if left else pairs(b)})
            assert found.trap is None, found.trap
            if left:
                return parts(found.outputs["b"])
            array = np.array(found.outputs["b"], object)
            return array[..., 0], array[..., 1]

        times = outcome(getattr(blocked, f"trmm_{kind}"))
        assert same(times, mul(alpha, dot(whole, b) if left else turned(dot(whole, turned(b))))), (m, n)
        solved = outcome(getattr(blocked, f"trsm_{kind}"))
        back = dot(whole, solved) if left else turned(dot(whole, turned(solved)))
        assert same(back, mul(alpha, b)), (m, n)
