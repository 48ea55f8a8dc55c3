"""The examples in the docstrings of `website` run. Two of its modules need what `make docs` installs."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("name", ["api", "clips", "examples", "links", "loads", "hooks", "docstrings"])
def test_the_examples_of_a_module_run(name: str) -> None:
    needed = {"hooks": "mkdocs", "docstrings": "griffe"}.get(name)
    if needed is not None:
        pytest.importorskip(needed)
    module = import_module(f"website.{name}")
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0 or name == "clips"
