"""The six image pipelines in Halide, compiled ahead of time under a schedule: one of its authors', one of ours for it,
or one that an autoscheduler makes.

    python benchmarks/halide_peer.py FOLDER NAME PIPELINE SCHEDULE WIDTH HEIGHT [KEY=VALUE ..]

runs in an environment that has the halide wheel and writes the static library FOLDER/NAME.a with a function NAME. A
SCHEDULE is a function's name here, such as `blur_app`, or an autoscheduler's, such as `Adams2019`, of which KEY=VALUE
are parameters; for schedules with vectors, `lanes=16`. Imports nothing of this project.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import halide as hl

THIRD = 0.3333333
GRAY = (0.299, 0.587, 0.114)
KERNEL = (0.2659615, 0.2129653, 0.1093400, 0.0359940)
SOBEL = 0.0833333
CHANNELS = 128
"""Channels in and out of a layer of convolutions."""

Stages = dict[str, Any]
Built = tuple[list[Any], Stages]


def image(name: str, *extents: int) -> Any:
    """An input of floats, with what the autoschedulers are to expect of its size."""
    found = hl.ImageParam(hl.Float(32), len(extents), name)
    found.set_estimates([(0, n) for n in extents])
    return found


def variables(names: str) -> list[Any]:
    return [hl.Var(n) for n in names.split()]


def weighted(values: Sequence[Any], weights: Sequence[float]) -> Any:
    """A sum of products, in order."""
    total = hl.f32(weights[0]) * values[0]
    for value, weight in zip(values[1:], weights[1:], strict=True):
        total = total + hl.f32(weight) * value
    return total


def brightness(inp: Any) -> Any:
    x, y = variables("x y")
    gray = hl.Func("gray")
    gray[x, y] = weighted([inp[x, y, c] for c in range(3)], GRAY)
    return gray


def blur(w: int, h: int) -> Built:
    """The 3x3 box blur; the image comes with two pixels at the right and below."""
    inp = image("inp", w + 2, h + 2)
    x, y = variables("x y")
    third = hl.f32(THIRD)
    blur_x, blur_y = hl.Func("blur_x"), hl.Func("blur_y")
    blur_x[x, y] = (inp[x, y] + inp[x + 1, y] + inp[x + 2, y]) * third
    blur_y[x, y] = (blur_x[x, y] + blur_x[x, y + 1] + blur_x[x, y + 2]) * third
    blur_y.set_estimates([(0, w), (0, h)])
    return [inp], {"blur_x": blur_x, "out": blur_y, "x": x, "y": y}


def blur_figure_11(s: Stages, lanes: int) -> None:
    """The schedule of Halide's paper."""
    xi, yi = variables("xi yi")
    s["out"].tile(s["x"], s["y"], xi, yi, 256, 32).vectorize(xi, lanes).parallel(s["y"])
    s["blur_x"].compute_at(s["out"], s["x"]).vectorize(s["x"], lanes)


def blur_app(s: Stages, lanes: int) -> None:
    """The schedule of Halide's own application (there for 16-bit data): a window that slides in strips of 8 rows."""
    _blur_strips(s, lanes, 8)


def blur_app32(s: Stages, lanes: int) -> None:
    """The newer one: strips of 32 rows, the first stage stored and computed in the strip."""
    yi = hl.Var("yi")
    s["out"].split(s["y"], s["y"], yi, 32).parallel(s["y"]).vectorize(s["x"], lanes)
    s["blur_x"].store_at(s["out"], s["y"]).compute_at(s["out"], s["y"]).vectorize(s["x"], lanes)


def blur_strips32(s: Stages, lanes: int) -> None:
    """Ours: a window that slides in strips of 32 rows."""
    _blur_strips(s, lanes, 32)


def _blur_strips(s: Stages, lanes: int, rows: int) -> None:
    yi = hl.Var("yi")
    s["out"].split(s["y"], s["y"], yi, rows).parallel(s["y"]).vectorize(s["x"], lanes)
    s["blur_x"].store_at(s["out"], s["y"]).compute_at(s["out"], yi).vectorize(s["x"], lanes)


