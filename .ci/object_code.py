"""Lets mypy check files with object code in them: `mypy $(python .ci/object_code.py build/mypy) PACKAGE..`

Object code is no Python to check. For each file that has some, this writes a copy to a folder, in which a procedure is
only declared (`foo: Proc`), on the same line, and prints the options by which mypy reads the copy in its place.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

OBJECT_CODE = {"proc": "Proc", "instr": "Proc", "config": "Config"}
FOLDERS = ("benchmarks", "examples", "strategies")


def object_code(text: str) -> Iterator[tuple[ast.FunctionDef | ast.ClassDef, str]]:
    """The definitions of a file that are object code, and what their names stand for."""
    for n in ast.walk(ast.parse(text)):
        for d in n.decorator_list if isinstance(n, ast.FunctionDef | ast.ClassDef) else ():
            made_by = d.func if isinstance(d, ast.Call) else d
            if isinstance(made_by, ast.Name) and made_by.id in OBJECT_CODE:
                yield n, OBJECT_CODE[made_by.id]


def declared(text: str) -> str:
    """The text with declarations in the place of object code."""
    lines = text.split("\n")
    for n, kind in object_code(text):
        first, last = n.decorator_list[0].lineno - 1, n.end_lineno
        assert last is not None
        declaration = f"{' ' * n.col_offset}import exo_strat as _; {n.name}: _.{kind}"
        lines[first:last] = [declaration, *[""] * (last - first - 1)]
    return "\n".join(lines)


def main(root: Path, folder: Path) -> None:
    for file in sorted(f for part in FOLDERS for f in (root / part).rglob("*.py")):
        name, text = file.relative_to(root), file.read_text()
        if any(True for _ in object_code(text)):
            shadow = folder / name
            shadow.parent.mkdir(parents=True, exist_ok=True)
            shadow.write_text(declared(text))
            print("--shadow-file", name, shadow, end=" ")


if __name__ == "__main__":
    main(Path(__file__).parent.parent, Path(sys.argv[1]))
