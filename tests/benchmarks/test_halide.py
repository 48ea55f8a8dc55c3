"""What `python -m benchmarks.halide` compares: arrays, candidates, tables; nothing is measured here."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from backends.jit import jit
from backends.targets import avx2
from benchmarks.halide import Job, Measured, arguments, compared, jobs_of
from benchmarks.halide_pipelines import PIPELINES
from benchmarks.halide_rivals import AUTOSCHEDULERS, Halide, Rival, built, described, in_exo, in_halide
from benchmarks.halide_search import candidates
from exo_strat import Tensor, names_at, print_expr, space


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("size", [(1, 1), (100, 37), (64, 48)], ids=str)
def test_arrays_are_those_that_the_program_declares(name: str, size: tuple[int, int]) -> None:
    p = PIPELINES[name]
    controls, shapes = p.controls(*size), p.shapes(*size)
    declared = {}
    for a in p.naive.args():
        if isinstance(a.type(), Tensor):
            texts = [print_expr(e.node, names_at(p.naive.tree)) for e in a.shape()]  # type: ignore[arg-type]
            declared[a.name()] = tuple(eval(x.replace("/", "//"), dict(controls)) for x in texts)
    assert {k: v for k, v in shapes.items() if k in declared} == declared
    assert [a.name() for a in p.naive.args()] == [*controls, *shapes]


def test_images_begin_at_a_line_of_the_caches_and_stay_away_from_the_borders_of_cells() -> None:
    image = PIPELINES["bilateral_grid"].arrays(64, 48)["inp"]
    assert image.ctypes.data % 128 == 0
    for offset in (0.0, 0.5):
        tens = 10 * image.astype(float) + offset
        assert np.abs(tens - np.rint(tens)).min() > 1e-3


@pytest.mark.parametrize("name", PIPELINES)
def test_every_schedule_but_one_has_something_to_tune(name: str) -> None:
    assert len(space(PIPELINES[name].schedule).choices) > 0 or name == "bilateral_grid"


def test_autoschedulers_are_tried_as_they_are_first_and_no_candidate_twice() -> None:
    some = list(islice(candidates(2, avx2), 20))
    assert [x.schedule for x in some[:3]] == list(AUTOSCHEDULERS)
    assert all("parallelism=2" in x.options for x in some) and len(set(some)) == len(some)
    last = avx2.processor.caches[-1].bytes
    assert any(f"last_level_cache_size={last}" in x.options for x in some)


def test_an_array_as_halide_sees_it() -> None:
    array = np.zeros((3, 4, 5), np.float32)
    found = described(array)
    sides = [(found.dim[k].min, found.dim[k].extent, found.dim[k].stride) for k in range(found.dimensions)]
    assert sides == [(0, 5, 1), (0, 4, 5), (0, 3, 20)] and found.host == array.ctypes.data


def test_exo_has_schedules_of_its_own_for_some_pipelines_and_sizes(tmp_path: Path) -> None:
    def asked(pipeline: str, width: int, height: int) -> Rival:
        return in_exo(tmp_path, tmp_path, pipeline, (width, height), lambda n: None)

    for pipeline, width, height, why in (
        ("harris", 256, 32, "no schedule of this pipeline"),
        ("blur16", 250, 32, "images of 256 k x 32 l pixels"),
        ("unsharp", 100, 31, "images of 1 k x 32 l pixels"),
        ("unsharp", 100, 32, "there is no unsharp.c in"),
    ):
        with pytest.raises(LookupError, match=why):
            asked(pipeline, width, height)


def test_c_with_the_arguments_of_exo_is_called_with_the_arrays_of_a_pipeline(tmp_path: Path) -> None:
    """A stand-in for what `exocc` makes, with its signature: the naive program in C."""
    (tmp_path / "blur").mkdir()
    (tmp_path / "blur" / "blur.c").write_text(BLUR)
    p = PIPELINES["blur16"]
    arrays = p.arrays(256, 32)
    in_exo(tmp_path, tmp_path, "blur16", (256, 32), lambda n: None).bind(256, 32, arrays)()
    wanted = np.zeros_like(arrays["blur_y"])
    jit(p.naive)(32, 256, arrays["inp"], wanted)
    assert wanted.any() and np.array_equal(arrays["blur_y"], wanted)


BLUR = """
#include <stdint.h>
static int row(const uint16_t *i) { return (i[0] + i[1] + i[2]) / 3; }
void exo_blur_halide(void *ctxt, int_fast32_t W, int_fast32_t H, uint16_t *out, const uint16_t *inp) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const uint16_t *i = inp + y * (W + 2) + x;
            out[y * W + x] = (row(i) + row(i + W + 2) + row(i + 2 * (W + 2))) / 3;
        }
}
"""


def test_halide_has_as_many_threads_as_asked_for_after_it_had_more(tmp_path: Path) -> None:
    """A stand-in for Halide's runtime, whose pool keeps the threads that it has: the result is how many there are."""
    (tmp_path / "rival.c").write_text(POOL)
    built(tmp_path / "rival.so", tmp_path / "rival.c")
    found = in_halide(tmp_path / "rival.so", Halide("rival"))
    arrays = {"out": np.zeros((1, 1), np.float32)}
    call = found.bind(1, 1, arrays)
    for threads in (2, 1, 3):
        found.threads(threads)
        call()
        assert arrays["out"][0, 0] == threads


POOL = """
#include <stdint.h>
struct buffer { uint64_t device; void *interface; float *host; };
static int asked, pool;
int halide_set_num_threads(int n) { int old = asked; asked = n; return old; }
void halide_shutdown_thread_pool(void) { pool = 0; }
int rival(struct buffer *out) {
    if (pool < asked) pool = asked;
    *out->host = pool;
    return 0;
}
"""


def test_ours_is_compared_with_the_best_of_the_others() -> None:
    times = {"ours": 2.0, "ours, tuned": 1.0, "C, rows": 1.1, "Halide Adams2019": 1.5, "Halide app 8": 3.0}
    [row] = compared({Job("blur", 64, 48, 1): Measured(times, {}, 1.0, 1.0)})
    assert row == ("blur, 64x48, 1", "1.000", "Halide Adams2019", "1.500", 1.5, "C, rows", "1.100", 1.1)
    [alone] = compared({Job("blur", 64, 48, 1): Measured({"ours": 2.0}, {"Halide": "not here"}, 1.0, 1.0)})
    assert alone[2:5] == ("-", "missing", "-")


def test_a_part_of_the_whole_can_be_asked_for() -> None:
    some = jobs_of(arguments(["64x48", "--pipelines", "harris", "layer", "--threads", "1"]))
    assert [str(job) for job in some] == ["harris_64x48_1", "layer_64x48_1"]
    assert len(jobs_of(arguments([]))) == sum(2 * len(p.images) for p in PIPELINES.values())
