"""The polynomials of `strategies.mathlib`, by Remez's exchange algorithm.

    python -m benchmarks.minimax > strategies/mathlib/coefficients.py

Each polynomial is that of its degree whose largest error, relative to the function's value, is least on an interval.
The leading coefficients are fixed, as they are numbers of the precision, so that little is lost where the others are
rounded; each is rounded before those of higher powers are found, where that helps. What is printed is the text of
`strategies/mathlib/coefficients.py`: the error is that of the rounded polynomial, without that of the arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import mpmath as mp
import numpy as np

Real: TypeAlias = Any
"""A number of mpmath, which has no types."""
mp.mp.prec = 160
POINTS = 400
EXCHANGES = 12
INNER = mp.mpf("0.1")
"""Errors are weighed as if a point were so much farther from 0: a weight that is 0 within an interval has no least
error that alternates."""


@dataclass(frozen=True)
class Fit:
    """A polynomial in x of `terms` coefficients, on an interval: `weight` times its distance from `f` is the error."""

    precision: str
    terms: int
    lo: Real
    hi: Real
    f: Callable[[Real], Real]
    weight: Callable[[Real], Real]


def rounded(c: Real, precision: str) -> float:
    """The nearest number of a precision."""
    return float(np.float32(float(c))) if precision == "f32" else float(c)


def grid(fit: Fit) -> list[Real]:
    """Chebyshev's points."""
    middle, half = (fit.hi + fit.lo) / 2, (fit.hi - fit.lo) / 2
    return [middle - half * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / POINTS) for i in range(POINTS)]


def remez(xs: Sequence[Real], target: Sequence[Real], weight: Sequence[Real], terms: int) -> list[Real]:
    """Coefficients from the lowest power: on the points, the largest weighted error is least."""
    at = [round(i * (len(xs) - 1) / terms) for i in range(terms + 1)]
    found: list[Real] = []
    for _ in range(EXCHANGES):
        rows = [[*(xs[i] ** k for k in range(terms)), (-1) ** n / weight[i]] for n, i in enumerate(at)]
        *found, level = mp.lu_solve(mp.matrix(rows), mp.matrix([target[i] for i in at]))
        errors = [w * (evaluated(found, x) - t) for x, t, w in zip(xs, target, weight, strict=True)]
        at = extremes(errors, terms + 1)
        if max(map(abs, errors)) <= abs(level) * mp.mpf("1.001"):
            break
    return found


def evaluated(coefficients: Sequence[Real], x: Real) -> Real:
    return mp.polyval(list(reversed(coefficients)), x)


def extremes(errors: Sequence[Real], count: int) -> list[int]:
    """Where errors of alternating sign are largest."""
    runs: list[int] = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] < 0) == (e < 0):
            runs[-1] = i if abs(e) > abs(errors[runs[-1]]) else runs[-1]
        else:
            runs.append(i)
    while len(runs) > count:
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    assert len(runs) == count, "fewer extremes than coefficients: the polynomial is exact, or the grid too coarse"
    return runs


def polynomial(fit: Fit) -> tuple[list[float], float]:
    """The coefficients, from the lowest power, and the largest error."""
    xs = grid(fit)
    values, weight = [fit.f(x) for x in xs], [fit.weight(x) for x in xs]
    best: tuple[list[float], float] = [], math.inf
    for one_by_one in (False, fit.lo > 0):
        done = list[float]()
        while len(done) < fit.terms:
            k = len(done)
            left = [(v - evaluated(done, x)) / x**k for x, v in zip(xs, values, strict=True)]
            found = remez(xs, left, [w * x**k for x, w in zip(xs, weight, strict=True)], fit.terms - k)
            done += [rounded(c, fit.precision) for c in found[: 1 if one_by_one else fit.terms]]
        worst = max(abs(w * (evaluated(done, x) - v)) for x, v, w in zip(xs, values, weight, strict=True))
        best = min(best, (done, float(worst)), key=lambda b: b[1])
    return best


# -- the functions ------------------------------------------------------------------------------------


def exp_fit(precision: str, terms: int) -> Fit:
    """e^r = 1 + r + r^2 p(r)."""
    h = mp.log(2) / 2 * mp.mpf("1.0001")
    return Fit(
        precision, terms, -h, h, lambda r: (mp.expm1(r) - r) / r**2, lambda r: (abs(r) + INNER) ** 2 / mp.exp(r)
    )


def exp2_fit(precision: str, terms: int) -> Fit:
    """2^r = 1 + r p(r)."""
    h = mp.mpf("0.50001")
    return Fit(
        precision, terms, -h, h, lambda r: mp.expm1(r * mp.log(2)) / r, lambda r: (abs(r) + INNER) / mp.power(2, r)
    )


def log_fit(precision: str, terms: int) -> Fit:
    """log(1 + f) = f - f^2 / 2 + f^3 p(f), for 1 + f from 3/4 to 3/2."""
    return Fit(
        precision, terms, mp.mpf("-0.25"), mp.mpf("0.5"),
        lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3, lambda f: (abs(f) + INNER) ** 2 * f / mp.log1p(f),
    )  # fmt: skip


