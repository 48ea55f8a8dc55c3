"""What is evaluated, and whether it surely has a value; whether a call surely runs to its end."""

from __future__ import annotations

import pytest

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.nodes import Assign, Call
from exo_strat.ir.span import Span
from exo_strat.logic.effects.dependence import Clash, Given, Safe
from exo_strat.logic.questions.evaluation import has_value, partial, runs


@config
class Cfg:
    scale: f32


def source(args: str, lines: str, **env: object) -> Proc:
    body = "".join(f"    {s}\n" for s in lines.strip("\n").splitlines())
    return proc_from_source(f"def f({args}):\n{body}", {"Cfg": Cfg, **env})


COPY = source("x: [f32][4], y: [f32][4]", "for i in seq(0, 4):\n    x[i] = y[i]\nx[0] += 1.0")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("x[0] = x[1] / 2.0", None),
        ("x[0] = 1.0 / x[1]", "divide by zero"),
        ("x[0] = 1.0 / 0.0", "divide by zero"),
        ("x[0] = relu(fmax(x[1], x[2]))", None),
        ("x[0] = expf(x[1]) * sin(cos(x[2]))", None),
        ("x[0] = sqrt(x[1])", "sqrt may have no value"),
        ("x[0] = log(x[1])", "log may have no value"),
        ("x[0] = x[1] // 3.0", None),
        ("x[0] = x[1] // 0.0", "`//` may have no value"),
        ("x[0] = x[1] // x[2]", "`//` may have no value"),
        ("x[0] = u8(x[1]) + u8(x[2])", None),
        ("x[0] = tmod(x[1], 3.0) + x[1] % 4.0", None),
        ("x[0] = tdiv(x[1], x[2])", "tdiv may have no value"),
        ("x[0] = ~(x[1] & x[2]) ^ wrap_u8(x[1] | 3)", None),
        ("x[0] = u8(x[1]) >> 7", None),
        ("x[0] = u8(x[1]) >> 8", "`>>` may have no value"),
        ("x[0] = u8(x[1]) << u8(x[2])", "`<<` may have no value"),
        ("x[0] = Cfg.scale", "Cfg.scale may not be set"),
        ("t: f32\nt = 1.0\nx[0] = t", None),
        ("t: f32\nif n < 4:\n    t = 1.0\nx[0] = t", "t may be read"),
        ("for i in seq(0, n):\n    t: f32\n    t += 1.0", "t may be read"),
        ("t: f32[4]\nfor i in seq(0, 4):\n    t[i] = 1.0\ncopy(x[0:4], t[0:4])", None),
        ("t: f32[4]\ncopy(t[0:4], x[0:4])", None),
        ("t: f32[4]\ncopy(x[0:4], t[0:4])", "t may be read"),
        ("x[0] = 1.0\nt: f32", None),
    ],
)
def test_what_may_fail_inside_a_procedure(lines: str, why: str | None) -> None:
    found = partial(source("n: size, x: f32[8]", lines, copy=COPY).tree)
    assert found == why if why is None or found is None else why in found


@pytest.mark.parametrize(
    ("before", "call", "initialised"),
    [
        ("pass", "copy(x[0:4], x[4:8])", True),
        ("t: f32[4]\nt[0] = 1.0", "copy(t[0:4], x[0:4])", True),
        ("t: f32[4]\nt[0] = 1.0", "copy(x[0:4], t[0:4])", False),
        ("t: f32[4]\nfor i in seq(0, 4):\n    t[i] = 1.0\nw = t[0:4]", "copy(x[0:4], w)", True),
        ("t: f32[4]\nfor i in seq(0, n):\n    if i < 4:\n        t[i] = 1.0", "copy(x[0:4], t[0:4])", False),
    ],
)
def test_what_a_call_reads_must_be_initialised(before: str, call: str, initialised: bool) -> None:
    p = source("n: size, x: f32[8]", f"{before}\n{call}", copy=COPY)
    path = (("body", len(p.tree.body) - 1),)
    node = p.tree.body[-1]
    assert isinstance(node, Call)
    verdict = runs(p.tree, Span((), "body", path[0][1], path[0][1]), node)
    assert isinstance(verdict, Clash) != initialised
    assert initialised or "t, which f reads, is initialised" in str(verdict)


@pytest.mark.parametrize(
    ("before", "value", "because"),
    [
        ("pass", "2.0 * x[1] - relu(x[n])", None),
        ("t: f32[2]\nfor i in seq(0, 2):\n    t[i] = 1.0\nw = t[0:2]", "w[0] + t[1]", None),
        ("t: f32[2]\nt[0] = 1.0", "t[1]", "t, which the expression reads, is surely written before"),
        ("t: f32[2]\nw = t[0:2]", "w[0]", "t, which the expression reads, is surely written before"),
        ("pass", "1.0 / x[0]", "does not divide by zero"),
        ("pass", "x[0] / 2.0", None),
        ("pass", "sqrt(x[0])", "sqrt surely has a value"),
        ("pass", "Cfg.scale * x[0]", "Cfg.scale, which the expression reads, is surely written"),
    ],
)
def test_an_expression_that_surely_has_a_value(before: str, value: str, because: str | None) -> None:
    p = source("n: size, x: f32[n + 1]", f"{before}\nx[0] = {value}").tree
    path, last = (("body", len(p.body) - 1),), p.body[-1]
    assert isinstance(last, Assign)
    verdict = has_value(p, Span((), "body", path[0][1], path[0][1]), last.rhs)
    assert isinstance(verdict, Safe | Given) if because is None else because in str(verdict)
    assert not isinstance(verdict, Given) or [s.name for s in verdict.needs] == ["x"]
