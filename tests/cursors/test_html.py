"""How procedures and cursors show in a notebook."""

from __future__ import annotations

import pytest

from exo_strat import delete_pass, instr, proc_from_source, rename, schedule, size
from exo_strat.cursors.cursor import Cursor, NodeCursor

P = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * y[i]
        y[i] = 0.0
    pass
""")


def shown(value: object) -> str:
    return str(value._repr_html_())  # type: ignore[attr-defined]


def marked(value: object) -> list[str]:
    """The lines that are marked, less their tags."""
    lines = shown(value).replace("<b>", "").replace("</b>", "").replace("<u>", "").replace("</u>", "").splitlines()
    return [line.partition("--&gt; ")[2] or line.partition("--> ")[2] for line in lines if "--> " in line]


def test_a_procedure_shows_its_code_and_how_many_rewrites_made_it() -> None:
    assert "<b>for</b> i in seq(0, n):" in shown(P)
    assert "rewrite" not in shown(P)
    assert "made by 1 rewrite<" in shown(schedule(rename("bar"), P))


def test_what_a_text_says_is_no_markup() -> None:
    @instr("if (a < b && b > c) {n};")
    def wait(n: size):
        pass

    assert "if (a &lt; b &amp;&amp; b &gt; c)" in shown(wait)
    assert "a < b" not in shown(wait)


PLACES = {
    "a loop": (P.find_loop("i"), "    for i in seq(0, n):"),
    "an assignment": (P.find("y[_] = _"), "        y[i] = 0.0"),
    "an argument": (P.args()[1], "def foo(n: size, x: f32[n] @ DRAM, y: f32[n] @ DRAM):"),
    "an operation": (P.find("2.0 * y[_]"), "        x[i] = 2.0 * y[i]"),
    "a gap": (P.find("y[_] = _").before(), "        y[i] = 0.0"),  # type: ignore[attr-defined]
}


@pytest.mark.parametrize("kind", PLACES)
def test_a_cursor_shows_its_place(kind: str) -> None:
    cursor, line = PLACES[kind]
    (found,) = marked(cursor)
    assert found.removesuffix("</pre></div>").startswith(line)


def test_an_expression_is_underlined() -> None:
    assert "<u>2.0 * y[i]</u>" in shown(P.find("2.0 * y[_]"))


def test_all_statements_of_a_block_are_marked() -> None:
    assert len(marked(P.find_loop("i").body())) == 2  # type: ignore[attr-defined]


def test_a_gap_says_on_which_side_it_is() -> None:
    assert "the gap is after this" in shown(P.find("y[_] = _").after())  # type: ignore[attr-defined]


def test_the_cursor_of_a_procedure_shows_all_of_it() -> None:
    assert shown(P.root()) == shown(P)


def test_a_cursor_to_nothing_says_so() -> None:
    gone: Cursor = schedule(delete_pass(), P).forward(P.find("pass"))
    for cursor in (gone, NodeCursor(P, (("body", 7),))):
        assert "code that is gone" in shown(cursor)


def test_every_cursor_of_a_procedure_can_be_shown() -> None:
    assert all("<pre" in shown(c) for c in P.root().descendants())
