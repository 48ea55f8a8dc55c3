"""The procedures of a C module: callees first, with their C names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from ..kernel import Call, Node, Path, Proc, ProcDef, Read, Sym, WindowExpr, declarators, walk
from .errors import BackendError, InstructionError, NameClashError
from .names import fresh, function_name
from .symbols import Data, Range, data_symbols, ranges, written_args
from .threads import shared, side_by_side
from .types import MOST


@dataclass(frozen=True)
class Function:
    """A procedure as a C function: what its variables are and which arguments (by position) it writes."""

    tree: ProcDef
    name: str
    exported: bool
    data: Mapping[Sym, Data]
    ranges: Mapping[Sym, Range]
    written: frozenset[int]
    foreign: frozenset[str]
    """Identifiers of the instruction templates that it uses: its variables must not hide them."""
    shared: frozenset[Sym]
    """What its parallel loops use that is declared outside of them."""
    side_by_side: bool
    """Whether the C compiler may run several calls of it side by side."""
    overlapping: frozenset[Sym] = frozenset()
    """Its arguments that lie in one buffer with another one at some call, if either is written."""
    most: int = MOST
    """How large its control arguments may be, and minus that: then nothing overflows."""

    @property
    def is_leaf(self) -> bool:
        """Whether it calls no function: instructions are none."""
        return all(n.f.tree.instr is not None for n in declarators(self.tree) if isinstance(n, Call))


@dataclass(frozen=True)
class Program:
    """The functions in the order that C wants, and a table by the identity of a procedure's tree.
    Instructions are in the table only."""

    functions: tuple[Function, ...]
    by_tree: Mapping[int, Function]
    places: Mapping[tuple[str, Path], int] = field(default_factory=dict)
    """Where buffers of a `PlacedMemory` begin, by the function's name and the path of the allocation."""
    checked: frozenset[tuple[str, str]] = frozenset()
    """Config fields whose values are compared with the `most` of the functions when they are written."""


def _overlapping(functions: Sequence[Function], by_tree: Mapping[int, Function]) -> dict[str, frozenset[Sym]]:
    """Which arguments of each function lie in one buffer with another one at some call, if either is written. A call
    gets parts that are apart, but what it writes in one iteration of a loop, it may read in the next."""
    pairs: dict[str, set[frozenset[Sym]]] = {f.name: set() for f in functions}
    for f in reversed(functions):  # who calls comes before what it calls
        for call in (n for n in declarators(f.tree) if isinstance(n, Call) and n.f.tree.instr is None):
            callee = by_tree[id(call.f.tree)]
            data = [(i, f.data[e.sym].owner) for i, e in enumerate(call.args) if isinstance(e, Read | WindowExpr)]
            for (i, one), (j, other) in combinations(data, 2):
                met = one == other or frozenset((one, other)) in pairs[f.name]
                if met and callee.written & {i, j}:
                    pairs[callee.name].add(frozenset(callee.tree.args[k].sym for k in (i, j)))
    return {name: frozenset(s for pair in found for s in pair) for name, found in pairs.items()}


def calls_of(program: Program) -> Counter[str]:
    """In how many places each function is called."""
    called = [n.f.tree for f in program.functions for n in declarators(f.tree) if isinstance(n, Call)]
    return Counter(program.by_tree[id(tree)].name for tree in called)


def with_callees(code: Node, f: Function, by_tree: Mapping[int, Function]) -> Iterator[tuple[Node, Function]]:
    """The nodes of some code of a function, and of the functions that it reaches by calls, each of these once."""
    seen: set[int] = set()
    stack = [(code, f)]
    while stack:
        code, f = stack.pop()
        for _, n in walk(code):
            yield n, f
            if isinstance(n, Call) and n.f.tree.instr is None:
                callee = by_tree[id(n.f.tree)]
                if id(callee) not in seen:
                    seen.add(id(callee))
                    stack.append((callee.tree, callee))


def _callees_first(roots: Sequence[ProcDef], into_instructions: bool) -> tuple[ProcDef, ...]:
    """Every procedure reached from `roots`, each after what it calls. What the body of an instruction
    calls is part of its meaning, not of the C module."""
    done: dict[int, ProcDef] = {}
    stack: list[tuple[ProcDef, bool]] = [(t, False) for t in reversed(roots)]
    while stack:
        tree, entered = stack.pop()
        if id(tree) in done:
            continue
        if entered:
            done[id(tree)] = tree
            continue
        stack.append((tree, True))
        entered_body = tree.instr is None or into_instructions
        called = [n.f.tree for n in declarators(tree) if isinstance(n, Call)] if entered_body else []
        stack.extend((t, False) for t in reversed(called))
    return tuple(done.values())


def _exported_names(roots: Sequence[ProcDef], prefix: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for t in roots:
        name = prefix + function_name(t.name)
        if t.instr is not None:
            raise InstructionError(f"{t.name} is an instruction: compile a procedure that calls it")
        if not prefix and name != t.name:
            why = f"C or its library has the name {t.name}" if t.name.isascii() else f"{t.name} is no name in C"
            raise NameClashError(f"{why}; give the procedure another with rename")
        if name in names.values() and id(t) not in names:
            raise NameClashError(f"two procedures called {t.name} can't be in one module; rename one")
        names[id(t)] = name
    return names


def _foreign(tree: ProcDef) -> frozenset[str]:
    templates = [n.f.tree.instr.c for n in declarators(tree) if isinstance(n, Call) and n.f.tree.instr is not None]
    return frozenset(word for c in templates for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"\{\w+\}", "", c)))


def link(procs: Sequence[Proc], prefix: str = "") -> Program:
    """Collect what `procs` call and name everything; `procs` keep their names, others make way. All names of functions
    begin with `prefix`."""
    if not procs:
        raise BackendError("there is nothing to compile: give at least one procedure")
    roots = [p.tree for p in procs]
    names = _exported_names(roots, prefix)
    taken = frozenset(names.values())
    functions: list[Function] = []
    by_tree: dict[int, Function] = {}
    written: dict[int, frozenset[int]] = {}
    emitted = {id(t) for t in _callees_first(roots, False) if t.instr is None}
    for tree in _callees_first(roots, True):
        twin = next((f for f in functions if id(tree) not in names and f.tree == tree), None)
        if twin is not None:
            by_tree[id(tree)], written[id(tree)] = twin, twin.written
            continue
        name = names.get(id(tree)) or (tree.name if tree.instr else fresh(function_name(tree.name), taken, prefix))
        data = data_symbols(tree)
        written[id(tree)] = written_args(tree, data, written)
        function = Function(
            tree, name, id(tree) in names, data, ranges(tree), written[id(tree)], _foreign(tree), shared(tree),
            tree.instr is not None or side_by_side(tree, data, by_tree),
        )  # fmt: skip
        by_tree[id(tree)] = function
        if id(tree) in emitted:
            functions.append(function)
            taken |= {name}
    overlapping = _overlapping(functions, by_tree)
    told = {id(f): replace(f, overlapping=overlapping[f.name]) for f in functions}
    return Program(tuple(told.values()), {tree: told.get(id(f), f) for tree, f in by_tree.items()})
