"""What a strategy may know of a processor."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrsistent import PMap, pmap

from .cursors.proc import Proc
from .ir.memory import Memory


@dataclass(frozen=True, repr=False)
class Machine:
    """A target: vector widths (elements a register, by precision), the memory that registers are,
    the instructions by precision, whether lanes can be masked, and flags for the C compiler. `streams`
    are the stores that pass the caches, `transposes` copies of a few columns of a matrix to rows, by precision: only a
    strategy that asks for them uses them. `l2` is the size of a core's L2 cache in bytes, as
    `getconf LEVEL2_CACHE_SIZE` prints it on a processor of the kind; 1 MiB unless said."""

    name: str
    vec_widths: PMap[str, int]
    mem_type: Memory
    instructions: PMap[str, tuple[Proc, ...]]
    supports_predication: bool = False
    cc_flags: tuple[str, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    registers: int = 16
    l2: int = 1 << 20
    streams: PMap[str, tuple[Proc, ...]] = field(default_factory=pmap)
    transposes: PMap[str, tuple[Proc, ...]] = field(default_factory=pmap)

    def __post_init__(self) -> None:
        for table in ("vec_widths", "instructions", "streams", "transposes"):  # a plain dict has no hash
            object.__setattr__(self, table, pmap(getattr(self, table)))

    def __repr__(self) -> str:
        return self.name

    def vec_width(self, precision: str) -> int:
        """Elements in a vector register; 1 where there are no vectors."""
        return self.vec_widths.get(precision, 1)

    def get_instructions(self, precision: str) -> tuple[Proc, ...]:
        """The instructions on this precision."""
        return self.instructions.get(precision, ())

    def get_streams(self, precision: str) -> tuple[Proc, ...]:
        """The stores of this precision that pass the caches."""
        return self.streams.get(precision, ())

    def get_transposes(self, precision: str) -> tuple[Proc, ...]:
        """The transpositions of this precision: `for i: for j: dst[i, j] = src[i, j]`, of a src by columns."""
        return self.transposes.get(precision, ())

    def instruction(self, name: str) -> Proc:
        """The instruction of this name."""
        for instrs in (*self.instructions.values(), *self.streams.values(), *self.transposes.values()):
            for i in instrs:
                if i.name() == name:
                    return i
        raise KeyError(f"{self.name} has no instruction {name}")
