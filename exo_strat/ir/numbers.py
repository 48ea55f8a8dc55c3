"""Numbers as object code has them."""

from __future__ import annotations

from math import isfinite
from typing import TypeGuard

BITS = 1000
"""How long an integer may be: less than a floating-point number can hold, and less than Python refuses to print."""


def plain(value: object) -> object:
    """A number, truth value or text of NumPy's, or of another class of Python's, as the plain one that it is: a class
    of its own could compare as it likes. Anything else itself. Raises `ValueError` for an integer that is too long.

    >>> import numpy as np
    >>> plain(np.float64(0.5)), plain(np.int8(3)), plain(np.bool_(True)), plain("x")
    (0.5, 3, True, 'x')
    """
    kind = type(value)
    if kind is str or kind is bool or kind is float:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if kind is not int:
        scalar = getattr(value, "item", None) if getattr(value, "shape", None) == () else None
        value = scalar() if callable(scalar) else value
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = int(value) if isinstance(value, int) else float(value)
    if isinstance(value, int) and value.bit_length() > BITS:
        raise ValueError(f"an integer of {value.bit_length()} bits is longer than object code has any: {BITS} bits")
    return value


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a plain value is an integer, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a plain value is a number that object code can have: neither a truth value nor infinite."""
    return is_integer(value) or (isinstance(value, float) and isfinite(value))
