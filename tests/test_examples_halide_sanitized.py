"""Every schedule of every pipeline in `examples/halide`, compiled with sanitizers, on buffers of exactly the size that
the procedure declares: no access beside one, nothing undefined, nothing leaked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from examples.halide import bilateral, blur, convolution, fixed_point, harris, laplacian, pyramid, unsharp
from exo_strat import Op, Proc

Make = Callable[..., dict[str, object]]
Results = list[dict[str, np.ndarray]]
Sanitized = Callable[..., Results]

PIPELINES = (
    (blur.blur, blur.SCHEDULES),
    (unsharp.unsharp, unsharp.SCHEDULES),
    (harris.harris, harris.SCHEDULES),
    (pyramid.pyramid, pyramid.SCHEDULES),
    (pyramid.residual, pyramid.RESIDUAL),
    (convolution.layer, convolution.SCHEDULES),
    (fixed_point.blur16, fixed_point.SCHEDULES),
    (fixed_point.blur8, fixed_point.SCHEDULES),
    (laplacian.local_laplacian, laplacian.SCHEDULES),
    (bilateral.bilateral_grid, bilateral.SCHEDULES),
)
CASES = [pytest.param(p, op, id=f"{p.name()} {name}") for p, ops in PIPELINES for name, op in ops.items()]
SIZES = ((1, 1), (2, 3), (33, 17), (35, 259))


@pytest.fixture(scope="module")
def naive_results() -> dict[str, Results]:
    """What each naive program computed, so that it is compiled once."""
    return {}


@pytest.mark.parametrize(("naive", "op"), CASES)
def test_within_its_buffers(
    naive: Proc,
    op: Op,
    arguments: Make,
    sanitized: Sanitized,
    scheduled: Callable[[Op, Proc], Proc],
    naive_results: dict[str, Results],
) -> None:
    names = {a.name() for a in naive.args()}
    sizes = [{"H": h, "W": w, "C": 2, "K": 3} for h, w in SIZES]
    calls = [arguments(naive, **{k: v for k, v in x.items() if k in names}) for x in sizes]
    if naive.name() not in naive_results:
        naive_results[naive.name()] = sanitized(naive, calls)
    found = sanitized(scheduled(op, naive), calls)
    for one, other in zip(naive_results[naive.name()], found, strict=True):
        for name, values in one.items():
            np.testing.assert_allclose(other[name], values, rtol=1e-4, atol=1e-5 * (values.dtype.kind == "f"))


def test_what_is_beside_a_buffer_ends_the_process(arguments: Make, sanitized: Sanitized) -> None:
    """The test can fail: an image one row too short is read beyond its end."""
    given = arguments(blur.blur, H=3, W=4)
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        sanitized(blur.blur, [{**given, "inp": np.asarray(given["inp"])[:-1]}])
