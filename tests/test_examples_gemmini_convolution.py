"""The convolution for Gemmini: every program on the way computes what the naive one does, sizes, costs, the C code."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.c import compile
from backends.gemmini import simulate
from examples.gemmini import kernels
from examples.gemmini.convolution import (
    CASES,
    LAYERS,
    Blocking,
    Layer,
    arguments,
    blocked,
    blocking,
    blockings,
    case,
    convolution,
    expected,
    naive_instructions,
    scheduled,
    steps,
)
from exo_strat import CallCursor, Proc, lint, schedule, space
from exo_strat.interp import run
from exo_strat.tuning import Modelled, exhaustive, tune


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


# small enough for the interpreter: pixels that fill no tile; panels, with all images or one; a line at a time
SMALL = {
    "partial tiles": (Layer(1, 2, 17, 16, 16), None),
    "panels": (Layer(2, 2, 2, 16, 32), Blocking(panel=16, along_o=1, along_c=1, elements=2 * 64)),
    "panels, one image": (Layer(2, 2, 2, 16, 32), Blocking(panel=16, along_o=1, along_c=1, elements=64)),
    "lines": (Layer(1, 3, 2, 16, 16), Blocking(panel=16, along_o=1, along_c=1, elements=32, resident=False)),
}


@cache
def versions(name: str) -> tuple[Proc, ...]:
    """The naive program and what each step makes of it."""
    s, b = SMALL[name]
    plan = steps(s, b or blocking(s))
    return tuple(accumulate(plan, lambda p, step: schedule(step, p), initial=convolution(s)))


def complete(p: Proc) -> bool:
    """Whether all that touches local memory is an instruction."""
    calls = [c.subproc().name() for c in p.root().descendants() if isinstance(c, CallCursor)]
    return any("ld_acc_i32_vector" in name for name in calls)


def operands(s: Layer) -> dict[str, Any]:
    return arguments(s, np.random.default_rng(6))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.long)])
def test_every_intermediate_program_computes_the_convolution(name: str, every: int) -> None:
    """The last of all, and each so many-th before it."""
    given = operands(SMALL[name][0])
    inputs = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in given.items()}
    inputs["Y"] = np.full(given["Y"].shape, None).tolist()
    for p in dict.fromkeys(versions(name)[::-every]):
        outcome = run(p, inputs)
        assert outcome.trap is None, f"{outcome.trap}\n{p}"
        assert np.array_equal(np.array(outcome.outputs["Y"], np.int64), expected(given)), str(p)


@pytest.mark.parametrize("act, scale", [(False, 1 / 128), (True, 0.003)])
@pytest.mark.parametrize("name", SMALL)
def test_every_mapped_program_runs_on_the_model(name: str, act: bool, scale: float) -> None:
    """Without ReLU by a power of two, so that there are ties."""
    mapped = list(dict.fromkeys(p for p in versions(name) if complete(p)))
    assert len(mapped) >= 2
    for p in mapped:
        given = operands(SMALL[name][0]) | {"act": act, "scale": scale}
        assert simulate(p)(**given).configs == 5
        assert np.array_equal(given["Y"], expected(given))


@pytest.mark.parametrize(
    "s, times",
    [
        (Layer(1, 6, 18, 32, 32), 1),
        (Layer(2, 5, 32, 16, 80), 1),
        (Layer(1, 2, 2, 48, 16), 1),
        (Layer(1, 3, 33, 80, 16), 1),
        (Layer(1, 2, 300, 16, 64), 1),
        (Layer(1, 129, 128, 16, 16), 3),
    ],
    ids=str,
)
def test_other_sizes(s: Layer, times: int) -> None:
    """Weights are loaded once, images too; in three parts, line by line, where one does not fit."""
    given = operands(s)
    counts = simulate(scheduled(s))(**given)
    assert np.array_equal(given["Y"], expected(given)) and counts.configs == 5
    bias = 4 * given["Y"].size
    lines = times * s.height - 2 * (times == 3)
    assert counts.bytes_in == given["W"].size + lines * given["X"].size // s.height + bias
    assert counts.bytes_out == given["Y"].size


ONE_IMAGE = Layer(1, 14, 14, 256, 256)


@cache
def of_one_image() -> Proc:
    return kernels.scheduled(case(ONE_IMAGE))


def test_a_layer_of_resnet() -> None:
    """Each weight and pixel is loaded once, and no cycle of the array is idle."""
    counts, equal = kernels.run(case(ONE_IMAGE), of_one_image())
    assert equal and counts.configs == 5 and counts.utilisation == 1
    assert counts.bytes_in == 14 * 14 * 256 * (1 + 4) + 9 * 256 * 256
    assert counts.instructions < naive_instructions(ONE_IMAGE) * 0.51
    assert counts.compute == 30720


@pytest.mark.parametrize("s", LAYERS, ids=str)
def test_the_blocking_of_resnet_loads_everything_once(s: Layer) -> None:
    assert blocking(s).loaded(s) == s.batch * s.image + 9 * s.inputs * s.outputs


def test_the_demonstration_has_the_layers_of_resnet() -> None:
    assert [c.name for c in CASES] == ["3x3 4x56x56x64-64", "3x3 4x28x28x128-128", "3x3 4x14x14x256-256"]


@pytest.mark.parametrize(
    "s, message",
    [
        (Layer(1, 8, 8, 3, 16), "multiples of 16; here are 3 and 16"),
        (Layer(1, 1, 8, 16, 16), "at least 2 rows and columns; here are 1 and 8"),
        (Layer(1, 2, 2, 2048, 16), "a line of 2 pixels with 2048 channels"),
        (Layer(1, 2, 1040, 16, 16), "a line of 1040 pixels"),
    ],
    ids=str,
)
def test_layers_that_do_not_fit_are_refused(s: Layer, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blocking(s)


@pytest.mark.skipif(
    shutil.which("riscv64-linux-gnu-gcc") is None,
    reason="no RISC-V compiler; on Debian: apt install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
)
@pytest.mark.parametrize("name", [*SMALL, "one image", pytest.param("a layer of ResNet", marks=pytest.mark.long)])
def test_the_riscv_build_compiles(name: str, tmp_path: Path) -> None:
    layers = {"one image": of_one_image, "a layer of ResNet": lambda: scheduled(LAYERS[1])}
    p = layers[name]() if name in layers else versions(name)[-1]
    module = compile([p], "convolution")
    (tmp_path / "convolution.h").write_text(module.header)
    (tmp_path / "convolution.c").write_text(module.source)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wno-unused-variable", "-Werror", *module.cc_flags]
    subprocess.run(["riscv64-linux-gnu-gcc", *flags, "-S", "convolution.c"], check=True, cwd=tmp_path)
    text = (tmp_path / "convolution.s").read_text()
    body = [line.strip() for line in text.splitlines() if ".insn" in line or "\tfence" in line]
    assert "fence" in body and any(line.startswith(".insn r 0x7b, 3, 6, x0") for line in body)
    assert module.source.endswith("    exo_gemmini_fence();\n}\n")  # the compiler puts blocks in another order


def test_blockings_are_a_hole() -> None:
    """One for each panel of weights that fits; the default is that which loads the least."""
    s = Layer(1, 3, 4, 16, 32)
    op, naive = blocked(s), convolution(s)
    (choice,) = space(op, naive).choices
    assert choice.default == blocking(s) and list(choice.candidates) == blockings(s) and lint(op) == ()
    assert [b.panel for b in blockings(s)] == [32, 16]

    found = tune(op, naive, Modelled(kernels.Cycles(case(s))), search=exhaustive(), jobs=1)
    assert [t.status for t in found.tried] == ["measured"] * 2 and found.best is not None
    assert found.best.seconds == min(t.seconds or 0.0 for t in found.tried)
