"""Levels 2 and 3 of the library with random arguments, against their definitions in more precision.

Of each routine all combinations of layout, triangle, transposition, diagonal and side come up, with sizes, increments,
leading dimensions and scalars as they fall. An error may be as large as that of a sum in any order. Memory ends, or
begins, where a page does that traps; what a routine must not read is NaN there; and whatever it must not write is
compared bit by bit. `EXO_BLAS_CASES` is how many cases there are of a routine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from examples.exo_blas.binding import Cblas
from examples.exo_blas.builder.units import units

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
PAIRS = (0j, 1 + 0j, -1 + 0j, 1j, -2j, 1 - 2j, -0.5 + 0.75j, complex(np.nan, 0), complex(0, np.nan))
DTYPES = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}

DENSE = ("gemv", "ger", "symv", "syr", "syr2", "trmv", "trsv")
BANDED = ("gbmv", "sbmv", "tbmv", "tbsv", "spmv", "spr", "spr2", "tpmv", "tpsv")
LEVEL3 = ("gemm", "gemv", "ger", "symm", "syrk", "syr2k", "trmm", "trsm")
TRIANGLES = ("trmv", "trsv", "tbmv", "tbsv", "tpmv", "tpsv")
COMPLEX_LEVEL3 = ("gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm")

COMPLEX = (*dict.fromkeys(u.wrapper for u in units() if u.is_complex), "gemm", "gemv", "ger", "rotg")
"""The wrappers of all functions of complex numbers, and those for real ones that they call. They are built together."""


def built_with(routine: str) -> tuple[str, ...]:
    """The wrappers that are built together with a routine's, as in the tests of the levels."""
    return next(group for group in (DENSE, BANDED, LEVEL3) if routine in group)


def exactly(x: Any) -> Any:
    """A number, or an array of them, in more precision: single in double, which is faster, double in extended."""
    found = np.asarray(x)
    more = np.float64 if found.dtype in (np.float32, np.complex64) else np.longdouble
    return found.astype(np.result_type(found, more))[()]


def sizes_of(values: np.ndarray) -> np.ndarray:
    """How large numbers are; 0 if they are none."""
    return np.nan_to_num(np.abs(values), nan=0, posinf=0).astype(float)


@dataclass(frozen=True)
class Operand:
    """A matrix, or a vector as a matrix of one column, and which elements it has: the others aren't multiplied."""

    values: np.ndarray
    there: np.ndarray

    @property
    def T(self) -> Operand:
        return Operand(self.values.T, self.there.T)

    @property
    def H(self) -> Operand:
        return Operand(self.values.conj().T, self.there.T)

    def by(self, trans: int) -> Operand:
        return {NO: self, TRANS: self.T, CONJ: self.H}[trans]

    def __matmul__(self, other: Operand) -> Sum:
        sizes = [sizes_of(o.values) for o in (self, other)]
        if np.isfinite(self.values).all() and np.isfinite(other.values).all():
            return Sum(self.values @ other.values, sizes[0] @ sizes[1])
        both = self.there[:, :, None] & other.there[None]
        with np.errstate(invalid="ignore"):
            terms = np.where(both, self.values[:, :, None] * other.values[None], 0).sum(1)
        return Sum(terms, sizes[0] @ sizes[1])


class Sum(NamedTuple):
    """What is to come out, and the sum of the sizes of all terms, which errors are measured by."""

    value: np.ndarray
    size: np.ndarray

    @property
    def T(self) -> Sum:
        return Sum(self.value.T, self.size.T)

    @property
    def H(self) -> Sum:
        return Sum(self.value.conj().T, self.size.T)

    def times(self, alpha: complex) -> Sum:
        with np.errstate(invalid="ignore"):
            return Sum(exactly(alpha) * self.value, abs(alpha) * self.size)

    def plus(self, other: Sum) -> Sum:
        with np.errstate(invalid="ignore"):
            return Sum(self.value + other.value, self.size + other.size)


