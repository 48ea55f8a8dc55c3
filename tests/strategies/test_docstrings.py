"""Every public name of `strategies` is documented with an example that runs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module
from pkgutil import iter_modules

import pytest

from exo_strat import Op
from strategies.elevate.traversal import Traversal

PACKAGES = ("elevate", "gemmini", "halide", "inspect", "normal", "std")
PLANS = "strategies.blas"


def public() -> Iterator[tuple[str, str]]:
    """The packages' names, and the plans of the BLAS."""
    for package in PACKAGES:
        for name in import_module(f"strategies.{package}").__all__:
            yield f"strategies.{package}", name
    for found in iter_modules(import_module(PLANS).__path__, f"{PLANS}."):
        for name in vars(import_module(found.name)):
            if name.startswith("optimize_") and getattr(import_module(found.name), name).__module__ == found.name:
                yield found.name, name


def is_documented(value: object) -> bool:
    """Whether it has a docstring of its own: functions and classes."""
    return inspect.isroutine(value) or inspect.isclass(value)


def examples(doc: str | None) -> str:
    """The source of a docstring's examples."""
    return "".join(e.source for e in DocTestParser().get_examples(doc or ""))


@pytest.mark.parametrize(("module", "name"), [n for n in public() if is_documented(getattr(import_module(n[0]), n[1]))])
def test_what_is_public_has_an_example_that_runs(module: str, name: str) -> None:
    value = getattr(import_module(module), name)
    shown = examples(value.__doc__)
    assert shown if inspect.isclass(value) else value.__name__ in shown


@pytest.mark.parametrize("package", PACKAGES)
def test_values_are_shown_where_they_are_made(package: str) -> None:
    """Ops and traversals, whose docstring is that of their class."""
    home = import_module(f"strategies.{package}")
    modules = [import_module(m.name) for m in iter_modules(home.__path__, f"strategies.{package}.")]
    shown = examples(home.__doc__) + "".join(examples(m.__doc__) for m in modules)
    values = [n for n in home.__all__ if isinstance(getattr(home, n), Op | Traversal)]
    assert [n for n in values if n not in shown] == []


def test_the_plans_of_the_blas_are_found() -> None:
    assert {"optimize_level_1", "optimize_level_2_general", "optimize_gemm"} < {name for _, name in public()}
