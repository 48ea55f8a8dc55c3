"""The CBLAS functions of the library, as ctypes has them: by name, for the numbers of an array."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from .arrays import LETTERS, Array, of_complex
from .places import loaded

KINDS: dict[str, Any] = {"i": ctypes.c_int64, "f": ctypes.c_int, "p": ctypes.c_void_p}
"""The types of arguments by a letter: integers, flags, addresses; r, a real number of the arrays' precision; and t, the
number that elements are."""

REAL: Final = {"c": "s", "z": "d"}
NAMES: Final = {
    "nrm2": "{r}{t}nrm2",
    "asum": "{r}{t}asum",
    "iamax": "i{t}amax",
    "rot": "{t}{r}rot",
    "real_scal": "{t}{r}scal",
}
"""What functions are called that don't begin with the letter of the arrays alone, by this one and, if it is of complex
numbers, that of real ones: dznrm2."""


def kind_of(like: Array) -> str:
    """How functions of Hermitian matrices begin: of real numbers, these are symmetric."""
    return "he" if of_complex(like) else "sy"


def function(name: str, like: Array, kinds: str, result: str = "") -> Callable[..., Any]:
    """The CBLAS function for the numbers of an array."""
    return _known(name, LETTERS[like.dtype], kinds, result)


@cache
def _known(name: str, letter: str, kinds: str, result: str) -> Callable[..., Any]:
    part = ctypes.c_float if letter in "sc" else ctypes.c_double
    kinds_of = KINDS | {"r": part, "t": Pair(part) if letter in REAL else part}
    routine = NAMES.get(name, f"{{t}}{name}").format(t=letter, r=REAL.get(letter, ""))
    function = loaded()[f"cblas_{routine}_64"]
    function.argtypes = [kinds_of[k] for k in kinds]
    function.restype = kinds_of[result] if result else None
    return function


@dataclass(frozen=True)
class Pair:
    """The type of complex numbers, for ctypes: CBLAS takes the address of their two parts."""

    part: type[ctypes.c_float] | type[ctypes.c_double]

    def from_param(self, value: complex) -> ctypes.Array[Any]:
        return (self.part * 2)(value.real, value.imag)
