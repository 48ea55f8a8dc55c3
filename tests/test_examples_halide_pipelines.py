"""Halide's pipelines on integers, with several levels, and with channels: exactly, and compiled beside NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from backends import available
from backends.jit import jit
from backends.targets import avx2
from examples.halide import bilateral, convolution, fixed_point, laplacian, pyramid
from exo_strat import Op, Proc, schedule, trace
from exo_strat.interp import run

Image = Any  # a NumPy array
Arguments = Callable[..., dict[str, object]]
Scheduled = Callable[[Op, Proc], Proc]


def down(a: Image) -> Image:
    """Half the rows and columns, by weights 1 2 1."""
    rows = 0.25 * a[..., :-2:2, :] + 0.5 * a[..., 1:-1:2, :] + 0.25 * a[..., 2::2, :]
    return 0.25 * rows[..., :-2:2] + 0.5 * rows[..., 1:-1:2] + 0.25 * rows[..., 2::2]


def up(a: Image, height: int, width: int) -> Image:
    """Twice the rows and columns, by weights 3 1 of the nearest two; the image has one more around it."""
    y, x = np.arange(height), np.arange(width)
    rows = 0.75 * a[..., y // 2 + 1, :] + 0.25 * a[..., y // 2 + 2 * (y % 2), :]
    return 0.75 * rows[..., x // 2 + 1] + 0.25 * rows[..., x // 2 + 2 * (x % 2)]


def inner(a: Image, border: int, height: int, width: int) -> Image:
    """What is left without a border."""
    return a[..., border : border + height, border : border + width]


def sums(a: Image, axis: int) -> Image:
    """Three neighbours."""
    n = a.shape[axis] - 2
    return sum(np.take(a.astype(np.int64), range(k, k + n), axis) for k in range(3))


def blur16(H: int, W: int, inp: Image, blur_y: Image) -> Image:
    return sums(sums(inp, 1) // 3, 0) // 3


def blur8(H: int, W: int, inp: Image, blur_y: Image) -> Image:
    return sums(sums(inp, 1), 0) // 9


def residual(H: int, W: int, inp: Image, out: Image) -> Image:
    return inner(inp, 3, H, W) - up(down(inp), H, W)


def layer(H: int, W: int, C: int, K: int, inp: Image, w: Image, bias: Image, out: Image) -> Image:
    windows = np.lib.stride_tricks.sliding_window_view(inp, (3, 3), (1, 2))
    return np.maximum(np.einsum("cyxij,kcij->kyx", windows, w) + bias[:, None, None], 0)


def local_laplacian(H: int, W: int, inp: Image, level: Image, strength: Image, out: Image) -> Image:
    h, w = (H + 5) // 2, (W + 5) // 2
    offset = inp - level[:, None, None]
    first = inp + strength * offset * np.maximum(1 - offset**2, 0)
    second, i1 = down(first), down(inp)
    third, i2 = down(second), down(i1)
    coarse = blend(i2, level, third)
    middle = up(coarse, h, w) + blend(inner(i1, 3, h, w), level, inner(second, 3, h, w) - up(third, h, w))
    details = inner(first, 9, H, W) - up(inner(second, 3, h, w), H, W)
    return up(middle, H, W) + blend(inner(inp, 9, H, W), level, details)


def blend(a: Image, level: Image, images: Image) -> Image:
    """At each pixel, the images whose levels are near to its value."""
    return (np.maximum(1 - np.abs(3 * (a - level[:, None, None])), 0) * images).sum(0)


def bilateral_grid(H: int, W: int, inp: Image, out: Image) -> Image:
    """A histogram of each cell, blurred in three dimensions, and read between the nearest eight."""
    rows, columns = inp.shape[0] // 8, inp.shape[1] // 8
    level = np.clip(np.rint(10 * inp + 2).astype(int), 0, 15)
    grid = np.zeros((rows, columns, 16, 2))
    y, x = np.mgrid[: 8 * rows, : 8 * columns] // 8
    np.add.at(grid, (y, x, level), np.stack((inp, np.ones_like(inp)), -1))
    for axis in (2, 1, 0):
        ends = grid.shape[axis] - 4
        grid = sum(k * np.take(grid, range(n, n + ends), axis) for n, k in enumerate((1, 4, 6, 4, 1)))
    y, x = np.mgrid[:H, :W]
    tens = 10 * inner(inp, 20, H, W)
    z = np.clip(np.floor(tens).astype(int), 0, 10)
    total: Any = 0
    for dy, dx, dz in np.ndindex(2, 2, 2):
        near = np.where(dy, y % 8, 8 - y % 8) * np.where(dx, x % 8, 8 - x % 8) / 64
        near = near * np.where(dz, tens - z, 1 - tens + z)
        total = total + near[..., None] * grid[y // 8 + dy, x // 8 + dx, z + dz]
    return total[..., 0] / total[..., 1]


class Case(NamedTuple):
    """A pipeline in NumPy and as a naive program; its schedule with small tiles for the interpreter, and as meant."""

    name: str
    meaning: Callable[..., Image]
    naive: Proc
    small: Op
    real: Op


FIXED = (("tiles", fixed_point.tiles(4, 8, 4)), ("rows", fixed_point.rows(4)), ("groups", fixed_point.groups(2)))
RESIDUAL = {
    "rows": pyramid.residual_rows(4),
    "tiles": pyramid.residual_tiles(4, 8),
    "pairs": pyramid.residual_pairs(),
}
CASES = (
    *(Case(f"blur16 {k}", blur16, fixed_point.blur16, op, fixed_point.SCHEDULES[k]) for k, op in FIXED),
    *(Case(f"blur8 {k}", blur8, fixed_point.blur8, op, fixed_point.SCHEDULES[k]) for k, op in FIXED),
    *(Case(f"residual {k}", residual, pyramid.residual, op, pyramid.RESIDUAL[k]) for k, op in RESIDUAL.items()),
    *(Case(f"layer {k}", layer, convolution.layer, op, op) for k, op in convolution.SCHEDULES.items()),
    Case("bilateral grid strips", bilateral_grid, bilateral.bilateral_grid, bilateral.strips(), bilateral.strips()),
    Case("laplacian levels", local_laplacian, laplacian.local_laplacian, laplacian.levels(4), laplacian.levels()),
    Case("laplacian strips", local_laplacian, laplacian.local_laplacian, laplacian.strips(4), laplacian.strips()),
)


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def sizes_of(p: Proc, height: int, width: int, channels: tuple[int, int] = (2, 3)) -> dict[str, int]:
    """The sizes that a pipeline takes."""
    given = {"H": height, "W": width, "C": channels[0], "K": channels[1]}
    return {a.name(): given[a.name()] for a in p.args() if a.name() in given}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_exact_numbers(case: Case, arguments: Arguments, scheduled: Scheduled) -> None:
    small = scheduled(case.small, case.naive)
    for height, width in ((1, 1), (2, 3), (5, 9)):
        given = arguments(case.naive, **sizes_of(case.naive, height, width))
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in given.items()}
        wanted, found = run(case.naive, plain), run(small, plain, shuffle=0)
        assert wanted.trap is None and found.trap is None
        assert found.outputs == wanted.outputs


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_compiled_code_is_what_numpy_computes(case: Case, arguments: Arguments, scheduled: Scheduled) -> None:
    compiled = jit(scheduled(case.real, case.naive))
    for height, width in ((1, 1), (2, 300), (67, 37)):
        given = arguments(case.naive, **sizes_of(case.naive, height, width))
        wanted = case.meaning(**given)
        compiled(**given)
        found = list(given.values())[-1]
        assert isinstance(found, np.ndarray)
        if found.dtype.kind == "f":
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("channels", [(1, 1), (1, 4), (5, 2)], ids=str)
def test_a_layer_of_any_number_of_channels(channels: tuple[int, int], arguments: Arguments) -> None:
    for op in convolution.SCHEDULES.values():
        given = arguments(convolution.layer, **sizes_of(convolution.layer, 4, 19, channels))
        jit(schedule(op, convolution.layer))(**given)
        wanted = layer(**given)  # type: ignore[arg-type]
        np.testing.assert_allclose(given["out"], wanted, rtol=1e-4, atol=1e-5)  # type: ignore[call-overload]


def test_tiles_of_a_layer_in_registers(arguments: Arguments) -> None:
    """A row's end is a vector with a mask; channels that fill no tile are left to the C compiler."""
    if not available(avx2):
        pytest.skip(f"this processor has no {avx2}")
    tiles = schedule(convolution.tiles(avx2, 2, 2), convolution.layer)
    assert "conv: f32[2, 2, 1, 1, 8] @ AVX2" in str(tiles) and "mm256_maskz_loadu_ps(W - 8 * xt, " in str(tiles)
    compiled = jit(tiles, avx2)
    for width, channels in ((19, (2, 3)), (32, (3, 4)), (5, (1, 1))):
        given = arguments(convolution.layer, **sizes_of(convolution.layer, 4, width, channels))
        compiled(**given)
        wanted = layer(**given)  # type: ignore[arg-type]
        np.testing.assert_allclose(given["out"], wanted, rtol=1e-4, atol=1e-5)  # type: ignore[call-overload]


def test_any_image_of_bytes_is_blurred_without_overflow(arguments: Arguments) -> None:
    given = arguments(fixed_point.blur8, H=3, W=5)
    white = given | {"inp": np.full((5, 7), 255, np.uint8)}
    jit(schedule(fixed_point.groups(), fixed_point.blur8))(**white)
    assert (np.asarray(white["blur_y"]) == 255).all()


def rewrites(op: Op, p: Proc) -> int:
    return trace(op, p)[1].counts.rewrites


def test_schedules_are_short() -> None:
    assert all(rewrites(op, fixed_point.blur8) < 60 for op in fixed_point.SCHEDULES.values())
    assert all(rewrites(op, pyramid.residual) < 100 for op in pyramid.RESIDUAL.values())
