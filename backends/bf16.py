"""bfloat16 arrays for `jit`: NumPy has no such type, so they are `uint16`, the upper halves of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["from_bf16", "to_bf16"]


def to_bf16(values: Any) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Numbers as bfloat16 in `uint16`, each rounded once to the nearest, of two to the even one.

    >>> [hex(x) for x in to_bf16([1.0, -0.1, 1 + 2.0**-8])]
    ['0x3f80', '0xbdcd', '0x3f80']
    """
    exact = np.asarray(values, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        near = exact.astype(np.float32)
    bits = near.view(np.uint32).astype(np.uint64)
    inexact = near.astype(np.float64) != exact
    bits = np.where(inexact, (bits - (np.abs(near.astype(np.float64)) > np.abs(exact))) | 1, bits)
    return np.where(
        (bits & 0x7FFFFFFF) > 0x7F800000, bits >> 16 | 0x40, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    ).astype(np.uint16)


def from_bf16(bits: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The numbers of a bfloat16 array, as `float32`.

    >>> from_bf16(to_bf16([0.5, 3.0])).tolist()
    [0.5, 3.0]
    """
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)
