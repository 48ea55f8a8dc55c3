"""Whether C compilers agree on what a chain made (`backends.crosscheck`), and its inputs as arrays of NumPy.

A compiled procedure keeps the config fields between calls and takes none, so its inputs are set where it begins.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyrsistent import pvector

from backends import BackendError, CompileError
from backends.bf16 import to_bf16
from backends.crosscheck import disagreements
from exo_strat import Control, Proc, R, Tensor
from exo_strat.interp import Array
from exo_strat.ir.nodes import Const, Stmt, WriteConfig
from exo_strat.ir.types import bool_, int_
from exo_strat.ir.walk import with_child
from exo_strat.testing import Inputs
from exo_strat.testing.inputs import config_fields

from .compiled import HERE, UNEXPECTED, Case, CompileFailed, Different, builds, is_whole

DTYPES = {
    "R": "float32", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip
Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def arrays(p: Proc, given: Inputs) -> list[Numbers | int]:
    """The arguments for a compiled procedure: arrays with the strides of the input, and numbers."""
    found: list[Numbers | int] = []
    for a, value in zip(p.tree.args, given.args.values(), strict=True):
        if isinstance(value, Array):
            base = a.type.base if isinstance(a.type, Tensor) else a.type
            found.append(_array(value, str(base)))
        else:
            found.append(value)  # type: ignore[arg-type]
    return found


def _array(given: Array, precision: str) -> Numbers:
    numbers = [UNEXPECTED if x is None else x for x in given.cells]
    cells = to_bf16(numbers) if precision == "bf16" else np.array(numbers, DTYPES[precision])
    strides = [s * cells.itemsize for s in given.strides]
    found: Numbers = np.lib.stride_tricks.as_strided(cells[given.offset :], given.shape, strides)
    return found


def agree(c: Case) -> bool:
    """Asserts that all compilers agree, bit for bit, on a run whose results are whole numbers; false if there is none,
    or nothing that Python can call.

    Raises `Different` or `CompileFailed` with the procedure.
    """
    given = next((g for g, done in c.runs if all(map(is_whole, done.outputs.values()))), None)
    if given is None or c.module.architecture not in ("", HERE):
        return False
    if c.module.parallel and not any(b.parallel for b in builds()):  # clang may lack its library for threads
        return False
    p = with_state(c.p, given)
    try:
        found = disagreements(p, arrays(p, given))
    except BackendError:  # assertions that Python can't check
        return False
    except CompileError as e:
        raise CompileFailed(f"a compiler refuses this:\n{p}\n{e}") from e
    if found:
        raise Different("\n".join([*found, f"with {given}", str(p)]))
    return True


def with_state(p: Proc, given: Inputs) -> Proc:
    """A procedure that first sets the config fields to those of an input."""
    return Proc(with_child(p.tree, "body", pvector([*_state(p, given), *p.tree.body])))


def _state(p: Proc, given: Inputs) -> Iterator[Stmt]:
    for f in config_fields(p.tree):
        value, t = given.configs[f"{f.config.name}.{f.field}"], f.config.fields[f.field]
        literal = Const(value, (bool_ if t == bool_ else int_) if isinstance(t, Control) else R)  # type: ignore[arg-type]
        yield WriteConfig(f.config, f.field, literal)


__all__ = ["DTYPES", "agree", "arrays", "with_state"]
