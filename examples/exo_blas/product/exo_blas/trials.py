"""What is measured to find each number that decides which way a routine goes.

A number is a threshold, if a routine goes one way below it and another way from it on: then calls on both sides are
measured, both ways. Else it is an amount, such as the rows of a block, and calls are measured with some amounts.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isqrt
from typing import Any, Final, TypeAlias

import numpy as np

from .arrays import BY_ROWS, LEFT, LOWER, NON_UNIT, PLAIN, TRANSPOSED

ALPHA: Final = 0.001
"""By what products are multiplied, so that nothing grows however often a call is repeated."""


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a CBLAS function, by its name without `cblas_` and `_64`. Numbers are integers, `float`s are of the
    function's precision."""

    routine: str
    arguments: tuple[Any, ...]

    def of(self, library: ctypes.CDLL) -> Callable[[], None]:
        """The call of a library's function, with the arguments as ctypes has them."""
        function = library[f"cblas_{self.routine}_64"]
        function.restype = None
        part = ctypes.c_float if self.routine.startswith("s") else ctypes.c_double
        given = [self._converted(a, part) for a in self.arguments]
        return lambda: function(*given)

    def _converted(self, a: Any, part: type[ctypes.c_float] | type[ctypes.c_double]) -> Any:
        if isinstance(a, np.ndarray):
            return ctypes.c_void_p(a.ctypes.data)
        return part(a) if isinstance(a, float) else ctypes.c_int64(a)


Maker: TypeAlias = Callable[[str, int], tuple[Call, ...]]
"""Calls for a precision, `s` or `d`, and a quantity: where a number decides, the quantity that is compared with it."""


@dataclass(frozen=True)
class Threshold:
    """Quantities on both sides of a number, and calls for each. `threads`: whether the number is about them."""

    quantities: tuple[int, ...]
    calls: Maker
    threads: bool = False


@dataclass(frozen=True)
class Amount:
    """Amounts of which one may be best, and calls; the quantity that these are made for counts nothing. `threads`:
    whether the number is about them."""

    values: tuple[int, ...]
    calls: Maker
    threads: bool = False


def size(letter: str) -> int:
    """The bytes of a number."""
    return 4 if letter == "s" else 8


