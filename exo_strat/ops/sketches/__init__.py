"""Sketches: the shape of a loop nest as text, checked by an Op and drawn from a program.

    "par 32 > seq 32 > { seq ii 32 > vec 32; seq 256 > ... }"

A sketch is a list of loops and branches, separated by `;`, each with what is inside it after `>`:

    seq 32, par io n / 4, vec _, _ 32    a loop: its mode, maybe its iterator's name, and its number of iterations
    if, else                             the branches of an `if`
    x[_] += _                            a statement, by a pattern
    ...                                  anything: any statements, or before `>` any scopes around what follows

`_` stands for any mode or number. Loops and branches must all be listed, other statements need not be. What ends
without `>` has neither loops nor branches inside; braces hold a list of several.
"""

from __future__ import annotations

from .expect import expect
from .grammar import SketchError
from .shape import sketch

__all__ = ["SketchError", "expect", "sketch"]
