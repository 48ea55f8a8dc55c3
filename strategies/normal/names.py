"""Names and indices in normal form."""

from __future__ import annotations

from itertools import takewhile

from exo_strat import (
    AllocCursor,
    Cursor,
    ForCursor,
    Op,
    Proc,
    ProcCursor,
    Script,
    Sym,
    WindowDefCursor,
    named,
    rename_variable,
    simplify,
    strategy,
    when,
)

from ..inspect import statements
from ..inspect.uses import free_name
from .exhaust import exhaust, in_the_whole


@named
def index_nf() -> Op:
    """`e  ~>  e'`: control expressions as sums, the largest factors first, the constant last; and what follows.

    What `simplify` does: quotients and remainders that are known go, as do branches and loops that are decided, and
    `0` and `1` in data.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[4 * n]):
    ...     for io in seq(0, n):
    ...         for ii in seq(0, 4):
    ...             x[ii + 0 + (8 * io + ii) / 4 * 2] = 0.0
    ... ''')
    >>> print(schedule(index_nf(), p))
    def foo(n: size, x: f32[4 * n] @ DRAM):
        for io in seq(0, n):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
    """
    return in_the_whole(simplify())


def is_index_nf(p: Proc) -> bool:
    """Whether nothing is left to simplify.

    >>> from exo_strat import proc_from_source
    >>> is_index_nf(proc_from_source("def foo(n: size, x: f32[n + 1]): x[n - n] = 0.0"))
    False
    """
    return simplify()(p).map(lambda state: state[0] is p).value_or(False)


@named
def name_nf() -> Op:
    """`for i: s1; for i: s2  ~>  for i: s1; for i_1: s2[i -> i_1]`: no two variables of a procedure have one name.

    So a name means one loop, buffer or window, wherever it is asked for. The first of a name keeps it.

    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ...     for i in seq(0, n):
    ...         x[i] += 1.0
    ... ''')
    >>> print(schedule(name_nf(), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in seq(0, n):
            x[i] = 0.0
        for i_1 in seq(0, n):
            x[i_1] += 1.0
    """
    return exhaust(name_step())


def is_name_nf(p: Proc) -> bool:
    """Whether all variables of a procedure have names of their own.

    >>> from exo_strat import proc_from_source
    >>> is_name_nf(proc_from_source('''
    ... def foo(x: f32[4]):
    ...     for i in seq(0, 4):
    ...         x[i] = 0.0
    ...     for i in seq(0, 4):
    ...         x[i] += 1.0
    ... '''))
    False
    """
    names = [s.name for s in _variables(p.root())]
    return len(names) == len(set(names))


@strategy
def name_step(p: Proc, c: Cursor) -> Script:
    """`for i: s  ~>  for i_1: s[i -> i_1]`, if a variable before it is called i.

    Focus: a loop, an allocation or a window's definition, which is returned.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for n in seq(0, n):
    ...         x[n] = 0.0
    ... ''')
    >>> print(schedule(at("for n in _: _", name_step()), p))
    def foo(n: size, x: f32[n] @ DRAM):
        for n_1 in seq(0, n):
            x[n_1] = 0.0
    """
    yield when(has_taken_name)
    assert isinstance(c, ForCursor | AllocCursor | WindowDefCursor)
    yield rename_variable(free_name(c.name(), {s.name for s in _variables(c.root())}))
    return c


def has_taken_name(c: Cursor) -> bool:
    """Whether the focus introduces a variable of a name that one before it, in textual order, has."""
    if not isinstance(c, ForCursor | AllocCursor | WindowDefCursor):
        return False
    before = takewhile(lambda s: s != c.sym, _variables(c.root()))
    return any(s.name == c.name() for s in before)


def _variables(root: ProcCursor) -> list[Sym]:
    """The variables of a procedure, in textual order."""
    declared = [s for s in statements(root) if isinstance(s, ForCursor | AllocCursor | WindowDefCursor)]
    return [*(a.sym for a in root.args()), *(s.sym for s in declared)]
