"""What a scheduled program may cost, before it is measured: a model that orders candidates for a search.

It counts instructions for the units that a core has, waits for sums that are carried from one iteration to the next,
takes sums for which there are no registers to and from memory, and moves to each level of the caches what the loops
that fit there touch. Lines come while the units compute, and not while they load or store: so it is in the
execution-cache-memory model of Treibig and Hager (2009). `python -m benchmarks.ranking` prints how well it orders what
is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Final, TypeAlias

from exo_strat import (
    Machine,
    Proc,
    Scalar,
    Sym,
    Tensor,
    Waits,
    declarations,
    is_control,
    nodes,
    walk,
)

from .boxes import Boxes, Env, Touched, value

UNROLLED: Final = 16
"""A loop of no more iterations, whose number is known, is taken for unrolled by the C compiler (`gcc -O3`)."""

Value: TypeAlias = "tuple[str, frozenset[Sym]]"
"""What a register or a window holds: the text, and the iterators in that."""
Chains: TypeAlias = "dict[Value, float]"
"""For values that are made of what they were before: after how many cycles."""


@dataclass(frozen=True)
class Work:
    """Instructions for each kind of unit of a core."""

    fmas: float = 0.0
    loads: float = 0.0
    stores: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(self.fmas + other.fmas, self.loads + other.loads, self.stores + other.stores)

    @property
    def count(self) -> float:
        """How many instructions that is."""
        return self.fmas + self.loads + self.stores

    def times(self, n: float) -> Work:
        """So many times the same."""
        return Work(self.fmas * n, self.loads * n, self.stores * n)


@dataclass
class Ran:
    """What some code takes: instructions that nothing waits for, cycles of the loops in it, and in how many of these
    nothing is loaded or stored (`idle`), the sums that go on."""

    work: Work = Work()
    cycles: float = 0.0
    idle: float = 0.0
    chains: Chains = field(default_factory=dict)
    path: float = 0.0
    has_loops: bool = False

    def add(self, other: Ran) -> None:
        """What comes after it."""
        self.work, self.cycles = self.work + other.work, self.cycles + other.cycles
        self.idle += other.idle
        self.path, self.has_loops = max(self.path, other.path), self.has_loops or other.has_loops
        for key, n in other.chains.items():
            self.chains[key] = self.chains.get(key, 0.0) + n


@dataclass(frozen=True)
class Cycles:
    """The model, for a machine and sizes; see `cycles`."""

    machine: Machine
    sizes: tuple[tuple[str, int], ...]

    def __call__(self, p: Proc) -> float:
        """Cycles that a call of a procedure takes."""
        sizes = dict(self.sizes)
        env = {a.sym: float(sizes[str(a.sym)]) for a in p.tree.args if str(a.sym) in sizes}
        inside = _Inside(self, p.tree, 0.0)
        ran = inside.called(env)
        lines, late = inside.moved(env)
        return ran.cycles + max(0.0, lines - ran.idle) + late

    def taken(self, work: Work) -> float:
        """Cycles in which the units do some work."""
        return max(work.fmas / self.machine.processor.fmas.rate(self._bits), self.accessing(work))

    def accessing(self, work: Work) -> float:
        """Cycles in which the units load or store."""
        units, bits = self.machine.processor, self._bits
        return max(work.loads / units.loads.rate(bits), work.stores / units.stores.rate(bits))

    @property
    def _bits(self) -> int:
        return max(map(self.machine.vec_bits, self.machine.vec_widths), default=1)


def cycles(machine: Machine, sizes: Mapping[str, int]) -> Cycles:
    """A model of what procedures cost on a machine, when their integer arguments have these values: cycles, good for
    comparing versions of one procedure.

    >>> from backends.targets import avx2
    >>> from exo_strat import ForCursor, direct, proc_from_source
    >>> p = proc_from_source('''
    ... def dot(n: size, x: f32[n], y: f32[n], s: f32):
    ...     for i in seq(0, n):
    ...         s += x[i] * y[i]
    ... ''')
    >>> cost = cycles(avx2, {"n": 1000})
    >>> round(cost(p))
    4010
    """
    return Cycles(machine, tuple(sorted(sizes.items())))


@dataclass(frozen=True)
class _Inside:
    """The walk through one procedure; `live` is how many registers are taken."""

    model: Cycles
    tree: nodes.ProcDef
    live: float

    @cached_property
    def boxes(self) -> Boxes:
        return Boxes(self.tree, self.model.machine.processor.cache(1).line)

    @property
    def waits(self) -> Waits:
        return self.model.machine.processor.waits

    def called(self, env: Env) -> Ran:
        """What the instructions take: cycles."""
        ran = self.block(self.tree.body, env)
        busy, used = self.model.taken(ran.work), self.model.accessing(ran.work)
        return Ran(cycles=busy + ran.cycles, idle=busy - used + ran.idle)

    def _callee(self, s: nodes.Call, env: Env) -> tuple[_Inside, Env]:
        """The procedure that is called, and its integers."""
        given = zip(s.f.tree.args, s.args, strict=True)
        return _Inside(self.model, s.f.tree, 0.0), {a.sym: value(e, env) for a, e in given if is_control(e)}

    def block(self, body: Iterable[nodes.Stmt], env: Env) -> Ran:
        ran, here, flow = Ran(), self, _Flow(self.model.machine)
        for s in body:
            if isinstance(s, nodes.Alloc):
                here = replace(here, live=here.live + here.registers(s, env))
            elif isinstance(s, nodes.Call) and s.f.tree.instr is not None:
                ran.add(Ran(flow.instruction(s)))
            else:
                ran.add(here.statement(s, env))
        ran.add(Ran(chains=flow.chains(), path=flow.path()))
        return ran

    def registers(self, s: nodes.Alloc, env: Env) -> float:
        """How many registers a buffer takes."""
        shape = [value(e, env) for e in s.type.shape] if isinstance(s.type, Tensor) else []
        if s.mem == self.model.machine.mem_type and self.model.machine.vec_widths:
            return prod(shape[:-1])
        return 1.0 if not shape else 0.0

    def statement(self, s: nodes.Stmt, env: Env) -> Ran:
        match s:
            case nodes.For():
                return self._loop(s, env)
            case nodes.If():
                return self.block(s.body if value(s.cond, env) else s.orelse, env)
            case nodes.Call():
                inside, known = self._callee(s, env)
                return inside.called(known)
            case nodes.Assign() | nodes.Reduce():
                return self._scalar(s)
        return Ran()

    def _loop(self, s: nodes.For, env: Env) -> Ran:
        n, inside = _iterations(s, env)
        if not n:
            return Ran()
        ran = self.block(s.body, inside)
        lanes = self._lanes(s)
        carried = {k: cycles for k, cycles in ran.chains.items() if s.iter not in k[1]}
        chains = {(text, used - {s.iter}): cycles for (text, used), cycles in ran.chains.items() if s.iter in used}
        chains |= {k: cycles * n for k, cycles in carried.items()}
        if isinstance(s.lo, nodes.Const) and isinstance(s.hi, nodes.Const) and n <= UNROLLED:
            path = max([ran.path, *(cycles * n for cycles in carried.values())])
            return Ran(ran.work.times(n), ran.cycles * n, ran.idle * n, chains, path, ran.has_loops)
        work = ran.work + self._spilled(ran.work)
        carrying = max(carried.values(), default=0.0)
        if carried and ran.has_loops:
            carrying += self.waits.forwarded
        rest = (lanes - 1.0) / 2.0  # iterations that are no whole vector, in the mean
        overlap = ran.path * work.count / self.model.machine.processor.reorder
        times = max(0.0, n - rest) / lanes + min(n, rest)
        busy = times * (max(self.model.taken(work), overlap) + ran.cycles + self.waits.iteration)
        taken = max(busy, carrying * n) + self.waits.loop
        used = times * (self.model.accessing(work) + ran.cycles - ran.idle)
        return Ran(cycles=taken, idle=taken - used, chains=chains, has_loops=True)

    def _spilled(self, work: Work) -> Work:
        """What goes to and from memory as there are no registers for it."""
        excess = self.live - self.model.machine.registers
        part = max(0.0, excess / self.live) if self.live else 0.0
        return Work(0.0, work.fmas * part, work.fmas * part)

    def _lanes(self, s: nodes.For) -> float:
        """How many iterations the C compiler takes together, in vectors: of a loop along contiguous elements."""
        lanes = [self._lane(x, s.iter) for x in s.body]
        return float(min(lanes, default=1))

    def _lane(self, s: nodes.Stmt, i: Sym) -> int:
        if not isinstance(s, nodes.Assign | nodes.Reduce) or not s.idx or not _mentions(s.idx[-1], i):
            return 1
        touched = [n for _, n in walk(s) if isinstance(n, nodes.Read | nodes.Assign | nodes.Reduce) and n.idx]
        along = all(_is_along(n.idx, i) for n in touched)
        declared = declarations(self.tree)[s.sym]
        kind = declared.base if isinstance(declared, Tensor) else declared
        return self.model.machine.vec_width(kind.name) if along and isinstance(kind, Scalar) else 1

    def _scalar(self, s: nodes.Assign | nodes.Reduce) -> Ran:
        reads = sum(isinstance(n, nodes.Read) and bool(n.idx) for _, n in walk(s.rhs))
        done = (n for _, n in walk(s.rhs) if not is_control(n))
        work = sum(isinstance(n, nodes.Binary | nodes.Unary | nodes.ExternCall) for n in done)
        adds = isinstance(s, nodes.Reduce)
        in_memory = float(bool(s.idx))
        used = frozenset(n.sym for e in s.idx for _, n in walk(e) if isinstance(n, nodes.Var))
        latency = float(self.model.machine.processor.fma_latency)
        chains: Chains = {(f"{s.sym} {[str(e) for e in s.idx]}", used): latency} if adds else {}
        fused = adds and work > 0  # the product and the sum are one
        path = latency * (work + adds - fused)
        return Ran(Work(work + adds - fused, reads + adds * in_memory, in_memory), chains=chains, path=path)

    # -- caches ---------------------------------------------------------------------------------

    def moved(self, env: Env) -> tuple[float, float]:
        """Cycles in which lines come from the caches and from memory, and cycles until those are there that come late.
        What a cache has room for is there from the call before."""
        lines, late, everything = 0.0, 0.0, self.boxes.touched(self.tree.body, env).bytes
        for cache, cost in zip(self.model.machine.processor.caches, self.waits.lines, strict=False):
            if everything > cache.bytes:
                come = self.come(self.tree.body, env, cache.bytes)
                lines += come.bytes / cache.line * cost
                late += come.runs * self.waits.late
        return lines, late

    def come(self, body: Iterable[nodes.Stmt], env: Env, room: int) -> Touched:
        """The bytes that come to a cache with so much room, and in how many pieces they come late: there are so many
        runs that no hardware sees all of them."""
        total = Touched()
        for s in body:
            if isinstance(s, nodes.If):
                total += self.come(s.body if value(s.cond, env) else s.orelse, env, room)
            elif isinstance(s, nodes.For):
                total += self._by_loop(s, env, room)
            elif isinstance(s, nodes.Call) and s.f.tree.instr is None and self.boxes.touched([s], env).bytes > room:
                inside, known = self._callee(s, env)
                total += inside.come(s.f.tree.body, known, room)
            else:
                total += Touched(self.boxes.touched([s], env).bytes)
        return total

    def _by_loop(self, s: nodes.For, env: Env, room: int) -> Touched:
        """All that a loop touches, once, if an iteration has it in the cache; else what its iterations touch, each
        anew."""
        n, inside = _iterations(s, env)
        if not n:
            return Touched()
        own = self.boxes.touched([s], env).bytes
        if own <= room or self.boxes.touched(s.body, inside).bytes <= room:
            late = self.late([s], env)
            return Touched(own, own * late.runs / late.bytes if late.bytes else 0.0)
        return self.come(s.body, inside, room).times(n)

    def late(self, body: Sequence[nodes.Stmt], env: Env) -> Touched:
        """What the innermost loops touch, and in how many pieces that come late: each times how many runs an iteration
        has too many."""
        total = Touched()
        for s in body:
            if isinstance(s, nodes.For):
                n, inside = _iterations(s, env)
                total += self.late(s.body, inside).times(n)
            elif isinstance(s, nodes.Call) and s.f.tree.instr is None:
                callee, known = self._callee(s, env)
                total += callee.late(s.f.tree.body, known)
        if total.bytes:
            return total
        each = self.boxes.touched(body, env)
        return Touched(each.bytes, each.runs * max(0.0, each.runs - self.waits.streams))


@dataclass
class _Flow:
    """The instructions of a block, one after the other: of what values each one is made, and how long that takes.

    What was loaded or stored in the block is in a register, and is not stored twice: the C compiler sees to that."""

    machine: Machine
    there: set[object] = field(default_factory=set)
    since: dict[Value, Chains] = field(default_factory=dict)

    def instruction(self, s: nodes.Call) -> Work:
        """One more; how much work it is."""
        kind, target = _kind(s.f.tree, self.machine)
        into, latency = s.args[target], 0.0 if kind in ("load", "store") else float(self.machine.processor.fma_latency)
        made: Chains = {}
        for k, e in enumerate(s.args):
            if not is_control(e) and (k != target or kind == "sum"):
                v = _value_of(e)
                for source, cycles in self.since.get(v, {v: 0.0}).items():
                    made[source] = max(made.get(source, 0.0), cycles + latency)
        self.since[_value_of(into)] = made
        if kind == "store":
            new = ("store", into) not in self.there
            self.there.add(("store", into))
            return Work(stores=float(new))
        operands = list(zip(s.args, s.f.tree.args, strict=True))
        del operands[target]
        far = [e for e, a in operands if not is_control(e) and self._is_far(a)]
        return Work(fmas=float(latency > 0.0), loads=float(sum(map(self._comes, far))))

    def _is_far(self, a: nodes.Arg) -> bool:
        """Whether an operand of an instruction is in memory."""
        return a.mem != self.machine.mem_type

    def _comes(self, window: nodes.Node) -> bool:
        """Whether a window is loaded here for the first time."""
        new = ("load", window) not in self.there and ("store", window) not in self.there
        self.there.add(("load", window))
        return new

    def chains(self) -> Chains:
        """Values that are made of what they were before."""
        return {v: made[v] for v, made in self.since.items() if made.get(v)}

    def path(self) -> float:
        """Cycles until the last value is there."""
        return max((cycles for made in self.since.values() for cycles in made.values()), default=0.0)


def _value_of(e: nodes.Node) -> Value:
    return str(e), frozenset(n.sym for _, n in walk(e) if isinstance(n, nodes.Var))


# -- parts --------------------------------------------------------------------------------------------


def _iterations(s: nodes.For, env: Env) -> tuple[float, Env]:
    """How many iterations a loop has, and what is known in the one in the middle."""
    lo, hi = value(s.lo, env), value(s.hi, env)
    n = max(0.0, hi - lo)
    return n, {**env, s.iter: lo + max(0.0, n - 1) // 2}


def _mentions(e: nodes.Node, i: Sym) -> bool:
    return any(isinstance(n, nodes.Var) and n.sym == i for _, n in walk(e))


def _is_along(index: Sequence[nodes.Node], i: Sym) -> bool:
    """Whether an iterator is in the last index at most, and there once, with factor one."""
    *outer, last = index
    if any(_mentions(e, i) for e in outer):
        return False
    return not _mentions(last, i) or value(last, {i: 1.0}) - value(last, {i: 0.0}) == 1.0


def _kind(instr: nodes.ProcDef, machine: Machine) -> tuple[str, int]:
    """What an instruction is for: a load, a store, a sum (and which argument that is), or any other."""
    args = [a.sym for a in instr.args]
    memory = {a.sym: a.mem for a in instr.args}
    for s in instr.body:
        for _, n in walk(s):
            if isinstance(n, nodes.Reduce) and n.sym in memory:
                return "sum", args.index(n.sym)
            if isinstance(n, nodes.Assign) and n.sym in memory:
                sources = [memory[r.sym] for _, r in walk(n.rhs) if isinstance(r, nodes.Read) and r.sym in memory]
                if memory[n.sym] != machine.mem_type:
                    return "store", args.index(n.sym)
                if isinstance(n.rhs, nodes.Read) and sources != [machine.mem_type]:
                    return "load", args.index(n.sym)
                return "other", args.index(n.sym)
    return "other", 0
