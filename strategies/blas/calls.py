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


def called(program: Proc) -> tuple[Proc, ...]:
    """The procedures that a program calls, each once: two that are equal need not be versions of one."""
    return tuple({id(f): f for f in (call.subproc() for call in calls(program))}.values())


def reached(program: Proc) -> tuple[Proc, ...]:
    """What a program calls, and what that calls, each once."""
    found: dict[int, Proc] = {}
    todo = [program]
    while todo:
        new = {id(f): f for f in called(todo.pop()) if id(f) not in found}
        found |= new
        todo += new.values()
    return tuple(found.values())


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
    yield other_versions(tuple(_version(plan[f.name()], f) for f in reached(p) if f.name() in plan))
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
    yield _replaced(_replacements(p, versions, {}))
    return None


def _replacements(program: Proc, versions: tuple[Proc, ...], found: dict[int, Proc]) -> tuple[tuple[Proc, Proc], ...]:
    """What a program calls, and what it is to call instead. `found` is what is known already."""
    for f in called(program):
        if id(f) not in found:
            named_so = [v for v in versions if v.name() == f.name()]
            # if none is a version of it, the call is refused, which says so
            own = next((v for v in named_so if v.origin is f.origin), next(iter(named_so), None))
            inside = () if own else _replacements(f, versions, found)
            found[id(f)] = own or (schedule(_replaced(inside), f) if inside else f)
    return tuple((f, found[id(f)]) for f in called(program) if found[id(f)] is not f)


@strategy
def _replaced(p: Proc, c: Cursor, replacements: tuple[tuple[Proc, Proc], ...]) -> Script:
    """`f(..)  ~>  g(..)`, for each pair of procedures. Focus: anything. Returns the procedure."""
    known = {id(f): g for f, g in replacements}
    for call in calls(p):
        if id(call.subproc()) in known:
            yield on(call, call_eqv(known[id(call.subproc())]))
    yield nav(moves.root)
    return None


@named
def with_plan(part: Proc, plan: Op) -> Op:
    """`part(..)  ~>  version(..)`, for all calls, of what a plan makes of a procedure. Focus: anything. Returns the
    procedure."""
    return other_versions((schedule(plan, part),))


def _version(plan: Op, program: Proc) -> Proc:
    """What a plan makes of a program. Of an equal program it was perhaps made before, but that is another procedure."""
    made = _scheduled(plan, program)
    return made if made.origin is program.origin else schedule(plan, program)


@cache
def _scheduled(plan: Op, program: Proc) -> Proc:
    return schedule(plan, program)
