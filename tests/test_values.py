"""Ops and Procs are values: every Op prints as the expression that rebuilds it, and all of them can be pickled."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import exo_strat
from backends.targets import available_targets, avx2
from exo_strat import (
    DRAM,
    DRAM_STACK,
    Cursor,
    Failure,
    Op,
    Proc,
    SchedulingError,
    at,
    attempt,
    bind_expr,
    call_eqv,
    can_fail,
    divide_loop,
    expf,
    extern,
    focus,
    guard,
    lift,
    proc_from_source,
    reduce,
    rename,
    reorder_loops,
    schedule,
    set_memory,
    simplify,
    strategy,
    trace,
    traversals,
    when,
)
from exo_strat.primitives.framework import PrimitiveForm
from exo_strat.testing.library import CONFIG
from strategies import demos, halide, std

LIBRARIES = (
    "exo_strat",
    "exo_strat.ops.traversals",
    *(f"strategies.{n}" for n in ("std", "normal", "elevate", "halide", "gemmini")),
)

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
    "Op": rename(exo_strat.hole("a", ("b", "c"))),
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
    "AnyMove": exo_strat.ops.moves.parent >> exo_strat.ops.moves.next_(2),
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
    "Callable[..., Proc]": simplify,
    "Callable[[Any], Op]": once_more,
    "Func": halide.Func("blur").vectorize("x", 8),
}
"""A value for the parameters of each type."""
OWN: dict[str, Any] = {
    "gone": "fail",
    "limit": 3,
    "sketch": "seq i > seq j",
    "options": {"a": rename("z"), "b": simplify()},
    "within": isloop,
}
"""A value for the parameters of some names."""


def _makers() -> Iterator[tuple[str, Callable[..., Op]]]:
    for library in LIBRARIES:
        module = importlib.import_module(library)
        for name in getattr(module, "__all__", sorted(vars(module))):
            value = getattr(module, name)
            is_function = inspect.isfunction(value) or isinstance(value, PrimitiveForm)
            if is_function and name[0] != "_" and inspect.signature(value).return_annotation in ("Op", Op):
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


AT_A_CURSOR = ("exo_strat.focus", "exo_strat.on", "strategies.std.rise_into")
"""What has a cursor in it is about one procedure, and what was read again is another."""


@pytest.mark.parametrize("name", MAKERS)
def test_an_op_of_each_kind_prints_as_what_rebuilds_it_and_is_pickled(name: str) -> None:
    op = _example(MAKERS[name])
    module = importlib.import_module(name.rpartition(".")[0])
    names = {**NAMES, **{n: v for n, v in vars(module).items() if not n.startswith("_")}}
    assert eval(repr(op), names) == op
    assert copy.copy(op) is op and copy.deepcopy(op) is op
    again = pickle.loads(pickle.dumps(op))
    assert again == op or (name in AT_A_CURSOR and repr(again) == repr(op))


def test_an_op_that_cannot_be_printed_back_says_so() -> None:
    op = exo_strat.when(lambda c: c.is_valid)
    text = repr(op)
    assert text == "when(lambda c: c.is_valid)  # not equal when it is evaluated again: it holds a lambda"
    assert eval(text, NAMES) != op
    assert str(op) == "when(lambda c: c.is_valid)"


# -- pickles ------------------------------------------------------------------------------------------


def _again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_a_proc_keeps_its_history_and_cursors_their_places() -> None:
    loop = FOO.find("for j in _: _")
    p = schedule(at(loop, divide_loop(4, ["jo", "ji"], perfect=True)) >> at("for jo in _: _", simplify()), FOO)
    q, old, cursors = _again((p, FOO, [loop, p.find("x[_] = _"), p.find_loop("jo").before(), p.body()]))
    assert q == p and old == FOO and repr(q.history()) == repr(p.history()) and q.parent == p.parent
    assert q.forward(cursors[0]) == q.find_loop("jo")
    assert cursors[1] == q.find("x[_] = _") and str(cursors[2]) == str(p.find_loop("jo").before())
    assert list(q.versions())[-1] is old


def test_procs_pickled_together_may_replace_each_other_and_no_others() -> None:
    p = simplify.direct(FOO)
    p = set_memory.direct(bind_expr.direct(FOO, "y[_]", "t"), "t", DRAM_STACK)
    text = "def top(n: size, x: f32[n, n], y: f32[n]):\n    assert n % 4 == 0\n    foo(n, x, y)\n"
    caller = proc_from_source(text, {"foo": FOO})
    q, other, top = _again((p, FOO, caller))
    assert q == p and other == FOO and top == caller
    assert q.origin is other.origin is other and q.origin is not p.origin
    call = at("foo(_)", call_eqv(q))
    assert schedule(call, top).find("foo(_)").subproc() is q  # type: ignore[union-attr]
    for op, where in ((at("foo(_)", call_eqv(p)), top), (call, caller)):
        with pytest.raises(SchedulingError, match="call_eqv"):
            schedule(op, where)
    assert _again(p).origin is not _again(p).origin


def test_a_copy_is_the_same() -> None:
    for value in (FOO, FOO.tree, FOO.tree.body[0], rename("a")):
        assert copy.copy(value) is value and copy.deepcopy(value) is value
    assert copy.deepcopy([FOO.find("y[j]")]) == [FOO.find("y[j]")]


def test_long_histories_and_deep_trees_are_pickled() -> None:
    p = FOO
    for k in range(120):
        p = rename.direct(p, f"foo{k % 2}")
    q = _again(p)
    assert q == p and len(q.history()) == 120 and list(q.versions())[-1] == FOO
    total = " + ".join(["x[i]"] * 900)
    deep = proc_from_source(
        f"def deep(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = {total}\n"
    )
    assert _again(deep) == deep
    called = proc_from_source("def p0(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n")
    for k in range(1, 100):
        called = proc_from_source(f"def p{k}(n: size, x: f32[n]):\n    p{k - 1}(n, x)\n", {f"p{k - 1}": called})
    assert _again(called) == called
    op: Op = rename("a")
    for _ in range(1500):
        op = guard(rename("b"), op)
    assert can_fail(op)
    assert _again(op) == op and hash(_again(op)) == hash(op)


def test_failures_traces_machines_and_externs_are_pickled() -> None:
    failure = reorder_loops()(FOO).failure()
    assert isinstance(_again(failure), Failure) and str(_again(failure)) == str(failure)
    outcome = _again(rename("bar")(FOO))
    assert str(outcome.unwrap()[0]) == str(rename.direct(FOO, "bar"))
    found = trace(rename("bar"), FOO)
    assert str(_again(found)) == str(found)
    for machine in available_targets():
        assert _again(machine) == machine
    assert _again(expf) is expf
    assert _again(DRAM) == DRAM and _again(CONFIG) == CONFIG
    half = extern("half", 1, once_more, "({0} / 2)")
    assert _again(half) == half


def test_a_scheduled_kernel_is_pickled() -> None:
    p = demos.axpy.schedule(avx2)
    q = _again(p)
    assert q == p and str(q) == str(p) and len(q.history()) == len(p.history())


READER = """
import pickle, sys
p, op, cursor = pickle.load(open(sys.argv[1], "rb"))
q = op(p).unwrap()[0]
pickle.dump((str(p), str(q), repr(op), str(cursor), q), open(sys.argv[2], "wb"))
"""


def test_another_process_reads_them(tmp_path: Path) -> None:
    op = at("for i in _: _", reduce(attempt(divide_loop(4, ("a", "b"))), traversals.loops))
    op = op >> std.cleanup() >> lift(rename.direct, "bar")
    assert hash(op)
    sent, answer = tmp_path / "sent", tmp_path / "answer"
    sent.write_bytes(pickle.dumps((FOO, op, FOO.find("x[_] = _"))))
    subprocess.run([sys.executable, "-c", READER, sent, answer], check=True)
    p, q, text, cursor, made = pickle.loads(answer.read_bytes())
    assert (p, text, cursor) == (str(FOO), repr(op), str(FOO.find("x[_] = _")))
    assert q == str(made) == str(schedule(op, FOO))


@strategy
def marked(p: Proc, c: Cursor) -> Any:
    yield rename("marked")


def test_what_has_no_name_is_not_pickled_and_says_so() -> None:
    @strategy
    def inner(p: Proc, c: Cursor) -> Any:
        yield rename("a")

    for op, what in ((when(lambda c: True), "a lambda"), (inner(), "inner, which is defined inside a function")):
        for around in (op, rename("b") >> op):
            with pytest.raises(pickle.PicklingError, match=what):
                pickle.dumps(around)
    assert _again(marked()) == marked()
    with pytest.raises(pickle.PicklingError, match=r"g.* a lambda"):
        pickle.dumps(extern("g", 1, lambda x: x, "{0}"))
    assert _again(focus(FOO.find("y[j]"))) != focus(FOO.find("y[j]"))  # a place of another procedure
