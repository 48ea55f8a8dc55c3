"""Kernels of a library and what their schedules took: `exo-strat blas`. Imports `machine`, `plugins`.

The kernels come in through the entry point `blas` of the group `exo_strat.catalogues`. Ours are in the repository's
examples, which an installed package doesn't have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, cast

from rich.console import Console
from rich.table import Table

from . import plugins
from .machine import Machine

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


def list_kernels(machine: Machine, console: Console) -> None:
    """Print a row for each kernel. Raises `PluginError` if there is no catalogue."""
    try:
        efforts = cast(Callable[[Machine], Iterable[Effort]], plugins.load(plugins.CATALOGUES, CATALOGUE))
    except plugins.PluginError as e:
        hint = "the kernels of the BLAS are in the folder examples of the repository, so run this from a checkout"
        raise plugins.PluginError(f"{e}; {hint}") from e
    table = Table("kernel", "routine", "schedule", "its lines", "rewrites", "seconds", title=f"BLAS for {machine.name}")
    for column in table.columns[3:]:
        column.justify = "right"
    total, seconds = 0, 0.0
    with Console(stderr=True).status("scheduling") as status:
        for k in efforts(machine):
            status.update(f"scheduled {k.kernel}")
            table.add_row(k.kernel, k.routine, k.plan, str(k.lines), str(k.rewrites), f"{k.seconds:.2f}")
            total, seconds = total + k.rewrites, seconds + k.seconds
    table.add_section()
    table.add_row(f"{table.row_count} kernels", "", "", "", str(total), f"{seconds:.1f}")
    console.print(table)
