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
    """What depends on the precision. Arguments beyond `least` and `most` have an exponential of 0 and infinity, those
    beyond `tanh_is_one` and `erf_is_one` a value of 1. From `erf_is_small` on erf is 1 - p(x)^(2^roots). Sines are
    computed below `turns`, which `beyond` times is infinite. Powers of 2 beyond `doublings` are 0 and infinite, and so
    is what is no 1 to a power beyond `power`."""

    precision: str
    least: float
    most: float
    tanh_is_one: float
    erf_is_small: float
    erf_is_one: float
    roots: int
    turns: float
    beyond: float
    doublings: float
    power: float
    ldexp: str
    ln2: Sequence[float]
    pi: Sequence[float]
    exp: Sequence[float]
    tanh: Sequence[float]
    erf: Sequence[float]
    erfc: Sequence[float]
    sin: Sequence[float]
    exp2: Sequence[float]
    log2: Sequence[float]
    log2_0: Sequence[float]
    log2_1: Sequence[float]


F32 = Numbers(
    "f32", -104.0, 89.0, 10.0, 1.0, 4.0, 3, 2.0**20, 2.0**108, 152.0, 2.0**40, "ldexpf",
    of.LN2_F32, of.PI_F32, of.EXP_F32, of.TANH_F32, of.ERF_F32, of.ERFC_F32, of.SIN_F32, of.EXP2_F32,
    of.LOG2_F32, of.LOG2_F32_0, of.LOG2_F32_1,
)  # fmt: skip
F64 = Numbers(
    "f64", -746.0, 710.0, 20.0, 1.5, 6.0, 4, 2.0**30, 2.0**994, 1080.0, 2.0**80, "ldexp",
    of.LN2_F64, of.PI_F64, of.EXP_F64, of.TANH_F64, of.ERF_F64, of.ERFC_F64, of.SIN_F64, of.EXP2_F64,
    of.LOG2_F64, of.LOG2_F64_0, of.LOG2_F64_1,
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
        b = fmin({n.tanh_is_one}, a)
        bb = b + b
        {powers("bb", "e", n)}
        large = 1.0 - 2.0 / (e + 1.0)
        out = select(a, 0.6, small, select(x, 0.0, -large, large))
    """


def erf_steps(n: Numbers) -> str:
    squares = "\n".join(f"q{k + 1} = q{k} * q{k}" for k in range(n.roots))
    return f"""
        a = abs(x)
        s = x * x
        small = x * {horner("s", n.erf)} + x
        b = fmin({n.erf_is_one}, a)
        q0 = {horner("b", n.erfc)}
        {squares}
        large = 1.0 - q{n.roots}
        out = select(a, {n.erf_is_small}, small, select(x, 0.0, -large, large))
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


def reduced(j: str, n: Numbers) -> str:
    """Steps to r, what j times pi leaves of x, and s, its square. Of a large x, w is infinite and r NaN."""
    return f"""r0 = fma({j}, {-n.pi[0]!r}, x)
        r1 = fma({j}, {-n.pi[1]!r}, r0)
        r2 = fma({j}, {-n.pi[2]!r}, r1)
        w = x * {n.beyond!r}
        r = fma(w, 0.0, r2)
        s = r * r"""


def sin_steps(n: Numbers) -> str:
    """sin x = (-1)^k sin(x - k pi). Zeros keep their sign: k + 0 is a positive one, and what r is times is positive."""
    return f"""
        k = rint(fma(x, {ONE_OVER_PI}, 0.0))
        {reduced("k", n)}
        p = r * ({horner("s", n.sin)} * s + 1.0)
        out = alternate(p, k)
    """


def cos_steps(n: Numbers) -> str:
    """cos x = (-1)^k sin(x - (k - 1/2) pi)."""
    return f"""
        k = rint(fma(x, {ONE_OVER_PI}, 0.5))
        j = k - 0.5
        {reduced("j", n)}
        p = r * s * {horner("s", n.sin)} + r
        out = alternate(p, k)
    """


def pow_steps(n: Numbers) -> str:
    """x^y = 2^(y log2 |x|) with the sign that a whole y leaves. The logarithm is a sum of two numbers, l0 + l1.

    Where u = m + 1, c + c1 is (m - 1) / u, and log2 m = c h: h = h0 + h1 is a polynomial in z + z1, the square. What
    is added to the larger number of a pair is taken back from the sum; the rest is the smaller one.
    """
    return f"""
        d = abs(y - rint(y))
        half = y * 0.5
        g = abs(half - rint(half))
        odd = select(0.0, d, 0.0, g)
        a = abs(x)
        base = select(0.0, d, x, a)
        m = significand(a)
        e = exponent(base)
        f = m - 1.0
        u = f + 2.0
        i = 1.0 / u
        c = f * i
        c1 = fma(c, (u - 2.0) - f, fma(-c, u, f)) * i
        z = c * c
        z1 = fma(c + c, c1, fma(c, c, -z))
        zz = z * z
        q = {polynomial("z", "zz", n.log2)}
        w0 = fma(z, q, {n.log2_1[0]!r})
        w1 = fma(z, q, {n.log2_1[0]!r} - w0) + {n.log2_1[1]!r}
        h0 = fma(z, w0, {n.log2_0[0]!r})
        h1 = fma(z1, w0, fma(z, w1, fma(z, w0, {n.log2_0[0]!r} - h0))) + {n.log2_0[1]!r}
        t = c * h0
        l0 = e + t
        l1 = fma(c1, h0, fma(c, h1, fma(c, h0, -t) + (t - (l0 - e))))
        b = fmax({-n.power!r}, fmin({n.power!r}, y))
        v = select(0.0, abs(x - 1.0), b, 0.0)
        k = rint(fmax({-n.doublings!r}, fmin({n.doublings!r}, v * l0)))
        r = fmax(-1.0, fmin(1.0, fma(v, l1, fma(v, l0, -k))))
        rr = r * r
        p = {n.ldexp}({polynomial("r", "rr", n.exp2)} * r + 1.0, k)
        signed = select(x, 0.0, select(0.0, odd, -p, p), p)
        s = select(y, 0.0, 1.0 / x, x)
        whole = select(0.0, odd, s, abs(s))
        zero = select(0.0, abs(y), whole, select(abs(y), 1.0, 1.0, y))
        out = select(a * 0.5, a, signed, zero)
    """


STEPS = {
    "exp": exp_steps,
    "log": log_steps,
    "tanh": tanh_steps,
    "erf": erf_steps,
    "sin": sin_steps,
    "cos": cos_steps,
    "sigmoid": sigmoid_steps,
    "pow": pow_steps,
}


@cache
def function(name: str, precision: str) -> Proc:
    """The procedure that computes a function at a precision.

    >>> print(function("exp", "f32").name())
    exp_f32
    """
    return made(name, "x y" if name == "pow" else "x", NUMBERS[precision], STEPS[name](NUMBERS[precision]))
