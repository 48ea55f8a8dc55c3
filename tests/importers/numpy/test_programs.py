"""NumPy programs of every kind: each is imported, and does what Python does.

They are the functions of the files in `programs` whose arguments have annotations. Each runs by `jit` and by the
reference interpreter beside Python, with random sizes and data; floats are compared within a tolerance, integers
bitwise.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

PROGRAMS = Path(__file__).parent / "programs"


def module(file: Path) -> ModuleType:
    """A file of programs."""
    spec = importlib.util.spec_from_file_location(f"numpy_programs_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def cases() -> Iterator[object]:
    for file in sorted(f for f in PROGRAMS.glob("*.py") if f.stem != "faults"):
        for name, f in vars(module(file)).items():
            if inspect.isfunction(f) and f.__annotations__:
                yield pytest.param(f, id=f"{file.stem}-{name}")


@pytest.mark.parametrize("f", list(cases()))
def test_a_program_does_what_it_does_in_python(f, roundtrip) -> None:
    roundtrip(f)