def log2_fit(precision: str, terms: int) -> Fit:
    """log2((1 + s) / (1 - s)) = s (c + c/3 z + z^2 p(z)), of z = s^2, for s up to 1/5; c is 2 / log 2."""
    c = 2 / mp.log(2)
    return Fit(
        precision, terms, mp.mpf("1e-4"), mp.mpf("0.0401"),
        lambda z: (c * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - c - c / 3 * z) / z**2,
        lambda z: z**2 * mp.sqrt(z) / (c * mp.atanh(mp.sqrt(z))),
    )  # fmt: skip


def atanh_fit(precision: str, terms: int) -> Fit:
    """log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), of z = s^2, for s up to 1/5."""
    return Fit(
        precision, terms, mp.mpf("4e-5"), mp.mpf("0.04"),
        lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z,
        lambda z: z * mp.sqrt(z) / (2 * mp.atanh(mp.sqrt(z))),
    )  # fmt: skip


def odd_fit(precision: str, terms: int, end: str, function: Callable[[Real], Real]) -> Fit:
    """f(x) = x + x^3 p(x^2), of s = x^2, for x from 0 to `end`."""
    return Fit(
        precision, terms, mp.mpf(end) ** 2 / 1000, mp.mpf(end) ** 2,
        lambda s: (function(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, lambda s: s * mp.sqrt(s) / function(mp.sqrt(s)),
    )  # fmt: skip


def erf_fit(precision: str, terms: int, end: str) -> Fit:
    """erf(x) = x + x p(x^2), for x from 0 to `end`."""
    return Fit(
        precision, terms, mp.mpf(end) ** 2 / 1000, mp.mpf(end) ** 2,
        lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1, lambda s: mp.sqrt(s) / mp.erf(mp.sqrt(s)),
    )  # fmt: skip


def erfc_fit(precision: str, terms: int, lo: str, hi: str, power: int) -> Fit:
    """1 - erf(x) = p(x)^power; the error is relative to erf."""
    return Fit(
        precision, terms, mp.mpf(lo), mp.mpf(hi), lambda x: mp.root(mp.erfc(x), power),
        lambda x: power * mp.erfc(x) / (mp.root(mp.erfc(x), power) * mp.erf(x)),
    )  # fmt: skip


FITS: dict[str, Callable[[], Fit]] = {
    "EXP_F32": lambda: exp_fit("f32", 5),
    "EXP2_F32": lambda: exp2_fit("f32", 6),
    "LOG_F32": lambda: log_fit("f32", 9),
    "LOG2_F32": lambda: log2_fit("f32", 3),
    "TANH_F32": lambda: odd_fit("f32", 5, "0.601", mp.tanh),
    "ERF_F32": lambda: erf_fit("f32", 7, "1.0001"),
    "ERFC_F32": lambda: erfc_fit("f32", 8, "0.999", "4", 8),
    "SIN_F32": lambda: odd_fit("f32", 4, "1.65", mp.sin),
    "EXP_F64": lambda: exp_fit("f64", 10),
    "EXP2_F64": lambda: exp2_fit("f64", 11),
    "LOG_F64": lambda: atanh_fit("f64", 8),
    "LOG2_F64": lambda: log2_fit("f64", 8),
    "TANH_F64": lambda: odd_fit("f64", 11, "0.601", mp.tanh),
    "ERF_F64": lambda: erf_fit("f64", 15, "1.5001"),
    "ERFC_F64": lambda: erfc_fit("f64", 16, "1.499", "6", 16),
    "SIN_F64": lambda: odd_fit("f64", 8, "1.6", mp.sin),
}

def split(x: Real, bits: Sequence[int], precision: str) -> list[float]:
    """A number as a sum: parts of so many bits, rounded down, and what is left."""
    parts: list[float] = []
    for n in bits:
        unit = mp.power(2, mp.floor(mp.log(x, 2)) - n + 1)
        parts.append(float(mp.floor(x / unit) * unit))
        x -= parts[-1]
    return [*parts, rounded(x, precision)]


CONSTANTS: dict[str, Callable[[], list[float]]] = {
    "LN2_F32": lambda: split(mp.log(2), [15], "f32"),  # times an exponent it is exact
    "LN2_F64": lambda: split(mp.log(2), [42], "f64"),
    "PI_F32": lambda: split(mp.pi, [24, 24], "f32"),
    "PI_F64": lambda: split(mp.pi, [53, 53], "f64"),
    "LOG2_F32_0": lambda: split(2 / mp.log(2), [24], "f32"),
    "LOG2_F32_1": lambda: split(2 / mp.log(2) / 3, [24], "f32"),
    "LOG2_F64_0": lambda: split(2 / mp.log(2), [53], "f64"),
    "LOG2_F64_1": lambda: split(2 / mp.log(2) / 3, [53], "f64"),
}

HEAD = """Coefficients of polynomials, from the lowest power, and constants in parts.

The text of this file is what `python -m benchmarks.minimax` prints; that says which polynomials they are."""


def main() -> None:
    print(f'"""{HEAD}\n"""\n')
    for name, parts in CONSTANTS.items():
        print(f"{name} = ({', '.join(map(repr, parts()))})")
    for name, fit in FITS.items():
        coefficients, error = polynomial(fit())
        print(f"\n{name} = (", *(f"    {c!r}," for c in coefficients), ")", sep="\n")
        print(f'"""The largest error is {error:.1e}, 2^{float(mp.log(error, 2)):.1f}."""', flush=True)


if __name__ == "__main__":
    main()
