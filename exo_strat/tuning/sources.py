"""Where the code of functions and classes is written, and which files that code imports."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, Final

KERNEL: Final = __name__.partition(".")[0]
INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
"""Folders of packages that a package manager put there."""


class UnknownSourceError(ValueError):
    """A function or class whose code is in no file, or in one that was changed since."""


@dataclass(frozen=True)
class Origin:
    """The module of a function or class, under a label that is the same however the module was found: as a file that
    is run, by its name, or by the command line. `path` is its file, None for what goes by the version of exo_strat or
    of Python; `package` is what relative imports in it are relative to."""

    label: str
    path: Path | None = None
    package: str = ""


def origin(value: Callable[..., Any]) -> Origin:
    """Where a function or class is written. Raises `UnknownSourceError` if that can't be known.

    >>> from exo_strat import divide_loop
    >>> origin(divide_loop)
    Origin(label='exo_strat.primitives.loops', path=None, package='')
    """
    module = str(value.__module__)
    if isinstance(value, BuiltinFunctionType) or _goes_by_version(module):
        return Origin(module)
    names = _globals(value)
    path = Path(value.__code__.co_filename if isinstance(value, FunctionType) else names.get("__file__") or "")
    what = f"{module}.{value.__qualname__}"
    if not path.is_file():
        told = "so nobody can tell whether it is the same one in another process: define it in a file"
        raise UnknownSourceError(f"{what} is in no file, {told}")
    text = path.read_bytes()
    loader = names.get("__loader__")
    if isinstance(value, FunctionType) and type(loader) is SourceFileLoader and not _has(text, value.__code__):
        raise UnknownSourceError(f"{path} was changed since {what} was imported from it: start Python again")
    package = names.get("__package__")
    return Origin(f"{path.stem} {_sum(text)}", path, package if isinstance(package, str) else "")


def _goes_by_version(module: str) -> bool:
    top = module.partition(".")[0]
    return top == KERNEL or top in sys.stdlib_module_names


def _globals(value: Any) -> dict[str, Any]:
    """The names of the module in which a function or class is. The command line forgets modules that it has run."""
    if isinstance(value, FunctionType):
        return value.__globals__
    loaded = sys.modules.get(value.__module__)
    if loaded is not None:
        return vars(loaded)
    own = (f.__globals__ for f in vars(value).values() if isinstance(f, FunctionType))
    return next((names for names in own if names.get("__name__") == value.__module__), {})


def _has(text: bytes, code: CodeType) -> bool:
    """Whether some code is in a text. Where the text no longer is Python, it is not."""
    return any(code == c for c in _codes(text))


@lru_cache(maxsize=64)
def _codes(text: bytes) -> tuple[CodeType, ...]:
    try:
        found = [compile(text, "", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return ()
    for code in found:
        found += (c for c in code.co_consts if isinstance(c, CodeType))
    return tuple(found)


def _sum(text: bytes) -> str:
    return sha256(text).hexdigest()


# -- what files import --------------------------------------------------------------------------------


def texts(origins: Iterable[Origin]) -> set[str]:
    """The files of some code and all that they import, at any depth: a line each, with its name and the hash of its
    text. An installed package that has nothing to do with exo_strat is a line with its version."""
    found = {o.label for o in origins}
    stack = [(o.path, o.package) for o in origins if o.path is not None]
    seen: set[object] = {path.resolve() for path, _ in stack}
    while stack:
        path, package = stack.pop()
        for name in _imports(path.read_bytes(), package):
            if name in seen or _goes_by_version(name):
                continue
            seen.add(name)
            there = _find(name, path.parent)
            if there is None:
                continue
            text = there.read_bytes()
            if INSTALLED.isdisjoint(there.parts) or KERNEL.encode() in text or _top(name) == _top(package):
                found.add(f"{name} {_sum(text)}")
                stack.append((there, name if there.stem == "__init__" else name.rpartition(".")[0]))
            else:
                found.add(f"{_top(name)} {_version(name) or _sum(text)}")
    return found


def _top(name: str) -> str:
    return name.partition(".")[0]


def _version(name: str) -> str:
    try:
        return version(_top(name))
    except PackageNotFoundError:
        return ""


@lru_cache(maxsize=512)
def _imports(text: bytes, package: str) -> tuple[str, ...]:
    """The names of modules that a text imports anywhere, with the packages around them. What it takes from a module may
    be a module too."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # no Python: a compiled extension
        return ()
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        for name in _named(node, package):
            parts = name.split(".")
            names.update(dict.fromkeys(".".join(parts[: k + 1]) for k in range(len(parts))))
    return tuple(names)


def _named(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names)
    elif isinstance(node, ast.ImportFrom):
        around = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*around, *filter(None, [node.module])])
        if base:
            yield from (base, *(f"{base}.{a.name}" for a in node.names if a.name != "*"))


def _find(name: str, beside: Path) -> Path | None:
    """The file of a module, without importing anything; None if there is none, as of a folder without code. `beside`
    is a folder in which it may be, as of a script."""
    there = getattr(sys.modules.get(name), "__file__", None)
    if isinstance(there, str):
        return Path(there) if Path(there).is_file() else None
    spec: ModuleSpec | None = None
    parts = name.split(".")
    for k in range(len(parts)):
        folders = None if spec is None else spec.submodule_search_locations
        if k and folders is None:
            return None
        so_far = ".".join(parts[: k + 1])
        spec = PathFinder.find_spec(so_far, folders) or (None if k else PathFinder.find_spec(so_far, [str(beside)]))
        if spec is None:
            return None
    return Path(spec.origin) if spec is not None and spec.origin and Path(spec.origin).is_file() else None
