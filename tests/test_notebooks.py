"""The notebooks run in a kernel, and show what each is there to show; and what an error says in a cell.

They are kept without outputs: times and measurements differ at each run, so outputs would change with each of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"
SHOWN = {
    "1-first-kernel.ipynb": [
        "x[i + 1] may be out of bounds", "Cell In[3]:6", "a reduction", "made by 1 rewrite", "array([ 1.,  3.,",
        "rewrites;",
    ],
    "2-reading-a-refusal.ipynb": [
        "iterations of i and j that change places commute", "written: (1, 1)  read: (1, 1)", "no alternative applies",
        "nothing matches", "must be a positive integer", "in par(0, n)", "for instance with n = 1",
    ],
    "3-a-strategy-of-your-own.ipynb": [
        "application/vnd.jupyter.widget-view+json", "but there is seq k 8", "depths=[3, 2]", "the promise is kept",
        "applied to",
    ],
    "4-a-target-of-your-own.ipynb": [
        "copy64(y[64 * r:64 * r + 64], x[r, 0:64])", "copy64 asserts stride(src, 0) == 1", "'quotient'",
        "four_sub_f32 does not do what its body says", "v_1 = four_set(*a);", "array([-3.,  0.,  3.,",
    ],
    "5-from-numpy-to-a-tuned-kernel.ipynb": [
        "sums are added in order", "def distance(n: size", "made by", "4 tried", "came of it", "n = 4096",
    ],
}  # fmt: skip


def source(name: str) -> nbformat.NotebookNode:
    return nbformat.read(FOLDER / name, 4)


def ran(nb: nbformat.NotebookNode, folder: Path) -> str:
    """All that the cells show, with the kinds of it. What a cell raises ends it."""
    NotebookClient(nb, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return "\n".join(text for cell in nb.cells for output in cell.get("outputs", ()) for text in texts(output))


def texts(output: Any) -> list[str]:
    if output["output_type"] == "stream":
        assert output["name"] == "stdout", output["text"]
        return [output["text"]]
    return [*output["data"], *map(str, output["data"].values())]


def test_every_notebook_is_tested() -> None:
    assert {p.name for p in FOLDER.glob("*.ipynb")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs_and_shows_what_it_is_for(name: str, tmp_path: Path) -> None:
    shown = plain(ran(source(name), tmp_path))
    assert [text for text in SHOWN[name] if text not in shown] == []


def plain(text: str) -> str:
    """Without the tags of words that stand out."""
    return text.replace("<b>", "").replace("</b>", "").replace("&#x27;", "'")


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_is_kept_without_what_it_showed(name: str) -> None:
    nb = source(name)
    nbformat.validate(nb)
    cells = [c for c in nb.cells if c.cell_type == "code"]
    assert all(c.outputs == [] and c.execution_count is None for c in cells)
    assert all(c.metadata == {} for c in nb.cells)


CELL = """
from __future__ import annotations
from exo_strat import *

@proc
def shift(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = x[i + 1]
"""


def test_an_error_in_object_code_names_the_cell_and_shows_no_traceback(tmp_path: Path) -> None:
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL.strip())])
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(nb, timeout=300, kernel_name="python3", resources=resources, allow_errors=True).execute()
    (error,) = nb.cells[0].outputs
    assert error["ename"] == "CheckError"
    assert "\n".join(error["traceback"]) == f"CheckError: {error['evalue']}"
    assert "\nCell In[1]:7\n            x[i] = x[i + 1]\n" in error["evalue"]
