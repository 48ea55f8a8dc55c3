"""Functions that the object language hasn't, as externs that an imported file defines: what they mean, and the C that
computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final


@dataclass(frozen=True)
class Known:
    """A function: the extern it becomes. `definition` is Python that makes it, if it is not built in."""

    extern: str
    arity: int
    definition: str = ""


def _real(name: str, meaning: str, arity: int = 1) -> Known:
    """An extern that computes C's function of that name; `meaning` is a Python function of floats."""
    given = ", ".join("xyz"[:arity])
    passed = ", ".join(f"float({a})" for a in "xyz"[:arity])
    template = f"{name}{{s}}({', '.join(f'{{{k}}}' for k in range(arity))})"
    text = f'{name} = extern("{name}", {arity}, lambda {given}: Fraction({meaning}({passed})), "{template}")'
    return Known(name, arity, text)


_NAN = "({0}) != ({0})"
_REST = "fmod{s}({0}, {1})"
_APART = f"(({_REST} < 0) != (({{1}}) < 0))"
_MOD = f"({_REST} != 0 ? {_REST} + ({_APART} ? ({{1}}) : 0) : copysign{{s}}({_REST}, {{1}}))"
_WHOLE = f"((({{0}}) - {_REST}) / ({{1}}) - ({_REST} != 0 && {_APART}))"
_QUOTIENT = f"({_WHOLE} != 0 ? rint{{s}}({_WHOLE}) : copysign{{s}}({_WHOLE}, ({{0}}) / ({{1}})))"
FLOORED: Final[Mapping[str, Known]] = {
    "floor_mod": Known("floor_mod", 2, f'floor_mod = extern("floor_mod", 2, lambda x, y: x % y, "{_MOD}")'),
    "floor_divide": Known(
        "floor_divide",
        2,
        'floor_divide = extern("floor_divide", 2, lambda x, y: Fraction(x // y), '
        f'"(({{1}}) == 0 ? ({{0}}) / ({{1}}) : {_QUOTIENT})")',
    ),
}
"""The floor of a quotient of floating-point numbers, and what is left."""

MATH: Final[Mapping[str, Known]] = {
    "sin": Known("sin", 1),
    "cos": Known("cos", 1),
    "sqrt": Known("sqrt", 1),
    "exp": Known("expf", 1),
    "log": Known("log", 1),
    "tanh": Known("tanh", 1),
    "erf": Known("erf", 1),
    "rint": Known("rint", 1),
    "fabs": Known("abs", 1),
    "fmax": Known("fmax", 2),
    "fmin": Known("fmin", 2),
    "pow": Known("pow", 2),
    "fmod": _real("fmod", "math.fmod", 2),
    "hypot": _real("hypot", "math.hypot", 2),
    "atan2": _real("atan2", "math.atan2", 2),
    **{name: _real(name, f"math.{name}") for name in ("floor", "ceil", "trunc", "exp2", "expm1", "log2", "log10")},
    **{name: _real(name, f"math.{name}") for name in ("log1p", "cbrt", "erfc", "tan", "asin", "acos", "atan")},
    **{name: _real(name, f"math.{name}") for name in ("sinh", "cosh")},
    "copysign": _real("copysign", "math.copysign", 2),
    "nearbyint": Known("rint", 1),
    "round": Known(
        "round_away",
        1,
        'round_away = extern("round_away", 1, lambda x: Fraction(math.floor(abs(x) + Fraction(1, 2)) * (x > 0 or -1)),'
        ' "round{s}({0})")',
    ),
}
"""Functions of C's math.h by their names in double precision."""

EXTREMES: Final[Mapping[str, Known]] = {
    name: Known(
        name, 2, f'{name} = extern("{name}", 2, {meaning}, "(({{0}}) {op} ({{1}}) || {_NAN} ? ({{0}}) : ({{1}}))")'
    )
    for name, meaning, op in (("maximum", "max", ">"), ("minimum", "min", "<"))
}
"""The larger or smaller of two numbers, and NaN if one is."""

_ALL = (*MATH.values(), *FLOORED.values(), *EXTREMES.values())
DEFINITIONS: Final = {k.extern: k.definition for k in _ALL if k.definition}
"""The Python that defines an extern, by its name."""


@cache
def externs() -> Mapping[str, object]:
    """The externs that an imported file may define."""
    names: dict[str, object] = {}
    code = "\n".join(["import math", "from fractions import Fraction", "from exo_strat import extern"])
    exec("\n".join([code, *DEFINITIONS.values()]), names)
    return {k: names[k] for k in DEFINITIONS}
