"""Races of parallel loops in a whole procedure."""

from __future__ import annotations

from ...ir.memo import memo_by_identity
from ...ir.nodes import For, ProcDef
from ...ir.walk import walk
from .safety import parallel


@memo_by_identity
def race(tree: ProcDef) -> For | None:
    """A loop of a procedure whose iterations run in parallel and may touch what another one writes."""
    loops = ((path, s) for path, s in walk(tree) if isinstance(s, For) and s.mode != "seq")
    return next((s for path, s in loops if not parallel(tree, path)), None)
