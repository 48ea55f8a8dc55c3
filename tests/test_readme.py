"""The examples in README.md and docs/ run, and print what is printed there.

A ```python block is a program of its own; a ```text block right after it is its output. Run as a script,
this file writes the outputs into the pages: look at what changed before committing it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

from exo_strat.ops import combinators, moves, traversals

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/guide.md", "docs/language.md", "docs/elevate.md", "docs/strategies.md"]
PAGES += ["docs/property-testing.md", "docs/gemmini.md", "docs/halide.md"]
PAGES += ["docs/new-target.md", "docs/new-primitive.md", "docs/import.md", "docs/numpy.md", "docs/mathlib.md"]
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\s*```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[int, re.Match[str]]]:
    """The examples of a page, with the numbers of their lines."""
    text = (ROOT / page).read_text()
    return [(text[: m.start()].count("\n") + 1, m) for m in BLOCK.finditer(text)]


def run(code: str, folder: Path) -> str:
    """What a program prints, ending in a line's end."""
    script = folder / "example.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip() + "\n"


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
