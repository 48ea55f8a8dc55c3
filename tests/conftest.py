"""What all tests share: how hypothesis runs, arguments for a procedure, and compiled code that watches itself."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings

from exo_strat import Control, Op, Proc, Tensor, names_at, print_expr, schedule

SOAK = os.environ.get("EXO_STRAT_EXAMPLES")

# the same examples every time, without deadlines; more and other ones in `make soak`
settings.register_profile("exo_strat", deadline=None, derandomize=SOAK is None, max_examples=int(SOAK or 50))
settings.load_profile("exo_strat")

DRAWING = ("given", "check_strategy", "commutes")
"""What a module imports whose tests draw examples, maybe inside of the test."""


LONGEST = ("test_sessions",)
"""Modules whose tests take longest come first: no process is left with one of them when all others are done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks all tests of the modules that draw examples, not only those to which hypothesis passes them: `make soak`
    runs what has this mark, with more examples and other ones."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)
    for item in items:
        module = getattr(item, "module", None)
        if any(hasattr(module, name) for name in DRAWING):
            item.add_marker(pytest.mark.hypothesis)


def pytest_collection_finish() -> None:
    """What is there before the first test lives until the end, and trees have no cycles: to look for garbage in them
    seven hundred objects later, and again and again, takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.fixture(scope="session")
def scheduled() -> Callable[[Op, Proc], Proc]:
    """`schedule`, once for each Op and procedure: for tests of what the result does."""
    return cache(schedule)


Given = Mapping[str, object]
"""Arguments by name: integers, numbers and NumPy arrays."""


@pytest.fixture
def arguments() -> Callable[..., dict[str, object]]:
    """`arguments(p, H=4, W=8)`: the arguments of a procedure for some sizes, by name; the same ones at each call.

    Floating-point data are eighths up to 1, so that arithmetic on them is easily exact; integers are small enough
    for the sum of three.
    """

    def make(p: Proc, **sizes: int) -> dict[str, object]:
        rng, given = np.random.default_rng(crc32(repr(sizes).encode())), dict[str, object]()
        for a in p.args():
            t = a.type()
            if isinstance(t, Control):
                given[a.name()] = sizes[a.name()]
            elif isinstance(t, Tensor):
                shape = [print_expr(e.node, names_at(p.tree)) for e in a.shape()]  # type: ignore[arg-type]
                extents = [e.replace("/", "//") for e in shape]
                given[a.name()] = _data(rng, t.base.name, tuple(eval(e, dict(sizes)) for e in extents))
            else:
                given[a.name()] = _data(rng, t.name, ())
        return given

    return make


def _data(rng: np.random.Generator, precision: str, shape: tuple[int, ...]) -> np.ndarray:
    if precision[0] == "f":
        return np.asarray(rng.integers(1, 9, shape) / 8).astype(f"f{int(precision[1:]) // 8}")
    limit = 256 if precision == "u8" else 127 if precision == "i8" else 2**16 // 3
    return np.asarray(rng.integers(0, limit, shape)).astype(f"{precision[0]}{int(precision[1:]) // 8}")


@pytest.fixture
def sanitized(tmp_path: Path) -> Callable[[Proc, Sequence[Given]], list[dict[str, np.ndarray]]]:
    """`sanitized(p, calls)`: what the arrays hold after each call of the compiled procedure, in a process of its own.

    Each array is a block on the heap of exactly its size, and the code is compiled with the address and undefined
    behaviour sanitizers: an access beside a buffer, a leak, an overflow or a shift too far ends it, and the test.
    """

    def run(p: Proc, calls: Sequence[Given]) -> list[dict[str, np.ndarray]]:
        from backends.c import compile
        from backends.toolchain import compiler

        module = compile([p], p.name())
        source, binary = tmp_path / "main.c", tmp_path / "main"
        source.write_text(f"{module.text}\n{_main(p.name(), calls)}")
        flags = ["-std=gnu11", "-O1", "-g", "-march=native", *module.cc_flags]
        watch = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
        subprocess.run([*compiler(), *flags, *watch, "-o", str(binary), str(source), "-lm"], check=True)
        arrays = [{k: v for k, v in given.items() if isinstance(v, np.ndarray)} for given in calls]
        data = b"".join(a.tobytes() for given in arrays for a in given.values())
        done = subprocess.run([str(binary)], input=data, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return _arrays(done.stdout, arrays)

    if shutil.which("cc") is None and "CC" not in os.environ:
        pytest.skip("there is no C compiler")
    return run


def _arrays(data: bytes, like: Sequence[Mapping[str, np.ndarray]]) -> list[dict[str, np.ndarray]]:
    """Arrays of given shapes, one after the other."""
    found, at = list[dict[str, np.ndarray]](), 0
    for arrays in like:
        found.append({})
        for name, a in arrays.items():
            found[-1][name] = np.frombuffer(data, a.dtype, a.size, at).reshape(a.shape)
            at += a.nbytes
    assert at == len(data)
    return found


def _main(name: str, calls: Sequence[Given]) -> str:
    """A C program that reads the arrays of each call, makes it, and writes them."""
    lines = ["#include <stdio.h>", "#include <stdlib.h>", "int main(void) {"]
    for given in calls:
        passed = [f"a{n}" if isinstance(v, np.ndarray) else str(v) for n, v in enumerate(given.values())]
        sizes = {f"a{n}": v.nbytes for n, v in enumerate(given.values()) if isinstance(v, np.ndarray)}
        lines.append("    {")
        for a, size in sizes.items():
            lines.append(f"        void *{a} = malloc({size});")
            lines.append(f"        if ({a} == NULL || fread({a}, 1, {size}, stdin) != {size}) return 1;")
        lines.append(f"        {name}({', '.join(passed)});")
        lines += [f"        if (fwrite({a}, 1, {size}, stdout) != {size}) return 1;" for a, size in sizes.items()]
        lines += [f"        free({a});" for a in sizes]
        lines.append("    }")
    return "\n".join([*lines, "    return 0;", "}", ""])
