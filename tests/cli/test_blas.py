"""`exo-strat blas --list`: a row for each kernel of the catalogue, and a clear message where there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from io import StringIO

import pytest
from rich.console import Console
from typer.testing import CliRunner

from backends.targets import plain_c
from examples.exo_blas.builder.listing import Effort, efforts
from examples.exo_blas.builder.units import units
from exo_strat import Machine, plugins
from exo_strat.cli.blas import list_kernels
from exo_strat.cli.commands import app

load = plugins.load


def catalogue(machine: Machine) -> Iterator[Effort]:
    yield Effort("saxpy", "axpy", "plan", 2, 70, 0.25)
    yield Effort("sdot", "dot", "plan", 2, 90, 0.5)


def giving(found: Callable[[Machine], Iterator[Effort]]) -> Callable[[str, str], object]:
    return lambda group, name: found if group == plugins.CATALOGUES else load(group, name)


def test_kernels_are_listed_with_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "load", giving(catalogue))
    shown = CliRunner().invoke(app, ["blas", "--list", "--target", "avx2"])
    assert shown.exit_code == 0
    for word in ("BLAS for avx2", "saxpy", "sdot", "2 kernels", "160", "0.8"):
        assert word in shown.stdout


def test_each_row_is_printed_before_the_next_kernel_is_scheduled() -> None:
    seen: list[str] = []
    out = StringIO()

    def slowly(machine: Machine) -> Iterator[Effort]:
        for k in catalogue(machine):
            seen.append(out.getvalue())
            yield k

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugins, "load", giving(slowly))
        list_kernels(plain_c, Console(file=out))
    assert "minutes" in seen[0] and "saxpy" not in seen[0]
    assert "saxpy" in seen[1] and "sdot" not in seen[1]


def test_without_a_checkout_it_says_where_the_kernels_are(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = EntryPoint("blas", "no_such_package.listing:efforts", plugins.CATALOGUES)
    others = plugins.entry_points
    here = lambda group: (gone,) if group == plugins.CATALOGUES else others(group=group)  # noqa: E731
    monkeypatch.setattr(plugins, "entry_points", here)
    shown = CliRunner().invoke(app, ["blas", "--list", "--target", "c"])
    assert shown.exit_code == 2
    assert "run this from a checkout" in shown.output


def test_it_says_what_can_be_asked() -> None:
    shown = CliRunner().invoke(app, ["blas"])
    assert shown.exit_code == 2
    assert "--list" in shown.output


def test_a_kernel_is_scheduled_once_and_then_known() -> None:
    copies = [u for u in units() if u.name == "scopy"]
    first = list(efforts(plain_c, copies))
    assert [e.kernel for e in first] == list(copies[0].kernels())
    assert all(e.lines > 0 for e in first)
    assert list(efforts(plain_c, copies)) == first
