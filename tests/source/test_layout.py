"""Long expressions on several lines, and cut short."""

from __future__ import annotations

import ast

import pytest

from exo_strat.source import brief, layout

LONG = "seq(at('for i in _: _', divide_loop(4, ('io', 'ii'))), at('x = f(a, b)', attempt(rename('new'))), identity)"


def test_what_fits_stays_on_one_line() -> None:
    assert layout(LONG, len(LONG)) == LONG
    assert layout("identity", 3) == "identity"


def test_what_does_not_fit_is_broken_at_commas_from_the_outside_in() -> None:
    assert layout(LONG, 60) == """\
seq(
    at('for i in _: _', divide_loop(4, ('io', 'ii'))),
    at('x = f(a, b)', attempt(rename('new'))),
    identity,
)"""
    assert layout(LONG, 45) == """\
seq(
    at(
        'for i in _: _',
        divide_loop(4, ('io', 'ii')),
    ),
    at(
        'x = f(a, b)',
        attempt(rename('new')),
    ),
    identity,
)"""


def test_brackets_around_one_argument_stay_together() -> None:
    assert layout("repeat(savec(seq(rename('first'), rename('second'))))", 30) == """\
repeat(savec(seq(
    rename('first'),
    rename('second'),
)))"""


def test_the_parameters_of_a_lambda_stay_together() -> None:
    assert layout("fix(lambda first, second: seq(first, second), [x for x in y])", 30) == """\
fix(
    lambda first, second: seq(
        first,
        second,
    ),
    [x for x in y],
)"""


@pytest.mark.parametrize("width", [1, 20, 40, 80])
@pytest.mark.parametrize(
    "text",
    [
        LONG,
        "f('it\\'s, (', \"[\", {'a': (1,), 'b': [2, 3]}, x[1:2, 3], lambda: (yes, no), *rest, key=value(1, 2))",
        "reframe(moves.find('x') >> moves.nth(0), fix(lambda x, y=(1, 2): try_else(x, y)))",
        "any(x for x in some(thing, other))",
    ],
)
def test_the_layout_means_the_same(text: str, width: int) -> None:
    assert ast.dump(ast.parse(layout(text, width))) == ast.dump(ast.parse(text))
    ast.parse(brief(text, width))


def test_brief_leaves_out_what_is_deepest() -> None:
    assert brief(LONG, len(LONG)) == LONG
    assert brief(LONG, 90) == "seq(at('for i in _: _', divide_loop(...)), at('x = f(a, b)', attempt(...)), identity)"
    assert brief(LONG, 40) == "seq(at(...), at(...), identity)"
    assert brief(LONG, 10) == "seq(...)"
    assert brief("identity", 3) == "identity"
