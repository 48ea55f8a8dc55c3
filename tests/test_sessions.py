"""The sessions in docs/: files that a page shows, and commands on them, with what they print.

A block whose fence names a file, such as ```c product.c, is that file. A ```sh run block is run, in the page's order
and in one folder; a ```text block right after it is what it prints. Run as a script, this file writes that into the
pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from backends.cpu import features

ROOT = Path(__file__).parent.parent
PAGES = ["docs/auto.md", "docs/import.md", "docs/package.md", "docs/threads.md"]
BLOCK = re.compile(
    r"^```\w+ (?P<name>\S+)\n(?P<code>.*?)^```\n(?:\s*```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


def session(m: re.Match[str], folder: Path) -> str:
    """What a block of a page prints, after those before it."""
    if m["name"] != "run":
        (folder / m["name"]).write_text(m["code"])
        return ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "CC": "cc", "EXO_STRAT_DATA_DIR": str(folder / "data")}
    command = ["bash", "-ec", m["code"]]
    ran = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0, ran.stdout
    return ran.stdout.rstrip() + "\n"


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_the_page_says(page: str, tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    if not {"avx2", "fma", "f16c"} <= features():
        pytest.skip("the pages are for processors with AVX2")
    for m in BLOCK.finditer((ROOT / page).read_text()):
        printed = session(m, tmp_path)
        assert m["output"] is None or printed == m["output"]


def write_outputs(page: Path, folder: Path) -> None:
    """Put what the commands of a page print into the page."""

    def filled(m: re.Match[str]) -> str:
        printed = session(m, folder)
        if m["output"] is None:
            return m[0]
        start, end = (i - m.start() for i in m.span("output"))
        return m[0][:start] + printed + m[0][end:]

    page.write_text(BLOCK.sub(filled, page.read_text()))


if __name__ == "__main__":
    for page in PAGES:
        with TemporaryDirectory() as folder:
            write_outputs(ROOT / page, Path(folder))