@dataclass(frozen=True)
class Stored:
    """Memory, and where in it each element of a vector or matrix is; -1 where it isn't stored. `step` is what CBLAS is
    told: an increment or a leading dimension. The imaginary parts of a Hermitian matrix's diagonal are not read."""

    memory: np.ndarray
    place: np.ndarray
    step: int = 0
    unit: bool = False
    hermitian: bool = False
    before: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", self.memory.copy())

    @property
    def passed(self) -> tuple[int, ...]:
        return (self.memory.ctypes.data, self.step) if self.step else (self.memory.ctypes.data,)

    @property
    def operand(self) -> Operand:
        there = self.place >= 0
        zero = self.memory.dtype.type(0)
        values = np.where(there, self.before[np.where(there, self.place, 0)] if self.before.size else zero, zero)
        values = exactly(values)
        if self.unit:
            np.fill_diagonal(values, 1)
            there = there | np.eye(len(there), dtype=bool)
        if self.hermitian:
            at = np.arange(len(values))
            values[at, at] = values[at, at].real
        return Operand(values, there)

    @property
    def symmetric(self) -> Operand:
        """The symmetric, or Hermitian, matrix of which this is a triangle."""
        place = np.where(self.place >= 0, self.place, self.place.T)
        whole = Stored(self.before, place, hermitian=self.hermitian).operand
        if not self.hermitian:
            return whole
        return Operand(np.where(self.place >= 0, whole.values, whole.values.conj()), whole.there)

    def fill(self, value: float) -> None:
        self.memory[self.place[self.place >= 0]] = of_parts(value, self.memory.dtype)

    def spoil(self, rng: np.random.Generator, infinite: bool) -> None:
        """One element becomes what is no number; of a complex one, one part or both."""
        used = self.place[self.place >= 0]
        if used.size:
            at = rng.choice(used)
            value = rng.choice((np.nan, np.inf, -np.inf)) if infinite else np.nan
            parts = rng.integers(1, 4) if self.memory.dtype.kind == "c" else 1
            if parts & 1:
                self.memory.real[at] = value
            if parts & 2:
                self.memory.imag[at] = value
            self.before[:] = self.memory


def of_parts(value: float, dtype: np.dtype) -> complex:
    """A number all parts of which are this one."""
    return complex(value, value) if dtype.kind == "c" else value


class Outcome(NamedTuple):
    """Arguments, all operands, the one that is written, and what it must be; None if nothing must be written."""

    arguments: tuple[Any, ...]
    operands: tuple[Stored, ...]
    written: Stored
    want: Sum | None
    terms: int


