"""Extern functions: pure functions on data values.

A user adds one with `extern(...)`; its exact meaning is a Python function on numbers, its C text a
template in which `{0} {1} ..` are the arguments, `{s}` is "f" for f32 and "" for f64, and `{t}` is
the C type of the result.

Three kinds are for integer data.

* `u16(x)` is x, computed with at precision u16 from there on: like an assignment it converts, and the number must fit.
  It may also be of a control integer: `f32(n - i)` is its number as data.
* Operations, exact on integers: `x // y`, `x % y` (floor), `tdiv(x, y)`, `tmod(x, y)` (truncated, as C's), `x & y`,
  `x | y`, `x ^ y`, `~x` (which is -1 - x), `x << k`, `x >> k` (the floor of a quotient). What has no value traps: a
  division by zero, a shift by less than 0 or by as many bits as the precision has.
* `wrap_u16(x)` is what is left of x in 16 bits. Where x is a sum, a difference, a product or made of bits, it need not
  fit its precision (`ir/precisions.py`, `modular`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from .frozen import fast_init
from .names import checked_name
from .pickled import check_functions


@fast_init
@dataclass(frozen=True, slots=True)
class ExternFn:
    """A pure function of data values. `eval` is its meaning on exact numbers, `c` its C text.

    `result` is the precision of its value, if that is not the one of its arguments: so a conversion. `integer` says
    that it is computed at integer precisions only; both, that it reduces an integer to that precision. `operator` is
    how it is written, if not as a call; `sized`: `eval` is first given how many bits the precision of its arguments
    has. Two are one if all of this is: `eval` is the same Python function.
    """

    name: str
    arity: int
    eval: Callable[..., Fraction] = field(hash=False, repr=False)
    c: str = field(repr=False)
    result: str | None = None
    integer: bool = False
    operator: str = ""
    sized: bool = False

    def __post_init__(self) -> None:
        checked_name(self.name, "an extern function")

    @property
    def converts(self) -> bool:
        """Whether it is a conversion: `u16(x)`."""
        return self.result is not None and not self.integer

    @property
    def wraps(self) -> bool:
        """Whether it reduces an integer to a precision: `wrap_u16(x)`."""
        return self.result is not None and self.integer

    @property
    def shown(self) -> str:
        """How a message calls it."""
        return f"`{self.operator}`" if self.operator else self.name

    def __reduce__(self) -> tuple[Any, ...]:
        if _OURS.get(self.name) is self:
            return _our, (self.name,)
        check_functions(self.eval, self)
        own = (self.name, self.arity, self.eval, self.c, self.result, self.integer, self.operator, self.sized)
        return ExternFn, own

    def __call__(self, *args: object) -> object:
        raise TypeError(f"{self.name} is an extern function: it can only be called inside a @proc")


def extern(name: str, arity: int, eval: Callable[..., Fraction], c: str, integer: bool = False) -> ExternFn:
    """A new extern function; name it in a `@proc` and it is called. With `integer`, the backend refuses it at
    floating-point precisions. `min` and `max` are taken: they name reductions, `x = min(x, e)`.

    >>> twice = extern("twice", 1, lambda x: 2 * x, "(2 * ({0}))")
    >>> twice.eval(Fraction(3, 2))
    Fraction(3, 1)
    """
    if name in ("min", "max"):
        raise ValueError(f"{name} is the name of a reduction, `x = {name}(x, e)`: call the function f{name}, say")
    return ExternFn(name, arity, eval, c, integer=integer)


def _real(f: Callable[[float], float]) -> Callable[[Fraction], Fraction]:
    return lambda x: Fraction(f(float(x)))


def _total(f: Callable[[float], float], most: float = 700) -> Callable[[Fraction], Fraction]:
    """A function that has a value for all numbers: beyond `most` and its negative the value there. It differs from the
    function by less than f64 can tell, or it is more than f64 can hold."""
    limit = Fraction(most)
    return lambda x: Fraction(f(float(max(-limit, min(limit, x)))))


_LARGEST: Final = sys.float_info.max
"""The largest number of f64. The logarithm of it is where `exp` is no number of f64 any more."""

sin: Final = extern("sin", 1, _total(math.sin, _LARGEST), "sin{s}({0})")
cos: Final = extern("cos", 1, _total(math.cos, _LARGEST), "cos{s}({0})")
sqrt: Final = extern("sqrt", 1, _real(math.sqrt), "sqrt{s}({0})")
expf: Final = extern("expf", 1, _total(math.exp, math.log(_LARGEST)), "exp{s}({0})")
log: Final = extern("log", 1, _real(math.log), "log{s}({0})")
sigmoid: Final = extern("sigmoid", 1, _total(lambda x: 1 / (1 + math.exp(-x))), "(1 / (1 + exp{s}(-({0}))))")
relu: Final = extern("relu", 1, lambda x: x if x > 0 else Fraction(0), "(({0}) > 0 ? ({0}) : ({t})0)")
abs_: Final = extern("abs", 1, abs, "(({0}) > 0 ? ({0}) : 0 - ({0}))")  # 0 of -0.0
fmax: Final = extern("fmax", 2, max, "(({0}) > ({1}) ? ({0}) : ({1}))")
fmin: Final = extern("fmin", 2, min, "(({0}) < ({1}) ? ({0}) : ({1}))")
select: Final = extern(
    "select", 4, lambda x, v, y, z: y if x < v else z, "(({0}) < ({1}) ? ({2}) : ({3}))"
)


def _inverse_root(x: Fraction) -> Fraction:
    if x <= 0:
        raise ValueError("only positive numbers have an inverse of a square root")
    return Fraction(1 / math.sqrt(x))


pow_: Final = extern("pow", 2, lambda x, y: Fraction(math.pow(float(x), float(y))), "pow{s}({0}, {1})")
rsqrt: Final = extern("rsqrt", 1, _inverse_root, "(1 / sqrt{s}({0}))")
fma: Final = extern("fma", 3, lambda x, y, z: x * y + z, "fma{s}({0}, {1}, {2})")
"""`x * y + z`, of which C rounds the sum and not the product: what is left where a product nearly cancels is exact."""


def _alternate(x: Fraction, k: Fraction) -> Fraction:
    if k.denominator != 1:
        raise ValueError("the power of -1 is to be a whole number")
    return -x if k % 2 else x


alternate: Final = extern(
    "alternate", 2, _alternate, "(rint{s}(({1}) * ({t})0.5) * 2 == ({1}) ? ({0}) : -({0}))"
)
"""`x * (-1)**k`, for whole k: in C, up to 2^22 of f32 and 2^51 of f64."""


def _ldexp(limit: int) -> Callable[[Fraction, Fraction], Fraction]:
    def ldexp(x: Fraction, k: Fraction) -> Fraction:
        if k.denominator != 1 or abs(k) > limit:
            raise ValueError(f"the exponent is to be a whole number from {-limit} to {limit}")
        return x * Fraction(2) ** int(k)

    return ldexp


def _exponent(x: Fraction) -> Fraction:
    if x <= 0:
        raise ValueError("only positive numbers have an exponent")
    k = x.numerator.bit_length() - x.denominator.bit_length()  # x / 2^k is from 1/2 to 2
    scaled = x / Fraction(2) ** k
    return Fraction(k - 1 if scaled < Fraction(3, 4) else k if scaled < Fraction(3, 2) else k + 1)


def _scaled(limit: int) -> str:
    return f"(({{1}}) >= -{limit} && ({{1}}) <= {limit} ? ldexp{{s}}({{0}}, (int)({{1}})) : ({{t}})NAN)"


_TWO_FACTORS: Final = {"f32": 252, "f64": 2044}
tanh: Final = extern("tanh", 1, _total(math.tanh), "tanh{s}({0})")
erf: Final = extern("erf", 1, _total(math.erf), "erf{s}({0})")
rint: Final = extern("rint", 1, lambda x: Fraction(round(x)), "rint{s}({0})")
ldexpf: Final = extern("ldexpf", 2, _ldexp(_TWO_FACTORS["f32"]), _scaled(_TWO_FACTORS["f32"]))
"""`x * 2**k`, for whole k as far as two factors go that are powers of two and normal numbers of f32."""
ldexp: Final = extern("ldexp", 2, _ldexp(_TWO_FACTORS["f64"]), _scaled(_TWO_FACTORS["f64"]))
"""The same for f64."""
_FINITE: Final = "({0}) > 0 && ({0}) < ({t})INFINITY"
_HALVES: Final = "ldexp{s}({0}, -(int)logb{s}({0}))"  # from 1 to less than 2
exponent: Final = extern(
    "exponent", 1, _exponent,
    f"({_FINITE} ? logb{{s}}({{0}}) + ({_HALVES} >= ({{t}})1.5) : ({{0}}) < 0 ? ({{t}})NAN : logb{{s}}({{0}}))",
)  # fmt: skip
"""The whole number e for which `x / 2**e` is from 3/4 to less than 3/2, for positive x. In C it is -inf of 0, inf of
inf, and else NaN."""
significand: Final = extern(
    "significand", 1, lambda x: x / Fraction(2) ** int(_exponent(x)),
    f"({_FINITE} ? {_HALVES} / (1 + ({_HALVES} >= ({{t}})1.5)) : 1)",
)  # fmt: skip
"""`x / 2**exponent(x)`, which is from 3/4 to less than 3/2. In C it is finite for other numbers, too."""


# -- integers ------------------------------------------------------------------------------------------


def _bits(f: Callable[..., int]) -> Callable[..., Fraction]:
    """An operation on bits. Like the quotients it is defined for all numbers, here by their floors; only integer
    precisions are computed with."""
    return lambda *xs: Fraction(f(*map(math.floor, xs)))


def _operation(name: str, operator: str, arity: int, eval: Callable[..., Fraction], c: str = "") -> ExternFn:
    """An operation on integers. Without a text it is C's operator of that name."""
    c = c or (f"({{0}}) {operator} ({{1}})" if arity == 2 else f"{operator}({{0}})")
    return ExternFn(name, arity, eval, c, integer=True, operator=operator)


