"""The pipelines of `examples/halide` in Halide, under published schedules and some of our own, compiled ahead of time.

    python benchmarks/halide_peer.py FOLDER

runs in an environment that has the halide wheel and writes, for each pipeline, schedule and width of vectors, a static
library and a header; it prints the pipeline's name and the library's on a line. Imports nothing of this project.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import halide as hl

THIRD = 0.3333333
GRAY = (0.299, 0.587, 0.114)
KERNEL = (0.2659615, 0.2129653, 0.1093400, 0.0359940)

Stages = dict[str, Any]


def blur() -> tuple[Any, Stages]:
    """The stages of the 3x3 box blur; the image comes with two pixels at the right and below."""
    inp = hl.ImageParam(hl.Float(32), 2, "inp")
    x, y = hl.Var("x"), hl.Var("y")
    third = hl.f32(THIRD)
    blur_x, blur_y = hl.Func("blur_x"), hl.Func("blur_y")
    blur_x[x, y] = (inp[x, y] + inp[x + 1, y] + inp[x + 2, y]) * third
    blur_y[x, y] = (blur_x[x, y] + blur_x[x, y + 1] + blur_x[x, y + 2]) * third
    return inp, {"blur_x": blur_x, "out": blur_y, "x": x, "y": y}


def blur_figure_11(s: Stages, lanes: int) -> None:
    """The schedule of Halide's paper."""
    xi, yi = hl.Var("xi"), hl.Var("yi")
    s["out"].tile(s["x"], s["y"], xi, yi, 256, 32).vectorize(xi, lanes).parallel(s["y"])
    s["blur_x"].compute_at(s["out"], s["x"]).vectorize(s["x"], lanes)


def blur_app(s: Stages, lanes: int) -> None:
    """The schedule of Halide's own application (there for 16-bit data): a window that slides in strips of 8 rows."""
    _blur_strips(s, lanes, 8)


def blur_strips32(s: Stages, lanes: int) -> None:
    """Ours: the same in strips of 32 rows."""
    _blur_strips(s, lanes, 32)


def _blur_strips(s: Stages, lanes: int, rows: int) -> None:
    yi = hl.Var("yi")
    s["out"].split(s["y"], s["y"], yi, rows).parallel(s["y"]).vectorize(s["x"], lanes)
    s["blur_x"].store_at(s["out"], s["y"]).compute_at(s["out"], yi).vectorize(s["x"], lanes)


def blur_groups(s: Stages, lanes: int) -> None:
    """Ours: what the application does for GPUs, on one thread: eight rows unrolled, the first stage put in."""
    yi = hl.Var("yi")
    s["out"].split(s["y"], s["y"], yi, 8).reorder(yi, s["x"], s["y"]).unroll(yi).vectorize(s["x"], lanes)


def unsharp() -> tuple[Any, Stages]:
    """The stages of unsharp masking; the image comes with three pixels around it."""
    inp = hl.ImageParam(hl.Float(32), 3, "inp")
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    gray, blur_y, blur_x, ratio, out = (hl.Func(n) for n in ("gray", "blur_y", "blur_x", "ratio", "out"))
    k, g = [hl.f32(v) for v in KERNEL], [hl.f32(v) for v in GRAY]
    gray[x, y] = g[0] * inp[x, y, 0] + g[1] * inp[x, y, 1] + g[2] * inp[x, y, 2]
    blur_y[x, y] = (
        k[0] * gray[x, y + 3]
        + k[1] * (gray[x, y + 2] + gray[x, y + 4])
        + k[2] * (gray[x, y + 1] + gray[x, y + 5])
        + k[3] * (gray[x, y] + gray[x, y + 6])
    )
    blur_x[x, y] = (
        k[0] * blur_y[x + 3, y]
        + k[1] * (blur_y[x + 2, y] + blur_y[x + 4, y])
        + k[2] * (blur_y[x + 1, y] + blur_y[x + 5, y])
        + k[3] * (blur_y[x, y] + blur_y[x + 6, y])
    )
    ratio[x, y] = (hl.f32(2.0) * gray[x + 3, y + 3] - blur_x[x, y]) / gray[x + 3, y + 3]
    out[x, y, c] = ratio[x, y] * inp[x + 3, y + 3, c]
    return inp, {"gray": gray, "blur_y": blur_y, "ratio": ratio, "out": out, "x": x, "y": y, "c": c}


def unsharp_app(s: Stages, lanes: int) -> None:
    """The schedule of Halide's own application (which repeats the image's edge, where here a border comes with it)."""
    yo, yi = hl.Var("yo"), hl.Var("yi")
    out, x = s["out"], s["x"]
    out.split(s["y"], yo, yi, 32).reorder(x, s["c"], yi, yo).parallel(yo).vectorize(x, lanes)
    s["gray"].store_at(out, yo).compute_at(out, yi).vectorize(x, lanes)
    s["blur_y"].store_at(out, yo).compute_at(out, yi).vectorize(x, lanes)
    s["ratio"].store_at(out, yo).compute_at(out, yi).vectorize(x, lanes)


def unsharp_strips(s: Stages, lanes: int) -> None:
    """Ours: brightness by strips, the colours of a pixel together."""
    yo, yi = hl.Var("yo"), hl.Var("yi")
    out, x = s["out"], s["x"]
    out.bound(s["c"], 0, 3).split(s["y"], yo, yi, 32).reorder(s["c"], x, yi, yo).unroll(s["c"])
    out.parallel(yo).vectorize(x, lanes)
    s["gray"].compute_at(out, yo).vectorize(x, lanes)
    s["blur_y"].compute_at(out, yi).vectorize(x, lanes)
    s["ratio"].compute_at(out, x).vectorize(x, lanes)


SCHEDULES: tuple[tuple[str, Callable[[], tuple[Any, Stages]], str, Callable[[Stages, int], None]], ...] = (
    ("blur", blur, "figure_11", blur_figure_11),
    ("blur", blur, "app", blur_app),
    ("blur", blur, "strips32", blur_strips32),
    ("blur", blur, "groups", blur_groups),
    ("unsharp", unsharp, "app", unsharp_app),
    ("unsharp", unsharp, "strips", unsharp_strips),
)


def compiled(folder: Path) -> Iterator[tuple[str, str]]:
    """Each pipeline's name and that of its library."""
    target = hl.get_host_target().with_feature(hl.TargetFeature.NoBoundsQuery)
    for pipeline, stages, schedule, apply in SCHEDULES:
        for lanes in (8, 16, 32):
            inp, s = stages()
            apply(s, lanes)
            name = f"{pipeline}_{schedule}_{lanes}"
            s["out"].compile_to_static_library(str(folder / name), [inp], name, target)
            yield pipeline, name


if __name__ == "__main__":
    for found in compiled(Path(sys.argv[1])):
        print(*found)
