"""The pages of the API: which names are public, and on which page each stands. Their text comes from the docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from inspect import isclass, isroutine
from pathlib import Path
from types import MappingProxyType
from typing import Final

from exo_strat import exports

ROOMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "frontend": "Writing programs",
        "cursors": "Procedures and cursors",
        "ops": "Ops and combinators",
        "ir": "Types, memories, trees",
        "machine": "Machines",
    }
)
"""What users import from `exo_strat`, by the package that it comes from."""

MODULES: Final = (
    "exo_strat.ops.moves",
    "exo_strat.ops.traversals",
    "exo_strat.analysis",
    "exo_strat.forms",
    "exo_strat.testing",
    "exo_strat.tuning",
    "exo_strat.view",
    "strategies.std",
    "strategies.inspect",
    "strategies.normal",
    "strategies.auto",
    "strategies.stencils",
    "strategies.mathlib",
    "strategies.elevate",
    "strategies.halide",
    "strategies.gemmini",
    "strategies.gemm",
    "strategies.gemv",
    "strategies.axpy",
    "strategies.convolution",
    "strategies.ranking",
    "backends",
    "backends.c",
    "backends.targets",
    "backends.gemmini",
    "backends.packaging",
    "importers.c",
    "importers.numpy",
)
"""Modules with a page each."""


def rooms() -> Mapping[str, tuple[str, ...]]:
    """The names that `exo_strat` exports, but for the primitives and for modules, by package.

    >>> rooms()["machine"]
    ('Cache', 'Machine', 'Pipes', 'Processor', 'Waits')
    """
    tree = ast.parse(source(exports.__name__))
    found: dict[str, list[str]] = {room: [] for room in ROOMS}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module not in (None, "__future__"):
            room = str(node.module).partition(".")[0]
            names = (alias.asname or alias.name for alias in node.names)
            found[room] += [n for n in names if n in exports.__all__ and not is_module(getattr(exports, n))]
    return {room: tuple(sorted(names, key=str.lower)) for room, names in found.items()}


def exported(name: str) -> str:
    """The path by which griffe finds a name that `exo_strat` exports.

    >>> exported("at"), exported("expect")
    ('exo_strat.at', 'exo_strat.ops.sketches.expect.expect')
    """
    home = str(getattr(getattr(exports, name), "__module__", ""))
    package, _, last = home.rpartition(".")
    return f"{home}.{name}" if last == name and hasattr(import_module(package), "__path__") else f"exo_strat.{name}"


def is_described(value: object) -> bool:
    """Whether a value is a class or a function, which have docstrings."""
    return isclass(value) or isroutine(value)


def values(module: str, found: Mapping[str, object]) -> str:
    """A table of values that are no classes and functions: each with its type.

    >>> print(values("exo_strat", {"DRAM": exports.DRAM}))
    <BLANKLINE>
    ## Values
    <BLANKLINE>
    | | |
    |---|---|
    | <a id="exo_strat.DRAM"></a>`DRAM` | `Memory` |
    <BLANKLINE>
    """
    rows = (f'| <a id="{module}.{name}"></a>`{name}` | `{type(v).__name__}` |\n' for name, v in found.items())
    return "\n## Values\n\n| | |\n|---|---|\n" + "".join(rows) if found else ""


def is_module(value: object) -> bool:
    return type(value).__name__ == "module"


def public(module: str) -> tuple[str, ...]:
    """The public names of a module: those that it lists, or what it defines and describes.

    >>> public("importers.c")
    ('from_c', 'ImportRefusedError', 'Place', 'Problem')
    """
    value = import_module(module)
    listed = getattr(value, "__all__", None)
    if listed is None:
        own = ((n, v) for n, v in vars(value).items() if getattr(v, "__module__", "") == module)
        listed = [n for n, v in own if not n.startswith("_") and callable(v) and v.__doc__]
    return tuple(sorted(listed, key=str.lower))


def pages() -> Iterator[tuple[str, str, str]]:
    """Each page's path in the site, title and text."""
    for room, names in rooms().items():
        described = [n for n in names if is_described(getattr(exports, n))]
        text = "".join(f"\n::: {exported(name)}\n" for name in described)
        rows = values("exo_strat", {n: getattr(exports, n) for n in names if n not in described})
        yield f"api/{room}.md", ROOMS[room], f"# {ROOMS[room]}\n\nNames that `exo_strat` exports.\n{text}{rows}"
    for module in MODULES:
        yield f"api/{module}.md", module, page_of(module)


def page_of(module: str) -> str:
    """The text of a module's page."""
    names, hidden, unpacked = public(module), shadowed(module), together(module)
    members = "".join(f"        - {n}\n" for n in names if n not in hidden and n not in unpacked)
    text = f"# {module}\n\n::: {module}\n    options:\n      show_root_heading: false\n      members:\n{members}"
    text += "".join(f"\n::: {path}\n" for path in hidden.values())
    return text + values(module, {n: getattr(import_module(module), n) for n in names if n in unpacked})


def shadowed(module: str) -> Mapping[str, str]:
    """The public names that are also those of a module in a package, and where what they mean is defined. griffe, which
    runs nothing, finds the module.

    >>> shadowed("backends")
    {'jit': 'backends.native.jit'}
    """
    if not hasattr(import_module(module), "__path__"):
        return {}
    found = [n for n in public(module) if find_spec(f"{module}.{n}") is not None]
    return {n: f"{getattr(import_module(module), n).__module__}.{n}" for n in found}


def together(module: str) -> frozenset[str]:
    """The names that one assignment gives to several values, of which griffe knows nothing."""
    tree = ast.parse(source(module))
    targets = (t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets)
    return frozenset(n.id for t in targets if isinstance(t, ast.Tuple) for n in t.elts if isinstance(n, ast.Name))


def source(module: str) -> str:
    return Path(str(import_module(module).__file__)).read_text(encoding="utf-8")


def anchors() -> Iterator[tuple[str, str]]:
    """Of each public name the page in the site, and the anchor that it must have there."""
    for room, names in rooms().items():
        yield from ((f"api/{room}.html", exported(name)) for name in names)
    for module in MODULES:
        hidden = shadowed(module)
        yield from ((f"api/{module}.html", hidden.get(name, f"{module}.{name}")) for name in public(module))
