"""The pipelines of `examples/halide` compute what their naive programs do, exactly and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from backends import available
from backends.jit import jit
from backends.targets import avx2, avx512
from examples.halide import blur, convolution, harris, pyramid, unsharp
from exo_strat import Machine, Op, Proc, Tensor, names_at, print_expr, schedule, trace
from exo_strat.interp import Array, run
from exo_strat.interp.values import blank

Scheduled = Callable[[Op, Proc], Proc]


class Case(NamedTuple):
    """A pipeline, a schedule with small tiles for the interpreter, and the schedule as it is meant."""

    name: str
    naive: Proc
    small: Op
    real: Op


CASES = (
    Case("blur paper", blur.blur, blur.paper(4, 8, 4), blur.paper()),
    Case("blur Figure 11", blur.blur, blur.figure_11(4, 8, 4), blur.figure_11()),
    Case("blur rows", blur.blur, blur.rows(4), blur.rows()),
    Case("blur root", blur.blur, blur.root(), blur.root()),
    Case("blur streamed", blur.blur, blur.streamed(4), blur.streamed()),
    Case("blur groups", blur.blur, blur.groups(4), blur.groups()),
    Case("unsharp rows", unsharp.unsharp, unsharp.rows(4), unsharp.rows()),
    Case("unsharp pixels", unsharp.unsharp, unsharp.pixels(), unsharp.pixels()),
    Case("unsharp groups", unsharp.unsharp, unsharp.groups(2, 2), unsharp.groups()),
    Case("harris rows", harris.harris, harris.rows(4), harris.rows()),
    Case("harris groups", harris.harris, harris.groups(2, 2), harris.groups()),
    Case("pyramid rows", pyramid.pyramid, pyramid.rows(), pyramid.rows()),
    Case("pyramid tiles", pyramid.pyramid, pyramid.tiles(4, 4, 4), pyramid.tiles()),
    Case("layer channels", convolution.layer, convolution.channels(), convolution.channels()),
)
SIZES = ((1, 1), (4, 8), (6, 11))


def sizes_of(p: Proc, height: int, width: int) -> dict[str, int]:
    """The sizes that a pipeline takes for an image: of channels, two and three."""
    given = {"H": height, "W": width, "C": 2, "K": 3}
    return {a.name(): given[a.name()] for a in p.args() if a.name() in given}


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def extents(p: Proc, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """The shapes of a procedure's arrays for some sizes."""
    found = {}
    for a in p.args():
        if isinstance(a.type(), Tensor):
            shape = [print_expr(e.node, names_at(p.tree)) for e in a.shape()]  # type: ignore[arg-type]
            found[a.name()] = tuple(int(eval(e, dict(sizes))) for e in shape)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_exact_numbers(case: Case, size: tuple[int, int], scheduled: Scheduled) -> None:
    sizes = sizes_of(case.naive, *size)
    rng, given = Random(str(size)), dict[str, object](sizes)
    for name, shape in extents(case.naive, sizes).items():
        array: Array = blank(shape)
        given[name] = array._replace(cells=[rng.randrange(1, 10) for _ in array.cells])
    wanted, found = run(case.naive, given), run(scheduled(case.small, case.naive), given)
    assert wanted.trap is None and found.trap is None
    assert found.outputs == wanted.outputs


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_compiled_code_agrees(case: Case, scheduled: Scheduled) -> None:
    fast, naive = jit(scheduled(case.real, case.naive)), jit(case.naive)
    rng = np.random.default_rng(0)
    for h, w in ((1, 1), (32, 256), (67, 301)):
        sizes = sizes_of(case.naive, h, w)
        shapes = extents(case.naive, sizes)
        arrays = [rng.uniform(0.1, 1.0, shape).astype(np.float32) for shape in shapes.values()]
        wanted, found = arrays[-1].copy(), arrays[-1].copy()
        naive(*sizes.values(), *arrays[:-1], wanted)
        fast(*sizes.values(), *arrays[:-1], found)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "halide_goals").glob("*.txt")), ids=lambda p: p.stem)
def test_each_schedule_reaches_its_nest(path: Path, scheduled: Scheduled) -> None:
    case = next(c for c in CASES if c.name.replace(" ", "-") == path.stem)
    assert str(scheduled(case.real, case.naive)) + "\n" == path.read_text()


def test_every_schedule_has_a_nest_to_reach() -> None:
    goals = {p.stem for p in (Path(__file__).parent / "halide_goals").glob("*.txt")}
    assert goals == {c.name.replace(" ", "-") for c in CASES}


def rewrites(op: Op, p: Proc) -> int:
    return trace(op, p)[1].counts.rewrites


def test_schedules_are_short() -> None:
    """The paper: 116 rewrites for the blur, 975 for unsharp masking."""
    assert rewrites(blur.paper(), blur.blur) < 60
    assert rewrites(unsharp.rows(), unsharp.unsharp) < 100
    assert rewrites(unsharp.groups(), unsharp.unsharp) < 200


# -- stores that pass the caches ----------------------------------------------------------------------


@pytest.mark.parametrize("machine", (avx2, avx512), ids=str)
def test_rows_that_pass_the_caches_are_the_same(machine: Machine) -> None:
    p = schedule(unsharp.groups(2, 2, machine, least=9), unsharp.unsharp)
    assert f"{machine.get_streams('f32')[0].name()}(out[2," in str(p)
    for size in ((3, 8), (6, 2 * machine.vec_width("f32") + 3)):
        sizes, rng = sizes_of(p, *size), Random(str(size))
        given = dict[str, object](sizes)
        for name, shape in extents(p, sizes).items():
            array: Array = blank(shape)
            given[name] = array._replace(cells=[rng.randrange(1, 10) for _ in array.cells])
        wanted, found = run(unsharp.unsharp, given), run(p, given)
        assert wanted.trap is None and found.trap is None
        assert found.outputs == wanted.outputs


@pytest.mark.parametrize("machine", (avx2, avx512), ids=str)
@pytest.mark.parametrize("offset", (1, *(pytest.param(n, marks=pytest.mark.long) for n in (0, 4))))
def test_rows_that_pass_the_caches_may_begin_anywhere(machine: Machine, offset: int) -> None:
    if not available(machine):
        pytest.skip(f"this processor has no {machine}")
    streamed = jit(schedule(unsharp.groups(machine=machine, least=32), unsharp.unsharp), machine)
    naive, rng = jit(unsharp.unsharp), np.random.default_rng(0)
    for h, w in ((19, 31), (67, 64), (70, 301)):
        image = rng.uniform(0.1, 1.0, (3, h + 6, w + 6)).astype(np.float32)
        wanted, room = np.zeros((3, h, w), np.float32), np.zeros(3 * h * w + 32, np.float32)
        first = -room.ctypes.data // 4 % 16 + offset
        found = room[first : first + wanted.size].reshape(wanted.shape)
        naive(h, w, image, wanted)
        streamed(h, w, image, found)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
        assert not room[:first].any() and not room[first + wanted.size :].any()
