"""Elementary functions as procedures of object code: what each computes, step by step.

A procedure takes numbers and sets the last argument, all of one precision. Its steps are arithmetic, `rint`, `select`,
and scalings by powers of two, each of which is an instruction on vectors; there is no branch and no table. So a loop
into which it is put (`approximate_all`) becomes vector code as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from exo_strat import Proc, proc_from_source

from . import coefficients as of


@dataclass(frozen=True)
class Numbers:
    """What depends on the precision. Arguments beyond `least` and `most` have an exponential of 0 and infinity; sines
    are computed up to `turns`, and numbers below `tiny` are their own sine, and have 1 as their cosine."""

    precision: str
    least: float
    most: float
    saturated: float
    turns: float
    tiny: float
    far: float
    ldexp: str
    ln2: Sequence[float]
    pi: Sequence[float]
    exp: Sequence[float]
    tanh: Sequence[float]
    erf: Sequence[float]
    erfc: Sequence[float]
    erf_is_one: float
    sin: Sequence[float]


F32 = Numbers(
    "f32", -104.0, 89.0, 10.0, 2.0**20, 2.0**-12, 3e38, "ldexpf",
    of.LN2_F32, of.PI_F32, of.EXP_F32, of.TANH_F32, of.ERF_F32, of.ERFC_F32, 4.0, of.SIN_F32,
)  # fmt: skip
F64 = Numbers(
    "f64", -746.0, 710.0, 20.0, 2.0**30, 2.0**-27, 1.7e308, "ldexp",
    of.LN2_F64, of.PI_F64, of.EXP_F64, of.TANH_F64, of.ERF_F64, of.ERFC_F64, 6.0, of.SIN_F64,
)  # fmt: skip
NUMBERS: Mapping[str, Numbers] = {"f32": F32, "f64": F64}

LOG2_E = 1.4426950408889634
ONE_OVER_PI = 0.3183098861837907


def horner(x: str, coefficients: Sequence[float]) -> str:
    """The text of a polynomial in x: each step a product and a sum.

    >>> horner("x", (1.0, 2.0, 3.0))
    '((3.0 * x + 2.0) * x + 1.0)'
    """
    first, *rest = reversed(coefficients)
    text = repr(first)
    for c in rest:
        text = f"({text} * {x} + {c!r})"
    return text


def polynomial(x: str, xx: str, coefficients: Sequence[float]) -> str:
    """The text of a polynomial in x, where `xx` is its square: pairs of terms first, which wait for each other half as
    long.

    >>> polynomial("x", "xx", (1.0, 2.0, 3.0))
    '(3.0 * xx + (2.0 * x + 1.0))'
    """
    text = ""
    for k in reversed(range(0, len(coefficients), 2)):
        pair = horner(x, coefficients[k : k + 2])
        text = f"({text} * {xx} + {pair})" if text else pair
    return text


def made(name: str, arguments: str, n: Numbers, steps: str) -> Proc:
    """A procedure from its steps, `variable = value`, of which `out` is the result."""
    lines = [line.strip() for line in steps.strip().splitlines()]
    variables = dict.fromkeys(line.partition(" = ")[0] for line in lines[:-1])
    given = ", ".join(f"{a}: {n.precision}" for a in (*arguments.split(), "out"))
    body = "\n    ".join([*(f"{v}: {n.precision}" for v in variables), *lines])
    return proc_from_source(f"def {name}_{n.precision}({given}):\n    {body}\n")


def powers(a: str, e: str, n: Numbers) -> str:
    """Steps from a bounded `a` to `e`, its exponential: e^a = 2^k e^r, where r is what k times log 2 leaves of a."""
    return f"""{e}k = rint({a} * {LOG2_E})
        {e}r = {a} - {e}k * {n.ln2[0]!r} - {e}k * {n.ln2[1]!r}
        {e}s = {e}r * {e}r
        {e} = {n.ldexp}({polynomial(f"{e}r", f"{e}s", n.exp)} * {e}s + ({e}r + 1.0), {e}k)"""


def exp_steps(n: Numbers) -> str:
    # what is bounded stands last: fmin and fmax then hand on a NaN
    return f"""
        a = fmax({n.least}, fmin({n.most}, x))
        {powers("a", "e", n)}
        out = e
    """


def sigmoid_steps(n: Numbers) -> str:
    return f"""
        a = fmax({n.least}, -abs(x))
        {powers("a", "e", n)}
        out = select(x, 0.0, e, 1.0) / (e + 1.0)
    """


def tanh_steps(n: Numbers) -> str:
    return f"""
        a = abs(x)
        s = x * x
        ss = s * s
        small = x * ({polynomial("s", "ss", n.tanh)} * s + 1.0)
        b = fmin({n.saturated}, a)
        bb = b + b
        {powers("bb", "e", n)}
        large = 1.0 - 2.0 / (e + 1.0)
        out = select(a, 0.6, small, select(x, 0.0, -large, large))
    """


def erf_steps(n: Numbers) -> str:
    return f"""
        a = abs(x)
        s = x * x
        ss = s * s
        small = x * {polynomial("s", "ss", n.erf)} + x
        b = fmin({n.erf_is_one}, a)
        bb = b * b
        q = {polynomial("b", "bb", n.erfc)}
        {powers("q", "e", n)}
        large = 1.0 - e
        out = select(a, 1.0, small, select(x, 0.0, -large, large))
    """


def log_steps(n: Numbers) -> str:
    """log x = e log 2 + log(1 + f), where 1 + f is from 3/4 to 3/2."""
    if n.precision == "f32":
        rest = f"""s = f * f
        t = ({polynomial("f", "s", of.LOG_F32)} * f - 0.5) * s + f"""
    else:
        rest = f"""s = f / (f + 2.0)
        z = s * s
        zz = z * z
        t = f - (f - {polynomial("z", "zz", of.LOG_F64)} * z) * s"""
    return f"""
        m = significand(x)
        e = exponent(x)
        f = m - 1.0
        {rest}
        out = e * {n.ln2[0]!r} + (e * {n.ln2[1]!r} + t)
    """


def reduced(x: str, j: str, n: Numbers) -> str:
    """What j times pi leaves of x."""
    return f"{x} - {j} * {n.pi[0]!r} - {j} * {n.pi[1]!r} - {j} * {n.pi[2]!r}"


def sin_steps(n: Numbers) -> str:
    """sin x = (-1)^k sin(x - k pi). For what is too large for that, r is infinite and the result NaN."""
    return f"""
        a = abs(x)
        k = rint(x * {ONE_OVER_PI})
        r = select({n.turns}, a, a * {n.far}, {reduced("x", "k", n)})
        h = k - 2.0 * rint(k * 0.5)
        s = r * r
        ss = s * s
        p = (r * s * {polynomial("s", "ss", n.sin)} + r) * (1.0 - 2.0 * abs(h))
        out = select(a, {n.tiny}, x, p)
    """


def cos_steps(n: Numbers) -> str:
    """cos x = -(-1)^k sin(x - (k + 1/2) pi)."""
    return f"""
        a = abs(x)
        k = rint(a * {ONE_OVER_PI} - 0.5)
        j = k + 0.5
        r = select({n.turns}, a, a * {n.far}, {reduced("a", "j", n)})
        h = k - 2.0 * rint(k * 0.5)
        s = r * r
        ss = s * s
        p = (r * s * {polynomial("s", "ss", n.sin)} + r) * (2.0 * abs(h) - 1.0)
        out = select(a, {n.tiny}, 1.0, p)
    """


STEPS = {
    "exp": exp_steps,
    "log": log_steps,
    "tanh": tanh_steps,
    "erf": erf_steps,
    "sin": sin_steps,
    "cos": cos_steps,
    "sigmoid": sigmoid_steps,
}


@cache
def function(name: str, precision: str) -> Proc:
    """The procedure that computes a function at a precision.

    >>> print(function("exp", "f32").name())
    exp_f32
    """
    return made(name, "x", NUMBERS[precision], STEPS[name](NUMBERS[precision]))
