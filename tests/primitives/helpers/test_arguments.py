"""Odd targets and odd arguments: every primitive gives a failure or a clear error, whatever it is given."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from pyrsistent import pmap, pvector
from returns.result import Success

from exo_strat import DRAM, Config, Proc, config, f32, index, make_proc, moves, nodes, proc_from_source, size
from exo_strat.cursors.cursor import Cursor
from exo_strat.ir.names import Sym
from exo_strat.ir.types import R, int_
from exo_strat.ops.failure import BadArgument
from exo_strat.ops.strategy import freeze
from exo_strat.primitives import (
    PRIMITIVES,
    cut_loop,
    divide_dim,
    divide_loop,
    expand_dim,
    fuse,
    inline_window,
    rename,
    reorder_loops,
    replace,
    resize_dim,
    simplify,
    specialize,
    write_config,
)
from exo_strat.primitives.framework import Primitive
from exo_strat.testing.applications import targets


@config
class Cfg:
    i: index
    n: size
    on: bool
    f: f32


OTHER = Config("Cfg", pmap({"i": index}))

INSTR = proc_from_source("""
@instr("foo({n}, &{v_data});")
def ins(n: size, v: [f32][n]):
    assert n <= 8
    for i in seq(0, n):
        v[i] = 0.0
""")

CALLEE = proc_from_source("def cal(a: f32, v: [f32][4], k: index):\n    v[0] = a\n    Cfg.i = k", {"Cfg": Cfg})

EMPTY = proc_from_source("def empty():\n    pass")

P = proc_from_source(
    """
def p(n: size, b: bool, st: stride, x: f32[n, 8], y: f32[n], w: [f32][n], s: f32, z: f32[1]):
    assert n % 4 == 0
    assert n >= 8
    assert Cfg.n == 4
    t: f32[8]
    u: f32
    for i in seq(0, n):
        for j in seq(0, 8):
            x[i, j] = 1.0
        y[i] = 2.0
    for i in par(0, n):
        y[i] += x[i, 0] * 2.0
    if n > 4:
        s = 0.0
    else:
        if b:
            pass
        last: f32[4]
    for k in seq(0, 8):
        t[k] = s + y[0]
    Cfg.i = 3
    Cfg.f = s
    v = w[Cfg.i % 4:Cfg.i % 4 + 4]
    u = v[0] + sin(s) / 2.0
    u = max(u, s)
    cal(s, x[Cfg.i % 8, 0:4], 0)
    ins(8, x[0, :])
    for k in seq(0, 8):
        r: f32[2, 4]
        for m in seq(0, 4):
            r[1, m] += 2.0 * t[k] + 0.0
        end = r[0, Cfg.i % 2:4]
    for k in seq(2, 2):
        pass
    if Cfg.on and stride(w, 0) == 1 and s < 2.0:
        gone = x[Cfg.i % 4, 0:4]
