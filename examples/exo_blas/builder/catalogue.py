"""All kernels, by name, and the module that each is from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType

from .. import programs
from ..programs.kernel import Kernel

LEVELS = (
    *("level1", "level2", "banded", "packed", "skinny", "dense", "gemv", "ger"),
    *("level3", "products", "batches", "triangles", "symmetric", "halves"),
    *("complex", "complex_level1", "complex_matrix_vector", "complex_updates", "complex_triangle_vector"),
    *("complex_gemm", "complex_rank_k", "complex_triangles", "zeros"),
)
"""Modules of `programs` that give kernels: each has `kernels() -> tuple[Kernel, ...]`."""


@cache
def modules() -> tuple[str, ...]:
    """The modules that give kernels, by full name."""
    names = [f"{programs.__name__}.{level}" for level in LEVELS]
    return tuple(n for n in names if find_spec(n) is not None)


@cache
def kernels_of(module: str) -> tuple[Kernel, ...]:
    """The kernels that a module gives."""
    found: tuple[Kernel, ...] = import_module(module).kernels()
    return found


def find(name: str) -> tuple[str, Kernel]:
    """The module that gives the kernel of this name, and the kernel. Raises `ValueError` if there is none.

    Modules are asked in order, and no further than needed.
    """
    for module in modules():
        for k in kernels_of(module):
            if k.name == name:
                return module, k
    raise ValueError(f"there is no kernel {name} in {', '.join(modules())}")


def catalogue() -> Mapping[str, Kernel]:
    """All kernels by name. Raises `ValueError` if two have one name."""
    found: dict[str, Kernel] = {}
    for k in (k for module in modules() for k in kernels_of(module)):
        if k.name in found:
            raise ValueError(f"two kernels are called {k.name}: rename one")
        found[k.name] = k
    return MappingProxyType(found)
