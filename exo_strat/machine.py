"""What a strategy may know of a processor."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyrsistent import PMap, pmap

from .cursors.proc import Proc
from .ir.memory import Memory
from .ir.precisions import size_of
from .ir.types import Scalar


def _check_positive(of: object, **numbers: object) -> None:
    """Raises `ValueError` for a number of a machine that is no positive integer: nothing could be decided by it."""
    for name, n in numbers.items():
        if not isinstance(n, int) or isinstance(n, bool) or n <= 0:
            raise ValueError(f"{type(of).__name__}: {name} is a positive integer, not {n!r}")


@dataclass(frozen=True)
class Cache:
    """A level of the caches that data pass through: how many `bytes` it has; `ways`, the lines that a set has room for;
    the bytes of a `line`; and how many `threads` of the hardware have it in common. On Linux,
    `grep . /sys/devices/system/cpu/cpu0/cache/index*/*` shows them.

    >>> Cache(bytes=32 << 10, ways=8).sets
    64
    """

    bytes: int
    ways: int
    line: int = 64
    threads: int = 1

    def __post_init__(self) -> None:
        _check_positive(self, bytes=self.bytes, ways=self.ways, line=self.line, threads=self.threads)

    @property
    def sets(self) -> int:
        """How many sets of lines it has, at least one."""
        return max(1, self.bytes // (self.ways * self.line))


@dataclass(frozen=True)
class Pipes:
    """So many units of a core that begin an operation on a vector of up to so many bits in each cycle.

    >>> Pipes(2, 256).rate(256), Pipes(2, 256).rate(512)
    (2.0, 1.0)
    """

    count: int
    bits: int

    def __post_init__(self) -> None:
        _check_positive(self, count=self.count, bits=self.bits)

    def rate(self, bits: int) -> float:
        """Operations a cycle on vectors of so many bits: a longer one takes a unit for several cycles."""
        return self.count / max(1, -(-bits // self.bits))


@dataclass(frozen=True)
class Waits:
    """What a model of time counts beside the work of units, in cycles: `lines`, for a cache's line that comes from the
    second cache, the third, and memory; `iteration`, for each iteration of a loop, and `loop`, for one that is begun
    and left; `forwarded`, for a value that goes through memory to the next iteration. Lines come before they are
    needed where a loop goes along no more than `streams` runs of elements; `late` is for a piece of a run that comes
    later, and for each run more.

    These are chosen by hand, so that candidates are ordered well: `python -m benchmarks.ranking` tells how well.
    Of a processor that does nothing else, `python -m benchmarks.processor` measures lines, loops and forwarded values.

    >>> Waits().lines[0] < Waits().lines[1]
    True
    """

    lines: tuple[float, ...] = (1.5, 8.0, 40.0)
    streams: float = 5.0
    late: float = 0.6
    iteration: float = 0.5
    loop: float = 10.0
    forwarded: float = 12.0


@dataclass(frozen=True)
class Processor:
    """The numbers of a processor: its `caches`, the nearest first; after how many cycles the result of a fused
    multiply-add can be used (`fma_latency`); the units for multiply-adds, loads and stores of vectors, as
    `python -m benchmarks.processor` measures them; how many instructions are under way at once (`reorder`, the
    entries of the reorder buffer); what a model counts for its `waits`; how many `cores` and `threads` of the hardware
    there are for a process (`nproc`); what it costs to have threads share a loop, from fork to join: so many operations
    on vectors one thread does meanwhile (`fork`, as `python -m benchmarks.threads` measures it); and its highest
    frequency in `hertz` where that is known (`cat /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq`, in kHz).

    What is not said is that of no processor in particular: caches and units as most servers and desktops have them or
    more, one core. `backends.families` has those of some families, `exo-strat targets --native` shows those of the
    processor at hand.

    >>> Processor().cache(2).bytes
    1048576
    """

    name: str = "generic"
    caches: tuple[Cache, ...] = (Cache(32 << 10, 8), Cache(1 << 20, 8), Cache(8 << 20, 16))
    fma_latency: int = 4
    fmas: Pipes = Pipes(2, 256)
    loads: Pipes = Pipes(2, 256)
    stores: Pipes = Pipes(1, 256)
    reorder: int = 224
    waits: Waits = Waits()
    cores: int = 1
    threads: int = 1
    fork: int = 1 << 14
    hertz: int | None = None

    def __post_init__(self) -> None:
        whole = ("fma_latency", "reorder", "cores", "threads", "fork", *(("hertz",) if self.hertz is not None else ()))
        _check_positive(self, **{name: getattr(self, name) for name in whole})
        if not self.caches:
            raise ValueError("Processor: caches has one at least, the nearest")

    def cache(self, level: int) -> Cache:
        """The cache of a level, from 1 on; the last one where there are fewer levels."""
        return self.caches[min(level, len(self.caches)) - 1]


@dataclass(frozen=True, repr=False)
class Machine:
    """A target: vector widths (elements a register, by precision), the memory that registers are,
    the instructions by precision, whether lanes can be masked, and flags for the C compiler. `streams`
    are the stores that pass the caches, `transposes` copies of a few columns of a matrix to rows, by precision: only a
    strategy that asks for them uses them. `registers` is how many vector registers there are, and `processor` has the
    numbers of the processor: unless said, those of no one in particular."""

    name: str
    vec_widths: PMap[str, int]
    mem_type: Memory
    instructions: PMap[str, tuple[Proc, ...]]
    supports_predication: bool = False
    cc_flags: tuple[str, ...] = ()
    cpu_flags: tuple[str, ...] = ()
    registers: int = 16
    processor: Processor = Processor()
    streams: PMap[str, tuple[Proc, ...]] = field(default_factory=pmap)
    transposes: PMap[str, tuple[Proc, ...]] = field(default_factory=pmap)

    def __post_init__(self) -> None:
        for table in ("vec_widths", "instructions", "streams", "transposes"):  # a plain dict has no hash
            object.__setattr__(self, table, pmap(getattr(self, table)))
        _check_positive(self, **{f"vec_widths[{p!r}]": n for p, n in self.vec_widths.items()})
        if self.registers < 0:
            raise ValueError(f"Machine: registers is how many there are, not {self.registers}")

    def __repr__(self) -> str:
        return self.name

    def vec_width(self, precision: str) -> int:
        """Elements in a vector register; 1 where there are no vectors."""
        return self.vec_widths.get(precision, 1)

    def vec_bits(self, precision: str) -> int:
        """The bits of a vector of elements of this precision; of one element where there are no vectors."""
        return 8 * self.vec_width(precision) * size_of(Scalar(precision))

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
