"""Statements and procedures that are not object code: each has a message that marks the line."""

from __future__ import annotations

import pytest
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import FrontendError, ObjectTypeError, ParseError, ScopeError
from exo_strat.ir.config import Config
from exo_strat.ir.memory import Memory
from exo_strat.ir.nodes import Alloc, Call, For, If, Pass, Reduce, WindowDef, WriteConfig
from exo_strat.ir.types import CONTROLS, SCALARS

CALLEE = proc_from_source("""
def callee(n: size, b: bool, s: f32, dense: f32[n], view: [f32][n]):
    s = 1.0
    view[0] = dense[0]
""")
CFG = Config("Cfg", pmap({"scale": SCALARS["f32"], "rows": CONTROLS["size"], "on": CONTROLS["bool"]}))
ENV = {"callee": CALLEE, "Cfg": CFG, "SRAM": Memory("SRAM"), "W": 8, "NAMES": ["a"], "Bank": int}

HEAD = "def f(n: size, m: index, flag: bool, x: f32[n, 8], y: f32[n], s: f32):\n    "


def refused(text: str) -> FrontendError:
    """The error for a program, which must mark a line of it with a caret below it."""
    with pytest.raises(FrontendError) as caught:
        proc_from_source(text, ENV, "kernel.py")
    error = caught.value
    assert error.place is not None
    first, line, caret = str(error.place).splitlines()
    assert first == f"kernel.py:{error.place.line}"
    assert line.strip() == text.splitlines()[error.place.line - 1].strip()
    assert caret.strip() == "^" and str(error).endswith(str(error.place))
    return error


