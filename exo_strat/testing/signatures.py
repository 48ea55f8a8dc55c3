"""Rewrites that change how a procedure is called: its inputs in terms of the original's.

`partial_eval` drops arguments, `transpose` turns one. To compare two versions, inputs of the later one are
carried back to the earlier one, and what that leaves is carried forth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..cursors.proc import Proc
from ..interp import Array, Outcome, array
from ..ir.nodes import Arg, ProcDef
from ..ir.printing import names_at
from ..ir.types import Tensor
from ..ir.walk import get
from ..primitives import Primitive
from ..primitives.subprocs import fixed_values
from .inputs import Inputs


@dataclass(frozen=True)
class Step:
    """One rewrite of that kind: its result's arguments as the original's, and what the original leaves as what
    its result does."""

    back: Callable[[Mapping[str, object]], Mapping[str, object]]
    forth: Callable[[Mapping[str, object]], Mapping[str, object]]


def signature_steps(p: Proc, q: Proc) -> tuple[Step, ...]:
    """The rewrites that change the signature on the way from `p` to a later version `q`, the last first."""
    versions: list[Proc] = []
    for v in q.versions():
        if v is p:
            return tuple(_steps(versions))
        versions.append(v)
    return ()


def back(steps: tuple[Step, ...], values: Inputs) -> Inputs:
    """Inputs of the later version as inputs of the earlier one."""
    for s in steps:
        values = replace(values, args=s.back(values.args))
    return values


def forth(steps: tuple[Step, ...], outcome: Outcome) -> Outcome:
    """What the earlier version leaves, as the later one should."""
    for s in reversed(steps):
        outcome = replace(outcome, outputs=s.forth(outcome.outputs))  # type: ignore[arg-type]
    return outcome


def _steps(versions: list[Proc]) -> Iterator[Step]:
    for v in versions:
        made, parent = v.rewritten, v.parent
        if made is None or parent is None or not isinstance(made.op, Primitive):
            continue
        if made.op.name == "partial_eval":
            yield _fixing(parent.tree, *made.op.args)
        elif made.op.name == "transpose":
            arg = get(parent.tree, made.at)
            assert isinstance(arg, Arg)
            yield _turning(names_at(parent.tree)[arg.sym], isinstance(arg.type, Tensor) and arg.type.window)


def _fixing(tree: ProcDef, values: tuple[object, ...], named: tuple[tuple[str, int], ...]) -> Step:
    names = names_at(tree)
    given = {names[s]: c.value for s, c in fixed_values(tree, values, dict(named)).items()}
    return Step(lambda args: {**args, **given}, lambda outputs: outputs)


def _turning(name: str, window: bool) -> Step:
    def turned(args: Mapping[str, object]) -> Mapping[str, object]:
        old = args[name]
        assert isinstance(old, Array)
        if window:  # another view of the same cells
            return {**args, name: Array(old.cells, old.offset, old.shape[::-1], old.strides[::-1])}
        return {**args, name: array(_turned(old.value()))}

    return Step(turned, lambda outputs: {**outputs, name: _turned(outputs[name])})


def _turned(rows: object) -> object:
    assert isinstance(rows, tuple)
    return tuple(zip(*rows, strict=True))
