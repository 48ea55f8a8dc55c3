"""Sweeps over time, imported from C, in tiles and as they are; and the C itself.

    python -m benchmarks.stencils [jacobi_2d heat_3d ...]

Each is measured once for each shape, the three in turns. Data is larger than the caches.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from backends.jit import jit
from benchmarks.measure import seconds, show
from exo_strat import Proc, at, proc_from_source, schedule
from importers.c import from_c
from strategies.stencils import time_tile

SOURCE = Path(__file__).parents[1] / "examples" / "stencils.c"
FLAGS = ("-O3", "-march=native", "-std=gnu11", "-fPIC", "-shared")
"""Those for the C as it is, besides the compiler's default of keeping to the rules of floating-point numbers."""

TILES = {
    "jacobi_1d": ((256, 2048),),
    "jacobi_2d": ((16, 32), (16, 32, 512)),
    "seidel_2d": ((16, 32), (16, 32, 512)),
    "heat_3d": ((8, 8, 16), (8, 8, 16, 128)),
    "fdtd_2d": ((16, 32), (16, 32, 512)),
}
"""Steps and iterations of a tile."""
SHAPES = {
    "jacobi_1d": (500, 4_000_000),
    "jacobi_2d": (50, 2800),
    "seidel_2d": (20, 2000),
    "heat_3d": (40, 200),
    "fdtd_2d": (50, 2000, 2000),
}
