"""C code for processors, and compiled procedures as Python functions."""

from __future__ import annotations

from .c import BackendError, CMemory, CModule, VectorMemory
from .jit import JitFunction, jit  # the module first, so that importing it later does not take the function's name
from .native import CacheError, CompileError, NoCompilerError, ToolchainError, UnsupportedTargetError
from .targets import PLAIN_C, available, available_targets, best_machine

__all__ = [
    "PLAIN_C",
    "BackendError",
    "CMemory",
    "CModule",
    "CacheError",
    "CompileError",
    "JitFunction",
    "NoCompilerError",
    "ToolchainError",
    "UnsupportedTargetError",
    "VectorMemory",
    "available",
    "available_targets",
    "best_machine",
    "jit",
]
