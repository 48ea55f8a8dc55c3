"""A NumPy function and what was imported from it, run beside each other."""

from __future__ import annotations

import copy
import importlib.util
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exo_strat import Control, Proc, Tensor, names_at, print_expr
from importers.numpy.convert import Imported, argument_types, imported
from importers.numpy.kinds import DTYPES
from importers.numpy.source import of_function
from importers.numpy.translate import Returned

PROGRAMS = Path(__file__).parent / "programs"
PLAIN = ("-O0", "-ffp-contract=off")


def bring(f: Callable[..., Any], **types: str) -> Imported:
    """Import a function whose annotations say what its arguments are."""
    source = of_function(f)
    return imported(source, argument_types(source, (), types))


def extents(p: Proc, t: Tensor, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The extents of an argument for some sizes."""
    texts = [print_expr(e, names_at(p.tree)).replace("/", "//") for e in t.shape]
    return tuple(eval(e, dict(sizes)) for e in texts)


def admitted(p: Proc, sizes: Mapping[str, int]) -> bool:
    """Whether a procedure's assertions allow sizes."""
    texts = [print_expr(e, names_at(p.tree)).replace("/", "//") for e in p.tree.preds]
    return all(eval(t, dict(sizes)) for t in texts)


def drawn(made: Imported, sizes: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Arguments by name: sizes as given, and random data."""
    given: dict[str, Any] = {}
    outputs = {b.name for b in made.procedure.outputs}
    bools = {b.name for b in (*made.procedure.arguments, *made.procedure.outputs) if b.kind.is_bool}
    for a in made.proc.tree.args:
        name, t = a.sym.name, a.type
        if isinstance(t, Control):
            given[name] = sizes[name]
            continue
        base = t.base.name if isinstance(t, Tensor) else t.name
        shape = extents(made.proc, t, sizes) if isinstance(t, Tensor) else (1,)
        dtype = np.dtype(DTYPES[base])
        if name in bools:
            data = rng.integers(0, 2, shape)
        elif base[0] == "f":
            data = rng.uniform(-2, 2, shape)
        else:
            info, small = np.iinfo(dtype), dtype.itemsize == 1
            data = rng.integers(info.min if small else max(info.min, -9), info.max if small else 10, shape)
        given[name] = np.full(shape, 77).astype(dtype) if name in outputs else np.asarray(data).astype(dtype)
    return given


def called(f: Callable[..., Any], made: Imported, given: dict[str, Any]) -> Any:
    """The Python function on these arguments, which it changes."""
    import inspect

    bools = {b.name for b in made.procedure.arguments if b.kind.is_bool}
    weak = {b.name for b in made.procedure.arguments if b.kind.weak}
    args: dict[str, Any] = {}
    for n in inspect.signature(f).parameters:
        key = n if n in given else f"{n}_1"
        if key not in given:
            continue
        v = given[key]
        if isinstance(v, np.ndarray):
            scalar = next((b for b in made.procedure.arguments if b.name == key and not b.shape), None)
            v = v if scalar is None else v.item() if key in weak else v[0]
            v = v.view(bool) if key in bools else v
        args[n] = v
    return f(**args)


def gathered(r: Returned, left: Mapping[str, Any]) -> Any:
    """What the imported procedure returns."""
    if r.form in ("tuple", "list"):
        return tuple(gathered(i, left) for i in r.items)
    return None if r.form == "none" else left[r.name]


def alike(a: Any, b: Any) -> bool:
    """Whether results are equal: floats within a tolerance."""
    if isinstance(a, tuple):
        return isinstance(b, tuple | list) and len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is None and b is None
    b = np.asarray(b)
    if not b.shape and a.shape == (1,):
        a = a.reshape(())
    if b.dtype == bool:
        a = a.astype(bool)
    if a.shape != b.shape or (a.dtype != b.dtype):
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    rtol = 1e-4 if a.dtype.itemsize == 4 else 1e-9
    return bool(np.allclose(a, b, rtol=rtol, atol=rtol))


def interpret(p: Proc, given: dict[str, Any]) -> None:
    """Run the reference interpreter; results go to the arrays."""
    from exo_strat import interp

    scalars = {a.sym.name for a in p.tree.args if not isinstance(a.type, Control | Tensor)}
    plain = {k: v.item() if k in scalars else v.tolist() if isinstance(v, np.ndarray) else v for k, v in given.items()}
    outcome = interp.run(p, plain)
    assert outcome.trap is None, outcome.trap
    for k, found in outcome.outputs.items():
        given[k][...] = np.array(_numbers(found)).astype(given[k].dtype).reshape(given[k].shape)


def _numbers(found: Any) -> Any:
    if isinstance(found, tuple):
        return [_numbers(x) for x in found]
    return 0 if found is None else int(found) if found == int(found) else float(found)


def compare(
    f: Callable[..., Any], made: Imported, sizes: Mapping[str, Any], does: Callable[[dict[str, Any]], None]
) -> None:
    """Run both on the same arguments."""
    rng = np.random.default_rng(zlib.crc32(repr(sorted(sizes.items())).encode()))
    given = drawn(made, sizes, rng)
    here, there = copy.deepcopy(given), copy.deepcopy(given)
    with np.errstate(all="ignore"):
        returned = called(f, made, there)
    does(here)
    found = gathered(made.returned, here)
    assert alike(found, returned), f"{dict(sizes)}: returns {found} here, {returned} in Python\n{made.text}"
    for b in made.procedure.arguments:
        same = alike(here[b.name], there[b.name])
        assert same, f"{dict(sizes)}: {b.name} is {here[b.name]} here, {there[b.name]} in Python\n{made.text}"


def runners(made: Imported, interpreted: bool) -> list[Callable[[dict[str, Any]], None]]:
    """What runs the imported procedure on arguments, which it changes: compiled, and maybe in the interpreter."""
    from backends.jit import jit

    run = jit(made.proc, flags=PLAIN)

    def call(given: dict[str, Any]) -> None:
        run(**{k: v.item() if _is_number(made, k) else v for k, v in given.items()})

    return [call, *([partial(interpret, made.proc)] if interpreted else [])]


def _is_number(made: Imported, name: str) -> bool:
    """Whether an argument is a single number that is only read."""
    return any(b.name == name and not b.shape for b in made.procedure.arguments)


@pytest.fixture
def program() -> Callable[[str, str], Callable[..., Any]]:
    """`program(file, name)`: a function of the programs."""

    def found(file: str, name: str) -> Callable[..., Any]:
        spec = importlib.util.spec_from_file_location(f"programs_{file}", PROGRAMS / f"{file}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        f: Callable[..., Any] = getattr(module, name)
        return f

    return found


@pytest.fixture
def roundtrip() -> Callable[..., Imported]:
    """`roundtrip(f, count)`: import a function, and run both with random sizes."""

    def run(f: Callable[..., Any], count: int = 4, interpreted: bool = True, **types: str) -> Imported:
        made = bring(f, **types)
        rng = np.random.default_rng(zlib.crc32(f.__name__.encode()))
        controls = {a.sym.name: a.type.name for a in made.proc.tree.args if isinstance(a.type, Control)}
        ways, done = runners(made, interpreted), 0
        for k in range(60):
            most = 2 if k == 0 else 7
            sizes: dict[str, Any] = {n: int(rng.integers(1, most)) for n in controls}
            sizes |= {n: bool(sizes[n] % 2) for n, t in controls.items() if t == "bool"}
            if not admitted(made.proc, sizes):
                continue
            for does in ways:
                compare(f, made, sizes, does)
            done += 1
            if done == count or not controls:
                break
        assert done, f"no sizes are admitted\n{made.text}"
        return made

    return run