def _shift(name: str, operator: str, eval: Callable[[int, int], int]) -> ExternFn:
    def shifted(bits: int, x: Fraction, k: Fraction) -> Fraction:
        if not 0 <= k < bits:
            raise ValueError(f"{bits} bits can be shifted by 0 to {bits - 1}")
        return Fraction(eval(math.floor(x), math.floor(k)))

    return ExternFn(name, 2, shifted, f"({{0}}) {operator} ({{1}})", integer=True, operator=operator, sized=True)


def _wrap(t: str) -> ExternFn:
    span = 1 << int(t[1:])
    least = -span // 2 if t[0] == "i" else 0
    return ExternFn(f"wrap_{t}", 1, _bits(lambda x: (x - least) % span + least), "{0}", result=t, integer=True)


_TRUNCATED: Final = "({0}) / ({1})"
_BELOW: Final = "(({0}) % ({1}) != 0 && (({0}) < 0) != (({1}) < 0))"
floordiv: Final = _operation("floordiv", "//", 2, lambda x, y: Fraction(x // y), f"{_TRUNCATED} - {_BELOW}")
floormod: Final = _operation("floormod", "%", 2, lambda x, y: x % y, f"({{0}}) % ({{1}}) + ({_BELOW} ? ({{1}}) : 0)")
tdiv: Final = _operation("tdiv", "", 2, lambda x, y: Fraction(math.trunc(x / y)), _TRUNCATED)
tmod: Final = _operation("tmod", "", 2, lambda x, y: x - y * math.trunc(x / y), "({0}) % ({1})")
bitand: Final = _operation("bitand", "&", 2, _bits(int.__and__))
bitor: Final = _operation("bitor", "|", 2, _bits(int.__or__))
bitxor: Final = _operation("bitxor", "^", 2, _bits(int.__xor__))
bitnot: Final = _operation("bitnot", "~", 1, _bits(int.__invert__))
shl: Final = _shift("shl", "<<", int.__lshift__)
shr: Final = _shift("shr", ">>", int.__rshift__)

DIVISIONS: Final = (floordiv, floormod, tdiv, tmod)
SHIFTS: Final = (shl, shr)
OPERATORS: Final = {
    f.operator: f for f in (floordiv, floormod, bitand, bitor, bitxor, bitnot, shl, shr)
}
"""The operations that are written as Python's operators, by these."""

BUILTIN: Final = {
    f.name: f
    for f in (
        *(sin, cos, sqrt, expf, log, sigmoid, relu, abs_, fmax, fmin, select, floordiv, tdiv, tmod),
        *(tanh, erf, rint, ldexpf, ldexp, exponent, significand, pow_, rsqrt, fma, alternate),
    )
}
"""What can be called by its name."""

_INTEGERS: Final = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
CONVERSIONS: Final = {
    name: ExternFn(name, 1, lambda x: x, "{0}", result=name) for name in ("bf16", "f16", "f32", "f64", *_INTEGERS)
}
"""`u16(x)` and so on. They go by the name of the type, which is what the name means outside of a call."""

wrap_i8, wrap_i16, wrap_i32, wrap_i64, wrap_u8, wrap_u16, wrap_u32, wrap_u64 = map(_wrap, _INTEGERS)
WRAPS: Final = {
    f.name: f for f in (wrap_i8, wrap_i16, wrap_i32, wrap_i64, wrap_u8, wrap_u16, wrap_u32, wrap_u64)
}
"""`wrap_u16(x)` and so on."""

_OURS: Final = {f.name: f for f in (*BUILTIN.values(), *OPERATORS.values(), *CONVERSIONS.values(), *WRAPS.values())}


def _our(name: str) -> ExternFn:
    return _OURS[name]
