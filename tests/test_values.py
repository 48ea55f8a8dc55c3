"""Ops and Procs are values: every Op prints as the expression that rebuilds it, and all of them can be pickled."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import exo_strat
from backends.targets import avx2
from exo_strat import (
    DRAM,
    Cursor,
    Op,
    Proc,
    proc_from_source,
    rename,
    traversals,
)
from exo_strat.primitives.framework import PrimitiveForm
from exo_strat.testing.library import CONFIG
from strategies import std

LIBRARIES = ("exo_strat", "exo_strat.traversals", *(f"strategies.{n}" for n in ("std", "normal", "elevate", "halide", "gemmini")))

FOO = proc_from_source("""
def foo(n: size, x: f32[n, n], y: f32[n]):
    assert n % 4 == 0
    for i in seq(0, n):
        for j in seq(0, n):
            x[i, j] = expf(y[j])
""")


def isloop(c: Cursor) -> bool:
    return isinstance(c, exo_strat.ForCursor)


def length(p: Proc) -> int:
    return len(str(p))


def once_more(x: Any) -> Op:
    return x | rename("z")  # type: ignore[no-any-return]


GIVEN: dict[str, Any] = {
    "str": "a",
    "int": 4,
    "bool": True,
    "float": 2.0,
    "str | None": "a",
    "int | None": 4,
    "float | None": 2.0,
    "str | int": "a",
    "Op": rename("b"),
    "Proc": FOO,
    "Config": CONFIG,
    "Cursor": FOO.find("x[_] = _"),
    "StmtCursor": FOO.find("x[_] = _"),
    "Memory": DRAM,
    "Memory | None": DRAM,
    "Machine": avx2,
    "ExprLike": "n / 4",
    "ExprLike | None": "n",
    "ExprLike | float": "n",
    "ExprLike | float | bool": "n",
    "ExprLike | tuple[ExprLike, ...]": ("n < 3", "n < 8"),
    "int | bool": 8,
    "object": "y[_] = _",
    "str | Scalar": "f32",
    "str | AnyMove | Cursor": "x[_] = _",
    "AnyMove": exo_strat.moves.parent >> exo_strat.moves.next_(2),
    "Top": traversals.lrn,
    "tuple[str, str]": ("io", "ii"),
    "tuple[int, ...]": (1, 0),
    "Names": (),
    "Tile": std.Tile(avx2, "f32", 4, 2),
    "Sequence[Rule]": (),
    "Sequence[Proc]": (FOO,),
    "Sequence[Op]": (),
    "Sequence[int]": (4, 8),
    "Sequence[str]": ("x[0:8]",),
    "Sequence[Pair]": ((FOO, FOO),),
    "Sequence[str | int | NodeCursor]": ("n",),
    "Sequence[tuple[str, int]]": (("i", 4),),
    "Callable[[Cursor], bool]": isloop,
    "Callable[[Proc], Any]": length,
    "Callable[..., Proc]": rename.direct,
    "Callable[[Any], Op]": once_more,
}
"""A value for the parameters of each type."""
OWN: dict[str, Any] = {"gone": "fail", "limit": 3, "Any": None}
"""A value for the parameters of some names."""


def _makers() -> Iterator[tuple[str, Callable[..., Op]]]:
    for library in LIBRARIES:
        module = importlib.import_module(library)
        for name in getattr(module, "__all__", sorted(vars(module))):
            value = getattr(module, name)
            if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, PrimitiveForm)):
                if inspect.signature(value).return_annotation in ("Op", Op):
                    yield f"{library}.{name}", value


MAKERS = dict(_makers())


def _example(make: Callable[..., Op]) -> Op:
    """An Op by a function, with an argument for each parameter."""
    args: list[Any] = []
    named: dict[str, Any] = {}
    for p in inspect.signature(make).parameters.values():
        if p.annotation == "Any":
            continue
        value = OWN.get(p.name, GIVEN.get(p.annotation))
        if p.kind is p.VAR_KEYWORD:
            named["m"] = value
        elif p.kind is p.KEYWORD_ONLY:
            named[p.name] = value
        else:
            args.append(value)
    return make(*args, **named)


NAMES: dict[str, Any] = {n: getattr(exo_strat, n) for n in exo_strat.__all__}
NAMES |= {"foo": FOO, "isloop": isloop, "length": length, "avx2": avx2, CONFIG.name: CONFIG}


@pytest.mark.parametrize("name", MAKERS)
def test_an_op_of_each_kind_prints_as_what_rebuilds_it_and_is_pickled(name: str) -> None:
    op = _example(MAKERS[name])
    module = importlib.import_module(name.rpartition(".")[0])
    names = {**NAMES, **{n: v for n, v in vars(module).items() if not n.startswith("_")}}
    assert eval(repr(op), names) == op
    assert copy.copy(op) is op and copy.deepcopy(op) is op
    again = pickle.loads(pickle.dumps(op))
    assert repr(again) == repr(op)
