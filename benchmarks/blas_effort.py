"""What the BLAS took to write: lines by library and by level, and rewrites by routine, beside the paper's Figure 9.

    python -m benchmarks.blas_effort

Lines of Python are those that say something: no blank lines, comments, docstrings, imports. They are counted after
formatting at 88 columns, with one directive a line. Of libraries that others share, there are all lines
and those of the functions that the BLAS reaches, by the names in them. Programs are object code, in functions and in
texts; all else beside them is schedules and tables of kernels.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from rich.console import Console

from backends.targets import avx2, avx512
from benchmarks.measure import show, told
from examples.exo_blas.builder.catalogue import find
from examples.exo_blas.builder.interface import FOLDER
from examples.exo_blas.builder.library import c_text
from examples.exo_blas.builder.listing import code_lines, efforts
from examples.exo_blas.builder.units import units
from exo_strat import Machine

ROOT = Path(__file__).resolve().parents[1]
STRATEGIES, PROGRAMS = ROOT / "strategies", ROOT / "examples" / "exo_blas" / "programs"
COLUMNS = 88
PAPER_REWRITES = {
    **{"asum": 1760, "axpy": 1826, "dot": 1208, "rot": 1716, "rotm": 3372, "scal": 1308, "swap": 1484, "gemv": 3996},
    **{"ger": 2848, "symv": 3310, "syr2": 7832, "syr": 4046, "trmv": 4828, "trsv": 5370, "gemm": 756},
}
"""Figure 9b; its gemm is sgemm for AVX-512 only."""
LEVELS = (
    ("level 1", ("level1", "level1_blocks", "ways", "vectors"), 90, 18, 3196),
    ("level 2", ("level2", "dense", "gemv", "ger", "large", "storage", "orientations", "parts", "lanes"),
        139, 34, 11040),
    ("banded, packed", ("banded", "packed"), "-", "-", "-"),
    ("skinny", ("skinny",), "-", "-", "-"),
    ("level 3", ("level3", "products", "product_ways", "batches", "calls", "symmetric", "halves", "triangles"),
        11, 97, 521),
    ("complex numbers", ("complex*",), "-", "-", "-"),
    ("zeros left out", ("zeros",), "-", "-", "-"),
    ("shared", ("kernel",), "-", "-", "-"),
)
"""Files of examples/exo_blas/programs, and the lines of programs, of schedules and of C in Figure 9a, which has gemm of
level 3 and neither banded, packed nor complex matrices."""

BLAS_FILES = (
    (("level1", "level2", "skinny"), 241), (("level3",), 97),
    (("dots", "pairs", "banded", "packed", "products", "turning", "triangles", "symmetric", "halves"), "-"),
    (("neighbours", "strided", "large", "calls", "pair_products", "batches", "lengths", "mirrored"), "-"),
)  # fmt: skip
"""Files of strategies/blas, and the lines in Figure 9a of what does the same: the library of levels 1 and 2, and the
schedule of sgemm."""

Function = ast.FunctionDef


# -- lines --------------------------------------------------------------------------------------------


def lines_of(source: str) -> int:
    """The lines of some Python, formatted, and with one directive a line.

    >>> lines_of("def f(p):\\n    return schedule(a >> b(1) >> seq(c, d), p)\\n")
    5
    """
    text = formatted(source)
    return code_lines(text) + sum(map(_beside, ast.walk(ast.parse(text))))


def formatted(source: str) -> str:
    """It, as ruff formats it at 88 columns."""
    command = [sys.executable, "-m", "ruff", "format", "--isolated", f"--line-length={COLUMNS}", "-"]
    done = subprocess.run(command, input=dedent(source), capture_output=True, text=True, check=True)
    return done.stdout


def _beside(node: ast.AST) -> int:
    """How many directives of a sequence are on the line of the one before."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.RShift):
        return int(node.left.end_lineno == node.right.lineno)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "seq":
        return sum(a.end_lineno == b.lineno for a, b in pairwise(node.args))
    return 0


class Piece(NamedTuple):
    """A function, class or constant of a library: its file, how many lines it has, and the names in it."""

    name: str
    file: str
    lines: int
    names: frozenset[str]


def pieces(folder: Path) -> list[Piece]:
    """The functions, classes and constants of a library."""
    found: list[Piece] = []
    for path in told(sorted(folder.rglob("*.py")), f"lines of {folder.name}"):
        source = path.read_text()
        for node in ast.parse(source).body:
            lines, names = lines_of(_text(source, node)), frozenset(_named(node))
            found += [Piece(name, path.stem, lines, names) for name in _defined(node)]
    return found


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [t.id for t in targets if isinstance(t, ast.Name) and t.id != "__all__"]


def _text(source: str, node: ast.stmt) -> str:
    """A statement with its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def _named(tree: ast.AST) -> set[str]:
    """Names and attributes in a piece of Python."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return names | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}