class Lab:
    """Random operands of one precision. `number` is which case it is."""

    number = 0

    def __init__(self, guarded: Callable[..., np.ndarray], letter: str, seed: int) -> None:
        self.rng, self.guarded, self.letter = np.random.default_rng(seed), guarded, letter
        self.dtype = np.dtype(DTYPES[letter])
        self.eps = float(np.finfo(self.dtype).eps)

    def size(self, most: int = 200) -> int:
        """0 and 1 often, small ones, and those up to `most`."""
        high = self.rng.choice([2, 10, 40, most])
        return int(self.rng.integers(0, min(high, most) + 1))

    def one_of(self, values: Sequence[Any]) -> Any:
        return values[self.rng.integers(len(values))]

    def scalar(self, real: bool = False) -> Any:
        """alpha or beta, which of complex numbers may have to be real."""
        return self.one_of(SCALARS if real or self.dtype.kind == "f" else PAIRS)

    def numbers(self, count: int) -> np.ndarray:
        found = self.rng.uniform(-1, 1, count)
        return found if self.dtype.kind == "f" else found + 1j * self.rng.uniform(-1, 1, count)

    def room(self, count: int) -> np.ndarray:
        """Memory at either end of a page. A complex number has to be aligned as its parts are, no more."""
        at_end = bool(self.rng.integers(2))
        if self.dtype.kind == "f" or self.rng.integers(3):
            return self.guarded(count, self.dtype.str, at_end)
        parts = self.guarded(2 * count + 1, f"f{self.dtype.itemsize // 2}", at_end)
        return (parts[:-1] if at_end else parts[1:]).view(self.dtype)

    def stored(
        self, place: np.ndarray, step: int = 0, unit: bool = False, least: int = 0, hermitian: bool = False
    ) -> Stored:
        used = place[place >= 0]
        memory = self.room(max(int(used.max(initial=-1)) + 1, least))
        memory[:] = of_parts(np.nan, self.dtype)
        memory[used] = self.numbers(len(used))
        if hermitian:
            memory.imag[np.diag(place)] = np.nan
        return Stored(memory, place, step, unit, hermitian)

    def vector(self, n: int) -> Stored:
        inc = self.one_of(STEPS)
        at = np.arange(n) * abs(inc)
        return self.stored((at if inc > 0 else at[::-1])[:, None], inc)

    def full(self, layout: int, m: int, n: int) -> Stored:
        place, ld = self.places(layout, m, n)
        return self.stored(place, ld)

    def places(self, layout: int, m: int, n: int) -> tuple[np.ndarray, int]:
        i, j = np.indices((m, n))
        ld = max(1, n if layout == ROW else m) + self.one_of((0, 0, 1, 9))
        return (i * ld + j if layout == ROW else j * ld + i), ld

    def triangle(self, layout: int, uplo: int, n: int, diag: int = NON_UNIT, hermitian: bool = False) -> Stored:
        place, ld = self.places(layout, n, n)
        kept = np.where(half(n, uplo, diag == UNIT), place, -1)
        return self.stored(kept, ld, diag == UNIT, int(place.max(initial=-1)) + 1, hermitian)

    def band(
        self, layout: int, m: int, n: int, kl: int, ku: int, unit: bool = False, hermitian: bool = False
    ) -> Stored:
        i, j = np.indices((m, n))
        ld = kl + ku + 1 + self.one_of((0, 0, 2))
        place = i * ld + j - i + kl if layout == ROW else j * ld + i - j + ku
        inside = (j - i <= ku) & (i - j <= kl) & ~(unit & (i == j))
        return self.stored(np.where(inside, place, -1), ld, unit, hermitian=hermitian)

    def band_triangle(
        self, layout: int, uplo: int, n: int, k: int, diag: int = NON_UNIT, hermitian: bool = False
    ) -> Stored:
        return self.band(layout, n, n, 0 if uplo == UPPER else k, k if uplo == UPPER else 0, diag == UNIT, hermitian)

    def packed(self, layout: int, uplo: int, n: int, diag: int = NON_UNIT, hermitian: bool = False) -> Stored:
        i, j = np.indices((n, n))
        if layout == COLUMN:
            i, j = j, i
        place = i * n - i * (i - 1) // 2 + j - i if (layout == ROW) == (uplo == UPPER) else i * (i + 1) // 2 + j
        kept = np.where(half(n, uplo, diag == UNIT), place, -1)
        return self.stored(kept, unit=diag == UNIT, least=n * (n + 1) // 2, hermitian=hermitian)

    def run(self, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
        """A call. Complex numbers go by address, and may be the last in memory."""
        given: list[Any] = []
        for a in arguments:
            if isinstance(a, complex):
                given.append(self.room(1))
                given[-1][0] = a
            else:
                given.append(a)
        function(*(a.ctypes.data if isinstance(a, np.ndarray) else a for a in given))


class Large(Lab):
    """Operands of more than one block of level 3."""

    def size(self, most: int = 200) -> int:
        return int(self.rng.integers(most // 2, most * 3 // 2))


class Scalars(Lab):
    """Operands of few sizes. Of as many cases as there are pairs of scalars, each has another pair."""

    def size(self, most: int = 200) -> int:
        return int(self.one_of((1, 2, 5, 18)))

    def scalar(self, real: bool = False) -> Any:
        values = SCALARS if real or self.dtype.kind == "f" else PAIRS
        self.number, at = divmod(self.number, len(values))
        return values[at]


def half(n: int, uplo: int, strict: bool = False) -> np.ndarray:
    mask = np.tri(n, k=-1 if strict else 0, dtype=bool)
    return mask if uplo == LOWER else mask.T


# -- what CBLAS says ----------------------------------------------------------------------------------


def combined(alpha: complex, terms: Sum, beta: complex, y: Stored, count: int) -> Sum | None:
    """alpha terms + beta y; None if y is left alone. Neither is read if its factor is 0."""
    adds = bool(alpha and count)
    if beta == 1 and not adds:
        return None
    value = y.operand.values
    old = Sum(value, np.abs(value)).times(beta) if beta else nothing(value)
    if beta == 0:
        y.fill(np.nan)
    return old.plus(terms.times(alpha)) if adds else old


def nothing(like: np.ndarray) -> Sum:
    return Sum(np.zeros_like(like), np.zeros(like.shape))


def spoilt(lab: Lab, alpha: complex, *read: Stored, infinite: bool = True) -> None:
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
    alpha, beta = lab.scalar(), lab.scalar()
    if routine == "gbmv" and np.isnan(alpha):
        alpha = type(alpha)(1)  # whether rows without any elements become NaN is not said
    general = routine in ("gemv", "gbmv")
    if routine == "gemv":
        head, a = (layout, flag, m, n), lab.full(layout, m, n)
    elif routine == "gbmv":
        head, a = (layout, flag, m, n, kl, ku), lab.band(layout, m, n, kl, ku)
    else:
        m = n
        k = (kl,) if routine[1] == "b" else ()
        head = (layout, flag, n, *k)
        kind = {"y": lab.triangle, "e": lab.triangle, "b": lab.band_triangle, "p": lab.packed}[routine[1]]
        a = kind(layout, flag, n, *k, hermitian=routine[0] == "h")
    rows, columns = (m, n) if not general or flag == NO else (n, m)
    x, y = lab.vector(columns), lab.vector(rows)
    spoilt(lab, alpha, a, x)
    matrix = a.operand.by(flag) if general else a.symmetric
    terms = matrix @ x.operand if alpha else nothing(y.operand.values)
    # as in the reference, of a matrix without elements y is left alone
    want = combined(alpha, terms, beta, y, columns) if m and n else None
    return Outcome((*head, alpha, *a.passed, *x.passed, beta, *y.passed), (a, x, y), y, want, columns)


def update_case(lab: Lab, routine: str, layout: int, uplo: int) -> Outcome:
    """A := alpha x y^T + A, of which one triangle is stored unless it is `ger`. Of a Hermitian matrix, x y^H."""
    m, n, general, hermitian = lab.size(), lab.size(), routine.startswith("ger"), routine[0] == "h"
    alpha = lab.scalar(real=routine in ("her", "hpr"))
    if general:
        head, a = (layout, m, n), lab.full(layout, m, n)
    else:
        m, head = n, (layout, uplo, n)
        a = (lab.packed if "p" in routine else lab.triangle)(layout, uplo, n, hermitian=hermitian)
    x, y = lab.vector(m), lab.vector(n)
    two = general or "2" in routine
    vectors = (x, y) if two else (x,)
    spoilt(lab, alpha, *vectors)
    terms = nothing(a.operand.values)
    if alpha:
        last = vectors[-1].operand
        terms = (x.operand @ (last.H if hermitian or routine == "gerc" else last.T)).times(alpha)
        terms = terms.plus(terms.H if hermitian else terms.T) if "2" in routine else terms
    want = combined(1, terms, 1, a, 1 if alpha else 0)
    arguments = (*head, alpha, *(p for v in vectors for p in v.passed), *a.passed)
    return Outcome(arguments, (a, x, y), a, want, 2)


def solvable(lab: Lab, a: Stored) -> None:
    """Makes substitution harmless: the diagonal is the largest."""
    a.memory[:] /= 1 + len(a.place)
    diagonal = np.diag(a.place)
    diagonal = diagonal[diagonal >= 0]
    large = (-1.5, 1.25) if lab.dtype.kind == "f" else (-1.5 - 1.5j, 1.25 + 1.25j, 2, -2j)
    a.memory[diagonal] = lab.rng.choice(large, len(diagonal))
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
    size = sizes_of(a.values) @ sizes_of(x) + sizes_of(b.values)
    most = size.max(0, initial=0)
    return Sum(x, 4 * np.broadcast_to(most, x.shape))


def gemm_case(lab: Lab, routine: str, layout: int, one: int, other: int) -> Outcome:
    """C := alpha A B + beta C. The flags are two transpositions, or a side and a triangle."""
    m, n, k = lab.size(), lab.size(), lab.size(90)
    alpha, beta, c = lab.scalar(), lab.scalar(), lab.full(layout, m, n)
    if routine == "gemm":
        a = lab.full(layout, *((m, k) if one == NO else (k, m)))
        b = lab.full(layout, *((k, n) if other == NO else (n, k)))
        spoilt(lab, alpha, a, b)
        left, right, extents = a.operand.by(one), b.operand.by(other), (m, n, k)
    else:
        a = lab.triangle(layout, other, m if one == LEFT else n, hermitian=routine == "hemm")
        b = lab.full(layout, m, n)
        spoilt(lab, alpha, a, b)
        left, right = (a.symmetric, b.operand) if one == LEFT else (b.operand, a.symmetric)
        extents = (m, n)
    terms = left @ right if alpha else nothing(c.operand.values)
    count = left.values.shape[1]
    want = combined(alpha, terms, beta, c, count)
    arguments = (layout, one, other, *extents, alpha, *a.passed, *b.passed, beta, *c.passed)
    return Outcome(arguments, (a, b, c), c, want, count)


def rank_case(lab: Lab, routine: str, layout: int, uplo: int, trans: int) -> Outcome:
    """C := alpha op(A) op(B)^T (+ its transposed) + beta C, of which one triangle is stored; if it is Hermitian, ^H."""
    n, k = lab.size(120), lab.size(60)
    hermitian, two = routine[0] == "h", "2" in routine
    alpha, beta = lab.scalar(real=routine == "herk"), lab.scalar(real=hermitian)
    a, b = (lab.full(layout, *((n, k) if trans == NO else (k, n))) for _ in range(2))
    c = lab.triangle(layout, uplo, n, hermitian=hermitian)
    operands = (a, b) if two else (a,)
    spoilt(lab, alpha, *operands)
    terms = nothing(c.operand.values)
    if alpha:
        x, y = a.operand.by(trans), operands[-1].operand.by(trans)
        terms = (x @ (y.H if hermitian else y.T)).times(alpha)
        terms = terms.plus(terms.H if hermitian else terms.T) if two else terms
    want = combined(1, terms, beta, c, k if alpha else 0)
    arguments = (layout, uplo, trans, n, k, alpha, *(p for o in operands for p in o.passed), beta, *c.passed)
    return Outcome(arguments, (*operands, c), c, want, 2 * k)


def triangles_case(lab: Lab, routine: str, layout: int, side: int, uplo: int, trans: int, diag: int) -> Outcome:
    """B := alpha op(A) B or alpha op(A)^-1 B, or with A on the right."""
    m, n, alpha = lab.size(120), lab.size(120), lab.scalar()
    a, b = lab.triangle(layout, uplo, m if side == LEFT else n, diag), lab.full(layout, m, n)
    solvable(lab, a)
    multiplies = routine == "trmm"
    spoilt(lab, alpha, *((b, a) if multiplies or alpha == 0 else (b,)), infinite=multiplies)
    op, lower = a.operand.by(trans), (uplo == LOWER) == (trans == NO)
    x = b.operand if side == LEFT else b.operand.T
    op, lower = (op, lower) if side == LEFT else (op.T, not lower)
    want = nothing(x.values) if alpha == 0 else (op @ x if multiplies else solution(op, x, lower)).times(alpha)
    want = want if side == LEFT else want.T
    arguments = (layout, side, uplo, trans, diag, m, n, alpha, *a.passed, *b.passed)
    return Outcome(arguments, (a, b), b, want, len(a.place))


Kinds = tuple[tuple[tuple[str, ...], Callable[..., Outcome], tuple[tuple[int, ...], ...]], ...]

SAME: Kinds = (
    (("gemv", "gbmv"), product_case, (LAYOUTS, TRANSPOSES)),
    (TRIANGLES, triangle_case, (LAYOUTS, UPLOS, TRANSPOSES, DIAGONALS)),
    (("gemm",), gemm_case, (LAYOUTS, TRANSPOSES, TRANSPOSES)),
    (("trmm", "trsm"), triangles_case, (LAYOUTS, SIDES, UPLOS, TRANSPOSES, DIAGONALS)),
)
KINDS: Kinds = (
    *SAME,
    (("symv", "sbmv", "spmv"), product_case, (LAYOUTS, UPLOS)),
    (("ger", "syr", "syr2", "spr", "spr2"), update_case, (LAYOUTS, UPLOS)),
    (("symm",), gemm_case, (LAYOUTS, SIDES, UPLOS)),
    (("syrk", "syr2k"), rank_case, (LAYOUTS, UPLOS, TRANSPOSES)),
)
COMPLEX_KINDS: Kinds = (
    *SAME,
    (("hemv", "hbmv", "hpmv"), product_case, (LAYOUTS, UPLOS)),
    (("gerc", "geru", "her", "her2", "hpr", "hpr2"), update_case, (LAYOUTS, UPLOS)),
    (("symm", "hemm"), gemm_case, (LAYOUTS, SIDES, UPLOS)),
    (("syrk", "syr2k"), rank_case, (LAYOUTS, UPLOS, (NO, TRANS))),
    (("herk", "her2k"), rank_case, (LAYOUTS, UPLOS, (NO, CONJ))),
)
COMPLEX_ROUTINES = tuple(name for names, _, _ in COMPLEX_KINDS for name in names)
WITH_TWO_SCALARS = tuple(
    name for names, draw, _ in COMPLEX_KINDS for name in names if draw in (product_case, gemm_case, rank_case)
)


def right(outcome: Outcome, eps: float) -> bool:
    """Whether the result is as near as it must be, no number where it must be none, and nothing else is touched."""
    written = outcome.written
    kept = written.before.copy()
    if outcome.want is not None:
        there = written.place >= 0
        found = written.memory[written.place[there]]
        if not agree(found, outcome.want.value[there], outcome.want.size[there], (outcome.terms + 8) * eps):
            return False
        if written.hermitian and np.any(written.memory.imag[np.diag(written.place)] != 0):
            return False
        kept[written.place[there]] = found
    return np.array_equal(kept.view(np.uint8), written.memory.view(np.uint8)) and all(
        np.array_equal(o.before.view(np.uint8), o.memory.view(np.uint8)) for o in outcome.operands if o is not written
    )


def agree(found: np.ndarray, want: np.ndarray, size: np.ndarray, tolerance: float) -> bool:
    """Whether numbers are near, and infinite or NaN where they must be. Which of both a complex product becomes depends
    on the order of its multiplications: it is finite or not."""
    found, finite = exactly(found), np.isfinite(want)
    if found.dtype.kind == "c":
        rest, tolerance = not np.isfinite(found[~finite]).any(), 2 * tolerance  # twice as many terms in each part
    else:
        rest = np.array_equal(found[~finite], want[~finite], equal_nan=True)
    with np.errstate(invalid="ignore"):
        near = np.abs(found[finite] - want[finite]) <= tolerance * size[finite]
    return bool(near.all()) and rest


def hold(lab: Lab, function: Callable[..., Any], kinds: Kinds, routine: str, chosen: Iterable[int]) -> None:
    """Cases of a routine come out right: with these of the flags that it takes, which are counted from the first on
    again after the last."""
    draw, choices = next((kind, list(product(*flags))) for names, kind, flags in kinds if routine in names)
    for number, at in enumerate(chosen):
        lab.number = number
        outcome = draw(lab, routine, *choices[at % len(choices)])
        lab.run(function, outcome.arguments)
        shown = [a for a in outcome.arguments if not isinstance(a, int) or a < 2**32]
        assert right(outcome, lab.eps), (number, shown)


@pytest.mark.parametrize("routine", dict.fromkeys((*DENSE, *BANDED, *LEVEL3)))
def test_a_routine_does_what_it_says_and_nothing_else(
    blas_of: Callable[..., Cblas],
    guarded: Callable[..., np.ndarray],
    version: tuple[str, str],
    routine: str,
    letter: str,
) -> None:
    call = getattr(blas_of(built_with(routine), version), f"cblas_{letter}{routine}")
    hold(Lab(guarded, letter, sum(map(ord, routine))), call, KINDS, routine, range(CASES))


@pytest.fixture
def complex_call(blas_of: Callable[..., Cblas], complex_version: tuple[str, str], routine: str) -> Callable[..., Any]:
    """The function of a routine of complex numbers."""
    found: Callable[..., Any] = getattr(blas_of(COMPLEX, complex_version), f"cblas_{complex_version[1]}{routine}")
    return found


@pytest.mark.parametrize("routine", COMPLEX_ROUTINES)
def test_a_routine_of_complex_numbers_does_what_it_says_and_nothing_else(
    complex_call: Callable[..., Any],
    guarded: Callable[..., np.ndarray],
    complex_version: tuple[str, str],
    routine: str,
) -> None:
    lab = Lab(guarded, complex_version[1], sum(map(ord, routine)))
    hold(lab, complex_call, COMPLEX_KINDS, routine, range(CASES))


@pytest.mark.parametrize("routine", COMPLEX_LEVEL3)
def test_large_matrices_of_complex_numbers(
    complex_call: Callable[..., Any],
    guarded: Callable[..., np.ndarray],
    complex_version: tuple[str, str],
    routine: str,
) -> None:
    lab = Large(guarded, complex_version[1], 3)
    hold(lab, complex_call, COMPLEX_KINDS, routine, lab.rng.permutation(144)[: CASES // 4])


@pytest.mark.parametrize("routine", WITH_TWO_SCALARS)
def test_all_pairs_of_complex_scalars(
    complex_call: Callable[..., Any],
    guarded: Callable[..., np.ndarray],
    complex_version: tuple[str, str],
    routine: str,
) -> None:
    """alpha or beta may have one part only, and is 1 or 0 only if the other part is 0."""
    lab = Scalars(guarded, complex_version[1], 4)
    hold(lab, complex_call, COMPLEX_KINDS, routine, lab.rng.permutation(len(PAIRS) ** 2))


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
    zeros_are_multiplied(Lab(guarded, letter, 5), routine, call)


@pytest.mark.parametrize("routine", (*ZEROS[:-1], "hpr"))
def test_zero_times_what_is_no_complex_number_is_made(
    complex_call: Callable[..., Any],
    guarded: Callable[..., np.ndarray],
    complex_version: tuple[str, str],
    routine: str,
) -> None:
    zeros_are_multiplied(Lab(guarded, complex_version[1], 5), routine, complex_call)


def zeros_are_multiplied(lab: Lab, routine: str, function: Callable[..., Any]) -> None:
    n, one = 9, 1.0 if lab.dtype.kind == "f" else 1 + 0j
    a, b, x = lab.full(ROW, n, n), lab.full(ROW, n, n), lab.stored(np.arange(n)[:, None], 1)
    packed, band = lab.packed(ROW, LOWER, n), lab.band_triangle(ROW, LOWER, n, n - 1)
    for matrix in (a, packed, band):
        matrix.memory[matrix.place[3:, 3]] = np.nan
    b.memory[b.place[3]], x.memory[3] = 0, 0
    if routine in ("spr", "hpr"):  # NaN is in x
        x.memory[8] = np.nan
        lab.run(function, (ROW, LOWER, n, 1.0, *x.passed, *packed.passed))
        assert np.isnan(packed.memory[packed.place[8, :]]).all()
    elif routine in ("trmm", "trsm"):
        lab.run(function, (ROW, LEFT, LOWER, NO, NON_UNIT, n, n, one, *a.passed, *b.passed))
        assert np.isnan(b.memory[b.place[4:]]).all() and np.isfinite(b.memory[b.place[:3]]).all()
    else:
        matrix = {"trmv": a, "tpmv": packed, "tbmv": band}[routine]
        width = (n - 1,) if routine == "tbmv" else ()
        lab.run(function, (ROW, LOWER, NO, NON_UNIT, n, *width, *matrix.passed, *x.passed))
        assert np.isnan(x.memory[4:]).all() and np.isfinite(x.memory[:3]).all()
