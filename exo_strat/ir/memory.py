"""Memories, as the kernel sees them: names. Imports names only.

What a memory means in C (allocation, access, windows) is known by a backend, which subclasses
`Memory` or keeps a table keyed by it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .names import checked_name


@dataclass(frozen=True)
class Memory:
    """A place where buffers live. `DRAM` is ordinary heap memory.

    >>> DRAM
    DRAM
    """

    name: str

    def __post_init__(self) -> None:
        checked_name(self.name, "a memory")

    def __repr__(self) -> str:
        return self.name


DRAM = Memory("DRAM")
DRAM_STACK = Memory("DRAM_STACK")
DRAM_STATIC = Memory("DRAM_STATIC")
