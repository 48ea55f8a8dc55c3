"""What a program is measured with: its sizes, its numbers, and the data on which it makes sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exo_strat import Proc, Tensor
from strategies import inspect

Array = np.ndarray[Any, np.dtype[np.float64]]
Arrays = dict[str, Array]
Sizes = Mapping[str, int]
Prepare = Callable[[Arrays], None]

SCALES = {"large": 1, "medium": 5, "small": 16}
"""By what the sizes of `Program.large` are divided."""
LEAST = 4
"""No size becomes smaller than this one."""


@dataclass(frozen=True)
class Program:
    """A program in object code; the C function of its name, with the same arguments, stands in the file beside it."""

    proc: Proc
    large: Sizes
    numbers: Mapping[str, float] = field(default_factory=dict)
    """The values of its scalar arguments."""
    prepare: Prepare | None = None
    """Changes random arrays, of numbers from 0 to 1, into such as the program is for."""
    tolerance: float = 1e-9
    """How far results may be apart, relative to the largest number of an array: sums are made in any order."""
    work: Callable[..., int] | None = None
    """How many operations there must be, of the sizes, where the text has more: alpha times an element of a row of a
    product is one operation for all of that row. Else `strategies.inspect.flops` counts them."""

    @property
    def name(self) -> str:
        return self.proc.name()

    def sizes(self, scale: str) -> dict[str, int]:
        """The sizes at a scale: large, medium or small."""
        return {name: max(LEAST, round(n / SCALES[scale])) for name, n in self.large.items()}

    def flops(self, sizes: Sizes) -> int:
        """How many operations there are."""
        return self.work(**sizes) if self.work else inspect.flops(self.proc.root()).at(**sizes)

    def footprint(self, sizes: Sizes) -> int:
        """How many bytes of the arguments are touched."""
        return inspect.footprint(self.proc.root()).at(**sizes)

    def arguments(self, sizes: Sizes) -> dict[str, Any]:
        """All arguments, in order: the sizes, the numbers, and arrays that are the same each time."""
        rng = np.random.default_rng(0)
        arrays = {
            a.name(): rng.random([sizes[e.text()] for e in a.shape()])
            for a in self.proc.args()
            if isinstance(a.type(), Tensor)
        }
        if self.prepare:
            self.prepare(arrays)
        known = {**sizes, **self.numbers, **arrays}
        return {a.name(): known[a.name()] for a in self.proc.args()}

    def difference(self, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> float:
        """How far arrays are apart, relative to the largest wanted number of each."""
        arrays = [(found[name], x) for name, x in wanted.items() if isinstance(x, np.ndarray)]
        gaps = [float(np.max(np.abs(y - x)) / max(np.max(np.abs(x)), np.finfo(x.dtype).tiny)) for y, x in arrays]
        return max(np.inf if np.isnan(gap) else gap for gap in gaps)


__all__ = ["Array", "Arrays", "LEAST", "Prepare", "Program", "SCALES", "Sizes"]
