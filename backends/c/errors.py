"""What a backend refuses, one class a reason.

Every message shows the object code with the offending line marked.
"""

from __future__ import annotations

from ..kernel import Path, ProcDef, render


class BackendError(ValueError):
    """The procedure can't be compiled as it stands."""


class PrecisionError(BackendError):
    """Operands, or a call's argument and parameter, differ in precision; or a literal doesn't fit."""


class MemoryAccessError(BackendError):
    """Code touches a buffer in a way that its memory doesn't allow."""


class AllocationError(BackendError):
    """A buffer can't be allocated in the memory it is annotated with."""


class CallError(BackendError):
    """An argument's memory differs from the parameter's, or a window stands where a tensor must."""


class RangeError(BackendError):
    """Arithmetic on sizes and indices that 64 bits can't hold."""


class RaceError(BackendError):
    """A `par` or `vec` loop whose iterations aren't provably free of races."""


class InstructionError(BackendError):
    """An instruction's template doesn't fit its arguments."""


class NameClashError(BackendError):
    """A name that C or another procedure of the module already uses."""


class Objection(Exception):
    """A memory's refusal, in words; the caller adds the place and raises a `BackendError`."""


def marked(error: type[BackendError], tree: ProcDef, path: Path, message: str) -> BackendError:
    """An error about the statement or argument that holds `path`, showing its line."""
    return error(f"{tree.name}: {message}\n{render(tree, path)}")
