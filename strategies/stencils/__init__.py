"""Loops over time around sweeps of a stencil, in tiles that go through several steps.

- `sweeps`: the sweeps of one step, and how far apart the elements are that they exchange;
- `borders`: as many loops for sweeps over a border as for those over the inside;
- `skews`: how far each sweep has to be shifted for each step, so that tiles may be computed one by one;
- `neighbours`: vectors of which others are made, where elements beside each other are read;
- `interleaved`: steps that take turns, where each element waits for the one before;
- `time_tiles`: the strategy, made of primitives that prove each step.
"""

from __future__ import annotations

from .borders import even_sweeps
from .interleaved import elements_wait, interleave_steps, rounds_alike, waits_for
from .neighbours import neighbours, share_neighbours
from .skews import Skew, find_skews
from .sweeps import Distance, Sweep, distances, sweeps_of
from .time_tiles import time_tile

__all__ = [
    "Distance",
    "Skew",
    "Sweep",
    "distances",
    "elements_wait",
    "even_sweeps",
    "find_skews",
    "interleave_steps",
    "neighbours",
    "rounds_alike",
    "share_neighbours",
    "sweeps_of",
    "time_tile",
    "waits_for",
]
