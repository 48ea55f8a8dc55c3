"""HTML for notebooks: escaped, bounded, without scripts."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from exo_strat import proc_from_source
from exo_strat.ir.html import (
    FOLDED,
    LARGEST,
    SHOWN,
    WIDEST,
    Row,
    around,
    as_code,
    bold,
    box,
    changes,
    code,
    dim,
    ended,
    escaped,
    folded,
    joined,
    object_code,
    paragraph,
    table,
)
from exo_strat.ir.hunks import hunks

NASTY = "<script>alert('x')</script> & \"q\""


class Reader(HTMLParser):
    """The text and the tags of a piece of HTML, which must be nested properly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text, self.tags, self.attributes, self.open = "", set[str](), set[str](), list[str]()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    "shown",
    [
        escaped(NASTY),
        table([NASTY], [[NASTY]]),
        code([Row(NASTY), Row(NASTY, "here"), Row(NASTY, "old"), Row(NASTY, part="alert")]),
        changes([NASTY], hunks([NASTY], [NASTY + "2"])),
    ],
)
def test_text_never_becomes_markup(shown: str) -> None:
    found = Reader(shown)
    assert "script" not in found.tags
    assert NASTY in found.text


def test_only_styles_and_open_folds_are_attributes() -> None:
    parts = [bold(escaped("b")), dim(escaped("d")), as_code(escaped("c")), ended(True), paragraph(escaped("p"))]
    found = Reader(box(*parts, folded(escaped("s"), joined(*parts), is_open=True), table(["h"], [["c"]])))
    assert found.attributes == {"style", "open"}


def test_colours_are_said_in_words_and_signs_too() -> None:
    assert Reader(ended(True)).text.strip() == "refused"
    assert Reader(ended(False)).text.strip() == "ok"
    rows = [Row("a", "old"), Row("b", "new"), Row("c")]
    assert Reader(code(rows)).text == "- a\n+ b\n  c"
    assert Reader(code([Row("a", "here"), Row("b")])).text == "--> a\n    b"


def test_long_code_is_folded_and_then_counted() -> None:
    shown = code([Row(f"line {n}") for n in range(5000)])
    text = Reader(shown).text
    assert f"line {SHOWN + FOLDED - 1}" in text and f"line {SHOWN + FOLDED}\n" not in text
    assert f"{5000 - SHOWN} more lines" in text and f"{5000 - SHOWN - FOLDED} more lines are left out" in text


def test_a_few_lines_more_are_not_folded() -> None:
    assert "details" not in Reader(code([Row("x")] * (SHOWN + 5))).tags
    assert "details" in Reader(code([Row("x")] * (2 * SHOWN))).tags


def test_long_lines_are_cut_and_many_of_them_left_out() -> None:
    assert "(600 more characters)" in code([Row("x" * (WIDEST + 600))])
    assert len(code([Row("x" * 10_000)] * 10_000)) < 2 * LARGEST


P = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        if i > 2:
            x[i] = 0.0
            y[i] = 0.0
        else:
            x[i] = y[i] + y[i]
    for i in seq(0, n):
        x[i] = 1.0
""")


def test_a_place_is_marked_with_what_is_inside_of_it() -> None:
    lines = Reader(around(P.tree, (("body", 0), ("body", 0)))).text.splitlines()
    assert lines[2] == "-->         if i > 2:"
    assert lines[0] == "    def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):"
    inside = around(P.tree, (("body", 0), ("body", 0))).count("rgba(230,159,0,.12)")
    assert inside == 4  # two assignments, the else, an assignment


def test_an_else_after_a_place_is_not_inside_of_it() -> None:
    shown = around(P.tree, (("body", 0), ("body", 0), ("body", 1)))
    assert "rgba(230,159,0,.12)" not in shown


def test_a_part_is_underlined_if_its_text_tells_it() -> None:
    path = (("body", 0), ("body", 0), ("orelse", 0))
    assert "<u>x[i]</u>" in around(P.tree, path, "x[i]")
    assert "<u>" not in around(P.tree, path, "y[i]")


def test_what_is_far_from_a_place_is_left_out() -> None:
    many = proc_from_source("def bar(x: f32):\n" + "    x = 1.0\n" * 1000)
    lines = Reader(around(many.tree, (("body", 500),))).text.splitlines()
    assert len(lines) == 9 and lines[0].strip() == lines[-1].strip() == "…"


def test_a_procedure_of_thousands_of_lines_is_small() -> None:
    many = proc_from_source("def bar(x: f32):\n" + "    x = 1.0\n" * 5000)
    assert len(object_code(many.tree)) < 50_000


def test_of_a_change_some_lines_around_are_shown() -> None:
    old = [f"line {n}" for n in range(100)]
    new = [*old[:50], "new", *old[51:]]
    lines = Reader(changes(old, hunks(old, new))).text.splitlines()
    assert lines == ["  …", "  line 48", "  line 49", "- line 50", "+ new", "  line 51", "  line 52", "  …"]
