"""The image pipelines that are compared: our programs and schedules, and what they are measured on. Imports
`exo_strat`, `backends` and the examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from backends.targets import best_machine
from examples.halide import bilateral, blur, convolution, fixed_point, harris, laplacian, unsharp
from exo_strat import Op, Proc, pick

CHANNELS = 128
"""Channels in and out of a layer of convolutions, as in Halide's app."""
LINES = 128
"""Bytes in two lines of the caches, as Halide aligns."""
GRAYS = 256
"""Brightnesses of an image."""

Arrays = dict[str, np.ndarray]
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Pipeline:
    """A pipeline: its naive program and our schedule for it, its arrays for an image, the result last, and the
    operations of a pixel in the naive program, overlap left out. `plain` are functions in C, `numbers` the type of all
    arrays."""

    naive: Proc
    schedule: Op
    shapes: Callable[[int, int], Shapes]
    flops: int
    sizes: Mapping[str, int]
    images: tuple[tuple[int, int], ...]
    plain: tuple[str, ...] = ()
    numbers: type[np.generic] = np.float32

    def controls(self, width: int, height: int) -> dict[str, int]:
        """The sizes that the program takes."""
        return {"H": height, "W": width, **self.sizes}

    def arrays(self, width: int, height: int) -> Arrays:
        """Its arrays with random data, the result with zeros."""
        made = {name: aligned(shape, self.numbers) for name, shape in self.shapes(width, height).items()}
        rng = np.random.default_rng(0)
        usual = _gray if self.numbers is np.float32 else _counts
        for name, array in list(made.items())[:-1]:
            array[:] = _DATA.get(name, usual)(rng, array.shape)
        return made

    def bytes(self, width: int, height: int) -> float:
        """The bytes of a pixel that come from memory and go there at least."""
        size = np.dtype(self.numbers).itemsize
        return sum(size * prod(shape) for shape in self.shapes(width, height).values()) / (width * height)


def aligned(shape: tuple[int, ...], numbers: type[np.generic] = np.float32) -> np.ndarray:
    """Zeros that begin at a line of the caches, as images that Halide allocates do; NumPy's begin anywhere."""
    line = LINES // np.dtype(numbers).itemsize
    room = np.zeros(prod(shape) + line, numbers)
    first = -room.ctypes.data // room.itemsize % line
    return room[first : first + prod(shape)].reshape(shape)


def _gray(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Brightnesses from 0.1 to 1, none so near to the border of two cells of the bilateral grid that rounding decides
    between them."""
    return (rng.integers(GRAYS // 10, GRAYS, shape) + 0.5).astype(np.float32) / GRAYS


def _counts(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Integers of 16 bits, three of which still fit."""
    return rng.integers(0, (1 << 16) // 3, shape).astype(np.uint16)


_DATA: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "level": lambda rng, shape: np.linspace(0, 1, shape[0], dtype=np.float32),
    "strength": lambda rng, shape: np.full(shape, 0.5, np.float32),
    "w": lambda rng, shape: rng.random(shape, np.float32) - np.float32(0.5),
    "bias": lambda rng, shape: rng.random(shape, np.float32),
}


def _bordered(
    border: int, planes: tuple[int, ...] = (), last: str = "out", of: int = 0
) -> Callable[[int, int], Shapes]:
    """An image with a border, and a result of so many of its planes."""
    return lambda w, h: {"inp": (*planes, h + border, w + border), last: (*planes[:of], h, w)}


def _in_cells(cell: int, more: int, reach: int, **others: tuple[int, ...]) -> Callable[[int, int], Shapes]:
    """An image that is whole cells wide and high and some pixels more."""

    def side(n: int) -> int:
        return cell * ((n + reach) // cell) + more

    return lambda w, h: {"inp": (side(h), side(w)), **others, "out": (h, w)}


def _layer(w: int, h: int) -> Shapes:
    n = CHANNELS
    return {"inp": (n, h + 2, w + 2), "w": (n, n, 3, 3), "bias": (n,), "out": (n, h, w)}


IMAGES = ((1280, 960), (2560, 1920))
PIPELINES = {
    "blur": Pipeline(
        blur.blur,
        pick(
            "schedule",
            {
                "groups": blur.groups(),
                "rows": blur.rows(),
                "root": blur.root(),
                "streamed": blur.streamed(machine=best_machine()),
            },
            default="groups",
        ),
        _bordered(2, last="blur_y"), 6, {}, IMAGES, ("blur_rows", "blur_fused"),
    ),
    "blur16": Pipeline(
        fixed_point.blur16, pick("schedule", fixed_point.SCHEDULES, default="rows"), _bordered(2, last="blur_y"), 6, {},
        IMAGES, numbers=np.uint16,
    ),
    "unsharp": Pipeline(
        unsharp.unsharp, unsharp.groups(machine=best_machine()), _bordered(6, (3,), of=1), 31, {}, IMAGES,
        ("unsharp_rows",),
    ),
    "harris": Pipeline(harris.harris, harris.groups(), _bordered(4, (3,)), 83, {}, IMAGES),
    "local_laplacian": Pipeline(
        laplacian.local_laplacian, pick("schedule", laplacian.SCHEDULES, default="levels"),
        _in_cells(4, 3, 15, level=(4,), strength=(1,)), 150, {}, IMAGES,
    ),
    "bilateral_grid": Pipeline(bilateral.bilateral_grid, bilateral.strips(), _in_cells(8, 40, 7), 50, {}, IMAGES),
    "layer": Pipeline(
        convolution.layer, convolution.tiles(machine=best_machine()), _layer, 2 * 9 * CHANNELS * CHANNELS,
        {"C": CHANNELS, "K": CHANNELS}, ((100, 80), (64, 64)),
    ),
}  # fmt: skip
