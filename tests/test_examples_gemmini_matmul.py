"""The product on Gemmini: every program on the way computes what the naive one does; sizes, costs, the C code."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.c import compile
from backends.gemmini import GEMM_ACCUM, GEMM_SCRATCH, INCLUDE_DIR, simulate
from examples.gemmini import appendix_b
from examples.gemmini.kernels import Case, Cycles, Measured, measure
from examples.gemmini.matmul import (
    Blocking,
    Product,
    arguments,
    blocked,
    blocking,
    blockings,
    case,
    expected,
    matmul,
    scheduled,
    steps,
)
from exo_strat import CallCursor, Op, Proc, lint, schedule, space
from exo_strat.interp import run
from exo_strat.tuning import Modelled, exhaustive, tune


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


# small enough for the interpreter: loops over blocks that run twice, partial tiles on all sides, each bias
SMALL: dict[str, tuple[Product, tuple[Op, ...]]] = {
    "as in the paper": (
        Product(32, 32, 32),
        appendix_b.steps(appendix_b.Blocking(panel=32, along_k=1, along_j=1, a_elements=1024, b_elements=4096)),
    ),
    "B stays": (s := Product(33, 18, 34), steps(s, Blocking(rows=16, columns=32, deep=34))),
    "B passes": (s := Product(32, 33, 20), steps(s, Blocking(rows=32, columns=16, deep=0))),
    "some of B passes": (s := Product(17, 33, 50), steps(s, Blocking(rows=16, columns=48, deep=16, wide=16))),
    "a row of B passes": (s := Product(32, 32, 33), steps(s, Blocking(rows=16, columns=32, deep=16, wide=0))),
    "bias of columns": (s := Product(17, 20, 3, "column"), steps(s, blocking(s))),
    "full bias": (s := Product(18, 5, 37, "full"), steps(s, blocking(s))),
}


@cache
def versions(name: str) -> tuple[Proc, ...]:
    """The naive program and what each step makes of it."""
    s, plan = SMALL[name]
    return tuple(dict.fromkeys(accumulate(plan, lambda p, step: schedule(step, p), initial=matmul(s))))


def complete(p: Proc) -> bool:
    """Whether all that touches local memory is an instruction."""
    calls = {c.subproc().name() for c in p.root().descendants() if isinstance(c, CallCursor)}
    return any("st_acc_i8" in c for c in calls)


def operands(s: Product) -> dict[str, Any]:
    return arguments(s, np.random.default_rng(6))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.long)])
def test_every_intermediate_program_computes_the_product(name: str, every: int) -> None:
    """The last of all, and each so many-th before it."""
    given = operands(SMALL[name][0])
    inputs = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in given.items()}
    inputs["C"] = np.full(given["C"].shape, None).tolist()
    for p in versions(name)[::-every]:
        outcome = run(p, inputs)
        assert outcome.trap is None, f"{outcome.trap}\n{p}"
        assert np.array_equal(np.array(outcome.outputs["C"], np.int64), expected(given)), str(p)


@pytest.mark.parametrize("act", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_every_mapped_program_runs_on_the_model(name: str, act: bool) -> None:
    mapped = [p for p in versions(name) if complete(p)]
    assert mapped and mapped[-1] is versions(name)[-1]
    given = {**operands(SMALL[name][0]), "act": act}
    for p in mapped:
        counts = simulate(p)(**given)
        assert np.array_equal(given["C"], expected(given)) and counts.configs in (4, 5)


PAPER = (appendix_b.case(256, 256, 512), 17157, 5)
BETTER = (case(Product(256, 256, 512)), 16708, 4)


@pytest.mark.parametrize("kernel, instructions, configs", [PAPER, BETTER], ids=["paper", "better"])
def test_the_counts_of_the_paper_and_better_ones(kernel: Case, instructions: int, configs: int) -> None:
    m = measure(kernel)
    assert m.equal and m.counts.instructions == instructions and m.counts.configs == configs
    assert (m.counts.bytes_in, m.counts.bytes_out, m.counts.fence) == (262144, 65536, 1)
    assert kernel.lines < 29


EVEN = [(16, 16, 16), (16, 48, 1024), (512, 512, 64), (1024, 16, 4096), (128, 128, 4096), (48, 80, 112)]
RAGGED = [(16, 16, 30_000), (1, 1, 1), (5, 7, 3), (40, 50, 70), (17, 1, 49), (33, 65, 129), (1, 100, 17)]


@pytest.mark.parametrize("n, m, k", [*EVEN, *RAGGED])
def test_sizes(n: int, m: int, k: int) -> None:
    """Each byte of A and B is loaded once, whether or not they are multiples of 16."""
    measured = measure(case(Product(n, m, k)))
    assert measured.equal and measured.counts.configs == 4
    assert measured.counts.bytes_in == (n + m) * k and measured.counts.bytes_out == n * m


@pytest.mark.parametrize("n, m, k", [(48, 64, 32), (50, 70, 33), (1, 17, 1)])
@pytest.mark.parametrize("bias", ["column", "full"])
def test_bias(n: int, m: int, k: int, bias: str) -> None:
    """A row of the bias is loaded for each row of C, whichever it is."""
    measured = measure(case(Product(n, m, k, bias)))
    assert measured.equal and measured.counts.configs == 5
    assert measured.counts.bytes_in == (n + m) * k + 4 * n * m


@pytest.mark.parametrize("act", [False, True])
@pytest.mark.parametrize("scale", [0.5, 0.03125, 2.0**-9, 1.0, 0.0, 3e-5])
def test_scales_with_ties(scale: float, act: bool) -> None:
    s = Product(20, 16, 21)
    given = {**operands(s), "scale": scale, "act": act}
    simulate(scheduled(s))(**given)
    assert np.array_equal(given["C"], expected(given))


def test_large_sums_are_rounded_before_they_are_scaled() -> None:
    """Beyond 2**24 an int32 is no float32: it is rounded to one first, then the product is."""
    s = Product(16, 16, 16, "full")
    bias = np.random.default_rng(1).integers(-(2**30), 2**30, (16, 16), dtype=np.int32)
    for scale in (2.0**-24, 3e-8):
        given = {**operands(s), "D": bias, "scale": scale, "act": False}
        simulate(scheduled(s))(**given)
        assert np.array_equal(given["C"], expected(given))


@cache
def measured_product(s: Product) -> Measured:
    return measure(case(s))


FULL = [(512, 512, 512, 555008), (96, 512, 528, 341504), (96, 500, 520, 322400)]


@pytest.mark.parametrize("n, m, k, loaded", FULL)
@pytest.mark.parametrize("bias", ["column", pytest.param("none", marks=pytest.mark.long)])
def test_what_does_not_fit_is_loaded_again_as_the_blocking_says(n: int, m: int, k: int, loaded: int, bias: str) -> None:
    """Where B is a little too large to stay with some of A, most of it stays."""
    s = Product(n, m, k, bias)
    b = blocking(s)
    assert b.loaded(s) == loaded and b.partial(s)
    measured = measured_product(s)
    assert measured.equal and measured.counts.bytes_in == loaded + (4 * n * m if bias == "column" else 0)


def test_almost_all_is_loaded_once_at_512() -> None:
    """Here B alone is the whole scratchpad. Eight of its tiles are loaded again for each of 15 blocks of C."""
    m = measured_product(Product(512, 512, 512))
    assert m.counts.bytes_in == (512 + 512) * 512 + 15 * 8 * 256 and m.counts.instructions == 66402


@pytest.mark.parametrize("n", [1, 16, 100, 512, 4000])
@pytest.mark.parametrize("m, k", [(m, k) for m in (16, 77, 256, 1024) for k in (3, 512, 4096, 100_000)])
def test_the_blocking_fits(n: int, m: int, k: int) -> None:
    s = Product(n, m, k)
    b = blocking(s)
    rows, columns = (-(-min(x, y) // 16) for x, y in ((b.rows, n), (b.columns, m)))
    assert b.fits(s) and 16 * rows * columns <= GEMM_ACCUM.capacity
    if b.deep == k:
        assert 16 * (columns * -(-k // 16) + rows) <= GEMM_SCRATCH.capacity
    if k * m <= 200_000 and n <= 512 and m <= 256:
        assert b.loaded(s) == (n + m) * k


@pytest.mark.skipif(
    shutil.which("riscv64-linux-gnu-gcc") is None,
    reason="no RISC-V compiler; on Debian: apt install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
)
@pytest.mark.parametrize("name", SMALL)
def test_the_riscv_build_compiles(name: str, tmp_path: Path) -> None:
    module = compile([versions(name)[-1]], "product")
    (tmp_path / "product.h").write_text(module.header)
    (tmp_path / "product.c").write_text(module.source)
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE_DIR}", "-c"]
    subprocess.run(["riscv64-linux-gnu-gcc", *flags, "product.c"], check=True, cwd=tmp_path)


def test_blockings_are_a_hole() -> None:
    """The first of them is the default, so nothing that a search finds by the model is worse."""
    s = Product(20, 36, 40)
    op, naive = blocked(s), matmul(s)
    (choice,) = space(op, naive).choices
    assert choice.name == "blocked.blocking" and choice.default == blocking(s) == blockings(s)[0]
    assert len(set(choice.candidates)) == len(choice.candidates) <= 12 and lint(op) == ()
    assert schedule(op, naive).tree == scheduled(s).tree

    found = tune(op, naive, Modelled(Cycles(case(s))), search=exhaustive(), trials=2, jobs=1)
    assert [t.status for t in found.tried] == ["measured"] * 2
    assert found.best is not None and found.best.seconds == min(t.seconds or 0.0 for t in found.tried)
    given = operands(s)
    assert simulate(found.best_proc)(**given).cycles == found.best.seconds
    assert np.array_equal(given["C"], expected(given))


def test_what_computes_something_else_has_no_cycles() -> None:
    s = Product(16, 16, 32)
    other = replace(case(s), expected=lambda given: expected(given) + np.int8(1))
    with pytest.raises(ValueError, match="something else than NumPy"):
        Cycles(other)(scheduled(s))
