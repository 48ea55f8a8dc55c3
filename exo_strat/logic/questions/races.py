"""Races of parallel loops in a whole procedure."""

from __future__ import annotations

from ...ir.config import Config
from ...ir.memo import memo_by_identity
from ...ir.nodes import For, ProcDef, ReadConfig, Stmt
from ...ir.outside import fields_and_externs, mentioned
from ...ir.walk import Path, get, in_scope, walk
from .safety import parallel


@memo_by_identity
def races(tree: ProcDef, of_fields: bool = False) -> tuple[For, ...]:
    """The loops of a procedure whose iterations run in parallel and may touch what another one writes. With `of_fields`
    only those for which that may hang on what is known of config fields: there are few of them."""
    loops = [(path, s) for path, s in walk(tree) if isinstance(s, For) and s.mode != "seq"]
    asked = (at for at in loops if not of_fields or _has_fields(tree, *at))
    return tuple(s for path, s in asked if not parallel(tree, path))


def new_race(old: ProcDef, new: ProcDef, of_fields: bool = False) -> For | None:
    """A loop of a new version that has a race, and had none, or was not there, in the old one."""
    found = races(new, of_fields)
    before = {s.iter for s in races(old, of_fields)} if found else {}
    return next((s for s in found if s.iter not in before), None)


def _has_fields(tree: ProcDef, path: Path, loop: For) -> bool:
    """Whether a config field occurs in a loop, in what it calls, or in what is known where it stands: in assertions,
    in the scopes around it, in the buffers and windows that it may use."""
    if any(isinstance(thing, Config) for thing in mentioned(loop)):
        return True
    around = (get(tree, path[:n]) for n in range(len(path)))
    declared = (s for _, s in in_scope(tree, path))
    said = [s for s in (*around, *declared) if isinstance(s, ProcDef | Stmt)]
    return any(isinstance(n, ReadConfig) for s in said for n in fields_and_externs(s))
