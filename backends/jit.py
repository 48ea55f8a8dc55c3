"""Where the entry point `jit` looks. The code is in `native`, as the package's own name `jit` is the function."""

from __future__ import annotations

from .native import JitFunction, jit

__all__ = ["JitFunction", "jit"]