def reached(library: Sequence[Piece], roots: Iterable[str]) -> set[Piece]:
    """The pieces of a library that are named from roots, and from those; of one name, all."""
    found: set[Piece] = set()
    todo = set(roots)
    while new := {p for p in library if p.name in todo} - found:
        found |= new
        todo = {n for p in new for n in p.names}
    return found


def libraries(root: Path = STRATEGIES) -> Iterator[tuple[object, ...]]:
    """The lines of our libraries, and those of the BLAS by file."""
    blas = pieces(root / "blas")
    shared = {name: pieces(root / name) for name in ("std", "inspect", "normal")}
    used = reached([p for some in shared.values() for p in some], {n for p in blas for n in p.names})
    for files, paper in BLAS_FILES:
        mine = {f: sum(p.lines for p in blas if p.file == f) for f in files}
        yield f"strategies/blas: {', '.join(files)}", sum(mine.values()), sum(mine.values()), paper
        yield from ((f"  {f}.py", n, n, "") for f, n in mine.items() if len(mine) > 1)
    for (name, some), whole in zip(shared.items(), (1089, 449, "-"), strict=True):
        yield f"strategies/{name}", sum(p.lines for p in some), sum(p.lines for p in used.intersection(some)), whole


def levels() -> Iterator[tuple[object, ...]]:
    """The lines of programs and of schedules, and of C that came out, for AVX2 and AVX-512."""
    c_lines = _c_lines()
    for title, files, programs, schedules, c in LEVELS:
        found = files_of(files)
        split = [split_lines(path) for path in found]
        c_here = sum(c_lines.get(path.stem, 0) for path in found)
        yield title, sum(a for a, _ in split), programs, sum(b for _, b in split), schedules, c_here, c


def files_of(names: Sequence[str]) -> list[Path]:
    """Files of programs."""
    return [path for name in names for path in sorted(PROGRAMS.glob(f"{name}.py"))]


def split_lines(path: Path) -> tuple[int, int]:
    """The lines of a file's programs, in functions and in texts, and the others."""
    source = path.read_text()
    tree = ast.parse(source)
    marked = [n for n in tree.body if isinstance(n, Function) and any("proc" in _named(d) for d in n.decorator_list)]
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant | ast.JoinedStr) and id(n) not in docs]
    inside = {line for n in texts for line in range(n.lineno + 1, n.end_lineno or 0)}
    said = sum(1 for line in inside if source.splitlines()[line - 1].strip())
    programs = sum(lines_of(_text(source, n)) for n in marked) + said
    rest = sum(lines_of(_text(source, n)) for n in tree.body if n not in marked)
    return programs, rest


def _c_lines() -> dict[str, int]:
    """Lines of C by the file of the first kernel of each unit."""
    found: dict[str, int] = defaultdict(int)
    with Console(stderr=True).status("scheduling") as status:
        for unit in units():
            status.update(unit.name)
            for machine in (avx2, avx512) if unit.kernels() else ():
                text, _ = c_text(unit, machine)
                found[_file_of(unit.kernels()[0])] += sum(1 for x in text.splitlines() if x.strip())
    return found


def _file_of(kernel: str) -> str:
    return find(kernel)[0].rpartition(".")[2]


def wrapper_lines() -> tuple[object, ...]:
    """The lines of C that were written by hand."""
    text = "".join(path.read_text() for path in sorted(FOLDER.rglob("*.[ch]")))
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return "cblas/*.c, *.h", sum(1 for x in bare.splitlines() if x.strip(" \\")), len(text.splitlines())


# -- rewrites -----------------------------------------------------------------------------------------


def rewrites() -> Iterator[tuple[object, ...]]:
    """Kernels and rewrites of each routine, all variants in both precisions; a kernel that two routines call counts
    with the first."""
    found = {m.name: by_routine(m) for m in (avx2, avx512)}
    for routine in sorted(set().union(*found.values())):
        two, wide = (found[m].get(routine, (0, 0)) for m in ("avx2", "avx512"))
        yield routine, two[0], two[1], wide[1], PAPER_REWRITES.get(routine, "-")


def by_routine(machine: Machine) -> dict[str, tuple[int, int]]:
    """How many kernels a routine has for a machine, and their rewrites."""
    found: dict[str, tuple[int, int]] = {}
    with Console(stderr=True).status("scheduling") as status:
        for e in efforts(machine):
            status.update(f"{e.kernel}, {machine.name}")
            count, total = found.get(e.routine, (0, 0))
            found[e.routine] = count + 1, total + e.rewrites
    return found


def main() -> None:
    """All tables."""
    argparse.ArgumentParser(prog="python -m benchmarks.blas_effort").parse_args()
    show("Lines by library", ("library", "all", "reached by the BLAS", "paper"), list(libraries()))
    columns = ("level", "programs", "paper", "schedules", "paper", "C", "paper")
    show("Lines by level", columns, list(levels()))
    show("Wrappers in C", ("files", "code", "with comments and blank lines"), [wrapper_lines()])
    show("Rewrites", ("routine", "kernels", "AVX2", "AVX-512", "paper, both"), list(rewrites()))


if __name__ == "__main__":
    main()
