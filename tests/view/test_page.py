"""The page: one file, of which nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import re

from exo_strat import *
from exo_strat.view import Listing, Panel, film, page


@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


SPLIT = at("for i in _: _", divide_loop(8, ("io", "ii"), tail="cut"))


def data_of(text: str) -> dict[str, object]:
    [found] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    loaded: dict[str, object] = json.loads(found)
    return loaded


def test_nothing_is_loaded() -> None:
    text = page([film(schedule(SPLIT, scale))], "scale")
    assert not re.search(r"(src|href)\s*=\s*[\"'](?!data:|#)", text)
    assert "@import" not in text and "url(" not in text and "fetch(" not in text and "XMLHttpRequest" not in text
    assert "default-src 'none'" in text


def test_no_text_ends_the_data() -> None:
    nasty = "</script><script>alert(1)</script>"
    text = page(
        [film(schedule(SPLIT, scale))], nasty, Listing((nasty,), (-1,), (-1,), (nasty,), (0,)), [Panel(nasty, nasty)]
    )
    assert data_of(text)["code"]["c"] == [nasty]  # type: ignore[index]
    assert "<title>&lt;/script&gt;" in text
    assert text.count("<script") == 2


def test_the_same_film_gives_the_same_page() -> None:
    pages = {page([film(schedule(SPLIT, scale))], "scale") for _ in range(3)}
    assert len(pages) == 1
