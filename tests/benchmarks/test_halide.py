"""What `python -m benchmarks.halide` compares: arrays, candidates, tables; nothing is measured here."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from backends.targets import avx2
from benchmarks.halide import Job, Measured, arguments, compared, jobs_of
from benchmarks.halide_pipelines import PIPELINES
from benchmarks.halide_rivals import AUTOSCHEDULERS, described
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
