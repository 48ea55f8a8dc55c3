"""`exo-strat demo` on a picture: schedule, compile, run on each channel, check and time against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Protocol, cast, runtime_checkable

import numpy as np
from rich.console import Console
from rich.text import Text

from .. import plugins
from ..cursors.proc import Proc
from ..machine import Machine
from ..ops.strategy import Op, schedule
from .demo import ROUNDS, Demo, Kernel, jit, print_rows, rewrites, run_demo, seconds, timed
from .files import FileError, write_whole
from .pictures import Picture, Plane, encoded, read_picture, require_pillow, sample, side_by_side
from .targets import Target, write_c
from .viewing import write_film

SHOWN = 36
"""Columns of the terminal that a picture takes, at most."""


@runtime_checkable
class ImageDemo(Protocol):
    """A stencil on one channel of a picture: a procedure of the result's height and width, the channel and the result,
    which lacks `border` pixels at each edge. `reference` is the same by NumPy; `rounding` how far the two may be
    apart, in parts of the largest value."""

    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def border(self) -> int: ...
    @property
    def rounding(self) -> float: ...
    @property
    def program(self) -> Proc: ...
    def plan(self, machine: Machine) -> Op: ...
    def reference(self, plane: Plane) -> Plane: ...


@dataclass(frozen=True)
class Asked:
    """The options of the command line, and the folder for what has no place."""

    image: Path | None
    out: Path | None
    compare: Path | None
    cache: Path


@dataclass(frozen=True)
class Places:
    """Where the picture comes from, None for the generated one, and where picture, comparison and C go."""

    image: Path | None
    result: Path
    compare: Path | None
    code: Path

    @staticmethod
    def of(name: str, asked: Asked) -> Places:
        """`out` is a picture if its name has a suffix, else a folder for all."""
        out = asked.out
        if out is not None and out.suffix and not out.is_dir():
            return Places(asked.image, out, asked.compare, asked.cache)
        folder = out or asked.cache
        return Places(asked.image, folder / f"{name}.png", asked.compare, folder)


def run_any(names: Sequence[str], target: Target, asked: Asked, console: Console) -> list[str]:
    """Run demos of both kinds; the names of those that were wrong. Raises `FileError` for an image that none takes,
    or that several would write."""
    demos = [plugins.load(plugins.DEMOS, name) for name in names]
    pictures = [name for name, demo in zip(names, demos, strict=True) if isinstance(demo, ImageDemo)]
    others = [name for name in names if name not in pictures]
    if others and (asked.image or asked.compare):
        raise FileError(f"{', '.join(others)} takes no image: leave out --image and --compare")
    if len(pictures) > 1 and (asked.compare or (asked.out and asked.out.suffix)):
        raise FileError(f"{' and '.join(pictures)} would write the same image: run them one by one")
    wrong = []
    for name, demo in zip(names, demos, strict=True):
        if isinstance(demo, ImageDemo):
            right = run_image_demo(demo, target, Places.of(name, asked), console)
        else:
            right = run_demo(cast(Demo, demo), target, asked.out or asked.cache, console, write_film)
        wrong += [] if right else [name]
    return wrong


def run_image_demo(demo: ImageDemo, target: Target, places: Places, console: Console) -> bool:
    """Run a demonstration on a picture, print a report, write the files. Whether the result was right; if it is
    not, no picture is written."""
    require_pillow()
    before = sample() if places.image is None else read_picture(places.image)
    least = 2 * demo.border + 1
    if min(before.pixels.shape[:2]) < least:
        raise FileError(f"{places.image} is {before}: {demo.name} needs at least {least} x {least}")
    console.print(f"[b]{demo.name}[/b]: {demo.doc}; target {target.name}", highlight=False, soft_wrap=True)
    proc, schedule_seconds = timed(lambda: schedule(demo.plan(target.machine), demo.program))
    kernel, compile_seconds = timed(lambda: jit(proc, target.machine))
    planes = before.planes()
    results = [_blank(demo, plane) for plane in planes]
    for plane, result in zip(planes, results, strict=True):
        kernel(*result.shape, plane, result)
    error = max(_error(demo, *pair) for pair in zip(planes, results, strict=True))
    rows = [
        ("rewrites applied", str(rewrites(proc))),
        ("schedule time", f"{schedule_seconds:.2f} s"),
        ("compile time", f"{compile_seconds:.2f} s"),
        ("image", f"{places.image or 'generated'}: {before}"),
        ("largest error", f"{error:.2g} of the bound, against NumPy"),
    ]
    if not error <= 1.0:
        print_rows(rows, console)
        return False
    after = before.like(results)
    files = write_pictures(before.inner(demo.border), after, places)
    rows += _times(demo, kernel, planes, results)
    written = (*files, *write_c([proc], demo.name, places.code).files)
    film = places.code / f"{demo.name}.html"
    write_film(demo.program, target.machine, demo.plan(target.machine), film)
    print_rows([*rows, *(("wrote", str(file)) for file in written), ("to look at", str(film))], console)
    if console.is_terminal and not console.no_color:
        show(before.inner(demo.border), after, console)
    return True


def _blank(demo: ImageDemo, plane: Plane) -> Plane:
    height, width = (n - 2 * demo.border for n in plane.shape)
    return np.zeros((height, width), np.float32)


def _error(demo: ImageDemo, plane: Plane, result: Plane) -> float:
    """How far a result is from NumPy's: 1 is what rounding can explain."""
    scale = float(np.max(np.abs(plane))) * demo.rounding
    apart = float(np.max(np.abs(result - demo.reference(plane))))
    return apart / scale if scale else apart


def _times(
    demo: ImageDemo, kernel: Kernel, planes: Sequence[Plane], results: Sequence[Plane]
) -> list[tuple[str, str]]:
    """Rows about the time for all channels: the kernel and NumPy in turns, medians."""
    runs: list[Callable[[], object]] = [partial(kernel, *r.shape, p, r) for p, r in zip(planes, results, strict=True)]
    numpy: list[Callable[[], object]] = [partial(demo.reference, p) for p in planes]
    rounds = [(sum(seconds(f, 1) for f in runs), sum(seconds(f, 1) for f in numpy)) for _ in range(ROUNDS)]
    ours, theirs = (median(column) for column in zip(*rounds, strict=True))
    return [
        ("this kernel", f"{ours * 1e3:.2f} ms, one thread"),
        ("NumPy", f"{theirs * 1e3:.2f} ms, one thread; this kernel is {theirs / ours:.2f} times as fast"),
    ]


def write_pictures(before: Picture, after: Picture, places: Places) -> tuple[Path, ...]:
    """Write the result, and if asked for both side by side. Returns the files."""
    places.code.mkdir(parents=True, exist_ok=True)
    pictures = {places.result: after}
    if places.compare is not None:
        pictures[places.compare] = before.beside(after)
    write_whole({path: encoded(picture, path) for path, picture in pictures.items()})
    return tuple(pictures)


def show(before: Picture, after: Picture, console: Console) -> None:
    """The middle of both on the terminal, pixel by pixel: a whole picture would be too small to see what changed."""
    size = min(SHOWN, console.width // 2 - 2)
    if size < 2 or before.pixels.shape[0] < 2:
        return
    console.print(Text("before and after, in the middle:", "dim"))
    console.print(side_by_side(before.middle(size, size), after.middle(size, size)), end="")
