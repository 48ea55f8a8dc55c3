"""Programs in blocks, which call others: what is called is scheduled, and the blocks stay as they are written.

It is done last: what is known of a program is sooner found than of what was made of it.
"""

from __future__ import annotations

from functools import cache

from exo_strat import (
    CallCursor,
    Cursor,
    Op,
    Proc,
    Script,
    call_eqv,
    moves,
    named,
    nav,
    on,
    schedule,
    strategy,
    traversals,
)

Plans = tuple[tuple[str, Op], ...]
"""What programs are scheduled by, by their names."""


def calls(program: Proc) -> list[CallCursor]:
    """What a program calls, in order."""
    return [c for c in traversals.nlr(program.root()) if isinstance(c, CallCursor)]


def reached(program: Proc) -> tuple[Proc, ...]:
    """What a program calls, and what that calls."""
    called = dict.fromkeys(call.subproc() for call in calls(program))
    return tuple(dict.fromkeys(f for own in called for f in (own, *reached(own))))


@strategy
def calls_scheduled(p: Proc, c: Cursor, plans: Plans) -> Script:
    """`f(..)  ~>  g(..)`, where g is what f's plan makes of f; of what has no plan, so within it.

    Each program is scheduled once for all calls. Focus: anything. Returns the procedure.

    >>> from exo_strat import at, divide_loop, proc_from_source
    >>> zero = proc_from_source('''
    ... def zero(n: size, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> rows = proc_from_source('''
    ... def rows(n: size, x: f32[n, n]):
    ...     for j in seq(0, n):
    ...         zero(n, x[j, 0:n])
    ... ''', {"zero": zero})
    >>> by_four = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))
    >>> print(calls(schedule(calls_scheduled((("zero", by_four),)), rows))[0].subproc())
    def zero(n: size, x: [f32][n] @ DRAM):
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
        for ii in seq(0, n % 4):
            x[4 * (n / 4) + ii] = 0.0
    """
    plan = dict(plans)
    yield other_versions(tuple(_scheduled(plan[f.name()], f) for f in reached(p) if f.name() in plan))
    return None


@strategy
def other_versions(p: Proc, c: Cursor, versions: tuple[Proc, ...]) -> Script:
    """`f(..)  ~>  g(..)`, where g is the version of f that is given, which is called the same; so, too, within what has
    none. Focus: anything. Returns the procedure.

    >>> from exo_strat import at, divide_loop, proc_from_source, reverse_loop
    >>> zero = proc_from_source('''
    ... def zero(n: size, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> rows = proc_from_source('''
    ... def rows(n: size, x: f32[n, n]):
    ...     for j in seq(0, n):
    ...         zero(n, x[j, 0:n])
    ... ''', {"zero": zero})
    >>> backwards = schedule(at("for i in _: _", reverse_loop()), zero)
    >>> calls(schedule(other_versions((backwards,)), rows))[0].subproc() is backwards
    True
    """
    # by identity: of two procedures that are equal, one need be no version of the other
    known, found = {version.name(): version for version in versions}, dict[int, Proc]()
    for call in calls(p):
        called = call.subproc()
        if id(called) not in found:
            other = known.get(called.name())
            found[id(called)] = other or (schedule(other_versions(versions), called) if calls(called) else called)
        if found[id(called)] is not called:
            yield on(call, call_eqv(found[id(called)]))
    yield nav(moves.root)
    return None


@named
def with_plan(part: Proc, plan: Op) -> Op:
    """`part(..)  ~>  version(..)`, for all calls, of what a plan makes of a procedure. Focus: anything. Returns the
    procedure."""
    return other_versions((schedule(plan, part),))


@cache
def _scheduled(plan: Op, program: Proc) -> Proc:
    return schedule(plan, program)
