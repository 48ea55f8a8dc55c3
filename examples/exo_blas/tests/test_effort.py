"""What the table of lines counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.blas_effort import (
    BLAS_FILES,
    LEVELS,
    PROGRAMS,
    STRATEGIES,
    files_of,
    libraries,
    lines_of,
    pieces,
    reached,
    split_lines,
)  # fmt: skip

SOURCES = {
    "blas/level1.py": '"""Level 1."""\nfrom ..std import tile\n\ndef plan():\n    return tile(helper())\n',
    "blas/level2.py": "def helper():\n    # a comment\n    return 1\n",
    "std/tiling.py": "@named\ndef tile(x):\n    return _half(x)\n\ndef _half(x):\n    return x / TWO\n\nTWO = 2\n",
    "std/other.py": "def _half(x):\n    return x\n\ndef unused():\n    return tile\n",
    "std/__init__.py": '__all__ = [\n    "tile",\n]\n',
    "inspect/nests.py": "def nest():\n    return 1\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_functions_of_one_name_in_two_files_both_count(root: Path) -> None:
    found = [(p.file, p.name, p.lines) for p in pieces(root / "std")]
    assert found == [
        ("other", "_half", 2),
        ("other", "unused", 2),
        ("tiling", "tile", 3),
        ("tiling", "_half", 2),
        ("tiling", "TWO", 1),
    ]


def test_what_is_reached_is_named_on_the_way(root: Path) -> None:
    names = sorted((p.name, p.file) for p in reached(pieces(root / "std"), {"tile"}))
    assert names == [("TWO", "tiling"), ("_half", "other"), ("_half", "tiling"), ("tile", "tiling")]


def test_libraries_count_lines_by_file_and_as_reached(root: Path) -> None:
    rows = {str(row[0]): row[1:3] for row in libraries(root)}
    assert rows["  level1.py"] == rows["  level2.py"] == (2, 2)
    assert rows["strategies/blas: level1, level2, skinny"] == (4, 4)
    assert rows["strategies/std"] == (10, 8)
    assert rows["strategies/inspect"] == (2, 0)


def test_every_file_of_the_blas_is_in_one_row() -> None:
    files = sorted(p.stem for p in (STRATEGIES / "blas").glob("[a-z]*.py"))
    assert sorted(f for some, _ in BLAS_FILES for f in some) == files


def test_every_file_of_programs_is_in_one_level() -> None:
    files = sorted(p for p in PROGRAMS.glob("[a-z]*.py"))
    assert sorted(p for _, names, *_ in LEVELS for p in files_of(names)) == files


def test_directives_count_one_line_each() -> None:
    assert lines_of("def f(p):\n    return schedule(a >> b(1) >> seq(c, d), p)\n") == 5
    assert lines_of("x = f(1,\n      2)\n") == 1


def test_programs_are_functions_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "some.py"
    file.write_text('''"""Some."""\n@proc\ndef f(n: size):\n    pass\n\nG = proc_from_source("""
def g(n: size):
    pass
""")\n\ndef plan():\n    return seq(a, b)\n''')
    assert split_lines(file) == (3 + 2, 2 + 3)
