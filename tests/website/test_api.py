"""Every public name has its place in the API."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import backends
import importers
import strategies
from exo_strat import PRIMITIVES, exports
from website import api


def test_each_exported_name_is_on_one_page() -> None:
    listed = [name for names in api.rooms().values() for name in names]
    modules = {name for name in exports.__all__ if api.is_module(getattr(exports, name))}
    assert len(listed) == len({*listed})
    assert {*listed} == {*exports.__all__} - modules - {*PRIMITIVES}


def test_the_modules_among_them_have_a_page_or_are_the_primitives() -> None:
    modules = {getattr(exports, n).__name__ for n in exports.__all__ if api.is_module(getattr(exports, n))}
    assert modules - {*api.MODULES} == {"exo_strat.direct", "exo_strat.ir.nodes"}


def test_each_package_that_lists_its_names_has_a_page() -> None:
    packages = (strategies, backends, importers)
    found = [m.name for p in packages for m in pkgutil.iter_modules(p.__path__, f"{p.__name__}.")]
    listing = {n for n in found if hasattr(module := import_module(n), "__all__") and hasattr(module, "__path__")}
    assert listing and listing <= {*api.MODULES}


def test_a_page_names_all_that_is_public() -> None:
    pages = {path: text for path, _, text in api.pages()}
    assert all(anchor.rpartition(".")[2] in pages[page.replace(".html", ".md")] for page, anchor in api.anchors())
    assert all(api.public(module) for module in api.MODULES)
