"""Levels 2 and 3 of the library with random arguments, against their definitions in more than double precision.

Of each routine all combinations of layout, triangle, transposition, diagonal and side come up, with sizes, increments,
leading dimensions and scalars as they fall. An error may be as large as that of a sum in any order. Memory ends, or
begins, where a page does that traps; what a routine must not read is NaN there; and whatever it must not write is
compared bit by bit. `EXO_BLAS_CASES` is how many cases there are of a routine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice, product
from typing import Any, NamedTuple

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas

ROW, COLUMN = 101, 102
NO, TRANS, CONJ = 111, 112, 113
UPPER, LOWER = 121, 122
NON_UNIT, UNIT = 131, 132
LEFT, RIGHT = 141, 142
LAYOUTS, UPLOS, DIAGONALS, SIDES = (ROW, COLUMN), (UPPER, LOWER), (NON_UNIT, UNIT), (LEFT, RIGHT)
TRANSPOSES = (NO, TRANS, CONJ)

CASES = int(os.environ.get("EXO_BLAS_CASES", "48"))
STEPS = (1, 1, 1, 1, -1, 2, -2, 3, -7, 40)
SCALARS = (0.0, 1.0, -1.0, 0.75, -2.5, np.nan)

DENSE = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv")
BANDED = ("gbmv", "sbmv", "tbmv", "tbsv", "spmv", "spr", "spr2", "tpmv", "tpsv")
LEVEL3 = ("gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "trsm")


def built_with(routine: str) -> tuple[str, ...]:
    """The wrappers that are built together with a routine's, as in the tests of the levels."""
    return next(group for group in (DENSE, BANDED, LEVEL3) if routine in group)


@dataclass(frozen=True)
class Operand:
    """A matrix, or a vector as a matrix of one column, and which elements it has: the others aren't multiplied."""

    values: np.ndarray
    there: np.ndarray

    @property
    def T(self) -> Operand:
        return Operand(self.values.T, self.there.T)

    def by(self, trans: int) -> Operand:
        return self if trans == NO else self.T

    def __matmul__(self, other: Operand) -> Sum:
        if np.isfinite(self.values).all() and np.isfinite(other.values).all():
            return Sum(self.values @ other.values, np.abs(self.values) @ np.abs(other.values))
        both = self.there[:, :, None] & other.there[None]
        with np.errstate(invalid="ignore"):
            terms = np.where(both, self.values[:, :, None] * other.values[None], 0).sum(1)
        return Sum(terms, np.ones_like(terms))


class Sum(NamedTuple):
    """What is to come out, and the sum of the sizes of all terms, which errors are measured by."""

    value: np.ndarray
    size: np.ndarray

    def times(self, alpha: float) -> Sum:
        return Sum(np.longdouble(alpha) * self.value, abs(alpha) * self.size)

    def plus(self, other: Sum) -> Sum:
        with np.errstate(invalid="ignore"):
            return Sum(self.value + other.value, self.size + other.size)


@dataclass(frozen=True)
class Stored:
    """Memory, and where in it each element of a vector or matrix is; -1 where it isn't stored. `step` is what CBLAS is
    told: an increment or a leading dimension."""

    memory: np.ndarray
    place: np.ndarray
    step: int = 0
    unit: bool = False
    before: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", self.memory.copy())

    @property
    def passed(self) -> tuple[int, ...]:
        return (self.memory.ctypes.data, self.step) if self.step else (self.memory.ctypes.data,)

    @property
    def operand(self) -> Operand:
        there = self.place >= 0
        values = np.where(there, self.before[np.where(there, self.place, 0)] if self.before.size else 0, 0)
        values = values.astype(np.longdouble)
        if self.unit:
            np.fill_diagonal(values, 1)
            there = there | np.eye(len(there), dtype=bool)
        return Operand(values, there)

    @property
    def symmetric(self) -> Operand:
        """The symmetric matrix of which this is a triangle."""
        place = np.where(self.place >= 0, self.place, self.place.T)
        return Stored(self.before, place).operand

    def fill(self, value: float) -> None:
        self.memory[self.place[self.place >= 0]] = value

    def spoil(self, rng: np.random.Generator, infinite: bool) -> None:
        """One element becomes what is no number."""
        used = self.place[self.place >= 0]
        if used.size:
            self.memory[rng.choice(used)] = rng.choice((np.nan, np.inf, -np.inf)) if infinite else np.nan
            self.before[:] = self.memory


