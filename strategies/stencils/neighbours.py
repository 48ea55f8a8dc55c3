"""Loops that read an array at neighbouring places, and load each vector of it once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from exo_strat import (
    AllocCursor,
    AssignCursor,
    BinaryOpCursor,
    ForCursor,
    Machine,
    Proc,
    ReadCursor,
    Script,
    Sym,
    bind_expr,
    cut_loop,
    divide_dim,
    divide_loop,
    drop_guard,
    fail,
    focus,
    forms,
    moves,
    names_at,
    nav,
    on,
    print_expr,
    resize_dim,
    set_memory,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    strategy,
)

from .. import std
from ..blas.level1 import RULES, optimize_level_1
from ..inspect import accesses, enclosing_loops, unique_name, unique_names
from ..std.staging import allocation
from ..std.vectorize import rules_for
from ..std.writing import INSIDE, halves

LEAST = 3
"""Places from which on vectors are shared: of two, the second load takes no longer than what makes it of the first."""


@strategy
def share_neighbours(p: Proc, c: ForCursor, machine: Machine, precision: str, vectors: int) -> Script:
    """`for i: y[i] = x[i] + x[i + 1] + x[i + 2]  ~>  for io: r = x[many vectors]; for k: y = r[k] + joined + joined`.

    So many `vectors` are taken together. Where an array is read at three or more neighbouring places, each vector of
    it is loaded once, and one more for the few elements beyond the last one: what lies between two vectors is made of
    both, in registers. What is left over is in vectors as ever (`optimize_level_1`). Focus: a loop whose iterations are
    independent. Returns the procedure. Fails if there is no array that is read so, and only read.

    >>> from backends.targets import avx2
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def mean(n: size, x: f32[8 * n + 2], y: f32[8 * n]):
    ...     for i in seq(0, 8 * n):
    ...         y[i] = x[i] + x[i + 1] + x[i + 2]
    ... ''')
    >>> q = schedule(at("for i in _: _", share_neighbours(avx2, "f32", 1)), p)
    >>> [call.args()[0].text() for call in q.find_all("mm256_joined_ps(_)")]
    ['7', '6']
    """
    p, c = yield shift_loop(0)
    width, memory = machine.vec_width(precision), machine.mem_type
    instructions = machine.get_instructions(precision)
    if not neighbours(c):
        yield fail(f"no array is read at {LEAST} neighbouring places, and only read")
    p, whole = yield divide_loop(vectors * width, halves(c), tail="cut")
    p, _ = yield on(whole.next(), optimize_level_1(machine, precision, 1, strict=True))
    p, inner = yield focus(whole) >> nav(INSIDE)
    near = list[AllocCursor]()
    for row in neighbours(inner):
        window = row.window(p, vectors * width)
        p, block = yield on(inner, nav(moves.as_block), stage_mem(window, unique_name(p, "near")))
        p, buffer = yield on(allocation(block), set_memory(memory), focus(allocation(block)))
        near.append(buffer)
        yield on(buffer, in_vectors(vectors, width))
    p, lanes = yield on(inner, divide_loop(width, halves(inner), tail="perfect"), nav(moves.root), simplify())
    p, lanes = yield focus(inner) >> nav(INSIDE)
    between = list[AssignCursor]()
    registers = {b.sym for b in map(p.forward, near) if isinstance(b, AllocCursor)}
    while (e := first_between(lanes, registers)) is not None:
        p, s = yield on(e, bind_expr(unique_name(p, "joined"), cse=True))
        p, lanes = yield on(s.prev(), set_memory(memory), focus(lanes))
        between.append(s)
    rules = rules_for(instructions, RULES)
    yield on(lanes, std.locals_in(memory), focus(lanes), std.stage_compute(precision, memory, rules))
    yield std.fission_into_singles()
    for s in between:
        yield on(s, of_two(width))
    yield nav(moves.root) >> simplify() >> std.replace_all(instructions) >> std.check_lanes(memory, strict=True)
    yield std.unroll_loops(vectors + 1)
    yield std.cleanup()


# -- what is shared -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """Elements of an array that move along with a loop: the indices in its iteration 0, and the `places`, numbers that
    are added to the last one."""

    sym: Sym
    index: tuple[forms.Lin, ...]
    places: frozenset[int]

    def window(self, p: Proc, extent: int) -> str:
        """What the first iterations access, so many, as object code."""
        names = names_at(p.tree)
        *outer, last = (print_expr(forms.to_expr(x), names) for x in self.index)
        low, high = min(self.places), max(self.places)
        return f"{names[self.sym]}[{', '.join((*outer, f'{last} + {low}:{last} + {extent + high}'))}]"


def neighbours(c: ForCursor) -> tuple[Row, ...]:
    """The rows of arrays that a loop reads at `LEAST` or more neighbouring places, and only reads.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def mean(n: size, x: f32[n + 2], y: f32[n]):
    ...     for i in seq(0, n):
    ...         y[i] = x[i] + x[i + 1] + x[i + 2]
    ... ''')
    >>> [(str(row.sym), sorted(row.places)) for row in neighbours(p.find_loop("i"))]
    [('x', [0, 1, 2])]
    """
    i, found = forms.V(c.sym), accesses(c.body())
    written = {a.sym for a in found if a.writes}
    places = dict[tuple[Sym, tuple[forms.Lin, ...]], set[int]]()
    for a in found:
        if a.index and a.sym not in written and not any(i in forms.lin_atoms(x) for x in a.index[:-1]):
            rest = a.index[-1].without(i)
            if rest is not None and a.index[-1].coefficient(i) == 1:
                places.setdefault((a.sym, (*a.index[:-1], rest - rest.const)), set()).add(rest.const)
    return tuple(Row(sym, index, frozenset(x)) for (sym, index), x in places.items() if len(x) >= LEAST)


def first_between(c: ForCursor, near: Collection[Sym]) -> ReadCursor | None:
    """The first element of registers, in a loop over lanes, that is not in the lane of its iterator and not yet bound;
    None if there is none."""
    for s in c.body():
        value = s.rhs() if isinstance(s, AssignCursor) else None
        if value is not None and not (isinstance(value, ReadCursor) and value.sym in near):
            for e in value.descendants():
                if isinstance(e, ReadCursor) and e.sym in near and isinstance(e.idx()[-1], BinaryOpCursor):
                    return e
    return None


# -- registers ----------------------------------------------------------------------------------------


@strategy
def in_vectors(p: Proc, c: AllocCursor, vectors: int, width: int) -> Script:
    """`r: T[n]; for i in (0, n): r[i] = e  ~>  r: T[v + 1, w]; for k in (0, v): for l: r[k, l] = e; ..`.

    Whole vectors, and a last one that is loaded in part, with zeros in the other lanes. Focus: the allocation.
    """
    copy = c.next()
    yield resize_dim(0, str((vectors + 1) * width), "0")
    p, copy = yield on(copy, divide_loop(width, unique_names(p, ("k", "l")), tail="guard"), cut_loop(vectors))
    p, _ = yield on(copy.expand(0, 1), simplify())
    yield on(copy.next(), nav(INSIDE >> INSIDE), drop_guard(0.0))
    yield on(c, divide_dim(0, width))


@strategy
def of_two(p: Proc, c: AssignCursor, width: int) -> Script:
    """`t[l] = r[(l + k) / w, (l + k) % w]  ~>  if l < w - k: t[l] = r[0, l + k] else: t[l] = r[1, l + k - w]`. Focus:
    the assignment, in a loop over lanes l."""
    lanes = enclosing_loops(c)[-1]
    value = c.rhs()
    assert isinstance(value, ReadCursor)
    place = value.idx()[-1]
    assert isinstance(place, BinaryOpCursor)
    shift = forms.affine(place.lhs().node, {})
    assert shift is not None
    yield specialize(f"{lanes.name()} < {width - shift.const % width}")
