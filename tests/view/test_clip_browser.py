"""Clips in a browser: they move, stop when asked to, and stand side by side for who wants no motion. Needs Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from exo_strat import *
from exo_strat.view.clip import SECONDS, clip

webdriver = pytest.importorskip("selenium.webdriver")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium with its driver here")


@contextmanager
def browser(*flags: str) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", *flags):
        options.add_argument(flag)
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield found
    finally:
        found.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    p = proc_from_source("def zero(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    file = tmp_path_factory.mktemp("clip") / "clip.html"
    text = clip(add_loop.direct(p, "x[_] = _", "k", 2), "add_loop")
    file.write_text(f"<!DOCTYPE html><html><head></head><body>{text}</body></html>", encoding="utf-8")
    return Path(file).as_uri()


AT = """
for (const a of document.getAnimations()) { a.pause(); a.currentTime = arguments[0]; }
const box = (s) => document.querySelector(s).getBoundingClientRect(), stage = document.querySelector('.stage');
return {moved: box('.after .moved').top - box('.after').top, height: box('.after .l').height,
        new: +getComputedStyle(document.querySelector('.after .new')).opacity,
        spare: stage.scrollWidth - stage.clientWidth};
"""


def test_a_line_travels_and_a_new_one_fades_in(page: str) -> None:
    with browser() as b:
        b.get(page)
        start, middle, end = (b.execute_script(AT, 1000 * SECONDS * part) for part in (0.1, 0.33, 0.7))
        assert end["moved"] - start["moved"] == pytest.approx(start["height"], abs=1)
        assert start["moved"] < middle["moved"] < end["moved"]
        assert (start["new"], end["new"]) == (0, 1) and 0 < middle["new"] < 1
        assert {x["spare"] for x in (start, middle, end)} == {0}, "nothing to scroll comes and goes"


def test_before_and_after_can_be_looked_at_alone(page: str) -> None:
    with browser() as b:
        b.get(page)
        shown = "return ['before', 'after'].map(c => getComputedStyle(document.querySelector('.' + c)).visibility)"
        for value, expected in (("before", ["visible", "hidden"]), ("after", ["hidden", "visible"])):
            b.find_element("css selector", f"input[value={value}]").click()
            assert b.execute_script(shown) == expected
            assert b.execute_script("return document.getAnimations().length") == 0


def test_who_prefers_no_motion_sees_both_side_by_side(page: str) -> None:
    with browser("--force-prefers-reduced-motion", "--window-size=1200,800") as b:
        b.get(page)
        assert b.execute_script("return document.getAnimations().length") == 0
        left, right = (b.find_element("css selector", f".{name} pre").rect for name in ("before", "after"))
        assert left["x"] + left["width"] <= right["x"] and left["y"] == right["y"]
        assert not b.find_element("css selector", "form").is_displayed()