""",
    {"Cfg": Cfg, "cal": CALLEE, "ins": INSTR},
)

PROCS = (P, P, P, INSTR, EMPTY, CALLEE)


@cache
def places(k: int) -> list[Cursor]:
    """All that a cursor can point to in one of the procedures."""
    return [PROCS[k].root(), *targets(PROCS[k], (Cursor,))]


ODD: list[Any] = [
    0, 1, 4, -1, 2**63, 10**40, 10**200, 2.0, -0.0, float("nan"), float("inf"), 1e300, True, None, 1j, b"x",
    np.int64(2), np.float32(0.1), np.bool_(True), np.array([1, 0]), np.array(3), int,
    f32, DRAM, Cfg, OTHER, INSTR, EMPTY,
    "", " ", "_", "x", "i", "n", "i j", "\N{LATIN SMALL LIGATURE FI}", "\0", "\n", "#", "for i in _: _",
    "for i in _: _ #99999999999999999999", "x[", "x[_] = _", "x[0, :]", "x[:, 9]", "w[0 - 5] < 3.0", "v[0 - 5] < 1.0",
    "v[Cfg.i] < 1.0", "n < 4", "n * n", "n / 0", "1 / 0", "Cfg.i", "Cfg.zz", "Cfg.f < 1.0", "b", "s", "0.1", "1e400",
    "9" * 30, "stride(x, 7)", "sin()", "lambda: 3", "x if n else y", "a" * 3000, "(" * 300, "(1, 2)",
    (), ["a"], ["a", "b"], ["io", 3], [0], [1, 0], [None], [["a"]], {"a": 1}, {"n"},
    nodes.Var(Sym("zz", 12345)), nodes.Read(Sym("zz", 12345), pvector()), nodes.Const(3, int_), nodes.Pass(),
    nodes.ReadConfig(Cfg, "nope"), nodes.ReadConfig(OTHER, "i"), nodes.Const(float("nan"), R),
    P.root(), P.find("x[_] = _"), P.find_loop("k").hi(), moves.parent, moves.find("zz"), moves.nth(77), lambda c: c,
]  # fmt: skip

LIKELY: dict[str, list[Any]] = {
    "c": [2, 4], "names": [["io", "ii"]], "name": ["q"], "dim": [0, 1], "hi_dim": [0], "lo_dim": [1],
    "size": [4, "n", 0], "offset": [0, -3], "fold": [True], "window": ["x[0, 0:8]", "t[0:8]", "v[0:4]", "u"],
    "config": [Cfg],
    "field": ["i", "on", "f"], "value": [3, "n", 1.0, True, "s"], "new": ["n", 3, 2.0, "Cfg.i"],
    "perm": [[1, 0], [0]],
    "conds": ["n < 4", "v[0 - 5] < 1.0", "Cfg.i < 3", "s < 1.0", "b"], "precision": ["f32", "f64"], "memory": [DRAM],
    "callee": [INSTR, EMPTY, CALLEE], "other": [CALLEE], "instr": [INSTR, CALLEE], "args": [[8, "x[0, :]"]],
    "second": ["for k in _: _", moves.next_()], "loop": ["i", moves.parent], "b": ["t", "u"], "mode": ["par", "vec"],
    "tail": ["cut", "guard"], "n_lifts": [1, 100], "fill": [0.0, None], "n": ["n", 3], "width": [None, 9],
    "cut": [4, "n + 1"],
    "start": [1, "n"], "hi": [3, 0], "condition": ["n < 4", "n < 0", "Cfg.i < 3"], "index": ["i", "k", 0],
}  # fmt: skip


def arguments(rng: random.Random, name: str) -> Iterator[Any]:
    """One value a parameter, most of them likely, in the form that the Op keeps."""
    for prm in PRIMITIVES[name].spec.signature.parameters.values():
        one = rng.choice(ODD) if rng.random() < 0.3 else rng.choice(LIKELY.get(prm.name, [0, True, "x"]))
        if prm.kind is prm.VAR_KEYWORD:
            yield (("n", one),)
        elif prm.kind is prm.VAR_POSITIONAL:
            yield ()
        elif prm.default is not prm.empty and rng.random() < 0.5:
            yield prm.default
        else:
            yield one


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_whatever_it_is_given_a_primitive_answers(name: str) -> None:
    """Its answers are failures that can be shown, or programs that read as they print."""
    rng = random.Random(name)
    for _ in range(40):
        k = rng.randrange(len(PROCS))
        p, found = PROCS[k], places(k)
        fitting = [c for c in found if isinstance(c, PRIMITIVES[name].spec.targets)]
        c = rng.choice(fitting if fitting and rng.random() < 0.9 else found)
        op = Primitive(PRIMITIVES[name].spec, freeze(tuple(arguments(rng, name))))
        outcome = op(p, c)
        assert repr(op)
        if isinstance(outcome, Success):
            make_proc(outcome.unwrap()[0].tree)
        else:
            assert str(outcome.failure())


def refusal(op: Any, p: Proc, at: str | Cursor) -> str:
    """Why an Op is refused at a place, because of its arguments."""
    failure = op(p, p.find(at) if isinstance(at, str) else at).failure()
    assert isinstance(failure, BadArgument)
    return failure.message


def test_what_kind_of_argument_is_needed() -> None:
    assert refusal(divide_dim(0, "4"), P, "t: _") == "c: an integer is needed, not '4'"
    assert refusal(divide_dim(0, True), P, "t: _") == "c: an integer is needed, not True"
    assert refusal(divide_loop(4, "ab"), P, "for i in _: _") == "names: a list of 2, each a text, is needed, not 'ab'"
    assert "size: a text, an integer or a cursor is needed, not 2.0" in refusal(expand_dim(2.0, 0), P, "t: _")


def test_a_tree_that_was_made_by_hand_must_mean_something() -> None:
    gap = P.find_loop("i").before()
    assert "is needed" in refusal(write_config(Cfg, "i", nodes.ReadConfig(Cfg, "nope")), P, gap)
    assert "zz is not in scope" in refusal(write_config(Cfg, "i", nodes.Var(Sym("zz", 999))), P, gap)
    assert "two different things are called Cfg" in str(write_config(OTHER, "i", 3)(P, gap).failure())


AT_THE_END = """
def f(x: f32[8]):
    for i in seq(0, 3):
        x[i] = 1.0
        {}
