"""The functions of C's library that are taken, and the externs that they become.

Those that the object language has are used as they are. Of the others the imported file brings a definition.
"""

from __future__ import annotations

from ..externs import MATH, Known
from .types import F32, F64, I32, I64, Number, Other, Void

MEMORY = ("memset", "memcpy", "memmove")
"""Functions that are written as loops."""


def known(name: str) -> tuple[Known, Number] | None:
    """The extern that a function of math.h becomes, and the type that it computes at."""
    if name in MATH:
        return MATH[name], F64
    if name.endswith("f") and name[:-1] in MATH:
        return MATH[name[:-1]], F32
    return None


def result_type(name: str) -> Number | Void | Other:
    """The type of a library function's value."""
    found = known(name)
    if found is not None:
        return found[1]
    others: dict[str, Number | Void] = {"abs": I32, "labs": I64, "free": Void(), "exo_assert": Void()}
    return others.get(name, Other(f"what {name} returns"))