BODIES = [
    # statements
    ("while True:\n        pass", ParseError, "Loop to a bound, and put what is left under `if stop == 0:`"),
    ("return x", ParseError, "write to an argument"),
    ("import os", ParseError, "no such statement"),
    ("for i in range(0, n):\n        pass", ParseError, r"seq\(lo, hi\), par\(lo, hi\) or vec\(lo, hi\)"),
    ("for i in seq(n):\n        pass", ParseError, "two arguments"),
    ("for i, j in seq(0, n):\n        pass", ParseError, "a loop is"),
    ("for i in seq(0, n):\n        pass\n    else:\n        pass", ParseError, "without an else"),
    ("for i in seq(0, s):\n        pass", ObjectTypeError, "integer control expression"),
    ("s = s = 1.0", ParseError, "one target at a time"),
    ("s @= 1.0", ParseError, r"a reduction is `x \+= e`, `x -= e`, `x \*= e`, `x = min\(x, e\)`"),
    ("s = min(1.0, s)", ParseError, r"`x = min\(x, e\)`, with what is written as its first argument"),
    ("s = max(s)", ParseError, r"of any two values, take fmax"),
    ("s = 1.0 + max(s, s)", ParseError, r"max of data is a reduction, `x = max\(x, e\)`, and no value"),
    ("pass\n    assert n > 1", ParseError, "at the top of a procedure"),
    ("if s:\n        pass", ObjectTypeError, "a condition is needed"),
    ("if n:\n        pass", ObjectTypeError, "a condition is needed"),
    # names and indices
    ("z = 1.0", ScopeError, "'z' means nothing here"),
    ("flga = 1.0", ScopeError, "did you mean 'flag'"),
    ("x[0, 0] = yy[0]", ScopeError, "did you mean 'y'"),
    ("x[0] = 1.0", ObjectTypeError, "x has 2 dimensions, not 1"),
    ("s[0] = 1.0", ObjectTypeError, "cannot be indexed"),
    ("x[s, 0] = 1.0", ObjectTypeError, "integer control expression"),
    ("y = 1.0", ObjectTypeError, "cannot be assigned as a whole"),
    ("n = 1", ObjectTypeError, "cannot be assigned"),
    ("y[0:2] = 1.0", ObjectTypeError, "one element at a time"),
    ("y[0] = x[0, :]", ObjectTypeError, "a data value is needed here, not a 1-dimensional window of f32"),
    ("y[0] = n", ObjectTypeError, r"a data value is needed here, not a control value \(size\)"),
    ("y[0] = 1 / 2", ObjectTypeError, "write its numbers as data, with a point"),
    ("w = x[0:4:2, 0]", ParseError, "no step"),
    ("(s + 1.0)[0] = 2.0", ParseError, "needs the name of a buffer"),
    # allocations
    ("t: f33", ParseError, "did you mean 'f32'"),
    ("t: [f32][4]", ObjectTypeError, "not allocated"),
    ("t: size", ObjectTypeError, "only data can be allocated"),
    ("t: f32[4] @ SRAN", ParseError, "did you mean 'SRAM'"),
    ("t: f32[4] @ W", ParseError, "name of a memory"),
    ("t: f32[4] @ Bank", ParseError, r"Bank is a class, a memory is a value: Bank = Memory\('Bank'\)"),
    ("t: f32[s]", ObjectTypeError, "integer control expression"),
    ("t: 'f32['", ParseError, "is no type"),
    ("t[0]: f32", ParseError, "an allocation is"),
    # calls
    ("calee(n, flag, s, y, y)", ScopeError, "did you mean 'callee'"),
    ("W(n)", ObjectTypeError, "no procedure"),
    ("callee(n, flag, s, y)", ObjectTypeError, "takes 5 arguments, not 4"),
    ("callee(n=n)", ParseError, "arguments by position"),
    ("callee(n, n, s, y, y)", ObjectTypeError, r"b must be a control value \(bool\), not"),
    ("callee(s, flag, s, y, y)", ObjectTypeError, r"n must be a control value \(size\)"),
    ("callee(n, flag, n, y, y)", ObjectTypeError, "a data value is needed"),
    ("callee(n, flag, s, x, y)", ObjectTypeError, "must be a 1-dimensional tensor of f32, not a 2-dimensional"),
    ("callee(n, flag, s, y[0:n], y)", ObjectTypeError, "whole dense tensor, not a window"),
    ("s = callee(n)", ObjectTypeError, "a call of it is a statement"),
    # configs
    ("Cfg.sclae = 1.0", ScopeError, "Cfg has no field 'sclae'; it has on, rows, scale"),
    ("Cfh.scale = 1.0", ScopeError, "'Cfh' means nothing here; did you mean 'Cfg'?"),
    ("Unit.scale = 1.0", ScopeError, "'Unit' means nothing here; the configs here are Cfg"),
    ("x.scale = 1.0", ScopeError, "x is no config: what stands after a dot is a config's field"),
    ("Cfg.scale = n", ObjectTypeError, r"Cfg.scale holds a data value \(f32\)"),
    ("Cfg.rows = flag", ObjectTypeError, r"Cfg.rows holds a control value \(size\)"),
    ("Cfg.on = 1", ObjectTypeError, r"Cfg.on holds a control value \(bool\)"),
    # expressions
    ("s = t(1.0)", ScopeError, "define others with extern"),
    ("s = sin(s, s)", ObjectTypeError, "sin takes 1 arguments, not 2"),
    ("s = sin(n)", ObjectTypeError, "a data value is needed"),
    ("s = 's'", ParseError, "is no number"),
    ("s = 1e999", ParseError, "is no number"),
    ("s = ~n", ObjectTypeError, "'~' is for integers of data, such as `i32"),
    ("s = s & n", ObjectTypeError, "'&' is for integers of data"),
    ("s = s @ s", ParseError, "no such operator"),
    ("s = wrap_u8(n)", ObjectTypeError, "as data it is `f32"),
    ("s = wrap_f32(s)", ScopeError, "wrap_u8 and the like"),
    ("s = f32(s, s)", ObjectTypeError, "f32 takes 1 arguments, not 2"),
    ("s = R(s)", ScopeError, "'R' is no extern function"),
    ("s = n % s", ObjectTypeError, "cannot be combined by '%'"),
    ("s = s if s else 1.0", ObjectTypeError, "a condition is needed here"),
    ("s = n if flag else 1.0", ObjectTypeError, "its sides can't be a control value .*; as data it is `f32"),
    ("s = [s]", ParseError, "no such expression"),
    ("q = s", ScopeError, "'q' means nothing here; declare it first: `q: f32`"),
    ("q = i32(n)", ScopeError, "'q' means nothing here; declare it first: `q: i32`"),
    ("s = f32[3]", ScopeError, r"f32 is a type, not a value: a buffer is declared as in `t: f32\[8\]`"),
    ("s = -flag", ObjectTypeError, "cannot be negated"),
    ("s = s + flag", ObjectTypeError, r"cannot be combined by '\+'"),
    ("s = NAMES", ObjectTypeError, "NAMES is a list"),
    ("y[n / -1] = 0.0", ObjectTypeError, "what is at least 1 only"),
    ("y[n % 0] = 0.0", ObjectTypeError, "what is at least 1 only"),
    ("if n in y:\n        pass", ParseError, "no such comparison"),
    ("if n == flag:\n        pass", ObjectTypeError, "cannot be compared"),
    ("if stride(y) == 1:\n        pass", ParseError, "stride takes"),
    ("if stride(y, 1) == 1:\n        pass", ObjectTypeError, "y has no dimension 1"),
    ("if not n:\n        pass", ObjectTypeError, "a condition is needed"),
]