"""


@pytest.mark.parametrize(
    ("last", "op", "left"),
    [
        ("a: f32[4]", lambda: resize_dim(0, 2, 0, fold=True), "a: f32[2] @ DRAM"),
        ("a: f32[4]", lambda: expand_dim(4, "Cfg.i % 4"), "a: f32[4, 4] @ DRAM"),
        ("a = x[Cfg.i % 4:Cfg.i % 4 + 2]", lambda: inline_window(), "x[i] = 1.0"),
    ],
)
def test_a_declaration_that_is_the_last_statement_of_its_block(last: str, op: Callable[[], Any], left: str) -> None:
    body = AT_THE_END.format(last).replace("x[i] = 1.0", "Cfg.i = i\n        x[i] = 1.0")
    p = proc_from_source(body, {"Cfg": Cfg})
    made = op()(p, p.find("a: _" if ":" in last.split()[0] else "a = _")).unwrap()[0]
    assert str(made).splitlines()[-1].strip() == left


def test_a_condition_outside_of_a_window_at_a_config_field() -> None:
    p = proc_from_source(
        "def f(x: f32[8]):\n    Cfg.i = 2\n    w = x[Cfg.i % 4:Cfg.i % 4 + 2]\n    w[0] = 1.0", {"Cfg": Cfg}
    )
    for condition in ("w[0 - 5] < 1.0", "w[2] < 1.0", "w[Cfg.i] < 1.0", "w[Cfg.i - 9] < 1.0"):
        assert "may be out of bounds" in str(specialize(condition)(p, p.find("w[_] = _")).failure())


def test_an_extent_is_positive_in_code_that_never_runs() -> None:
    p = proc_from_source("def f(x: f32):\n    for i in seq(2, 2):\n        a: f32[4]\n        a[0] = x")
    for size_ in (0, -4, "0 - 4"):
        assert "a positive integer" in refusal(resize_dim(0, size_, 0, fold=True), p, "a: _")
        assert "a positive integer" in refusal(expand_dim(size_, 0), p, "a: _")


def test_a_text_may_name_the_configs_of_the_procedure() -> None:
    p = proc_from_source("def f(x: f32[8]):\n    Cfg.i = 2\n    for i in seq(0, 8):\n        x[i] = 1.0", {"Cfg": Cfg})
    assert "if Cfg.i < 3:" in str(specialize("Cfg.i < 3")(p, p.find("x[_] = _")).unwrap()[0])
    assert "'Cfh' means nothing here; did you mean 'Cfg'?" in refusal(divide_at("Cfh.i"), p, "for i in _: _")
    assert "reads a config field, which may change" in refusal(divide_at("Cfg.i"), p, "for i in _: _")


def divide_at(point: str) -> Primitive:
    return Primitive(cut_loop.spec, (point,))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: divide_loop(P, "i", 8, ["io", "ii"]), r"direct.divide_loop\(p, reference, ..\)$"),
        (lambda: reorder_loops(P, "i j"), r"^reorder_loops\(\) makes an Op.*direct.reorder_loops\(p, reference\)$"),
        (lambda: rename(P), r"direct.rename\(p, ..\)$"),
        (lambda: replace(P, "for i in _: _", P), r"direct.replace\(p, reference, ..\)$"),
        (lambda: simplify(P), r"direct.simplify\(p\)$"),
        (lambda: divide_loop(P.find_loop("i"), 8, ("io", "ii")), r"at\(cursor, divide_loop\(..\)\)$"),
        (lambda: simplify(P.find_loop("i")), r"at\(cursor, simplify\(\)\)$"),
        (lambda: cut_loop(3, 4), r"^cut_loop\(cut\): too many positional arguments$"),
        (lambda: cut_loop("i", 4), r"takes no place: write at\('for i in _: _', cut_loop\(..\)\) or direct.cut_loop\("),
        (lambda: divide_loop(8, names=("io", "ii"), tale="cut"), r"^divide_loop\(.*: got an unexpected .*'tale'$"),
    ],
)
def test_the_paper_s_form_where_an_op_is_made_names_the_direct_one(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_a_procedure_or_a_cursor_that_an_op_takes_first_is_taken() -> None:
    assert replace(P).args == (P,)
    assert cut_loop(P.find_loop("i").hi()).args == (P.find_loop("i").hi(),)
    assert fuse(P.find_loop("i")).args == (P.find_loop("i"),)


def test_what_is_wrong_with_object_code_is_said_of_the_argument() -> None:
    """Its name, what it should be, and the place in it."""
    p = proc_from_source("def foo(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    said = refusal(divide_loop("four", ("io", "ii"), tail="cut"), p, "for i in _: _")
    assert "c: 'four' means nothing here; a factor, an integer, or object code is needed\n" in said
    assert "cut: 'four' means" in refusal(cut_loop("four"), p, "for i in _: _")
