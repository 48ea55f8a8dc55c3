"""The examples in README.md and docs/ run, and print what is printed there.

A ```python block is a program of its own; a ```text block right after it is its output.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "docs/guide.md"]
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\s*```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[str, int, str, str | None]]:
    text = (ROOT / page).read_text()
    return [(page, text[: m.start()].count("\n") + 1, m["code"], m["output"]) for m in BLOCK.finditer(text)]


EXAMPLES = [e for page in PAGES for e in examples(page)]


@pytest.mark.parametrize(("page", "line", "code", "output"), EXAMPLES, ids=[f"{e[0]}:{e[1]}" for e in EXAMPLES])
def test_an_example_prints_what_the_page_says(
    page: str, line: int, code: str, output: str | None, tmp_path: Path
) -> None:
    script = tmp_path / "example.py"
    script.write_text(code)
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    if output is not None:
        assert run.stdout.rstrip() == output.rstrip()


def test_the_readme_shows_an_example_with_its_output_first() -> None:
    _, _, code, output = examples("README.md")[0]
    assert output is not None
    assert len([line for line in code.splitlines() if line.strip()]) <= 12
