"""The moving picture of a rewrite: what is in it, that it stays small, and that it runs without a script."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from exo_strat import *
from exo_strat.view.changes import MARKS, Kind
from exo_strat.view.clip import MOST_LINES, clip, style

MOST_BYTES = 60_000
VOID = {"input", "br", "meta"}


@proc
def zero(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 0.0


class Lines(HTMLParser):
    """The lines of a clip, by version: classes, mark and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: dict[str, list[tuple[str, str]]] = {"before": [], "after": []}
        self.version = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, "every element ends"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "div" and given.get("class") in self.found:
            self.version = given["class"] or ""
        if tag == "span" and (given.get("class") or "").startswith("l "):
            self.found[self.version].append(((given["class"] or "").split()[1], ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.version and "span" in self.open and "pre" in self.open:
            kind, text = self.found[self.version][-1]
            self.found[self.version][-1] = kind, text + data


def lines(html: str, version: str) -> list[str]:
    """The lines of a version, without their marks."""
    return [text.removeprefix(MARKS[Kind(kind)]).rstrip() for kind, text in Lines(html).found[version]]


def test_before_and_after_are_shown_as_they_print() -> None:
    q = divide_loop.direct(zero, "i", 4, ("io", "ii"), tail="cut")
    html = clip(q, "divide_loop")
    assert lines(html, "before") == str(zero).splitlines()
    assert lines(html, "after") == str(q).splitlines()


def test_lines_that_stay_travel_from_where_they_were() -> None:
    html = clip(add_loop.direct(zero, "x[_] = _", "k", 2), "add_loop")
    [moved] = re.findall(r'<span class="l moved"[^>]*>', html.partition('<div class="after"')[2])
    assert 'style="--x:-4;--y:-1"' in moved, "it comes from one row above, four characters to the left"


def test_it_is_the_last_rewrite_that_is_shown() -> None:
    q = rename.direct(divide_loop.direct(zero, "i", 4, ("io", "ii"), tail="cut"), "nil")
    assert lines(clip(q, "rename"), "before") == str(q.parent).splitlines()
    assert [kind for kind, _ in Lines(clip(q, "rename")).found["after"]].count("edited") == 1


def test_no_script_and_no_request() -> None:
    html = clip(rename.direct(zero, "nil"), "a < b")
    assert "<script" not in html and "://" not in html and "url(" not in html
    assert not re.search(r"<[^>]* on\w+=", html), "no handler of an event"
    assert "a &lt; b" in html


def test_a_long_version_is_shown_around_its_changes() -> None:
    p = proc_from_source("def foo(x: f32[500]):\n" + "".join(f"    x[{i}] = 0.0\n" for i in range(500)))
    html = clip(p_swapped := reorder_stmts.direct(p, p.body()[250:252]), "reorder_stmts")
    shown = lines(html, "after")
    assert len(shown) < 12 and "⋯ 249 lines" in shown[0] and "    x[251] = 0.0" in shown
    assert len(str(p_swapped).splitlines()) == 501


def test_its_size_is_bounded() -> None:
    p = proc_from_source("def foo(x: f32[2000]):\n    for i in seq(0, 2000):\n        x[i] = 0.0\n")
    html = clip(unroll_loop.direct(p, "i"), "unroll_loop")
    assert len(html.encode()) < MOST_BYTES and len(lines(html, "after")) <= MOST_LINES + 2


def test_a_very_long_line_is_cut() -> None:
    p = proc_from_source("def foo(x: f32):\n    x = " + " + ".join(["1.0"] * 300))
    assert len(clip(rename.direct(p, "bar"), "rename").encode()) < MOST_BYTES


def test_a_procedure_that_no_rewrite_made_has_none() -> None:
    with pytest.raises(ValueError, match="zero is as it was written"):
        clip(zero, "zero")


def test_the_style_has_the_colours_of_the_film_in_dark_and_light() -> None:
    colours = re.findall(r"--(\w+): light-dark\((#\w+), (#\w+)\);", style())
    assert {str(k) for k in Kind} - {"same"} <= {name for name, _, _ in colours}
    assert all(light != dark for _, light, dark in colours)
    assert "prefers-reduced-motion: reduce" in style() and "prefers-color-scheme: dark" in style()
    used = {*re.findall(r"var\(--(\w+)", style())} - {"x", "y", "there", "time"}
    assert used <= {name for name, _, _ in colours}
