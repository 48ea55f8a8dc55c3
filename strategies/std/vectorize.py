"""Loops as vector instructions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from exo_strat import (
    AllocCursor,
    BlockCursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    ReduceCursor,
    Script,
    StmtCursor,
    divide_loop,
    eliminate_dead_code,
    fail,
    focus,
    named,
    nav,
    on,
    seq,
    specialize,
    strategy,
    try_else,
)

from ..inspect import is_reduction, statements, unique_names
from .compute import Rule, fma_rule, negated_fma_rule, stage_compute
from .guards import branchless
from .instructions import masked_reductions, replace_all, steps
from .lanes import check_lanes
from .reductions import parallelize_reductions
from .splitting import fission_into_singles
from .writing import INSIDE, halves, text

TAILS = {
    "perfect": "perfect",
    "cut": "cut",
    "cut_and_predicate": "cut",
    "guard": "guard",
    "predicate": "guard",
    "best": "cut",
}
"""What becomes of iterations that fill no vector, and by which tail of `divide_loop`; see `vectorize`."""

FUSED = (fma_rule, negated_fma_rule)
"""The rules about products that are added in one instruction, which not every machine has."""

MASKED = ("cut_and_predicate", "predicate")
"""The tails that need instructions with a mask."""


@strategy
def vectorize(
    p: Proc, c: ForCursor, width: int, precision: str, memory: Memory, instructions: Sequence[Proc],
    rules: Sequence[Rule] = (), tail: str = "cut", strict: bool = False,
) -> Script:  # fmt: skip
    """`for i: y[i] = e(x[i])  ~>  for io: v = x[w*io : w*io + w]; u = e(v); y[w*io : w*io + w] = u`.

    Iterations are taken `width` at a time. Of what depends on data both sides are computed (`branchless`). Sums that
    all of them add to are made in each lane (`parallelize_reductions`), every operation gets a register
    (`stage_compute`, which takes `rules`) and a loop over the lanes, and each such loop becomes one of the
    `instructions`, if one does just this. `tail` says what becomes of the last iterations:

    - "perfect": there are none, the width divides the range;
    - "cut": a loop of their own, one by one;
    - "cut_and_predicate": one vector of their own, by instructions with a mask;
    - "guard": in the loop over vectors, which asks each time whether there is a whole one, one by one;
    - "predicate": there, by instructions with a mask;
    - "best": as by "cut_and_predicate", or by "cut" if no instruction with a mask makes one of the loop's sums.

    A loop over the lanes that none of the instructions computes, as one of `expf`, stays, and is named in a
    `NoInstructionWarning`; with `strict` that is a failure. Without instructions all stay, and nothing is said.

    Focus: a loop whose iterations are independent, but for sums. Returns the loop over vectors. Paper: section 6.1.1.

    >>> from exo_strat import DRAM_STACK, at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def scale(n: size, a: f32, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = a * x[i]
    ... ''')
    >>> print(schedule(at("for i in _: _", vectorize(8, "f32", DRAM_STACK, ())), p))
    def scale(n: size, a: f32 @ DRAM, x: f32[n] @ DRAM):
        for io in seq(0, n / 8):
            v: f32[8] @ DRAM_STACK
            v_1: f32[8] @ DRAM_STACK
            v_2: f32[8] @ DRAM_STACK
            for ii in seq(0, 8):
                v_1[ii] = a
            for ii in seq(0, 8):
                v_2[ii] = x[8 * io + ii]
            for ii in seq(0, 8):
                v[ii] = v_1[ii] * v_2[ii]
            for ii in seq(0, 8):
                x[8 * io + ii] = v[ii]
        for ii in seq(0, n % 8):
            x[8 * (n / 8) + ii] = a * x[8 * (n / 8) + ii]
    """
    if tail not in TAILS:
        yield fail(f"tail is one of {', '.join(TAILS)}, not {tail!r}")
    if tail == "best":
        tail = "cut_and_predicate" if _sums(c) <= masked_reductions(instructions) else "cut"
    p, c = yield branchless()
    main, lanes = yield from _divided(p, c, width, memory, tail)
    for loop in lanes:
        yield on(loop, stage_compute(precision, memory, rules), fission_into_singles())
    p, main = yield focus(main)
    p, _ = yield on(in_place_of(c, p), replace_all(instructions))
    if instructions:
        yield on(in_place_of(c, p), check_lanes(memory, *((True,) if strict else ())))
    return main


def _sums(loop: ForCursor) -> set[str]:
    """By which operators iterations accumulate into what they share."""
    own = {a.sym for a in statements(loop) if isinstance(a, AllocCursor)}
    sums = (s for s in statements(loop) if isinstance(s, ReduceCursor) and is_reduction(s, loop))
    return {s.op() for s in sums if s.sym not in own}


def _divided(
    p: Proc, c: ForCursor, width: int, memory: Memory, tail: str
) -> Generator[Op, tuple[Proc, Any], tuple[ForCursor, list[ForCursor]]]:
    """The first part of `vectorize`: the loop over vectors, and the loops over lanes, of whole vectors first."""
    iters = unique_names(p, halves(c))
    end = f"{text(c.hi())} - ({text(c.lo())})" if text(c.lo()) != "0" else text(c.hi())
    p, main = yield divide_loop(width, iters, tail=TAILS[tail])
    if tail != "guard":  # iterations one by one do not reach registers
        p, main = yield try_else(parallelize_reductions(memory), focus(main))
    lanes = [main.body()[0]]
    if tail == "cut_and_predicate":
        rest = in_place_of(c, p)[-1]
        assert isinstance(rest, ForCursor)
        p, rest = yield on(rest, divide_loop(width, unique_names(p, halves(rest)), tail="guard"))
        lanes.append(rest.body()[0])
    elif TAILS[tail] == "guard":
        p, choice = yield on(lanes[0], if_full(f"{width} * {iters[0]} + {width} <= {end}"))
        lanes = [choice.body()[0], *(choice.orelse()[:1] if tail == "predicate" else ())]
    return main, lanes


@named
def vectorize_for(
    machine: Machine, precision: str, rules: Sequence[Rule] = FUSED, tail: str | None = None, strict: bool = False
) -> Op:
    """`for i: s  ~>  for io: instr(..)`: `vectorize` with the width, registers and instructions of a machine.

    Fails if the machine has vectors, but none of this precision. The tail is masked if the machine can do so ("best"),
    else cut, or as `tail` says, which fails if it needs masks that the machine does not have. Of the `rules`,
    those in `FUSED` count only if one of the instructions does what they find. What the machine has no instruction for
    is named in a `NoInstructionWarning`, or with `strict` a failure.

    >>> from exo_strat import DRAM, Machine
    >>> from pyrsistent import pmap
    >>> vectorize_for(Machine("toy", pmap({"f32": 4}), DRAM, pmap()), "f32", tail="cut")
    vectorize_for(toy, 'f32', tail='cut')
    """
    if not hasattr(machine, "vec_widths"):
        return fail(f"a machine is needed, such as avx2 of backends.targets, not {machine!r}")
    if machine.vec_widths and precision not in machine.vec_widths:
        return fail(f"{machine} has no vectors of {precision}; it has those of {', '.join(sorted(machine.vec_widths))}")
    width, instructions = machine.vec_width(precision), machine.get_instructions(precision)
    if tail in MASKED and instructions and not machine.supports_predication:
        return fail(f"{machine} has no instructions with a mask, which tail={tail!r} needs: take 'cut' or 'guard'")
    rules = rules_for(instructions, rules)
    best = "best" if machine.supports_predication else "cut"
    return vectorize(width, precision, machine.mem_type, instructions, rules, tail or best, strict)


def rules_for(instructions: Sequence[Proc], rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules that count for a machine: those in `FUSED` only if one of its instructions does what they find, or if
    it has none at all.

    >>> from backends.targets import avx2
    >>> moves = tuple(i for i in avx2.get_instructions("f32") if i.name() in ("mm256_loadu_ps", "mm256_storeu_ps"))
    >>> rules_for(avx2.get_instructions("f32"), (fma_rule,)) == (fma_rule,), rules_for(moves, (fma_rule,))
    (True, ())
    """
    known = steps(tuple(instructions))
    return tuple(rule for rule in rules if rule not in FUSED or not known or any(map(rule, known)))


@strategy
def if_full(p: Proc, c: ForCursor, condition: str) -> Script:
    """`for l: if g(l): s  ~>  if e: for l: s else: for l: if g(l): s`, where e implies that g(l) is true for each l.

    Focus: the loop. Returns the outer `if`.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for l in seq(0, 8):
    ...         if l < n:
    ...             x[l] = 0.0
    ... ''')
    >>> print(schedule(at("for l in _: _", if_full("8 <= n")), p))
    def foo(n: size, x: f32[n] @ DRAM):
        if 8 <= n:
            for l in seq(0, 8):
                x[l] = 0.0
        else:
            for l in seq(0, 8):
                if l < n:
                    x[l] = 0.0
    """
    p, choice = yield specialize(condition)
    yield seq(nav(INSIDE >> INSIDE), eliminate_dead_code())
    return choice


def in_place_of(old: StmtCursor, p: Proc) -> BlockCursor:
    """What stands where a statement of an earlier version stood, if nothing was added to what was around it."""
    around, now = old.expand(None, None), p.forward(old)
    assert isinstance(now, StmtCursor)
    before = len(around) - len(old.expand(0, None))
    whole = now.expand(None, None)
    return whole[before : len(whole) - (len(around) - before - 1)]
