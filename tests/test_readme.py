"""The examples in README.md and docs/ run, and print what is printed there.

A ```python block is a program of its own; a ```text block right after it is its output. Run as a script,
this file writes the outputs into the pages: look at what changed before committing it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

from exo_strat.ops import combinators, moves, traversals

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/guide.md", "docs/language.md", "docs/elevate.md", "docs/strategies.md"]
PAGES += ["docs/property-testing.md", "docs/gemmini.md", "docs/halide.md"]
PAGES += ["docs/new-target.md", "docs/new-primitive.md", "docs/import.md", "docs/numpy.md", "docs/mathlib.md"]
PAGES += ["docs/tuning.md", "docs/auto.md", "docs/editors.md", "docs/view.md", "docs/index.md", "docs/notebooks.md"]
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\s*```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[int, re.Match[str]]]:
    """The examples of a page, with the numbers of their lines."""
    text = (ROOT / page).read_text()
    return [(text[: m.start()].count("\n") + 1, m) for m in BLOCK.finditer(text)]


def run(code: str, folder: Path) -> str:
    """What a program prints, ending in a line's end."""
    (folder / "example.py").write_text(code)
    runner = started()
    assert runner.stdin is not None and runner.stdout is not None
    print(folder, file=runner.stdin, flush=True)
    status = int(runner.stdout.readline())
    assert status == 0, (folder / "errors").read_text()
    return (folder / "printed").read_text().rstrip() + "\n"


RUNNER = """
import os, runpy, sys
import exo_strat.testing, backends.targets, strategies.std
for folder in map(str.rstrip, sys.stdin):
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    os.chdir(folder)
    for stream, name in ((1, "printed"), (2, "errors")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    runpy.run_path("example.py", run_name="__main__")
    break
"""
"""A process of its own for each program, in which what takes long to import is there already."""


@cache
def started() -> subprocess.Popen[str]:
    """What runs the programs of the folders that it is told, one after the other, and tells how each ended."""
    return subprocess.Popen([sys.executable, "-c", RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


EXAMPLES = [pytest.param(m["code"], m["output"], id=f"{page}:{n}") for page in PAGES for n, m in examples(page)]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_an_example_prints_what_the_page_says(code: str, output: str | None, tmp_path: Path) -> None:
    printed = run(code, tmp_path)
    assert output is None or printed == output


def test_the_readme_shows_a_short_example_with_its_output_first() -> None:
    _, first = examples("README.md")[0]
    assert first["output"] is not None
    assert len([line for line in first["code"].splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_schedule_in_the_form_that_says_why_it_fails(page: str) -> None:
    assert not [n for n, m in examples(page) if re.search(r"\)\.unwrap\(\)|= *\w+\.unwrap\(\)", m["code"])]


def test_the_tour_lists_all_combinators_and_traversals() -> None:
    listed = set(re.findall(r"\w+", "".join(re.findall(r"`[^`\n]+`", (ROOT / "docs/guide.md").read_text()))))
    own = [n for m in (combinators, traversals) for n, v in vars(m).items() if is_own(m, n, v)]
    assert len(own) > 40
    assert [n for n in own if n not in listed] == []


def is_own(module: ModuleType, name: str, value: object) -> bool:
    """Whether a name of a module is for users, and of a thing that is defined there."""
    here = getattr(value, "__module__", "") == module.__name__
    return here and name.islower() and not name.startswith("_") and name != "free_labels"


def test_the_tour_has_the_table_of_the_moves() -> None:
    table = (moves.__doc__ or "").partition("| Move")[2]
    assert table in (ROOT / "docs/guide.md").read_text()


def write_outputs(page: Path, folder: Path) -> None:
    """Put what the examples of a page print into the page."""

    def filled(m: re.Match[str]) -> str:
        if m["output"] is None:
            return m[0]
        start, end = (i - m.start() for i in m.span("output"))
        return m[0][:start] + run(m["code"], folder) + m[0][end:]

    page.write_text(BLOCK.sub(filled, page.read_text()))


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for page in PAGES:
            write_outputs(ROOT / page, Path(folder))
