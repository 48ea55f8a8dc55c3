"""Products of matrices of any shape, as calls of the kernels of `level3` and `dots`.

A naive program here is `for j: for i: c = beta * c; for p: c += alpha * (a * b)`, where c is set to 0 if beta is 0. It
goes one of several ways, each of which is made of the same steps. Products of an element are taken so many at a time,
from copies of a or b. The first time c is set, or scaled, and then it is added to. Rows and columns are in blocks, each
of which is a call of a kernel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import Any

from exo_strat import (
    Cursor,
    ForCursor,
    Memory,
    Op,
    Proc,
    ProcCursor,
    ReduceCursor,
    Script,
    add_loop,
    call_eqv,
    cut_loop,
    delete_pass,
    divide_loop,
    eliminate_dead_code,
    fission,
    focus,
    fuse,
    identity,
    inline_assign,
    lift_reduce_constant,
    lift_scope,
    merge_writes,
    moves,
    named,
    nav,
    on,
    rearrange_dim,
    reframe,
    reorder_loops,
    reorder_stmts,
    repeat_n,
    replace,
    resize_dim,
    seq,
    set_memory,
    simplify,
    specialize,
    stage_mem,
    strategy,
    tighten_loop,
    try_else,
)

from .. import std
from ..inspect import loops_inside
from ..std.writing import INSIDE


@dataclass(frozen=True)
class Made:
    """A program, and what it was scheduled to."""

    program: Proc
    scheduled: Proc

    @property
    def call(self) -> Op:
        """`s  ~>  f(..)`, where s is what the program does. Focus: the first of the statements."""
        return seq(replace(self.program), call_eqv(self.scheduled))


@dataclass(frozen=True)
class Kernels:
    """What sets c to a product, what adds one to it, and what scales a matrix."""

    new: Made
    add: Made
    scale: Made


# -- steps --------------------------------------------------------------------------------------------


@named
def in_parts(size: str | int, names: tuple[str, str], then: Op) -> Op:
    """`for i: s  ~>  for io: for ii in (0, min(size, n - size * io)): s`, where `then` is for the inner loop.

    Focus: the loop.
    """
    return seq(divide_loop(size, names, tail="guard"), nav(INSIDE), tighten_loop(), then)


@strategy
def in_depths(p: Proc, c: Cursor, deep: str | int, then: Op) -> Script:
    """`for j: for i: s; for p: t  ~>  for po: for j: for i: (if po == 0: s); for p: t`, for `deep` products at a time.

    `then` is for the loop over j. Focus: what is around the nest. Returns the procedure.
    """
    products: Any = c.find_loop("p")
    start = products.prev()
    p, blocks = yield on(products, divide_loop(deep, ("po", "p"), tail="guard"))
    yield on(blocks, nav(INSIDE), tighten_loop())
    p, first = yield on(start, add_loop("po", blocks.hi().text(), guard=True))
    p, blocks = yield on(first, fuse(p.forward(blocks)))
    yield on(blocks, repeat_n(lift_scope(), 2), nav(INSIDE), then)
    yield nav(moves.root)
    return None


@strategy
def at_first(p: Proc, c: ForCursor, then: Op, other: Op) -> Script:
    """`for j: for i: (if po == 0: s); t  ~>  if po == 0: (for j: for i: s; t) else: (for j: for i: t)`.

    `then` and `other` are for these nests; without a condition there is the first one only. Focus: the loop over j.
    Returns the procedure.
    """
    if not c.find_all("if po == 0: _"):
        yield seq(then, nav(moves.root))
        return None
    p, cases = yield specialize("po == 0")
    for branch in (cases.body(), cases.orelse()):
        yield on(branch.find("if po == 0: _"), eliminate_dead_code())
    p, _ = yield seq(nav(moves.root), delete_pass())
    added: Any = p.forward(cases)
    yield on(added.orelse()[0], other)
    yield on(cases.body()[0], then)
    yield nav(moves.root)
    return None


@named
def by_beta(then: Op) -> Op:
    """`for j: for i: (if po == 0: s); t  ~>  if po == 0: (if beta == 0: c = t; else: s; c += t) else: c += t`.

    `then` is for each of the three nests. Focus: the loop over j. Returns the procedure.
    """
    added = seq(with_sums(), then)
    return at_first(set_or_scaled(seq(with_sums(), set_at_the_end(), then), added), added)


@strategy
def set_or_scaled(p: Proc, c: ForCursor, then: Op, other: Op) -> Script:
    """`for j: for i: s; t  ~>  if beta == 0: (for j: for i: s; t) else: (for j: for i: s; t)`, where s is decided.

    `then` and `other` are for the nests. Focus: the outer loop.
    """
    p, cases = yield beforehand("if beta == 0.0: _")
    p, products = yield on(cases.next(), specialize("beta == 0.0"))
    p, cases = yield on(cases, fuse(products))
    for branch, op in ((cases.body(), then), (cases.orelse(), other)):
        p, nest = yield on(branch[0], fuse(branch[1]))
        yield on(nest.body()[0], fuse(nest.body()[1]))
        yield on(nest, op)
    return None


@named
def with_sums() -> Op:
    """`for j: for i: for p: c += alpha * e  ~>  for j: for i: t = 0; for p: t += e; c += alpha * t`. Focus: a nest."""
    return reframe(moves.find_loop("p"), in_one_sum())


@strategy
def in_one_sum(p: Proc, c: ForCursor) -> Script:
    """`for p: c += alpha * e  ~>  t = 0; for p: t += e; c += alpha * t`. Focus: the loop."""
    added: Any = c.find("_ += _")
    place = f"{added.name()}[{', '.join(e.text() for e in added.idx())}]"
    p, block = yield seq(nav(moves.as_block), stage_mem(place, "t", accum=True))
    p, product = yield on(block, nav(moves.expand(1, 0)), lift_reduce_constant())
    yield on(product, inline_assign())
    return None


@strategy
def set_at_the_end(p: Proc, c: ForCursor) -> Script:
    """`c = 0; t = 0; for p: ..; c += alpha * t  ~>  t = 0; for p: ..; c = alpha * t`. Focus: the nest. Returns it."""
    zero: Any = c.find("_ = 0.0")
    while not isinstance(zero.next(), ReduceCursor):
        yield on(zero, nav(moves.expand(0, 1)), reorder_stmts())
        p, zero = yield focus(zero)
    yield on(zero, nav(moves.expand(0, 1)), merge_writes(), simplify())
    return c


# -- calls and copies ---------------------------------------------------------------------------------


@named
def calls(kernels: Kernels) -> Op:
    """`for j: for i: s  ~>  f(..)`, for a nest of `by_beta`, by the kernel that does what it does. Focus: the nest."""
    return calls_of(kernels.new.call, kernels.add.call, kernels.scale)


@named
def calls_of(new: Op, add: Op, scale: Made) -> Op:
    """As `calls`, by Ops for what sets c and for what adds to it."""
    return try_else(new, add, scaled_before(scale, add))


@strategy
def scaled_before(p: Proc, c: ForCursor, scale: Made, then: Op) -> Script:
    """`for j: for i: (if beta != 1: c = beta * c); s  ~>  if beta != 1: scale(..); for j: for i: s`. Focus: a nest."""
    p, scaling = yield beforehand("if beta != 1.0: _")
    yield on(scaling.next(), then)
    yield on(scaling, nav(INSIDE), reorder_loops(), scale.call)
    return None


@strategy
def beforehand(p: Proc, c: ForCursor, condition: str) -> Script:
    """`for j: for i: (if e: s); t  ~>  if e: (for j: for i: s); for j: for i: t`. Focus: a nest. Returns the `if`."""
    first = c.find(condition)
    yield on(first, nav(moves.after), fission(2))
    yield on(first, repeat_n(lift_scope(), 2))
    return first


@strategy
def either(p: Proc, c: ForCursor, condition: str, then: Op, other: Op) -> Script:
    """`s  ~>  if condition: s else: s`, with an Op for each. Focus: the nest."""
    p, cases = yield specialize(condition)
    yield on(cases.body()[0], then)
    yield on(cases.orelse()[0], other)
    return None


@strategy
def if_narrow(p: Proc, c: ForCursor, size: int, then: Op, other: Op) -> Script:
    """`either` for few columns: up to two cache lines, of which the last is filled by half at most, or less than one if
    not many products make up for a masked store. An element has so many bytes. Focus: the nest."""
    products: Any = c.find_loop("p")
    n, k = c.hi().text(), products.hi().text()
    narrow = f"{size} * ({n}) <= 128 and {size} * ({n} - 1) % 64 < 32 or {size} * ({n}) < 64 and {k} <= 64"
    yield either(narrow, then, other)
    return None


@named
def in_rows(tall: str | int, then: Op) -> Op:
    """`for j: for i: s  ~>  for io: for j: for i: s`, for blocks of so many rows. Focus: the nest."""
    return seq(reorder_loops(), in_parts(tall, ("io", "i"), seq(reorder_loops(), then)))


@strategy
def copied(p: Proc, c: ForCursor, buffer: str, memory: Memory, turn: Made, then: Op, row: str = "") -> Script:
    """`s[b]  ~>  turn(.., b, turned); s[turned]`, of what a block needs of a matrix whose columns are of neighbours.

    The copy has rows of neighbours, at the distance `row` if that is said. `then` is for the block. Focus: the nest.
    """
    p, block = yield seq(nav(moves.as_block), stage_mem(window(c, buffer), "turned"))
    copy = block[0].prev()
    p, room = yield on(copy.prev(), resize_dim(1, row, 0) if row else identity)
    yield on(copy, reorder_loops(), turn.call)
    yield on(block[0], then)
    yield on(room, set_memory(memory))
    return None


def window(c: ForCursor, buffer: str) -> str:
    """What a nest reads of a matrix, or adds to it, from the first iterations of its loops to the last ones.

    `bounds` is about more where of two ends neither is always the first.
    """
    found: Any = c.find_all(f"{buffer}[_]") or c.find_all(f"{buffer}[_] += _")
    loops = [c, *loops_inside(c)]

    def at_all(index: str, values: list[str]) -> str:
        pairs = zip(loops, values, strict=True)
        return reduce(lambda text, pair: re.sub(rf"\b{pair[0].name()}\b", pair[1], text), pairs, index)

    ends = [f"({loop.hi().text()})" for loop in loops]
    dims = [f"{at_all(e.text(), ['0'] * len(loops))}:{at_all(e.text(), ends)}" for e in found[0].idx()]
    return f"{buffer}[{', '.join(dims)}]"


# -- ways ---------------------------------------------------------------------------------------------


@named
def at_once(call: Op, scale: Made) -> Op:
    """The whole product is a block. Focus: the nest."""
    each = seq(with_sums(), call)
    return set_or_scaled(seq(with_sums(), set_at_the_end(), call), scaled_before(scale, each))


@named
def in_sums() -> Op:
    """The whole product is a sum for each element of c, as a loop. Focus: the nest."""
    added = with_sums()
    return set_or_scaled(seq(added, set_at_the_end()), added)


@named
def few_rows_apart(tall: int, call: Op) -> Op:
    """One or two rows more than a tile has are two blocks: after a tile, their sums would have to wait for each other.
    Focus: the nest."""
    return either(f"m == {tall + 1} or m == {tall + 2}", in_two(tall // 2 + 1, call, call), call)


@strategy
def in_two(p: Proc, c: ForCursor, rows: int, then: Op, below: Op) -> Script:
    """`for j: for i: s  ~>  for j: for i in (0, 4): s; for j: for i in (4, m): s`, by Ops. Focus: the nest."""
    p, first = yield seq(reorder_loops(), cut_loop(rows))
    yield on(first.next(), reorder_loops(), below)
    yield on(first, reorder_loops(), then)
    return None


@named
def in_place(call: Op) -> Op:
    """Both are read where they are, by blocks of `deep` rows of b and `wide` columns, and `tall` rows of c. Focus: the
    procedure."""
    return in_depths("deep", by_beta(in_blocks(call)))


@named
def in_blocks(call: Op) -> Op:
    """`for j: for i: s  ~>  for jo: for io: for j: for i: s`, for `wide` columns and `tall` rows. Focus: the nest."""
    return in_parts("wide", ("jo", "j"), in_rows("tall", call))


@named
def from_packed(call: Op, turn: Made, memory: Memory, depth: int, most: int) -> Op:
    """b is packed by the kernels, at most `depth` rows together, and a turned if c has more than `wide` columns and
    columns of a are of neighbours, at most `most` of its rows together. Focus: the procedure."""
    row = f"min(k, {depth}) / 32 * 32 + 32"  # not a power of two
    turned = copied("a", memory, turn, by_beta(call), row)
    return in_depths(depth, in_rows(most, either("stride(a, 0) == 1 and wide < n", turned, by_beta(call))))


@strategy
def by_dots(p: Proc, c: ProcCursor, add: Made, zero: Made, scale: Made, turn: Made, memory: Memory) -> Script:
    """Sums are along rows of a and columns of b, `deep` products at a time; a is turned if it has to be. c is set to
    zero, or scaled, beforehand: with so many products of an element, that takes little time. Focus: the procedure."""
    p, cases = yield seq(nav(moves.find_loop("j")), zeroed_or_scaled(zero, scale))
    each = seq(with_sums(), add.call)
    turned = either("stride(a, 1) == 1", each, copied("a", memory, turn, each))
    p, blocks = yield on(cases.next().find_loop("p"), divide_loop("deep", ("po", "p"), tail="guard"))
    yield on(blocks, nav(INSIDE), tighten_loop())
    yield on(blocks, repeat_n(lift_scope(), 2), nav(INSIDE), turned)
    return None


@strategy
def zeroed_or_scaled(p: Proc, c: ForCursor, zero: Made, scale: Made) -> Script:
    """`for j: for i: s; t  ~>  if beta == 0: zero(..) elif beta != 1: scale(..)`, then `for j: for i: t`.

    The statement s sets an element to zero, or scales it. Focus: the nest. Returns the `if`.
    """
    p, cases = yield beforehand("if beta == 0.0: _")
    scaling = cases.orelse()[0].find("if beta != 1.0: _")
    yield on(scaling, repeat_n(lift_scope(), 2))
    yield on(scaling, nav(INSIDE), reorder_loops(), scale.call)
    yield on(cases.body()[0], reorder_loops(), zero.call)
    return cases


@named
def by_turns(call: Op, turn: Made, memory: Memory) -> Op:
    """b is turned, `deep` of its rows at a time, and c computed by `tall` rows. Focus: the procedure."""
    return in_depths("deep", copied("b", memory, turn, by_beta(in_rows("tall", call))))


@named
def by_long_rows(call: Op, turn: Made, memory: Memory) -> Op:
    """b is turned, `wide` of its columns at a time, and c computed by `tall` rows. Focus: the procedure."""
    row = "(min(n, wide) + 16) / 32 * 32 + 16"  # not a power of two
    each = copied("b", memory, turn, by_beta(in_rows("tall", call)), row)
    return seq(nav(moves.find_loop("j")), in_parts("wide", ("jo", "j"), each))


@strategy
def by_transposed(p: Proc, c: ProcCursor, call: Op, scale: Made, turn: Made, add: Made, memory: Memory) -> Script:
    """The transposed product of `most` rows of c, whose columns they are, is turned, and set or added to c.

    Its rows and columns are in blocks, as in `in_place`. Focus: the procedure.
    """
    p, rows = yield seq(nav(moves.find_loop("j")), reorder_loops(), in_parts("most", ("part", "i"), identity))
    p, products = yield on(rows.find("if beta == 0.0: _"), nav(moves.after), fission(2))
    p, block = yield on(products, nav(moves.as_block), stage_mem(window(products, "c"), "sums", accum=True))
    zero, products = block[0].prev(), block[0]
    p, sums = yield on(zero.prev(), rearrange_dim((1, 0)))
    for _ in (sums, zero, products):
        p, _ = yield on(rows, nav(moves.expand(0, 1)), reorder_stmts())
    moved: Any = p.forward(rows)
    p, end = yield on(moved, fuse(moved.next()))
    yield on(end.body()[0], fuse(end.body()[1]))
    p, products = yield on(zero, fuse(products))
    p, _ = yield on(products.body()[0], fuse(products.body()[1]))
    added = seq(with_sums(), in_blocks(call))
    yield on(products, in_depths("deep", at_first(seq(with_sums(), set_at_the_end(), in_blocks(call)), added)))
    turned = seq(reorder_loops(), turn.call)
    yield on(end, set_or_scaled(seq(set_at_the_end(), turned), turned_and_added(scale, turned, add, memory)))
    yield on(sums, set_memory(memory))
    return None


@strategy
def turned_and_added(p: Proc, c: ForCursor, scale: Made, turned: Op, add: Made, memory: Memory) -> Script:
    """`for i: for j: (if beta != 1: c = beta * c); c += sums[j, i]  ~>  if ..: scale(..); turn(..); add(..)`.

    Focus: the nest.
    """
    p, scaling = yield beforehand("if beta != 1.0: _")
    yield on(scaling, nav(INSIDE), scale.call)
    p, copy = yield on(scaling.next(), nav(moves.find("_ += _") >> moves.rhs), std.stage_expr("turned", n_lifts=2))
    copy = copy.parent().parent()
    room, added = copy.prev(), copy.next()
    yield on(copy, turned)
    yield on(added, add.call)
    yield on(room, set_memory(memory))
    return None
