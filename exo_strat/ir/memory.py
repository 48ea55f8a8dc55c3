"""Memories, as the kernel sees them: names.

What a memory means in C (allocation, access, windows) is known by a backend, which subclasses
`Memory` or keeps a table keyed by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .names import checked_name


@dataclass(frozen=True)
class Memory:
    """A place where buffers live. `DRAM` is ordinary heap memory.

    >>> DRAM
    DRAM
    """

    name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        methods = [name for name, value in vars(cls).items() if isinstance(value, classmethod)]
        if methods:
            raise TypeError(
                f"{cls.__name__} has class methods ({', '.join(methods)}), as Exo's memories have. Here a memory is a "
                f"value: write a subclass of CMemory (backends.c.memory), whose methods take self, and make one of it, "
                f'{cls.__name__.upper()} = {cls.__name__}("{cls.__name__.upper()}"); HeapMemory, LocalMemory and '
                "StaticMemory know most of it, and VectorMemory vectors (docs/new-target.md)"
            )

    def __post_init__(self) -> None:
        checked_name(self.name, "a memory")

    def __repr__(self) -> str:
        return self.name


DRAM = Memory("DRAM")
DRAM_STACK = Memory("DRAM_STACK")
DRAM_STATIC = Memory("DRAM_STATIC")
