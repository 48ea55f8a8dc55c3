"""Reference semantics: runs a procedure on exact numbers.

This is what a procedure *means*; rewrites are tested against it. Data values are mathematical numbers
(`int` or `Fraction`), whatever their precision. A run ends early with a `Trap` where the language gives
no meaning: memory that was never written, a place outside a buffer, a false assertion, division by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from ..cursors.proc import Proc
from ..ir.memo import memo_by_identity
from ..ir.nodes import Arg, ProcDef
from ..ir.printing import names_at
from ..ir.room import with_room
from ..ir.types import Control, Tensor, bool_
from .compiler import State, Trapped, enter, invoke
from .values import Array, Cell, Number, Outcome, Trap, Value, array, blank, dense_strides, exact


@with_room
def run(
    p: Proc | ProcDef,
    inputs: Mapping[str, object],
    configs: Mapping[str, object] | None = None,
    shuffle: int | None = None,
) -> Outcome:
    """Runs a procedure.

    `inputs` has a value for each argument: numbers, nested sequences of numbers, or an `Array` (with strides
    of your own for a window); None and cells that are None are uninitialised. They are not changed.
    `configs` has initial values by "Config.field". Parallel loops run in order, or with `shuffle` in an order
    drawn with that seed, so that a race shows as a difference.

    Raises `ValueError` if an input is missing or of the wrong kind. All else that can go wrong is a `Trap`.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def double(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 2.0 * x[i]
    ... ''')
    >>> run(p, {"n": 2, "x": [1, 4]}).outputs["x"]
    (2, 8)
    >>> print(run(p, {"n": 2, "x": [1, None]}).trap)
    uninitialised: x was read but never written
        def double(n: size, x: f32[n] @ DRAM):
            for i in seq(0, n):
    -->         x[i] = 2.0 * x[i]
    """
    tree = p.tree if isinstance(p, Proc) else p
    state = State(dict(configs or {}), None if shuffle is None else Random(shuffle))
    values = _bind(tree, inputs)
    trap = _trap_of(tree, lambda: invoke(tree, state, values))
    outputs = {name: v.value() for name, v in zip(_arg_names(tree), values, strict=True) if isinstance(v, Array)}
    return Outcome(outputs, state.configs, trap)


@with_room
def admits(p: Proc | ProcDef, inputs: Mapping[str, object], configs: Mapping[str, object] | None = None) -> bool:
    """Whether a procedure may be called so: sizes, extents and assertions are as it declares them."""
    tree = p.tree if isinstance(p, Proc) else p
    state, values = State(dict(configs or {}), None), _bind(tree, inputs)
    return _trap_of(tree, lambda: enter(tree, state, values)) is None


def _trap_of(tree: ProcDef, action: Callable[[], object]) -> Trap | None:
    try:
        action()
    except Trapped as t:
        return Trap(t.kind, t.message, t.tree or tree, t.path)
    return None


@memo_by_identity
def _arg_names(tree: ProcDef) -> tuple[str, ...]:
    names = names_at(tree)
    return tuple(names[a.sym] for a in tree.args)


def _bind(tree: ProcDef, inputs: Mapping[str, object]) -> list[Any]:
    names = _arg_names(tree)
    missing = [n for n in names if n not in inputs]
    extra = [n for n in inputs if n not in names]
    if missing or extra:
        what = f"no value for {', '.join(missing)}" if missing else f"no argument is called {', '.join(extra)}"
        raise ValueError(f"{tree.name} takes {', '.join(names) or 'nothing'}: {what}")
    return [_input(name, a, inputs[name]) for name, a in zip(names, tree.args, strict=True)]


def _input(name: str, a: Arg, given: object) -> Any:
    if isinstance(a.type, Control):
        if not isinstance(given, int) or isinstance(given, bool) != (a.type == bool_):
            raise ValueError(f"{name} is {given!r}, where a value of type {a.type} is needed")
        return given
    found = given if isinstance(given, Array) else array(given)
    rank = len(a.type.shape) if isinstance(a.type, Tensor) else 0
    if len(found.shape) != rank:
        raise ValueError(f"{name} has {len(found.shape)} dimensions, where {rank} are needed")
    return found._replace(cells=list(found.cells))


__all__ = [
    "Array", "Cell", "Number", "Outcome", "Trap", "Value", "admits", "array", "blank", "dense_strides", "exact", "run",
]  # fmt: skip
