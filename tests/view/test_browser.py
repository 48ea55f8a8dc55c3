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
from exo_strat.view import film, page, reels
from strategies.gemm import schedule_sgemm

webdriver = pytest.importorskip("selenium.webdriver")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (BROWSER and DRIVER), reason="no Chromium with its driver here")

MOST_BYTES = 2_000_000
"""What the film of a long schedule may take."""

SHIFT = """
def shift(n: size, x: f32[n + 1], y: f32[n]):
    for i in seq(0, n):
        y[i] = 2.0 * x[i]
        x[i + 1] = x[i]
"""


CONTRAST = """
const style = getComputedStyle(document.documentElement);
const value = (n) => style.getPropertyValue(n).trim();
const linear = (x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const light = (hex) => {
    const [r, g, b] = hex.slice(1).match(/../g).map((x) => linear(parseInt(x, 16) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = ([a, b]) => {
    const [x, y] = [light(value(a)), light(value(b))].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
};
const backs = ["--back", "--panel", "--new", "--edited", "--moved", "--copied", "--selected"];
const pairs = backs.map((b) => ["--text", b]);
pairs.push(["--goneText", "--gone"], ["--dim", "--back"], ["--dim", "--panel"]);
return Math.min(...pairs.map(ratio));
"""
STEPS = """
DATA.films.forEach((film, n) => {
    load(n);
    for (let k = 0; k <= LAST; k++) go(k);
});
return DATA.films.reduce((n, film) => n + film.frames.length - 1, 0);
"""
SHOWN = """
const rows = [...document.querySelectorAll("#lines [data-i]")];
return rows.map((e) => [...e.childNodes].slice(2).map((n) => n.textContent).join(""));
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
def sgemm() -> Proc:
    """A schedule of hundreds of rewrites in 21 procedures."""
    return schedule_sgemm(avx2)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, sgemm: Proc) -> dict[str, Path]:
    """The film of sgemm, and of a small strategy with a refusal."""
    folder = tmp_path_factory.mktemp("view")
    refused = at("for i in _: _", parallelize_loop() | divide_loop(4, ("io", "ii"), tail="cut"))
    outcome, t = trace(refused, proc_from_source(SHIFT))
    shift = outcome.unwrap()[0]
    made = {"sgemm": (sgemm, [film(p, among=reels(sgemm)) for p in reels(sgemm)]), "shift": (shift, [film(shift, t)])}
    found = {}
    for name, (p, films) in made.items():
        found[name] = folder / f"{name}.html"
        title = f"{name}, with a title that is longer than a narrow screen is wide"
        found[name].write_text(page(films, title, listing(p, avx2)), encoding="utf-8")
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


def test_all_steps_of_a_long_schedule_are_shown(browser: Any, pages: dict[str, Path]) -> None:
    """How long a step takes is measured by `python -m benchmarks.view`."""
    assert pages["sgemm"].stat().st_size < MOST_BYTES
    opened(browser, pages["sgemm"])
    assert browser.execute_script(STEPS) > 400
    assert not errors(browser)


def test_every_version_is_shown_as_it_prints(browser: Any, pages: dict[str, Path], sgemm: Proc) -> None:
    opened(browser, pages["sgemm"])
    for n, p in enumerate(reels(sgemm)[:4]):
        browser.execute_script("load(arguments[0])", n)
        for k, version in [*enumerate([*p.versions()][::-1])][::10]:
            browser.execute_script("go(arguments[0])", k)
            shown = browser.execute_script(SHOWN)
            assert [s.rstrip() for s in shown] == [s.rstrip() for s in str(version).splitlines()]


def test_slider_keys_and_buttons_move_through_time(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["sgemm"])
    last = browser.execute_script("return LAST")
    for keys, k in ((("ArrowRight", "ArrowRight"), 2), (("ArrowLeft",), 1), (("End",), last), (("Home",), 0)):
        press(browser, *keys)
        assert browser.execute_script("return state.k") == k
    browser.find_element("id", "next").click()
    assert browser.find_element("id", "count").text.startswith("1 of ")
    browser.execute_script(
        "const s = document.getElementById('slider'); s.value = 10; s.dispatchEvent(new Event('input'))"
    )
    assert browser.execute_script("return state.k") == 10


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


def test_a_call_leads_to_the_film_of_what_is_called(browser: Any, pages: dict[str, Path], sgemm: Proc) -> None:
    opened(browser, pages["sgemm"])
    procs = reels(sgemm)
    line, n = next(iter(film(sgemm, among=procs).calls.items()))
    browser.execute_script("go(LAST, arguments[0], 'Statement')", line)
    browser.find_element("css selector", "#about [data-film]").click()
    assert browser.execute_script("return [state.film, FILM.name]") == [n, procs[n].name()]


@pytest.mark.parametrize("place", ["of=x&step=y&line=z", "of=-3&step=-1", "of=99&step=99999&line=99999", "%"])
def test_an_address_that_leads_nowhere(browser: Any, pages: dict[str, Path], place: str) -> None:
    browser.get("about:blank")
    browser.get(f"{pages['shift'].as_uri()}#{place}")
    assert browser.find_elements("css selector", "#lines [data-i]") and not errors(browser)


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


def test_assembly_without_a_line_of_c_is_linked_to_nothing(browser: Any, pages: dict[str, Path]) -> None:
    opened(browser, pages["sgemm"])
    browser.find_element("id", "code").click()
    alone = browser.execute_script("return sources.flatMap((x, i) => (x < 0 ? [i] : []))")
    assert len(alone) > 1
    browser.execute_script("document.querySelector(`#listing [data-a='${arguments[0]}']`).click()", alone[0])
    assert len(browser.find_elements("css selector", "#listing .selected")) == 1


@pytest.mark.parametrize("name", ["dark", "light"])
def test_both_themes_can_be_read(browser: Any, pages: dict[str, Path], name: str) -> None:
    """Contrast of text and background, as WCAG computes it, is at least 4.5."""
    opened(browser, pages["shift"])
    browser.execute_script("theme(arguments[0]); go(1)", name)
    worst = browser.execute_script(CONTRAST)
    assert worst >= 4.5
    assert browser.execute_script("return document.documentElement.dataset.theme") == name


def test_a_narrow_screen_shows_all_without_scrolling_sideways(pages: dict[str, Path]) -> None:
    narrow = driver(390, 800)
    try:
        opened(narrow, pages["shift"])
        page_width, screen = narrow.execute_script(
            "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
        )
        assert page_width <= screen + 1
        for name in ("film", "tree", "side", "slider"):
            assert narrow.find_element("id", name).size["width"] > 100
    finally:
        narrow.quit()