def blur_groups(s: Stages, lanes: int) -> None:
    """Ours: what the application does for GPUs, on one thread: eight rows unrolled, the first stage put in."""
    yi = hl.Var("yi")
    s["out"].split(s["y"], s["y"], yi, 8).reorder(yi, s["x"], s["y"]).unroll(yi).vectorize(s["x"], lanes)


def unsharp(w: int, h: int) -> Built:
    """Unsharp masking; the image comes with three pixels around it."""
    inp = image("inp", w + 6, h + 6, 3)
    x, y, c = variables("x y c")
    gray, k = brightness(inp), KERNEL
    blur_y, blur_x, ratio, out = (hl.Func(n) for n in ("blur_y", "blur_x", "ratio", "out"))
    rows = [gray[x, y + 3], *(gray[x, y + 3 - n] + gray[x, y + 3 + n] for n in (1, 2, 3))]
    blur_y[x, y] = weighted(rows, k)
    columns = [blur_y[x + 3, y], *(blur_y[x + 3 - n, y] + blur_y[x + 3 + n, y] for n in (1, 2, 3))]
    blur_x[x, y] = weighted(columns, k)
    ratio[x, y] = (hl.f32(2.0) * gray[x + 3, y + 3] - blur_x[x, y]) / gray[x + 3, y + 3]
    out[x, y, c] = ratio[x, y] * inp[x + 3, y + 3, c]
    out.set_estimates([(0, w), (0, h), (0, 3)])
    return [inp], {"gray": gray, "blur_y": blur_y, "ratio": ratio, "out": out, "x": x, "y": y, "c": c}


def unsharp_app(s: Stages, lanes: int) -> None:
    """The schedule of Halide's own application (which repeats the image's edge, where here a border comes with it)."""
    yo, yi = variables("yo yi")
    out, x = s["out"], s["x"]
    out.split(s["y"], yo, yi, 32).reorder(x, s["c"], yi, yo).parallel(yo).vectorize(x, lanes)
    for stage in ("gray", "blur_y", "ratio"):
        s[stage].store_at(out, yo).compute_at(out, yi).vectorize(x, lanes)


def unsharp_strips(s: Stages, lanes: int) -> None:
    """Ours: brightness by strips, the colours of a pixel together."""
    yo, yi = variables("yo yi")
    out, x = s["out"], s["x"]
    out.bound(s["c"], 0, 3).split(s["y"], yo, yi, 32).reorder(s["c"], x, yi, yo).unroll(s["c"])
    out.parallel(yo).vectorize(x, lanes)
    s["gray"].compute_at(out, yo).vectorize(x, lanes)
    s["blur_y"].compute_at(out, yi).vectorize(x, lanes)
    s["ratio"].compute_at(out, x).vectorize(x, lanes)


def harris(w: int, h: int) -> Built:
    """Corner detection; the image comes with two pixels around it."""
    inp = image("inp", w + 4, h + 4, 3)
    x, y = variables("x y")
    gray = brightness(inp)
    ix, iy, out = (hl.Func(n) for n in ("ix", "iy", "out"))
    across = [gray[x + 2, y + n] - gray[x, y + n] for n in range(3)]
    ix[x, y] = hl.f32(SOBEL) * (across[0] + hl.f32(2.0) * across[1] + across[2])
    down = [gray[x + n, y + 2] - gray[x + n, y] for n in range(3)]
    iy[x, y] = hl.f32(SOBEL) * (down[0] + hl.f32(2.0) * down[1] + down[2])
    products = {"xx": ix[x, y] * ix[x, y], "xy": ix[x, y] * iy[x, y], "yy": iy[x, y] * iy[x, y]}
    sums: dict[str, Any] = {}
    for name, product in products.items():
        each, total = hl.Func(f"i{name}"), hl.Func(f"s{name}")
        each[x, y] = product
        total[x, y] = sum((each[x + i, y + j] for j in range(3) for i in range(3)), hl.f32(0.0))
        sums[name] = total[x, y]
    trace = sums["xx"] + sums["yy"]
    out[x, y] = sums["xx"] * sums["yy"] - sums["xy"] * sums["xy"] - hl.f32(0.04) * trace * trace
    out.set_estimates([(0, w), (0, h)])
    return [inp], {"out": out}