@pytest.mark.parametrize(("body", "kind", "message"), BODIES, ids=[b.splitlines()[0] for b, _, _ in BODIES])
def test_a_bad_statement_is_refused(body: str, kind: type[FrontendError], message: str) -> None:
    error = refused(HEAD + body)
    assert type(error) is kind
    with pytest.raises(kind, match=message):
        raise error


HEADS = [
    ("def f(n: size, *xs):\n    pass", ParseError, "no stars"),
    ("def f(n: size = 4):\n    pass", ParseError, "no defaults"),
    ("def f(n):\n    pass", ParseError, "needs a type"),
    ("def f(x: f32[n], n: size):\n    pass", ScopeError, "'n' means nothing here"),
    ("def f(n: size @ DRAM):\n    pass", ObjectTypeError, "lives in no memory"),
    ("def f(x: f32) -> f32:\n    pass", ParseError, "returns nothing"),
    ("def f(x: f32[0.5]):\n    pass", ObjectTypeError, "integer control expression"),
    ("def f(x: f32):\n    assert x", ObjectTypeError, "a condition is needed"),
    ("def f(x: f32:\n    pass", ParseError, "not object code"),
    ("def f(x: f32):\n    x = = 1.0", ParseError, "not object code"),
    ("x = 1", ParseError, "one procedure is needed, there are 0"),
    ("def f():\n    pass\ndef g():\n    pass", ParseError, "there are 2"),
    ("@instr(4)\ndef f():\n    pass", ParseError, "string literals"),
    ("@instr('a', global_='b')\ndef f():\n    pass", ParseError, "string literals"),
]


@pytest.mark.parametrize(("text", "kind", "message"), HEADS)
def test_a_bad_head_is_refused(text: str, kind: type[FrontendError], message: str) -> None:
    error = refused(text)
    assert type(error) is kind
    with pytest.raises(kind, match=message):
        raise error


def test_the_message_shows_the_place() -> None:
    assert str(refused(HEAD + "x[n, 0] = yy[0]  # outside")) == (
        "'yy' means nothing here; did you mean 'y'?\n"
        "kernel.py:2\n"
        "        x[n, 0] = yy[0]  # outside\n"
        "                  ^"
    )


def test_the_caret_counts_characters_not_bytes() -> None:
    error = refused("def f(é: f32, x: f32):\n    é = x + y")
    assert error.place is not None and error.place.text[error.place.col :] == "y"


def test_statements_become_nodes() -> None:
    p = proc_from_source(
        HEAD
        + """t: f32[n] @ SRAM
    w = x[:, 3]
    for i in par(0, n):
        if flag:
            w[i] += 1.0
        else:
            pass
    callee(n, not flag, s, t, w)
    Cfg.rows = n + 1
""",
        ENV,
    )
    kinds = [type(s) for s in p.tree.body]
    assert kinds == [Alloc, WindowDef, For, Call, WriteConfig]
    loop = p.tree.body[2]
    assert isinstance(loop, For) and loop.mode == "par"
    branch = loop.body[0]
    assert isinstance(branch, If) and isinstance(branch.body[0], Reduce) and isinstance(branch.orelse[0], Pass)


def test_variables_are_numbered_in_textual_order_in_any_process() -> None:
    text = HEAD + "for i in seq(0, n):\n        t: f32\n        t = y[i]"
    first, second = proc_from_source(text).tree, proc_from_source(text).tree
    assert first == second and first.next_id == 8
    assert [a.sym.id for a in first.args] == [0, 1, 2, 3, 4, 5]


def test_an_inner_name_hides_an_outer_one() -> None:
    p = proc_from_source("""
def f(i: size, x: f32[i]):
    for i in seq(0, i):
        x[i] = 0.0
        for i in seq(0, 4):
            pass
""")
    assert str(p).splitlines()[1:3] == ["    for i_1 in seq(0, i):", "        x[i_1] = 0.0"]
    assert "for i_2 in seq(0, 4)" in str(p)


def test_a_body_of_assertions_or_a_docstring_only_does_nothing() -> None:
    assert str(proc_from_source('def f(n: size):\n    """Nothing."""\n    assert n > 1')) == (
        "def f(n: size):\n    assert n > 1\n    pass"
    )
