"""The text of a function of this process: in files, and in cells of notebooks."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from importers.numpy import ImportRefusedError, compiled, from_numpy

CELL = """
import numpy as np

def distance(x, y):
    d = x - y
    return np.sum(d * d)
"""
NAME = "<a cell>"


@pytest.fixture
def cell() -> Iterator[Callable[[str, str], dict[str, Any]]]:
    """Runs a text as notebooks do, one statement after the other, and says that another text was run."""

    def run(text: str, told: str) -> dict[str, Any]:
        linecache.cache[NAME] = (len(told), None, told.splitlines(keepends=True), NAME)
        found: dict[str, Any] = {}
        for statement in ast.parse(text).body:
            exec(compile(ast.Module([statement], []), NAME, "exec", dont_inherit=True), found)
        return found

    yield run
    linecache.cache.pop(NAME, None)


def test_a_cell_that_imports_numpy_beside_the_function_is_read(cell: Callable[[str, str], dict[str, Any]]) -> None:
    distance = cell(CELL, CELL)["distance"]
    assert "result += d[i] * d[i]" in from_numpy(distance, x="f32[n]", y="f32[n]")
    x, y = np.arange(4.0), np.ones(4)
    assert compiled(distance).text(x, y).count("@proc") == 1


def test_a_text_that_is_not_what_runs_is_refused(cell: Callable[[str, str], dict[str, Any]]) -> None:
    distance = cell(CELL, CELL.replace("x - y", "x + y"))["distance"]
    with pytest.raises(ImportRefusedError, match="is not what runs"):
        from_numpy(distance, x="f32[n]", y="f32[n]")
