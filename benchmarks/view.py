"""What the film of a long schedule takes: bytes, memory, and milliseconds for a step in a browser.

    python -m benchmarks.view

The schedule is that of `exo-strat demo sgemm`. It needs Chromium with its driver, and selenium.
"""

from __future__ import annotations

import resource
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from selenium import webdriver

from backends.listing import listing
from backends.targets import best_machine
from benchmarks.measure import show
from exo_strat import trace
from exo_strat.view import film, page, reels
from strategies.gemm import gemm
from strategies.programs import sgemm

STEPS = """
const found = [];
DATA.films.forEach((film, n) => {
    load(n);
    for (let k = 0; k <= LAST; k++) {
        const begin = performance.now();
        go(k);
        document.body.offsetHeight;  // laid out
        found.push(performance.now() - begin);
    }
});
return found;
"""
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--window-size=1400,900")


def steps(path: Path) -> list[float]:
    """Milliseconds of each step of all films of a page."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        browser.get(path.as_uri())
        found: list[float] = browser.execute_script(STEPS)
        return found
    finally:
        browser.quit()


def main() -> None:
    """Prints the table."""
    machine = best_machine()
    traced = trace(gemm(machine), sgemm)[1]
    p = traced.reached
    begin = time.process_time()
    among = reels(p)
    films = [film(p, traced, among=among), *(film(q, among=among) for q in among[1:])]
    text = page(films, p.name(), listing(p, machine))
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "film.html")
        path.write_text(text, encoding="utf-8")
        times = sorted(steps(path))
    rows = [
        ("rewrites", sum(len(f.frames) - 1 for f in films)),
        ("seconds to make it", f"{seconds:.1f}"),
        ("memory at most, MB", f"{memory:.0f}"),
        ("bytes", f"{len(text.encode()):,}"),
        ("a step, ms: median", f"{median(times):.0f}"),
        ("a step, ms: 99 of 100 within", f"{times[len(times) * 99 // 100]:.0f}"),
    ]
    show(f"The film of {p.name()}, {machine}", ("what", "how much"), rows)


if __name__ == "__main__":
    main()