class Outcome(NamedTuple):
    """Arguments, all operands, the one that is written, and what it must be."""

    arguments: tuple[Any, ...]
    operands: tuple[Stored, ...]
    written: Stored
    want: Sum
    terms: int


class Lab:
    """Random operands of one precision."""

    def __init__(self, guarded: Callable[..., np.ndarray], letter: str, seed: int) -> None:
        self.rng, self.guarded, self.letter = np.random.default_rng(seed), guarded, letter
        self.dtype = np.dtype("f4" if letter == "s" else "f8")

    def size(self, most: int = 200) -> int:
        """0 and 1 often, small ones, and those up to `most`."""
        high = self.rng.choice([2, 10, 40, most])
        return int(self.rng.integers(0, min(high, most) + 1))

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[self.rng.integers(len(values))]

    def stored(self, place: np.ndarray, step: int = 0, unit: bool = False, least: int = 0) -> Stored:
        used = place[place >= 0]
        count = max(int(used.max(initial=-1)) + 1, least)
        memory = self.guarded(count, self.dtype.str, bool(self.rng.integers(2)))
        memory[:] = np.nan
        memory[used] = self.rng.uniform(-1, 1, len(used))
        return Stored(memory, place, step, unit)

    def vector(self, n: int) -> Stored:
        inc = self.one_of(STEPS)
        at = np.arange(n) * abs(inc)
        return self.stored((at if inc > 0 else at[::-1])[:, None], inc)

    def full(self, layout: int, m: int, n: int) -> Stored:
        i, j = np.indices((m, n))
        ld = max(1, n if layout == ROW else m) + self.one_of((0, 0, 1, 9))
        return self.stored(i * ld + j if layout == ROW else j * ld + i, ld)

    def triangle(self, layout: int, uplo: int, n: int, diag: int = NON_UNIT) -> Stored:
        whole = self.full(layout, n, n)
        place = np.where(half(n, uplo, diag == UNIT), whole.place, -1)
        return self.stored(place, whole.step, diag == UNIT, whole.memory.size)

    def band(self, layout: int, m: int, n: int, kl: int, ku: int, unit: bool = False) -> Stored:
        i, j = np.indices((m, n))
        ld = kl + ku + 1 + self.one_of((0, 0, 2))
        place = i * ld + j - i + kl if layout == ROW else j * ld + i - j + ku
        inside = (j - i <= ku) & (i - j <= kl) & ~(unit & (i == j))
        return self.stored(np.where(inside, place, -1), ld, unit)

    def band_triangle(self, layout: int, uplo: int, n: int, k: int, diag: int = NON_UNIT) -> Stored:
        return self.band(layout, n, n, 0 if uplo == UPPER else k, k if uplo == UPPER else 0, diag == UNIT)

    def packed(self, layout: int, uplo: int, n: int, diag: int = NON_UNIT) -> Stored:
        i, j = np.indices((n, n))
        if layout == COLUMN:
            i, j = j, i
        place = i * n - i * (i - 1) // 2 + j - i if (layout == ROW) == (uplo == UPPER) else i * (i + 1) // 2 + j
        kept = np.where(half(n, uplo, diag == UNIT), place, -1)
        return self.stored(kept, unit=diag == UNIT, least=n * (n + 1) // 2)


def half(n: int, uplo: int, strict: bool = False) -> np.ndarray:
    mask = np.tri(n, k=-1 if strict else 0, dtype=bool)
    return mask if uplo == LOWER else mask.T


# -- what CBLAS says ----------------------------------------------------------------------------------


def combined(alpha: float, terms: Sum, beta: float, y: Stored, count: int) -> Sum:
    """alpha terms + beta y. Neither is read if its factor is 0."""
    value = y.operand.values
    zero = Sum(np.zeros_like(value), np.zeros_like(value))
    old = Sum(value, np.abs(value)).times(beta) if beta else zero
    if beta == 0:
        y.fill(np.nan)
    return old.plus(terms.times(alpha)) if alpha and count else old


def spoilt(lab: Lab, alpha: float, *read: Stored, infinite: bool = True) -> None:
    """All of what isn't read is NaN; else, sometimes, one element is NaN or infinite."""
    for operand in read:
        if alpha == 0:
            operand.fill(np.nan)
            operand.before[:] = operand.memory
        elif lab.rng.integers(6) == 0 and operand.place.size < 3000:
            operand.spoil(lab.rng, infinite)


def product_case(lab: Lab, routine: str, layout: int, flag: int) -> Outcome:
    """y := alpha A x + beta y."""
    m, n, kl, ku = lab.size(), lab.size(), lab.size(30), lab.size(30)
    alpha, beta = lab.one_of(SCALARS), lab.one_of(SCALARS)
    if routine == "gbmv" and np.isnan(alpha):
        alpha = 1.0  # whether rows without any elements become NaN is not said
    if routine == "gemv":
        head, a = (layout, flag, m, n), lab.full(layout, m, n)
    elif routine == "gbmv":
        head, a = (layout, flag, m, n, kl, ku), lab.band(layout, m, n, kl, ku)
    else:
        m = n
        k = (kl,) if routine == "sbmv" else ()
        head = (layout, flag, n, *k)
        kind = {"symv": lab.triangle, "sbmv": lab.band_triangle, "spmv": lab.packed}[routine]
        a = kind(layout, flag, n, *k)
    general = routine in ("gemv", "gbmv")
    rows, columns = (m, n) if not general or flag == NO else (n, m)
    x, y = lab.vector(columns), lab.vector(rows)
    spoilt(lab, alpha, a, x)
    matrix = a.operand.by(flag) if general else a.symmetric
    if m == 0 or n == 0:  # as in the reference: y is left alone
        want = Sum(y.operand.values, np.abs(y.operand.values))
    else:
        terms = matrix @ x.operand if alpha else Sum(y.operand.values, y.operand.values)
        want = combined(alpha, terms, beta, y, columns)
    return Outcome((*head, alpha, *a.passed, *x.passed, beta, *y.passed), (a, x, y), y, want, columns)


def update_case(lab: Lab, routine: str, layout: int, uplo: int) -> Outcome:
    """A := alpha x y^T + A, of which one triangle is stored unless it is `ger`."""
    m, n, alpha = lab.size(), lab.size(), lab.one_of(SCALARS)
    if routine == "ger":
        head, a = (layout, m, n), lab.full(layout, m, n)
    else:
        m, head = n, (layout, uplo, n)
        a = lab.packed(layout, uplo, n) if "p" in routine else lab.triangle(layout, uplo, n)
    x, y = lab.vector(m), lab.vector(n)
    two = routine == "ger" or "2" in routine
    vectors = (x, y) if two else (x,)
    spoilt(lab, alpha, *vectors)
    if alpha:
        terms = x.operand @ (y if two else x).operand.T
        terms = terms.plus(Sum(terms.value.T, terms.size.T)) if "2" in routine else terms
    else:
        terms = Sum(a.operand.values, a.operand.values)
    want = combined(alpha, terms, 1, a, 1)
    arguments = (*head, alpha, *(p for v in vectors for p in v.passed), *a.passed)
    return Outcome(arguments, (a, x, y), a, want, 2)


def solvable(lab: Lab, a: Stored) -> None:
    """Makes substitution harmless: the diagonal is the largest."""
    a.memory[:] /= 1 + len(a.place)
    diagonal = np.diag(a.place)
    diagonal = diagonal[diagonal >= 0]
    a.memory[diagonal] = lab.rng.choice((-1.5, 1.25), len(diagonal))
    a.before[:] = a.memory


def triangle_case(lab: Lab, routine: str, layout: int, uplo: int, trans: int, diag: int) -> Outcome:
    """x := op(A) x or op(A)^-1 x."""
    n, k = lab.size(), lab.size(30)
    width = (k,) if routine[1] == "b" else ()
    kind = {"r": lab.triangle, "b": lab.band_triangle, "p": lab.packed}[routine[1]]
    a, x = kind(layout, uplo, n, *width, diag=diag), lab.vector(n)
    solvable(lab, a)
    spoilt(lab, 1.0, *((x, a) if routine.endswith("mv") else (x,)), infinite=routine.endswith("mv"))
    arguments = (layout, uplo, trans, diag, n, *width, *a.passed, *x.passed)
    op = a.operand.by(trans)
    want = op @ x.operand if routine.endswith("mv") else solution(op, x.operand, (uplo == LOWER) == (trans == NO))
    return Outcome(arguments, (a, x), x, want, n)


def solution(a: Operand, b: Operand, lower: bool) -> Sum:
    """By substitution. Errors are as large as the sizes of what was subtracted, divided by the diagonal, and what they
    become in later rows; which double at most, as the diagonal is the largest."""
    x, n = b.values.copy(), len(b.values)
    for i in range(n) if lower else reversed(range(n)):
        at = np.flatnonzero(a.there[i] & (np.arange(n) != i))
        x[i] = (x[i] - (a.values[i, at, None] * x[at]).sum(0)) / a.values[i, i]
    size = np.abs(a.values) @ np.abs(np.nan_to_num(x)) + np.abs(np.nan_to_num(b.values))
    most = size.max(0, initial=0)
    return Sum(x, 4 * np.broadcast_to(most, x.shape))


def gemm_case(lab: Lab, routine: str, layout: int, one: int, other: int) -> Outcome:
    """C := alpha A B + beta C. The flags are two transpositions, or a side and a triangle."""
    m, n, k = lab.size(), lab.size(), lab.size(90)
    alpha, beta, c = lab.one_of(SCALARS), lab.one_of(SCALARS), lab.full(layout, m, n)
    if routine == "gemm":
        a = lab.full(layout, *((m, k) if one == NO else (k, m)))
        b = lab.full(layout, *((k, n) if other == NO else (n, k)))
        spoilt(lab, alpha, a, b)
        left, right, extents = a.operand.by(one), b.operand.by(other), (m, n, k)
    else:
        a, b = lab.triangle(layout, other, m if one == LEFT else n), lab.full(layout, m, n)
        spoilt(lab, alpha, a, b)
        left, right = (a.symmetric, b.operand) if one == LEFT else (b.operand, a.symmetric)
        extents = (m, n)
    terms = left @ right if alpha else Sum(c.operand.values, c.operand.values)
    count = left.values.shape[1]
    want = combined(alpha, terms, beta, c, count)
    arguments = (layout, one, other, *extents, alpha, *a.passed, *b.passed, beta, *c.passed)
    return Outcome(arguments, (a, b, c), c, want, count)


def rank_case(lab: Lab, routine: str, layout: int, uplo: int, trans: int) -> Outcome:
    """C := alpha op(A) op(B)^T (+ its transposed) + beta C, of which one triangle is stored."""
    n, k = lab.size(120), lab.size(60)
    alpha, beta = lab.one_of(SCALARS), lab.one_of(SCALARS)
    a, b = (lab.full(layout, *((n, k) if trans == NO else (k, n))) for _ in range(2))
    c = lab.triangle(layout, uplo, n)
    two = routine == "syr2k"
    operands = (a, b) if two else (a,)
    spoilt(lab, alpha, *operands)
    if alpha:
        x, y = a.operand.by(trans), operands[-1].operand.by(trans)
        terms = x @ y.T
        terms = terms.plus(Sum(terms.value.T, terms.size.T)) if two else terms
    else:
        terms = Sum(c.operand.values, c.operand.values)
    want = combined(alpha, terms, beta, c, k)
    arguments = (layout, uplo, trans, n, k, alpha, *(p for o in operands for p in o.passed), beta, *c.passed)
    return Outcome(arguments, (*operands, c), c, want, 2 * k)


def triangles_case(lab: Lab, routine: str, layout: int, side: int, uplo: int, trans: int, diag: int) -> Outcome:
    """B := alpha op(A) B or alpha op(A)^-1 B, or with A on the right."""
    m, n, alpha = lab.size(120), lab.size(120), lab.one_of(SCALARS)
    a, b = lab.triangle(layout, uplo, m if side == LEFT else n, diag), lab.full(layout, m, n)
    solvable(lab, a)
    multiplies = routine == "trmm"
    spoilt(lab, alpha, *((b, a) if multiplies or alpha == 0 else (b,)), infinite=multiplies)
    op, lower = a.operand.by(trans), (uplo == LOWER) == (trans == NO)
    x = b.operand if side == LEFT else b.operand.T
    op, lower = (op, lower) if side == LEFT else (op.T, not lower)
    if alpha == 0:
        want = Sum(np.zeros_like(x.values), np.zeros_like(x.values))
    else:
        want = (op @ x if multiplies else solution(op, x, lower)).times(alpha)
    want = want if side == LEFT else Sum(want.value.T, want.size.T)
    arguments = (layout, side, uplo, trans, diag, m, n, alpha, *a.passed, *b.passed)
    return Outcome(arguments, (a, b), b, want, len(a.place))


KINDS: tuple[tuple[tuple[str, ...], Callable[..., Outcome], tuple[tuple[int, ...], ...]], ...] = (
    (("gemv", "gbmv"), product_case, (LAYOUTS, TRANSPOSES)),
    (("symv", "sbmv", "spmv"), product_case, (LAYOUTS, UPLOS)),
    (("ger", "syr", "syr2", "spr", "spr2"), update_case, (LAYOUTS, UPLOS)),
    (("trmv", "trsv", "tbmv", "tbsv", "tpmv", "tpsv"), triangle_case, (LAYOUTS, UPLOS, TRANSPOSES, DIAGONALS)),
    (("gemm",), gemm_case, (LAYOUTS, TRANSPOSES, TRANSPOSES)),
    (("symm",), gemm_case, (LAYOUTS, SIDES, UPLOS)),
    (("syrk", "syr2k"), rank_case, (LAYOUTS, UPLOS, TRANSPOSES)),
    (("trmm", "trsm"), triangles_case, (LAYOUTS, SIDES, UPLOS, TRANSPOSES, DIAGONALS)),
)


def right(outcome: Outcome, eps: float) -> bool:
    """Whether the result is as near as it must be, infinite and NaN where it must be, and nothing else is touched."""
    written, (want, size) = outcome.written, outcome.want
    there = written.place >= 0
    found, want, size = written.memory[written.place[there]].astype(np.longdouble), want[there], size[there]
    finite = np.isfinite(want)
    near = np.abs(found[finite] - want[finite]) <= (outcome.terms + 8) * eps * np.abs(size[finite])
    kept = written.before.copy()
    kept[written.place[there]] = written.memory[written.place[there]]
    same = np.array_equal(kept.view(np.uint8), written.memory.view(np.uint8)) and all(
        np.array_equal(o.before.view(np.uint8), o.memory.view(np.uint8)) for o in outcome.operands if o is not written
    )
    return bool(near.all()) and np.array_equal(found[~finite], want[~finite], equal_nan=True) and same


@pytest.mark.parametrize("routine", dict.fromkeys((*DENSE, *BANDED, *LEVEL3)))
def test_a_routine_does_what_it_says_and_nothing_else(
    blas_of: Callable[..., Cblas],
    guarded: Callable[..., np.ndarray],
    version: tuple[str, str],
    routine: str,
    letter: str,
) -> None:
    call = getattr(blas_of(built_with(routine), version), f"cblas_{letter}{routine}")
    lab = Lab(guarded, letter, sum(map(ord, routine)))
    draw, choices = next((kind, choices) for names, kind, choices in KINDS if routine in names)
    for number, flags in enumerate(islice(cycle(product(*choices)), CASES)):
        outcome = draw(lab, routine, *flags)
        call(*outcome.arguments)
        shown = [a for a in outcome.arguments if not isinstance(a, int) or a < 2**32]
        assert right(outcome, float(np.finfo(lab.dtype).eps)), (number, shown)


ZEROS = ("trmv", "tpmv", "tbmv", "trmm", "trsm", "spr")


@pytest.mark.parametrize("routine", ZEROS)
def test_zero_times_what_is_no_number_is_made(
    blas_of: Callable[..., Cblas],
    guarded: Callable[..., np.ndarray],
    version: tuple[str, str],
    routine: str,
    letter: str,
) -> None:
    """The reference leaves out zeros, other libraries don't: column 3 of A is NaN, what it is multiplied with is 0."""
    call = getattr(blas_of(built_with(routine), version), f"cblas_{letter}{routine}")
    lab, n = Lab(guarded, letter, 5), 9
    a, b, x = lab.full(ROW, n, n), lab.full(ROW, n, n), lab.stored(np.arange(n)[:, None], 1)
    packed, band = lab.packed(ROW, LOWER, n), lab.band_triangle(ROW, LOWER, n, n - 1)
    for matrix in (a, packed, band):
        matrix.memory[matrix.place[3:, 3]] = np.nan
    b.memory[b.place[3]], x.memory[3] = 0, 0
    if routine == "spr":  # NaN is in x
        x.memory[8] = np.nan
        call(ROW, LOWER, n, 1.0, *x.passed, *packed.passed)
        assert np.isnan(packed.memory[packed.place[8, :]]).all()
    elif routine in ("trmm", "trsm"):
        call(ROW, LEFT, LOWER, NO, NON_UNIT, n, n, 1.0, *a.passed, *b.passed)
        assert np.isnan(b.memory[b.place[4:]]).all() and np.isfinite(b.memory[b.place[:3]]).all()
    else:
        matrix = {"trmv": a, "tpmv": packed, "tbmv": band}[routine]
        call(ROW, LOWER, NO, NON_UNIT, n, *((n - 1,) if routine == "tbmv" else ()), *matrix.passed, *x.passed)
        assert np.isnan(x.memory[4:]).all() and np.isfinite(x.memory[:3]).all()
