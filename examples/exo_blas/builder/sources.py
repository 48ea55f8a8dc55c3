"""What a kernel's C text depends on. It reads the files and imports none of them.

The compiler counts as a whole; of strategies and examples only what a module imports, so that work on one level
leaves the schedules of the others in the cache.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WHOLE = ("exo_strat", "backends")
FOLLOWED = ("strategies", "examples")


@cache
def digest(module: str) -> str:
    """A hash of all that a module's schedules depend on."""
    return _hash_of((_compiler(), *map(_line, sorted(_reached(module)))))


def of_everything(*more: object) -> str:
    """A hash of all files of these packages, profiles of processors among them, and of what else is given."""
    files = (p for package in (*WHOLE, *FOLLOWED) for p in sorted((ROOT / package).rglob("*")))
    return _hash_of((*map(repr, more), *(_line(p) for p in files if p.is_file() and p.suffix != ".pyc")))


@cache
def _compiler() -> str:
    """A hash of the compiler."""
    return _hash_of(_line(p) for package in WHOLE for p in sorted((ROOT / package).rglob("*.py")))


def _line(path: Path) -> str:
    return f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def _hash_of(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _reached(module: str) -> set[Path]:
    """The files of `FOLLOWED` that importing a module reads."""
    found: set[Path] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        path = _file(name)
        if path is not None and path not in found:
            found.add(path)
            todo += _imports(path, name)
            todo += [name.rpartition(".")[0]]
    return found


def _file(module: str) -> Path | None:
    if module.partition(".")[0] not in FOLLOWED:
        return None
    base = ROOT.joinpath(*module.split("."))
    return next((p for p in (base / "__init__.py", base.with_suffix(".py")) if p.exists()), None)


def _imports(path: Path, module: str) -> Iterator[str]:
    """Modules that a file may import; a name from a package may be one."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
