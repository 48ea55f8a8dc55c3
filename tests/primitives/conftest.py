"""What the tests of primitives share: comparing what a rewrite computes with what there was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod

import pytest
from returns.result import Success

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.frontend.checks import check as check_tree
from exo_strat.interp import Array, dense_strides, run
from exo_strat.ir.types import Control, Tensor
from exo_strat.logic.forms.affine import Leaf, V
from exo_strat.logic.forms.formula import value_of
from exo_strat.logic.forms.translate import lin
from exo_strat.ops.failure import Failure, SchedulingError
from exo_strat.ops.strategy import Op


def inputs_for(p: Proc, controls: Mapping[str, int]) -> dict[str, object]:
    """Values for the arguments of `p`: those given, and data of which no two cells are equal."""
    values: dict[str, object] = dict(controls)
    known: dict[Leaf, int | bool] = {V(a.sym): controls[a.sym.name] for a in p.tree.args if isinstance(a.type, Control)}
    filled = 0
    for a in p.tree.args:
        if not isinstance(a.type, Control):
            shape = tuple(value_of(lin(e), known) for e in a.type.shape) if isinstance(a.type, Tensor) else ()
            cells: list[int | Fraction | None] = [Fraction((filled + k + 1) ** 2, 7) for k in range(prod(shape))]
            values[a.sym.name] = Array(cells, 0, shape, dense_strides(shape))
            filled += len(cells)
    return values


@pytest.fixture
def same() -> Callable[..., None]:
    """Asserts that a rewritten procedure computes what the original does, for given sizes; its parallel
    loops in any order."""

    def check(p: Proc, q: Proc, configs: Mapping[str, object] | None = None, **controls: int) -> None:
        inputs = inputs_for(p, controls)
        want = run(p, inputs, configs)
        assert want.trap is None
        for order in (None, 1, 2):
            assert run(q, inputs, configs, shuffle=order) == want

    return check


def _body(p: Proc) -> str:
    check_tree(p.tree)
    return "\n".join(line[4:] for line in str(p).splitlines()[1:] if "assert" not in line)


def _refused(f: Callable[..., Proc], p: Proc, *args: object, **kwargs: object) -> Failure:
    before = str(p)
    with pytest.raises(SchedulingError) as e:
        f(p, *args, **kwargs)
    assert str(p) == before
    return e.value.failure


def _applied(op: Op, p: Proc, c: Cursor) -> tuple[Proc, Cursor]:
    before = str(p)
    outcome = op(p, c)
    assert isinstance(outcome, Success), str(outcome.failure())
    assert str(p) == before
    made: tuple[Proc, Cursor] = outcome.unwrap()
    return made


@pytest.fixture
def body() -> Callable[[Proc], str]:
    """`body(p)`: the lines below the signature and the assertions of a procedure, which must be well-formed."""
    return _body


@pytest.fixture
def refused() -> Callable[..., Failure]:
    """`refused(f, p, *args)`: the failure of a direct form, which must leave `p` alone."""
    return _refused


@pytest.fixture
def applied() -> Callable[[Op, Proc, Cursor], tuple[Proc, Cursor]]:
    """`applied(op, p, c)`: what an Op makes of `p`, which it must leave alone, and the cursor that it returns."""
    return _applied
