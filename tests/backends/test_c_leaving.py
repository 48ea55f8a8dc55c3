"""A loop around a branch that only the branch itself can end is left in C once its condition is false."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from backends import jit
from backends.c import compile, leaving, statements
from backends.c.program import Function
from exo_strat import Proc, config, proc_from_source
from exo_strat.interp import run
from exo_strat.ir.nodes import For, If

Code = Callable[..., Proc]


@config
class Cfg:
    go: bool
    rate: f32  # type: ignore[name-defined]


def search(code: Code) -> Proc:
    return code("""
    def search(n: size, x: i32[n], v: i32, r: i32):
        stop: i32
        stop = 0
        for i in seq(0, n):
            if stop == 0:
                if x[i] == v:
                    r = i32(i)
                    stop = 1
    """)


def test_a_search_reads_as_one_in_c(code: Code) -> None:
    text = compile([search(code)]).source
    assert "if (stop != 0) break;\n        if (x[i] == *v) {" in text
    for v, want in ((7, 2), (9, 0), (5, -1)):
        r = np.array(-1, np.int32)
        jit(search(code))(4, np.array([9, 8, 7, 7], np.int32), v, r)
        assert r == want


def test_a_while_ends_long_before_its_bound(code: Code) -> None:
    """No loop runs 2^60 times: it was left."""
    p = code("""
    def halve(limit: size, x: f64, steps: i64):
        steps = 0
        for _ in seq(0, limit):
            if x >= 1.0:
                x = x / 2.0
                steps += 1
    """)
    assert "if (!(*x >= 1.0)) break;" in compile([p]).source
    x, steps = np.array(1000.0), np.zeros((), np.int64)
    jit(p)(2**60, x, steps)
    assert steps == 10 and x < 1.0


LOOPS = {
    "a comparison": ("if r < 3.0:\n    r += x[i]", "if (!(*r < 3.0f)) break;"),
    "an equality": ("if r == 0.0:\n    r = x[i]", "if (*r != 0.0f) break;"),
    "its opposite": ("if not r > 3.0:\n    r += x[i]", "if (*r > 3.0f) break;"),
    "both": ("if r > 0.0 and r < 9.0:\n    r += x[i]", "if (!(*r > 0.0f && *r < 9.0f)) break;"),
    "an element": ("if x[0] < 3.0:\n    x[0] += 1.0", "if (!(x[0] < 3.0f)) break;"),
    "by way of a window": ("if w[0] < 3.0:\n    x[1] += 1.0", "if (!(w[0] < 3.0f)) break;"),
    "by a call": ("if r < 3.0:\n    grow(r)", "if (!(*r < 3.0f)) break;"),
    "a config field": ("if Cfg.rate < 3.0:\n    Cfg.rate = 2.0 * Cfg.rate", "if (!(exo_cfg_Cfg.rate < 3.0f)) break;"),
    "a field that a call sets": ("if Cfg.go:\n    halt()", "if (!exo_cfg_Cfg.go) break;"),
    "a place of its own": ("if r < 3.0:\n    t: f32\n    t = x[i]\n    r += t", "if (!(*r < 3.0f)) break;"),
    # what must run all iterations
    "an else": ("if r < 3.0:\n    r += x[i]\nelse:\n    x[i] = 0.0", None),
    "the iterator": ("if i > 1 and r < 3.0:\n    r += x[i]", None),
    "the iterator in an index": ("if x[i] < 3.0:\n    x[i] += 1.0", None),
    "something after it": ("if r < 3.0:\n    r += x[i]\ny[i] = r", None),
    "something before it": ("y[i] = r\nif r < 3.0:\n    r += x[i]", None),
    "a window before it": ("v = x[i:i + 1]\nif v[0] < 3.0:\n    x[i] += 1.0", None),
    # what C compilers do better without
    "what stays as it is": ("if r < 3.0:\n    y[i] = x[i]", None),
    "a size": ("if n < 6:\n    y[i] = x[i]", None),
}
GROW = proc_from_source("def grow(a: f32):\n    a = 2.0 * a + 1.0")
HALT = proc_from_source("def halt():\n    Cfg.go = False", {"Cfg": Cfg})


def looped(text: str) -> Proc:
    inner = "".join(f"        {s}\n" for s in text.splitlines())
    start = "    Cfg.go = True\n    Cfg.rate = 0.5\n    w = x[1:3]\n"
    lines = f"{start}    for i in seq(0, n):\n{inner}    y[0] += Cfg.rate"
    env = {"Cfg": Cfg, "grow": GROW, "halt": HALT}
    return proc_from_source(f"def p(n: size, x: f32[n], y: f32[n], r: f32):\n    assert n > 2\n{lines}\n", env)


def differs(p: Proc) -> bool:
    """Whether the C of a procedure leaves something else than the interpreter, on one of some inputs."""
    compiled = jit(p)
    for first, r in product((0.0, 2.0, 5.0), (0.0, 1.0, 4.0, float("nan"))):
        given = [first, 1.0, 2.0, 4.0, 1.0]
        x, y, out = np.array(given, np.float32), np.zeros(5, np.float32), np.array(r, np.float32)
        compiled(5, x, y, out)
        if r != r:  # the interpreter has no such number
            continue
        want = run(p, {"n": 5, "x": given, "y": [0] * 5, "r": r}).outputs
        if (x.tolist(), y.tolist(), float(out)) != (list(want["x"]), list(want["y"]), want["r"]):  # type: ignore[arg-type]
            return True
    return False


@pytest.mark.parametrize("name", LOOPS)
def test_which_loops_are_left(name: str) -> None:
    body, text = LOOPS[name]
    source = compile([looped(body)]).source
    assert (text or "") in source
    assert source.count("break;") == (text is not None)
    assert not differs(looped(body))


def test_a_number_that_is_none_ends_a_loop() -> None:
    """Neither `<` nor `>=` holds of NaN: the loop is left where `<` does not hold."""
    p = looped("if r < 3.0:\n    r += 1.0")
    r = np.array(np.nan, np.float32)
    jit(p)(5, np.zeros(5, np.float32), np.zeros(5, np.float32), r)
    assert np.isnan(r)


@pytest.mark.parametrize("name", ["an else", "the iterator", "the iterator in an index"])
def test_a_loop_left_in_spite_of_that_computes_something_else(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(s: For, f: Function, by_tree: object) -> If | None:
        return s.body[0] if isinstance(s.body[0], If) else None

    monkeypatch.setattr(statements, "left_by", careless)
    assert differs(looped(LOOPS[name][0]))
    assert leaving.left_by is not careless


def test_an_inner_loop_is_left_by_itself(code: Code) -> None:
    p = code("""
    def rows(n: size, x: f32[n, n], r: f32[n]):
        for i in par(0, n):
            r[i] = 0.0
            for j in seq(0, n):
                if r[i] < 3.0:
                    r[i] += x[i, j]
    """)
    x, r = np.ones((8, 8), np.float32), np.zeros(8, np.float32)
    assert compile([p]).source.count("break;") == 1
    jit(p)(8, x, r)
    assert r.tolist() == [3.0] * 8