def filled(letter: str, count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    return rng.random(count, np.float32 if letter == "s" else np.float64)


def square(letter: str, n: int) -> np.ndarray:
    """A matrix with a large diagonal, that neither shrinks nor stretches what it is applied to."""
    a = filled(letter, n * n) * (1e-6 / n)
    a[:: n + 1] = 1
    return a


def gemm(letter: str, m: int, n: int, k: int, *, ta: bool = False, tb: bool = False, beta: float = 1.0) -> Call:
    a, b, c = filled(letter, m * k), filled(letter, k * n), filled(letter, m * n)
    flags = (BY_ROWS, TRANSPOSED if ta else PLAIN, TRANSPOSED if tb else PLAIN)
    lda, ldb = m if ta else k, k if tb else n
    return Call(f"{letter}gemm", (*flags, m, n, k, ALPHA, a, lda, b, ldb, beta, c, n))


def gemv(letter: str, m: int, n: int, *, trans: bool = False, lda: int = 0) -> Call:
    a, x, y = filled(letter, m * max(n, lda)), filled(letter, max(m, n)), filled(letter, max(m, n))
    flag = TRANSPOSED if trans else PLAIN
    return Call(f"{letter}gemv", (BY_ROWS, flag, m, n, ALPHA, a, max(n, lda), x, 1, 1.0, y, 1))


def ger(letter: str, m: int, n: int, lda: int) -> Call:
    x, y, a = filled(letter, m), filled(letter, n), filled(letter, m * lda)
    return Call(f"{letter}ger", (BY_ROWS, m, n, ALPHA, x, 1, y, 1, a, lda))


def vector(letter: str, bytes: int) -> tuple[Call, ...]:
    n = bytes // size(letter)
    x, y = filled(letter, n), filled(letter, n)
    return Call(f"{letter}axpy", (n, ALPHA, x, 1, y, 1)), Call(f"{letter}dot", (n, x, 1, y, 1))


def widened(letter: str, bytes: int) -> tuple[Call, ...]:
    """The same, and what turns numbers into others: some processors do that better with shorter vectors."""
    n = bytes // 4
    converted = (Call("dsdot", (n, filled("s", n), 1, filled("s", n), 1)),) if letter == "s" else ()
    return (*vector(letter, bytes), *converted)


def copied(letter: str, bytes: int) -> tuple[Call, ...]:
    n = bytes // size(letter)
    return (Call(f"{letter}copy", (n, filled(letter, n), 1, filled(letter, n), 1)),)


def far(letter: str, bytes: int) -> tuple[Call, ...]:
    """Square matrices of so many bytes, whose rows don't begin at the same places of pages."""
    n = isqrt(bytes // size(letter)) // 8 * 8
    n += 24 * ((n * size(letter) + 64) % 4096 <= 128)
    return gemv(letter, n, n), gemv(letter, n, n, trans=True)


def far_alike(letter: str, bytes: int) -> tuple[Call, ...]:
    """Matrices with rows at a distance of pages."""
    n = 4096 // size(letter)
    m = bytes // 4096
    return gemv(letter, m, n), gemv(letter, m, n, trans=True)


def both(letter: str, m: int, n: int) -> tuple[Call, ...]:
    return gemv(letter, m, n), gemv(letter, m, n, trans=True)


def alike(letter: str, bytes: int) -> tuple[Call, ...]:
    """An update of a matrix whose rows all begin at the same place of a vector."""
    n = isqrt(bytes // size(letter)) // 8 * 8
    return (ger(letter, n, n, n),)


def unlike(letter: str, bytes: int) -> tuple[Call, ...]:
    n = isqrt(bytes // size(letter)) // 8 * 8 + 1
    return (ger(letter, n, n, n),)


def triangle(letter: str, n: int) -> tuple[Call, ...]:
    a, x = square(letter, n), filled(letter, n)
    given = (BY_ROWS, LOWER, PLAIN, NON_UNIT, n, a, n, x, 1)
    return Call(f"{letter}trmv", given), Call(f"{letter}trsv", given)


def triangles(routine: str, letter: str, m: int, n: int, *, trans: bool = False) -> Call:
    a, b = square(letter, m), filled(letter, m * n)
    flag = TRANSPOSED if trans else PLAIN
    return Call(f"{letter}{routine}", (BY_ROWS, LEFT, LOWER, flag, NON_UNIT, m, n, 1.0, a, m, b, n))


def cube(letter: str, products: int) -> tuple[Call, ...]:
    n = round(products ** (1 / 3))
    return (gemm(letter, n, n, n),)


def near(letter: str, bytes: int) -> tuple[Call, ...]:
    """A product of many rows with a B of so many bytes, which is not deep, and one of few rows with a deep one."""
    count = bytes // size(letter)
    return gemm(letter, 400, count // 100, 100), gemm(letter, 40, count // 300, 300)


KB: Final = 1 << 10
MB: Final = 1 << 20


def ladder(first: int, last: int) -> tuple[int, ...]:
    """Quantities, each 1.4 times the one before."""
    found = [first]
    while found[-1] < last:
        found.append(found[-1] * 7 // 5)
    return tuple(found)


TRIALS: Final[Mapping[str, Threshold | Amount]] = {
    "copy_moved": Threshold(ladder(2 * KB, 256 * KB), copied),
    "vector_wide": Threshold(ladder(256, 1 * MB), widened),
    "vector_shared": Threshold(ladder(512 * KB, 16 * MB), vector, threads=True),
    "matrix_far": Threshold(ladder(128 * KB, 8 * MB), far),
    "matrix_far_alike": Threshold(ladder(512 * KB, 24 * MB), far_alike),
    "gemv_shared": Threshold(
        ladder(16 * KB, 2 * MB), lambda t, q: both(t, isqrt(q) + 9, isqrt(q) // 8 * 8 + 8), threads=True
    ),
    "gemv_long": Threshold(ladder(2 * KB, 24 * KB), lambda t, q: both(t, 16, q // size(t))),
    "gemv_part": Amount((1 * KB, 2 * KB, 3 * KB, 4 * KB, 6 * KB), lambda t, _: (gemv(t, 16, 12 * KB // size(t)),)),
    "gemv_near": Threshold(
        ladder(27 * KB, 192 * KB), lambda t, q: (gemv(t, isqrt(q // size(t)), isqrt(q // size(t)), trans=True),)
    ),
    "gemv_panel": Amount(
        (16, 32, 48, 96, 192), lambda t, _: (gemv(t, 200, 6400 // size(t), trans=True, lda=8 * KB // size(t)),)
    ),
    "ger_wide": Threshold(ladder(12, 96), lambda t, q: (ger(t, 200, q * 32 // size(t), q * 32 // size(t) + 1),)),
    "ger_ordered": Threshold(ladder(512 * KB, 16 * MB), alike),
    "ger_ordered_apart": Threshold(ladder(1 * MB, 24 * MB), unlike),
    "triangle_block": Amount((32, 64, 96, 128, 192), lambda t, _: triangle(t, 2000)),
    "gemm_shared": Threshold(ladder(320 * KB, 8 * MB), cube, threads=True),
    "gemm_tiny": Threshold(ladder(8, 128), lambda t, q: (gemm(t, 2, 2, q // 4), gemm(t, 2, 2, q // 4, tb=True))),
    "gemm_shallow": Threshold(
        ladder(4, 64), lambda t, q: (gemm(t, 500, 500, q), gemm(t, 400, 900, q, beta=0.5), gemm(t, 500, 3000, q))
    ),
    "gemm_near": Threshold(ladder(24 * KB, 768 * KB), near),
    "gemm_cached": Amount(
        (64 * KB, 128 * KB, 256 * KB, 512 * KB), lambda t, _: (gemm(t, 40, 1000, 1000), gemm(t, 900, 3000, 12))
    ),
    "gemm_passed": Amount((32, 64, 128, 256), lambda t, _: (gemm(t, 40, 1000, 1000), gemm(t, 900, 3000, 12))),
    "gemm_slim": Threshold(
        ladder(36, 160), lambda t, q: (gemm(t, q, q, 120, tb=True), gemm(t, 8 * q, q, 120, ta=True))
    ),
    "gemm_dots": Threshold(
        ladder(64, 1000),
        lambda t, q: (*(gemm(t, n, n, q, tb=True) for n in (20, 40, 60)), gemm(t, 60, 300, q, tb=True)),
    ),
    "gemm_dots_turned": Threshold(ladder(4, 64), lambda t, q: (gemm(t, q, 60, 1000, ta=True, tb=True),)),
    "gemm_few_bytes": Threshold(
        tuple(range(16, 72, 8)), lambda t, q: (gemm(t, 1000, q // size(t), 40, ta=True, beta=0.0),)
    ),
    "gemm_few_products": Threshold(ladder(16, 300), lambda t, q: (gemm(t, 500, 30, q, ta=True),)),
    "gemm_far": Threshold(ladder(1400 * KB, 8 * MB), lambda t, q: (gemm(t, q // size(t) // 500, 128, 500, ta=True),)),
    "gemm_many_columns": Threshold(ladder(72, 512), lambda t, q: (gemm(t, 350, q, 700, ta=True),)),
    "gemm_few_rows": Threshold(ladder(8, 400), lambda t, q: (gemm(t, q, 1500, 700),)),
    "gemm_few_rows_short": Threshold(ladder(8, 400), lambda t, q: (gemm(t, q, 3200 // size(t), 700),)),
    "gemm_ahead": Amount((16, 32, 64, 128, 1024), lambda t, _: (gemm(t, 40, 3200 // size(t), 700),)),
    "gemm_ahead_narrow": Amount((16, 32, 64, 128, 1024), lambda t, _: (gemm(t, 40, 72 // size(t), 8000),)),
    "gemm_reach": Threshold(
        ladder(32, 512), lambda t, q: (gemm(t, 300, (30 if t == "s" else 48) * KB // size(t) // q, q),)
    ),
    "gemm_large": Threshold(
        ladder(2200 * KB, 24 * MB), lambda t, q: (gemm(t, isqrt(q // size(t)), isqrt(q // size(t)), 8, tb=True),)
    ),
    "triangle_turned": Threshold(
        ladder(64, 512), lambda t, q: tuple(triangles(r, t, q, 300, trans=True) for r in ("trmm", "trsm"))
    ),
    "triangle_near": Amount(
        (64, 128, 256, 512),
        lambda t, _: tuple(triangles(r, t, n, 300) for r in ("trmm", "trsm") for n in (100, 200, 400)),
    ),
}
"""What is measured for each number. Of those that are not here a call takes less time than it takes to make one from
Python (`vector_aligned`, `vectors_aligned`), or more memory than a machine may have (`ger_far`), or what comes after it
counts, too (`copy_far`: what was copied past the caches is read from memory), or they are about complex numbers
(`matrix_wide`, `complex_together`, `complex_near`)."""