def halved(a: Any, name: str, *, columns: bool, levels: bool) -> Any:
    """Half the rows or the columns, by weights 1 2 1."""
    x, y, k = variables("x y k")
    of = (k,) if levels else ()
    taken = [a[(2 * x + n, y, *of)] if columns else a[(x, 2 * y + n, *of)] for n in range(3)]
    found = hl.Func(name)
    found[(x, y, *of)] = weighted(taken, (0.25, 0.5, 0.25))
    return found


def doubled(n: Any, at: Callable[[Any], Any], offset: int = 0) -> Any:
    """Between the nearest two, by weights 3 1."""
    return hl.f32(0.75) * at(n / 2 + offset + 1) + hl.f32(0.25) * at(n / 2 + offset + 2 * (n % 2))


def local_laplacian(w: int, h: int) -> Built:
    """Local Laplacian filtering in three levels, as stage by stage in `examples/halide`."""
    inp = image("inp", 4 * ((w + 15) // 4) + 3, 4 * ((h + 15) // 4) + 3)
    level, strength = image("level", 4), image("strength", 1)
    x, y, k = variables("x y k")

    def remapped(value: Any) -> Any:
        d = value - level[k]
        return value + strength[0] * d * hl.max(hl.f32(1.0) - d * d, hl.f32(0.0))

    def near(value: Any, n: int) -> Any:
        return hl.max(hl.f32(1.0) - hl.abs(hl.f32(3.0) * (value - level[n])), hl.f32(0.0))

    def row_of(a: Any, n: int) -> Callable[[Any], Any]:
        return lambda m: a[m, y, n]

    g0 = hl.Func("g0")
    g0[x, y, k] = remapped(inp[x, y])
    g1 = halved(halved(g0, "d1", columns=False, levels=True), "g1", columns=True, levels=True)
    g2 = halved(halved(g1, "d2", columns=False, levels=True), "g2", columns=True, levels=True)
    i1 = halved(halved(inp, "e1", columns=False, levels=False), "i1", columns=True, levels=False)
    i2 = halved(halved(i1, "e2", columns=False, levels=False), "i2", columns=True, levels=False)
    o2, p2, q2, o1, p1, q1, r0, out = (hl.Func(n) for n in ("o2", "p2", "q2", "o1", "p1", "q1", "r0", "out"))
    o2[x, y] = sum((near(i2[x, y], n) * g2[x, y, n] for n in range(4)), hl.f32(0.0))
    p2[x, y] = doubled(y, lambda n: o2[x, n])
    q2[x, y, k] = doubled(y, lambda n: g2[x, n, k])
    details = (g1[x + 3, y + 3, n] - doubled(x, row_of(q2, n)) for n in range(4))
    o1[x, y] = doubled(x, lambda n: p2[n, y]) + sum(
        (near(i1[x + 3, y + 3], n) * d for n, d in enumerate(details)), hl.f32(0.0)
    )
    p1[x, y] = doubled(y, lambda n: o1[x, n])
    q1[x, y, k] = doubled(y, lambda n: g1[x + 3, n, k], 3)
    r0[x, y, k] = remapped(inp[x + 9, y + 9])
    last = (r0[x, y, n] - doubled(x, row_of(q1, n)) for n in range(4))
    out[x, y] = doubled(x, lambda n: p1[n, y]) + sum(
        (near(inp[x + 9, y + 9], n) * d for n, d in enumerate(last)), hl.f32(0.0)
    )
    out.set_estimates([(0, w), (0, h)])
    return [inp, level, strength], {"out": out}


def bilateral_grid(w: int, h: int) -> Built:
    """A grid of cells of 8 x 8 pixels and 16 brightnesses, blurred, and read between its cells."""
    inp = image("inp", 8 * ((w + 7) // 8) + 40, 8 * ((h + 7) // 8) + 40)
    x, y, z, c = variables("x y z c")
    grid, along_z, along_x, along_y, rows, floor, near, value, out = (
        hl.Func(n) for n in ("grid", "along_z", "along_x", "along_y", "rows", "floor", "near", "value", "out")
    )
    r = hl.RDom([(0, 8), (0, 8)])
    seen = inp[8 * x + r.x, 8 * y + r.y]
    bin = hl.clamp(hl.i32(seen * hl.f32(10.0) + hl.f32(2.5)), 0, 15)
    grid[c, z, x, y] = hl.f32(0.0)
    grid[c, bin, x, y] += hl.select(c == 0, seen, hl.f32(1.0))
    taps = (1.0, 4.0, 6.0, 4.0, 1.0)
    along_z[c, z, x, y] = weighted([grid[c, z + n, x, y] for n in range(5)], taps)
    along_x[c, z, x, y] = weighted([along_z[c, z, x + n, y] for n in range(5)], taps)
    along_y[c, z, x, y] = weighted([along_x[c, z, x, y + n] for n in range(5)], taps)
    part = hl.f32(y % 8) * hl.f32(0.125)
    rows[c, z, x, y] = (hl.f32(1.0) - part) * along_y[c, z, x, y / 8] + part * along_y[c, z, x, y / 8 + 1]
    here = hl.f32(10.0) * inp[x + 20, y + 20]
    floor[x, y] = hl.clamp(hl.i32(here), 0, 10)
    right, up = hl.f32(x % 8) * hl.f32(0.125), here - hl.f32(floor[x, y])
    left_cell, right_cell = (rows[c, hl.clamp(floor[x, y], 0, 10) + z, x / 8 + n, y] for n in (0, 1))
    near[c, z, x, y] = (hl.f32(1.0) - right) * left_cell + right * right_cell
    value[c, x, y] = (hl.f32(1.0) - up) * near[c, 0, x, y] + up * near[c, 1, x, y]
    out[x, y] = value[0, x, y] / value[1, x, y]
    out.set_estimates([(0, w), (0, h)])
    return [inp], {"out": out}


def layer(w: int, h: int) -> Built:
    """3x3 convolutions of many channels, a bias, and what is negative becomes zero."""
    inp, weights = image("inp", w + 2, h + 2, CHANNELS), image("w", 3, 3, CHANNELS, CHANNELS)
    bias = image("bias", CHANNELS)
    x, y, k = variables("x y k")
    r = hl.RDom([(0, 3), (0, 3), (0, CHANNELS)])
    conv, out = hl.Func("conv"), hl.Func("out")
    conv[x, y, k] = bias[k]
    conv[x, y, k] += weights[r.x, r.y, r.z, k] * inp[x + r.x, y + r.y, r.z]
    out[x, y, k] = hl.max(conv[x, y, k], hl.f32(0.0))
    out.set_estimates([(0, w), (0, h), (0, CHANNELS)])
    return [inp, weights, bias], {"out": out}


PIPELINES = {f.__name__: f for f in (blur, unsharp, harris, local_laplacian, bilateral_grid, layer)}
SCHEDULES = {
    f.__name__: f
    for f in (blur_figure_11, blur_app, blur_app32, blur_strips32, blur_groups, unsharp_app, unsharp_strips)
}


def main(folder: str, name: str, pipeline: str, schedule: str, width: str, height: str, *options: str) -> None:
    """Compile one."""
    inputs, stages = PIPELINES[pipeline](int(width), int(height))
    target = hl.get_host_target().with_feature(hl.TargetFeature.NoBoundsQuery)
    given = dict(x.split("=") for x in options)
    if schedule in SCHEDULES:
        SCHEDULES[schedule](stages, int(given["lanes"]))
        stages["out"].compile_to_static_library(str(Path(folder) / name), inputs, name, target)
        return
    plugins = Path(hl.__file__).parent / "lib64"
    hl.load_plugin(str(plugins / f"libautoschedule_{schedule.lower()}.so"))
    whole = hl.Pipeline(stages["out"])
    whole.apply_autoscheduler(target, hl.AutoschedulerParams(schedule, given))
    whole.compile_to_static_library(str(Path(folder) / name), inputs, name, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
