"""Inputs in which only that was ever written which a procedure needs.

A caller need not have written what a procedure does not read. So what a rewrite reads in addition shows on the
inputs that leave out as much as the original allows: all that a run of it does not read, or writes before.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

from ..cursors.proc import Proc
from ..interp import Array, Cell
from ..interp.compiler import State, Trapped, invoke
from ..ir.nodes import ProcDef
from ..ir.printing import names_at
from .inputs import Inputs


class _Watched(list[Cell]):
    """Cells that note which of them were read before they were written."""

    def __init__(self, cells: list[Cell]) -> None:
        super().__init__(cells)
        self.needed: set[int] = set()
        self.written: set[int] = set()

    def __getitem__(self, k: Any) -> Any:
        if k not in self.written:
            self.needed.add(k)
        return super().__getitem__(k)

    def __setitem__(self, k: Any, value: Any) -> None:
        self.written.add(k)
        super().__setitem__(k, value)


def sparsest(
    tree: ProcDef, values: Inputs, whole: Container[str] = (), to_its: Callable[[Inputs], Inputs] = lambda x: x
) -> Inputs | None:
    """The inputs without each element that a run of the procedure does not need; of the arguments named `whole`,
    all stays. None if the run traps.

    `to_its` makes the procedure's inputs of the given ones, where these are of another version.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(x: f32[3]):\\n    x[0] = 0.0\\n    x[1] += x[0]")
    >>> print(sparsest(p.tree, Inputs({"x": Array([5, 6, 7], 0, (3,), (1,))}, {})))
    x = (None, 6, None)
    """
    arrays = {n: v for n, v in values.args.items() if isinstance(v, Array)}
    watched = {n: _Watched(v.cells) for n, v in arrays.items()}
    own = to_its(replace(values, args={**values.args, **{n: v._replace(cells=watched[n]) for n, v in arrays.items()}}))
    names = names_at(tree)
    try:
        invoke(tree, State(dict(own.configs), None), [own.args[names[a.sym]] for a in tree.args])
    except Trapped:
        return None
    kept = {
        n: v._replace(cells=[c if k in watched[n].needed else None for k, c in enumerate(v.cells)])
        for n, v in arrays.items()
        if n not in whole
    }
    return replace(values, args={**values.args, **kept})


def more_needed(p: Proc, q: Proc) -> frozenset[str]:
    """The arguments, as `q` calls them, of which a run of it may need more than one of `p` does: as it says itself,
    if it is a later version."""
    if not any(v is p for v in q.versions()):
        return frozenset()
    names = names_at(q.tree)
    return frozenset(names[s] for s in q.needs_since(p) if s in names)
