"""Where buffers of `PlacedMemory` lie, and that they fit.

A buffer lives to the end of its block, so places are handed out as on a stack: a buffer begins where
those that are alive end. A procedure begins above what any of its callers has alive at the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..kernel import Alloc, Block, Call, For, If, Path, Tensor, concrete, declarators
from .errors import AllocationError, MemoryAccessError, Objection, marked
from .memory import CMemory, PlacedMemory
from .program import Function, Program
from .symbols import bounds

Used = Mapping[PlacedMemory, int]
"""How much of each memory is taken."""


def placed(program: Program) -> Program:
    """The program with its places; raises a `BackendError` where buffers don't fit, or threads would share them."""
    floors: dict[str, Used] = {}
    places: dict[tuple[str, Path], int] = {}
    shared = _placed_in(program)
    for f in reversed(program.functions):  # callers first
        _Walk(f, program, floors, places, shared).block(f.tree.body, (), "body", floors.get(f.name, {}))
    return replace(program, places=places)


@dataclass(frozen=True)
class _Walk:
    """A pass over one function, which fills `places`, and `floors` for what it calls."""

    function: Function
    program: Program
    floors: dict[str, Used]
    places: dict[tuple[str, Path], int]
    shared: Mapping[int, PlacedMemory]
    threads: bool = False
    """Whether several threads run this code."""

    def block(self, stmts: Block, path: Path, label: str, used: Used) -> None:
        for i, s in enumerate(stmts):
            here: Path = (*path, (label, i))
            match s:
                case Alloc():
                    used = self._alloc(s, here, used)
                case For(body=body, mode=mode):
                    inner = self if mode == "seq" else replace(self, threads=True)
                    inner.block(body, here, "body", used)
                case If(body=body, orelse=orelse):
                    self.block(body, here, "body", used)
                    self.block(orelse, here, "orelse", used)
                case Call():
                    self._call(s, here, used)
                case _:
                    pass

    def _alloc(self, s: Alloc, path: Path, used: Used) -> Used:
        mem = self.function.data[s.sym].mem
        if not isinstance(mem, PlacedMemory):
            return used
        self._refuse_threads(mem, path)
        try:
            need = mem.units(concrete(s.type.base if isinstance(s.type, Tensor) else s.type), self._extents(s))
        except Objection as e:
            raise marked(AllocationError, self.function.tree, path, str(e)) from e
        at = used.get(mem, 0)
        if at + need > mem.capacity:
            message = f"{s.sym} takes {need} {mem.unit} of {mem}, and {mem.capacity - at} of {mem.capacity} are free"
            raise marked(AllocationError, self.function.tree, path, f"{message}; make a tile smaller")
        self.places[self.function.name, path] = at
        return {**used, mem: at + need}

    def _extents(self, s: Alloc) -> tuple[int, ...]:
        mem, known = self.function.data[s.sym].mem, self.function.ranges
        extents: list[int] = []
        for d, e in enumerate(s.type.shape if isinstance(s.type, Tensor) else ()):
            least, greatest = bounds(e, known)
            if least is None or least != greatest:
                raise Objection(f"{mem} needs constant extents, and dimension {d} of {s.sym} is not known")
            extents.append(max(1, least))  # below 1 only where nothing runs
        return tuple(extents)

    def _call(self, s: Call, path: Path, used: Used) -> None:
        callee = self.program.by_tree[id(s.f.tree)]
        if callee.tree.instr is not None:
            for d in callee.data.values():
                self._refuse_threads(d.mem, path)
            return
        if self.threads and (shared := self.shared.get(id(callee.tree))):
            self._refuse_threads(shared, path)
        floor = dict(self.floors.get(callee.name, {}))
        for mem, n in used.items():
            floor[mem] = max(n, floor.get(mem, 0))
        self.floors[callee.name] = floor

    def _refuse_threads(self, mem: CMemory, path: Path) -> None:
        if self.threads and isinstance(mem, PlacedMemory):
            message = f"the threads of a parallel loop would share {mem}; make the loop sequential"
            raise marked(MemoryAccessError, self.function.tree, path, message)


def _placed_in(program: Program) -> Mapping[int, PlacedMemory]:
    """For each function, by its tree, a memory that it or what it calls uses and all threads share, if there is one."""
    found: dict[int, PlacedMemory] = {}
    for f in program.by_tree.values():  # callees first
        mine = [d.mem for d in f.data.values() if isinstance(d.mem, PlacedMemory)]
        called = [program.by_tree[id(s.f.tree)].tree for s in declarators(f.tree) if isinstance(s, Call)]
        shared = mine + [found[id(t)] for t in called if id(t) in found]
        if shared:
            found[id(f.tree)] = shared[0]
    return found
