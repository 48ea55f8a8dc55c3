"""Annotations that the backend checks (paper, appendix A.7), and names. Imports `framework` and `logic.safety`."""

from __future__ import annotations

from ..cursors.cursor import ProcCursor
from ..cursors.kinds import AllocCursor, ArgCursor, ForCursor
from ..cursors.rewrite import Rewrite
from ..failure import unsafe
from ..frontend.checks import check
from ..frontend.errors import CheckError
from ..ir.memory import Memory
from ..ir.types import SCALARS, Scalar, Tensor
from ..ir.walk import with_child
from ..logic import safety
from .framework import Where, applicable, argument, name_arg, primitive, refuse, require


@primitive()
def set_memory(rw: Rewrite, a: AllocCursor | ArgCursor, memory: Memory) -> Where:
    """`a @ MEM  ~>  a @ MEM'`. The backend checks accesses against the memory's rules. Paper: A.7.

    Returns the declaration.
    """
    argument(isinstance(memory, Memory), f"{memory!r} is no memory")
    applicable(a.node.mem is not None, "a control argument lives in no memory", a)  # type: ignore[union-attr]
    rw.set(a.path, mem=memory)
    return a.path


@primitive(same_values=False)
def set_precision(rw: Rewrite, a: AllocCursor | ArgCursor, precision: str | Scalar) -> Where:
    """`a: T  ~>  a: T'`. The backend checks that operands agree. Paper: A.7. Returns the declaration.

    Rounding differs, so the result is not interchangeable with the original (`call_eqv`).
    """
    name = str(precision)
    argument(name in SCALARS, f"{name!r} is no precision: use one of {', '.join(sorted(SCALARS))}")
    old = a.type()
    applicable(isinstance(old, Scalar | Tensor), "a control argument has no precision", a)
    new = with_child(old, "base", SCALARS[name]) if isinstance(old, Tensor) else SCALARS[name]
    if isinstance(old, Tensor):
        rw.replace((*a.path, ("type", None)), new, keep=["shape"])
    else:
        rw.replace((*a.path, ("type", None)), new)
    return a.path


@primitive()
def set_window(rw: Rewrite, a: ArgCursor, is_window: bool = True) -> Where:
    """`a: T[_]  ~>  a: [T][_]`, or back with `is_window=False`. Paper: A.7. Returns the argument.

    A window's strides are not known: fails with `Unsafe` if a call in the procedure relies on them.
    """
    old = a.type()
    applicable(isinstance(old, Tensor), "only a tensor can become a window", a)
    rw.replace((*a.path, ("type", None)), with_child(old, "window", bool(is_window)), keep=["shape"])
    try:
        check(rw.tree)
    except CheckError as e:
        refuse(unsafe(f"with {a.name()} {'a window' if is_window else 'dense'} the procedure is not well-formed: {e}"))
    return a.path


@primitive()
def parallelize_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in seq(..)  ~>  for i in par(..)`, if no iteration touches what another writes. Paper: A.7.

    Returns the loop.
    """
    require(safety.parallel(rw.proc.tree, loop.path), loop)
    rw.set(loop.path, mode="par")
    return loop.path


@primitive()
def rename(rw: Rewrite, proc: ProcCursor, name: str) -> Where:
    """Gives the procedure another name. Returns its root."""
    rw.set((), name=name_arg(name))
    return ()
