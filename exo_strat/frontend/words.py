"""The words of the object language, as Python sees them.

Object code is read, never run; but an editor, a linter or an `import` wants every name that it
mentions to exist. Types, memories and extern functions are values anyway; this module has the rest,
and the further names by which Exo's documentation calls some of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..ir.externs import BUILTIN, WRAPS, fmax, fmin
from ..ir.memory import DRAM, DRAM_STACK, DRAM_STATIC
from ..ir.types import CONTROLS, SCALARS, u8, u16, u32, u64


@dataclass(frozen=True, repr=False)
class Word:
    """A word that has a meaning in object code only: a kind of loop, or `stride`.

    >>> par
    par
    """

    name: str

    def __call__(self, *args: object) -> object:
        raise TypeError(f"{self.name}(..) is object code: it stands inside a @proc")

    def __repr__(self) -> str:
        return self.name


par, vec, stride = Word("par"), Word("vec"), Word("stride")
MODES: Final = ("seq", "par", "vec")
"""The kinds of loop. `seq` itself is also the combinator of that name; in object code it is a word."""

ui8, ui16, ui32, ui64 = u8, u16, u32, u64
fmaxf, fminf = fmax, fmin

DEFAULT_ENV: Final[Mapping[str, object]] = {
    **SCALARS,
    **CONTROLS,
    **BUILTIN,
    **WRAPS,
    **{m.name: m for m in (DRAM, DRAM_STACK, DRAM_STATIC)},
    **{"ui8": ui8, "ui16": ui16, "ui32": ui32, "ui64": ui64, "fmaxf": fmaxf, "fminf": fminf},
}
"""What names mean that a program need not import."""
