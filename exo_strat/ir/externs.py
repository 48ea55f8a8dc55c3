"""Extern functions: pure functions on data values.

A user adds one with `extern(...)`; its exact meaning is a Python function on numbers, its C text a
template in which `{0} {1} ..` are the arguments, `{s}` is "f" for f32 and "" for f64, and `{t}` is
the C type of the result.

Two kinds are for integer data. `floordiv(x, y)`, also written `x // y`, is the floor of the quotient, exactly. `u16(x)`
is x, computed with at precision u16 from there on: like an assignment it converts, and the number must fit. It may also
be of a control integer: `f32(n - i)` is its number as data.
"""

from __future__ import annotations

import math
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
    that it is computed at integer precisions only. Two are one if all of this is: `eval` is the same Python function.
    """

    name: str
    arity: int
    eval: Callable[..., Fraction] = field(hash=False, repr=False)
    c: str = field(repr=False)
    result: str | None = None
    integer: bool = False

    def __post_init__(self) -> None:
        checked_name(self.name, "an extern function")

    def __reduce__(self) -> tuple[Any, ...]:
        for n, table in enumerate((BUILTIN, CONVERSIONS)):
            if table.get(self.name) is self:
                return _ours, (n, self.name)
        check_functions(self.eval, self)
        return ExternFn, (self.name, self.arity, self.eval, self.c, self.result, self.integer)

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


sin: Final = extern("sin", 1, _real(math.sin), "sin{s}({0})")
cos: Final = extern("cos", 1, _real(math.cos), "cos{s}({0})")
sqrt: Final = extern("sqrt", 1, _real(math.sqrt), "sqrt{s}({0})")
expf: Final = extern("expf", 1, _real(math.exp), "exp{s}({0})")
log: Final = extern("log", 1, _real(math.log), "log{s}({0})")
sigmoid: Final = extern("sigmoid", 1, _real(lambda x: 1 / (1 + math.exp(-x))), "(1 / (1 + exp{s}(-({0}))))")
relu: Final = extern("relu", 1, lambda x: x if x > 0 else Fraction(0), "(({0}) > 0 ? ({0}) : ({t})0)")
abs_: Final = extern("abs", 1, abs, "(({0}) > 0 ? ({0}) : 0 - ({0}))")  # 0 of -0.0
fmax: Final = extern("fmax", 2, max, "(({0}) > ({1}) ? ({0}) : ({1}))")
fmin: Final = extern("fmin", 2, min, "(({0}) < ({1}) ? ({0}) : ({1}))")
select: Final = extern(
    "select", 4, lambda x, v, y, z: y if x < v else z, "(({0}) < ({1}) ? ({2}) : ({3}))"
)
_TRUNCATED: Final = "({0}) / ({1})"
_BELOW: Final = "(({0}) % ({1}) != 0 && (({0}) < 0) != (({1}) < 0))"
floordiv: Final = extern("floordiv", 2, lambda x, y: Fraction(x // y), f"{_TRUNCATED} - {_BELOW}", integer=True)

BUILTIN: Final = {
    f.name: f for f in (sin, cos, sqrt, expf, log, sigmoid, relu, abs_, fmax, fmin, select, floordiv)
}

CONVERSIONS: Final = {
    name: ExternFn(name, 1, lambda x: x, "{0}", result=name)
    for name in ("f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
}
"""`u16(x)` and so on. They go by the name of the type, which is what the name means outside of a call."""


def _ours(table: int, name: str) -> ExternFn:
    return (BUILTIN, CONVERSIONS)[table][name]
