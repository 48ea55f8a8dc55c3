"""C11 code."""

from __future__ import annotations

from .errors import (
    AllocationError,
    BackendError,
    CallError,
    InstructionError,
    MemoryAccessError,
    NameClashError,
    Objection,
    PrecisionError,
    RaceError,
    RangeError,
)
from .memory import CMemory, Index, PlacedMemory, VectorMemory, c_memory
from .module import PRIVATE, CModule, compile
from .terms import Term

__all__ = [
    "AllocationError",
    "BackendError",
    "CMemory",
    "CModule",
    "CallError",
    "Index",
    "InstructionError",
    "MemoryAccessError",
    "NameClashError",
    "Objection",
    "PRIVATE",
    "PlacedMemory",
    "PrecisionError",
    "RaceError",
    "RangeError",
    "Term",
    "VectorMemory",
    "c_memory",
    "compile",
]
