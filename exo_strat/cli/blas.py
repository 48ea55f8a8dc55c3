"""Kernels of a library and what their schedules took: `exo-strat blas`.

The kernels come in through the entry point `blas` of the group `exo_strat.catalogues`. Ours are in the repository's
examples, which an installed package doesn't have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, cast

from rich.console import Console

from .. import plugins
from ..machine import Machine

CATALOGUE = "blas"


class Effort(Protocol):
    """What is known of a kernel."""

    @property
    def kernel(self) -> str: ...
    @property
    def routine(self) -> str: ...
    @property
    def plan(self) -> str: ...
    @property
    def lines(self) -> int: ...
    @property
    def rewrites(self) -> int: ...
    @property
    def seconds(self) -> float: ...


ROW = "{:<28}{:<10}{:<28}{:>10}{:>10}{:>9}"
"""Fixed columns, so that a row can be printed before the next one is known."""


def list_kernels(machine: Machine, console: Console) -> None:
    """Print a row for each kernel as soon as it is scheduled: all together may take minutes. Raises `PluginError` if
    there is no catalogue."""
    try:
        efforts = cast(Callable[[Machine], Iterable[Effort]], plugins.load(plugins.CATALOGUES, CATALOGUE))
    except plugins.PluginError as e:
        hint = "the kernels of the BLAS are in the folder examples of the repository, so run this from a checkout"
        raise plugins.PluginError(f"{e}; {hint}") from e

    def show(*cells: object) -> None:
        console.out(ROW.format(*map(str, cells)).rstrip(), highlight=False)
        console.file.flush()

    console.out(f"BLAS for {machine.name}: kernels are scheduled one after another, which takes minutes the first time")
    show("kernel", "routine", "schedule", "its lines", "rewrites", "seconds")
    count, total, seconds = 0, 0, 0.0
    for k in efforts(machine):
        show(k.kernel, k.routine, k.plan, k.lines, k.rewrites, f"{k.seconds:.2f}")
        count, total, seconds = count + 1, total + k.rewrites, seconds + k.seconds
    show(f"{count} kernels", "", "", "", total, f"{seconds:.1f}")
