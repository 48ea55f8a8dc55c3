"""What versions take: measured by the backend in processes of their own, or predicted by a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, Final, Protocol, cast

from .. import plugins
from ..cursors.proc import Proc
from ..ir.types import Control
from ..machine import Machine
from ..tuning.apart import Ended, apart
from ..tuning.fitting import too_large
from ..tuning.measures import Measure, Prepared, Timed
from .faults import Fault
from .session import Version

MODEL: Final = "cycles"
LIMIT: Final = 60.0
"""Seconds that compiling, or one measurement, may take unless said."""


class Measuring(Protocol):
    """The backend's measure of calls of a procedure."""

    def __call__(self, p: Proc, sizes: Mapping[str, int], machine: Machine, *, limit: float, seed: int) -> Measure: ...


class Measures:
    """Measures of procedures. The last one is kept, as it knows what the unscheduled program computes."""

    def __init__(self) -> None:
        self._last: tuple[Proc, Any, Measure] | None = None

    def of(self, v: Version, sizes: Mapping[str, int], seed: int, limit: float) -> Measure:
        """The measure of a version and all others of its origin."""
        given = (v.names.target.name, tuple(sorted(sizes.items())), seed, limit)
        if self._last is None or self._last[0] is not v.proc.origin or self._last[1] != given:
            if problem := too_large(v.proc.origin, sizes):
                raise Fault("bad_sizes", problem)
            make = cast(Measuring, plugins.load(plugins.BACKENDS, "measure"))
            try:
                made = make(v.proc.origin, sizes, v.names.machine, limit=limit, seed=seed)
            except ValueError as e:
                raise Fault("bad_sizes", str(e)) from None
            self._last = v.proc.origin, given, made
        return self._last[2]

    def times(
        self, versions: Sequence[Version], sizes: Mapping[str, int], seed: int, limit: float
    ) -> list[dict[str, Any]]:
        """What each of some versions takes, beside the fastest one before it. Versions of one C text are measured
        once."""
        done: dict[str, dict[str, Any]] = {}
        best: tuple[Prepared, float] | None = None
        told: list[dict[str, Any]] = []
        for v in versions:
            measure = self.of(v, sizes, seed, limit)
            [made] = apart([partial(measure.prepare, v.proc)], 1, limit)
            prepared = made if isinstance(made, Prepared) else None
            if prepared is not None and prepared.key in done:
                told.append({**done[prepared.key], "version": v.id})
                continue
            found = made if prepared is None else measure.time(prepared, best[0] if best else None)
            told.append(_told(v, found, prepared))
            if prepared is not None and isinstance(found, Timed):
                done[prepared.key] = told[-1]
                if best is None or found.seconds < (found.beside or best[1]):
                    best = prepared, found.seconds
        return told


def _told(v: Version, found: Timed | Ended | Prepared, prepared: Prepared | None) -> dict[str, Any]:
    row: dict[str, Any] = {"version": v.id, "seconds": None, "spread": None, "beside": None, "reason": ""}
    row["c_key"] = None if prepared is None else prepared.key
    if isinstance(found, Ended):
        return row | {"status": found.status, "reason": found.reason}
    assert isinstance(found, Timed)
    return row | {"status": "measured", "seconds": found.seconds, "spread": found.spread, "beside": found.beside}


def costs(v: Version, sizes: Mapping[str, int]) -> Callable[[Proc], float | None]:
    """What the model predicts of versions of a procedure, for some sizes; None where it knows nothing."""
    known = {str(a.node.sym): a.node.type for a in v.proc.args() if isinstance(a.node.type, Control)}
    if known.keys() != sizes.keys():
        there = ", ".join(sorted(known)) or "none"
        raise Fault("bad_sizes", f"{v.proc.name()} has the integer arguments {there}, and all are needed")
    if small := next((name for name, kind in known.items() if kind.name == "size" and sizes[name] < 1), None):
        raise Fault("bad_sizes", f"{small} is a size, which is at least 1, not {sizes[small]}")
    make = cast(Callable[[Machine, Mapping[str, int]], Callable[[Proc], float]], plugins.load(plugins.MODELS, MODEL))
    model = make(v.names.machine, sizes)

    def cost(p: Proc) -> float | None:
        found = float(model(p))
        return found if isfinite(found) else None

    return cost
