"""Constructors of frozen classes."""

from __future__ import annotations

import pickle
from copy import copy
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.frozen import fast_init


@fast_init
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    _memo: int = field(init=False, repr=False, compare=False)


def test_arguments_are_those_of_the_dataclass() -> None:
    assert Point(1) == Point(1, 2) == Point(y=2, x=1)
    assert repr(Point(3, 4)) == "Point(x=3, y=4)"
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]


def test_nothing_fills_it_in_again() -> None:
    p = Point(1)
    p.__init__(3, 4)  # type: ignore[misc]
    assert p == Point(1, 2) and not hasattr(p, "__setstate__")
    assert pickle.loads(pickle.dumps(p)) == copy(p) == p
    tree = proc_from_source("def f(x: f32[2]):\n    x[0] = 1.0").tree
    for node in (tree, *tree.body, *tree.args, types.f32, types.size, tree.args[0].sym):
        before = str(node)
        node.__init__(*[getattr(tree.body[0], name) for name in tree.body[0].__match_args__])  # type: ignore[misc]
        assert str(node) == before


def test_it_stays_frozen_and_replaceable() -> None:
    p = Point(1)
    with pytest.raises(FrozenInstanceError):
        p.x = 2  # type: ignore[misc]
    assert replace(p, y=5) == Point(1, 5)
    assert {p: "found"}[Point(1, 2)] == "found"
