"""How object code spells the names of another program: as they are, unless the object language uses them itself."""

from __future__ import annotations

import builtins
from collections.abc import Collection
from keyword import iskeyword

import exo_strat

_CONTROL = "size index int bool stride seq par vec min max need DRAM DRAM_STACK DRAM_STATIC extern proc math Fraction"
_TYPES = "R bf16 f16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 ui8 ui16 ui32 ui64"
_EXTERNS = "sin cos sqrt expf log sigmoid relu abs fmax fmin fmaxf fminf select floordiv tdiv tmod"
_STEPS = "tanh erf rint ldexpf ldexp exponent significand"
_WRAPS = "wrap_i8 wrap_i16 wrap_i32 wrap_i64 wrap_u8 wrap_u16 wrap_u32 wrap_u64"
WORDS = frozenset(f"{_CONTROL} {_TYPES} {_EXTERNS} {_STEPS} {_WRAPS}".split())
"""What means something in object code."""
LIBRARY = frozenset(["abs", "complex", "exit", "float", "fma", "inline", "open", "pow", "rename", "round"])
"""Names that a definition would hide here, and that C or its library has, too: none may be compiled under them."""


def spelled(name: str, taken: Collection[str] = (), function: bool = False) -> str:
    """A name that object code can use: with `_1`, `_2` .. at its end if it is a word of Python or of object code, or
    is taken.

    >>> spelled("x"), spelled("in"), spelled("size"), spelled("t", {"t", "t_1"})
    ('x', 'in_1', 'size_1', 't_2')
    """
    name = name.replace("$", "_")
    candidate, n = name, 0
    while iskeyword(candidate) or candidate in WORDS or candidate in taken or (function and _exported(candidate)):
        n += 1
        candidate = f"{name}_{n}"
    return candidate


def kept(name: str, spelling: str) -> bool:
    """Whether a procedure may have a function's name for its own, where Python has to spell it otherwise.

    >>> kept("choose", "choose_1"), kept("choose", "choose"), kept("pow", "pow_1"), kept("in", "in_1")
    (True, False, False, False)
    """
    return name != spelling and name not in LIBRARY | WORDS and not iskeyword(name) and name.isidentifier()


def _exported(name: str) -> bool:
    """Whether a definition of that name would hide one that object code is written with."""
    return name in getattr(exo_strat, "__all__", ()) or name in dir(builtins)
