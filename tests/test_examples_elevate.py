"""ELEVATE's case studies reach the programs that they are meant to (in `elevate_goals`), and these compute the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import exo_strat
import strategies.elevate
from examples.elevate import harris, matmul
from examples.elevate.__main__ import main
from examples.elevate.cases import MATMUL_PAPER, STENCILS, Case, product_of
from examples.elevate.report import normal, result, same_numbers, scheduled
from exo_strat import add_assertion, lint, schedule, seq

GOALS = Path(__file__).parent / "elevate_goals"
CASES = (product_of(64), *STENCILS)
ALL = [(c, name) for c in CASES for name in c.versions]


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is compiled into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


# -- what the strategies make -------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(GOALS.glob("*.txt")), ids=lambda p: p.stem)
def test_each_version_reaches_its_goal(path: Path) -> None:
    program, _, version = path.stem.partition("-")
    case = next(c for c in (product_of(1024), *STENCILS) if c.program.name() == program)
    found = schedule(case.versions[version.replace("-", " ")], case.program)
    assert str(found).replace(" @ DRAM", "") == path.read_text().rstrip()


def test_every_version_has_a_goal() -> None:
    versions = [f"{c.program.name()}-{name.replace(' ', '-')}" for c in CASES for name in c.versions]
    starts = {f"{c.program.name()}-{next(iter(c.versions)).replace(' ', '-')}" for c in STENCILS}
    assert {p.stem for p in GOALS.glob("*.txt")} == set(versions) - starts


def test_each_version_is_made_from_the_one_before() -> None:
    for before, after in pairwise(matmul.VERSIONS.values()):
        steps = before.parts() if before.parts() and type(before) is type(after) else (before,)
        assert after.parts()[: len(steps)] == steps


def test_a_version_takes_few_rewrites() -> None:
    rewrites = [scheduled(name, op, CASES[0].program).counts.rewrites for name, op in matmul.VERSIONS.items()]
    assert rewrites == [4, 13, 15, 16, 24, 28, 29]


@pytest.mark.parametrize("name", matmul.VERSIONS)
def test_the_product_has_the_baselines_bits_and_numpys_values(name: str) -> None:
    case = CASES[0]
    programs = (schedule(case.versions[version], case.program) for version in ("baseline", name))
    baseline, found = (result(p, case.arguments(normal())) for p in programs)
    a, b, _ = case.arguments(normal())
    assert np.array_equal(found, baseline)
    np.testing.assert_allclose(found, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-4, atol=1e-4)


def test_the_schedules_do_not_depend_on_sizes() -> None:
    divisible = seq(*map(add_assertion, ("M % 32 == 0", "N % 32 == 0", "K % 4 == 0")))
    assert "par(0, M / 32)" in str(schedule(divisible >> matmul.parallelized, matmul.mm))


# -- that it computes the same ------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "name"), [(c, name) for c, name in ALL if c.small], ids=str)
def test_exact_arithmetic_gives_no_difference(case: Case, name: str) -> None:
    assert same_numbers(case, schedule(case.versions[name], case.program))


@pytest.mark.parametrize("case", STENCILS, ids=lambda c: c.name)
def test_the_last_version_runs_as_the_first_does(case: Case) -> None:
    first, *_, last = case.versions.values()
    wanted, found = (result(schedule(op, case.program), case.arguments(normal(), *case.small)) for op in (first, last))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


# -- strategies as values, and the table --------------------------------------------------------------


@pytest.mark.parametrize(("case", "name"), ALL, ids=str)
def test_strategies_print_as_what_rebuilds_them_and_have_no_fault(case: Case, name: str) -> None:
    op = case.versions[name]
    names = {**vars(harris), **vars(strategies.elevate), **vars(exo_strat)}
    assert eval(repr(op), names) == op
    assert lint(op) == ()


def test_the_table_has_the_papers_figures_beside_ours(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--only", "matrix", "--size", "32", "--runs", "1"])
    rows = {line.split("  ")[1].strip(): line.split() for line in capsys.readouterr().out.splitlines() if "  " in line}
    assert list(MATMUL_PAPER) == [name for name in rows if name in MATMUL_PAPER]
    assert all("yes" in rows[name] and "no" not in rows[name] for name in MATMUL_PAPER)
    assert "657" in rows["baseline"] and "~40,000" in rows["blocking"] and "~110" in rows["parallel"]


def test_a_version_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--show", "halo tiles"])
    shown = capsys.readouterr().out
    assert "storeInMemory('inp', 'tile')" in shown and "tile: f32[34]" in shown


def test_a_size_that_blocks_do_not_divide_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--size", "100"])
    assert "must be a multiple of 32, not 100" in capsys.readouterr().err
