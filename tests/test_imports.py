"""Who may import whom: what import-linter's layers (in pyproject.toml) can't say."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("exo_strat", "strategies", "backends", "importers")


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def absolute_imports(source: str) -> Iterator[tuple[int, str]]:
    """The line and dotted name of everything that is imported by its full name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.lineno, node.module or ""


def ours(path: Path) -> list[tuple[int, str]]:
    return [(line, name) for line, name in absolute_imports(path.read_text()) if name.split(".")[0] in OURS]


FACES = ("exo_strat", "exo_strat.tuning", "exo_strat.tuning.apart", "exo_strat.tuning.records", "exo_strat.view")
"""What others import of the kernel: its root; and what measuring has to do with: searches, processes, records; what
is seen."""
OTHERS = modules("strategies") + modules("backends") + modules("importers")


@pytest.mark.parametrize("path", OTHERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_strategies_backends_and_importers_see_only_the_kernels_root(path: Path) -> None:
    assert [i for i in ours(path) if i[1] not in FACES] == [], "import from exo_strat itself; own modules relatively"


@pytest.mark.parametrize("path", modules("exo_strat"), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_kernel_imports_itself_relatively_and_neither_strategies_nor_backends(path: Path) -> None:
    assert ours(path) == []


@pytest.mark.parametrize("package", OURS)
def test_relative_imports_stay_in_their_package(package: str) -> None:
    for path in modules(package):
        depth = len(path.relative_to(ROOT).parts) - 1
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= depth, f"{path}:{node.lineno}"


def test_what_the_rule_would_catch() -> None:
    source = "from exo_strat.ir import nodes\nimport backends.c\nfrom .kernel import Proc\n"
    assert list(absolute_imports(source)) == [(1, "exo_strat.ir"), (2, "backends.c")]


def is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def unexported(module: str, name: str) -> bool:
    """Whether a name is not among those that a module of the kernel offers, if it lists them, and no module in it."""
    if module.split(".")[0] != "exo_strat" or name == "*":
        return False
    home = importlib.import_module(module)
    is_module = hasattr(home, "__path__") and find_spec(f"{module}.{name}") is not None
    return not is_module and name not in getattr(home, "__all__", (name,))


def private_names(source: str) -> Iterator[tuple[int, str]]:
    """The line and name of everything private that is imported, or reached through another object than `self`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{a.name}" for a in node.names if node.module]
            yield from ((node.lineno, n) for n in names if is_private(n))
            if not node.level and node.module:
                yield from ((node.lineno, a.name) for a in node.names if unexported(node.module, a.name))
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names if is_private(a.name))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) != "self":
            yield node.lineno, node.attr


SHIPPED = [m for p in ("strategies", "importers", "examples") for m in modules(p) if "tests" not in m.parts]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: str(p.relative_to(ROOT)))
def test_strategies_importers_and_examples_use_public_names_only(path: Path) -> None:
    assert list(private_names(path.read_text())) == []


def test_which_names_are_private() -> None:
    source = "from exo_strat import Stack, seq\nfrom .std import _a\np._tree\nself._own\np.__doc__\n"
    assert list(private_names(source)) == [(1, "Stack"), (2, "std._a"), (3, "_tree")]
