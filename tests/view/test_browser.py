"""The page in a browser: slider, keys, search, time, themes, a narrow screen. Needs Chromium and its driver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backends.listing import listing
from backends.targets import avx2
from exo_strat import *
from exo_strat.view import film, page
from strategies.gemm import schedule_sgemm

webdriver = pytest.importorskip("selenium.webdriver")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium with its driver here")

MOST_BYTES = 2_000_000
MOST_MS = 100
"""What the film of a long schedule may take: on disk, and for a step."""

SHIFT = """
def shift(n: size, x: f32[n + 1], y: f32[n]):
    for i in seq(0, n):
        y[i] = 2.0 * x[i]
        x[i + 1] = x[i]
"""


def driver(width: int, height: int) -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
                 "--no-first-run", "--disable-component-update", f"--window-size={width},{height}"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The film of sgemm, and of a small strategy with a refusal."""
    folder = tmp_path_factory.mktemp("view")
    sgemm = schedule_sgemm(avx2)
    refused = at("for i in _: _", parallelize_loop() | divide_loop(4, ("io", "ii"), tail="cut"))
    outcome, t = trace(refused, proc_from_source(SHIFT))
    made = {"sgemm": (sgemm, film(sgemm)), "shift": (outcome.unwrap()[0], film(outcome.unwrap()[0], t))}
    found = {}
    for name, (p, shown) in made.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(page(shown, name, listing(p, avx2)), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    found = driver(1400, 900)
    yield found
    found.quit()


def opened(browser: Any, path: Path) -> Any:
    browser.get(path.as_uri())
    assert browser.execute_script("return state.k") == 0
    return browser


def errors(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def press(browser: Any, *keys: str) -> None:
    for key in keys:
        browser.execute_script(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key
        )


def test_the_film_of_a_long_schedule_is_small_and_quick(browser: Any, pages: dict[str, Path]) -> None:
    assert pages["sgemm"].stat().st_size < MOST_BYTES
    opened(browser, pages["sgemm"])
    times = browser.execute_script("""
        const found = [];
        for (let n = 0; n <= 60; n++) {
            const k = Math.round(LAST * n / 60), begin = performance.now();
            go(k);
            document.body.offsetHeight;  // laid out
            found.push(performance.now() - begin);
        }
        return found;""")
    assert sorted(times)[len(times) // 2] < MOST_MS and max(times) < 3 * MOST_MS, times
    assert not errors(browser)


def test_every_version_is_shown_as_it_prints(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["sgemm"])
    versions = [*schedule_sgemm(avx2).versions()][::-1]
    for k in range(0, len(versions), max(1, len(versions) // 12)):
        browser.execute_script("go(arguments[0])", k)
        shown = browser.execute_script(
            "return [...document.querySelectorAll('#lines [data-i]')].map(e => [...e.childNodes].slice(2).map(n => n.textContent).join(''))"
        )
        assert [s.rstrip() for s in shown] == [s.rstrip() for s in str(versions[k]).splitlines()]


def test_slider_keys_and_buttons_move_through_time(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["sgemm"])
    last = browser.execute_script("return LAST")
    for keys, k in ((("ArrowRight", "ArrowRight"), 2), (("ArrowLeft",), 1), (("End",), last), (("Home",), 0)):
        press(browser, *keys)
        assert browser.execute_script("return state.k") == k
    browser.find_element("id", "next").click()
    assert browser.find_element("id", "count").text.startswith("1 of ")
    browser.execute_script(
        "const s = document.getElementById('slider'); s.value = 40; s.dispatchEvent(new Event('input'))"
    )
    assert browser.execute_script("return state.k") == 40


def test_search_finds_the_rewrite_that_brought_in_a_line(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["shift"])
    field = browser.find_element("id", "search")
    field.send_keys("for ii in")
    assert "divide_loop" in browser.find_element("id", "hits").text
    field.send_keys("\n")
    assert browser.execute_script("return state.k") == 1
    assert "for ii in" in browser.find_element("css selector", "#lines .selected").text


def test_a_click_on_a_statement_tells_its_life(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["shift"])
    browser.find_element("css selector", "#lines [data-i='2']").click()
    about = browser.find_element("id", "about").text
    assert "Where it comes from" in about and "Where it goes" in about and "divide_loop" in about
    press(browser, "ArrowRight")
    assert "y[" in browser.find_element("css selector", "#lines .selected").text


def test_a_refusal_is_shown_with_its_counterexample(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["shift"])
    browser.find_element("xpath", "//button[contains(., 'Refusals')]").click()
    browser.find_element("css selector", "#about [data-step]").click()
    about = browser.find_element("id", "about")
    assert "not true" in about.text and about.find_elements("tag name", "svg")


def test_c_and_assembly_are_linked_to_the_object_code(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["shift"])
    browser.find_element("id", "code").click()
    [line] = [e for e in browser.find_elements("css selector", "#listing [data-c]") if "2.0f * x[" in e.text][:1]
    line.click()
    chosen = [e.text for e in browser.find_elements("css selector", "#listing .selected")]
    assert any("y[" in t and "= 2.0 * x[" in t for t in chosen) and len(chosen) >= 3


@pytest.mark.parametrize("name", ["dark", "light"])
def test_both_themes_can_be_read(browser: Any, pages: dict[str, Path], name: str) -> None:
    """Contrast of text and background, as WCAG computes it, is at least 4.5."""
    opened(browser, pages["shift"])
    browser.execute_script("theme(arguments[0]); go(1)", name)
    worst = browser.execute_script("""
        const style = getComputedStyle(document.documentElement);
        const value = (n) => style.getPropertyValue(n).trim();
        const light = (hex) => {
            const c = hex.length === 4 ? [...hex.slice(1)].map((x) => x + x) : hex.slice(1).match(/../g);
            const [r, g, b] = c.map((x) => parseInt(x, 16) / 255).map((x) => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
            return .2126 * r + .7152 * g + .0722 * b;
        };
        const ratio = (a, b) => { const [x, y] = [light(value(a)), light(value(b))].sort((p, q) => q - p); return (x + .05) / (y + .05); };
        const pairs = ["--back", "--panel", "--new", "--edited", "--moved", "--copied", "--selected"].map((b) => ["--text", b]);
        pairs.push(["--goneText", "--gone"], ["--dim", "--back"], ["--dim", "--panel"]);
        return Math.min(...pairs.map(([a, b]) => ratio(a, b)));""")
    assert worst >= 4.5
    assert browser.execute_script("return document.documentElement.dataset.theme") == name


def test_a_narrow_screen_shows_all_without_scrolling_sideways(pages: dict[str, Path]) -> None:
    narrow = driver(390, 800)
    try:
        opened(narrow, pages["shift"])
        wide = narrow.execute_script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 1
        for name in ("film", "tree", "side", "slider"):
            assert narrow.find_element("id", name).size["width"] > 100
    finally:
        narrow.quit()
