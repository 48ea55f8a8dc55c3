"""Programs in blocks, which call others: what is called is scheduled, and the blocks stay as they are written."""

from __future__ import annotations

from functools import cache

from exo_strat import CallCursor, Op, Proc, ProcCursor, Script, call_eqv, on, schedule, strategy, traversals

Plans = tuple[tuple[str, Op], ...]
"""What programs are scheduled by, by their names."""


def calls(program: Proc) -> list[CallCursor]:
    """What a program calls, in order."""
    return [c for c in traversals.nlr(program.root()) if isinstance(c, CallCursor)]


@strategy
def calls_scheduled(p: Proc, c: ProcCursor, plans: Plans) -> Script:
    """`f(..)  ~>  g(..)`, where g is what f's plan makes of f; of what has no plan, so within it.

    Each program is scheduled once for all calls. Focus: the procedure, which is returned.

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
    for call in calls(p):
        called = call.subproc()
        if calls(called) or called.name() in dict(plans):
            yield on(call, call_eqv(_scheduled(dict(plans).get(called.name(), calls_scheduled(plans)), called)))
    return None


@strategy
def other_versions(p: Proc, c: ProcCursor, versions: tuple[Proc, ...]) -> Script:
    """`f(..)  ~>  g(..)`, where g is the version of f that is given, which is called the same; so, too, within what has
    none. Focus: the procedure, which is returned.

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
    known = {version.name(): version for version in versions}
    for call in calls(p):
        called = call.subproc()
        other = known.get(called.name()) or (_scheduled(other_versions(versions), called) if calls(called) else called)
        if other is not called:
            yield on(call, call_eqv(other))
    return None


@cache
def _scheduled(plan: Op, program: Proc) -> Proc:
    return schedule(plan, program)
