"""The plan for functions of NumPy arrays."""

from __future__ import annotations

from exo_strat import (
    CallCursor,
    ForCursor,
    Machine,
    Proc,
    ProcCursor,
    Script,
    attempt,
    call_eqv,
    fail,
    moves,
    nav,
    on,
    replace,
    strategy,
)

from ..blas.level3 import fits
from ..inspect import nest, precision, statements
from ..normal import nest_nf
from .plan import auto
from .precisions import has_zeros
from .products import drawn, in_order, product_of, scheduled, surely_runs


@strategy
def for_numpy(p: Proc, c: ProcCursor, machine: Machine) -> Script:
    """`auto` with the roundings of NumPy, for a machine: what is computed of each element is rounded after each
    operation; sums, which NumPy adds in pairs of blocks, are in any order; products of matrices, which are BLAS there,
    are fused with their sums. Products stay whole: what uses one is not done with it row by row. Focus: the procedure.
    Fails only if its holes for products are filled with tiles that do not fit the registers.

    >>> from backends.targets import avx2
    >>> from exo_strat import proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def apart(n: size, x: f64[n], y: f64[n], z: f64[n]):
    ...     for i in seq(0, n):
    ...         z[i] = x[i] * x[i] - y[i] * y[i]
    ... ''')
    >>> sorted({call.subproc().name() for call in schedule(for_numpy(avx2), p).find_all("_(_)")})
    ['mm256_loadu_pd', 'mm256_mul_pd', 'mm256_storeu_pd', 'mm256_sub_pd']
    """
    if has_zeros(p):
        return c
    plans = dict[Proc, Proc]()
    p, c = yield nest_nf() >> nav(moves.root)
    for s in statements(c):
        found = product_of(s) if isinstance(s, ForCursor) else None
        if isinstance(s, ForCursor) and found is not None and all(map(surely_runs, nest(s))):
            kind = precision(nest(s)[-1].body()[0]).name
            blocks = yield from drawn(machine, kind)
            if not fits(machine, *blocks[:2]):
                yield fail(f"a tile of {blocks[0]} rows of {blocks[1]} vectors does not fit the registers")
                return
            program, plan = scheduled(found.source, found.across, machine, kind, blocks)
            p, _ = yield attempt(on(s, in_order(found.order), replace(program)))
            plans[program] = plan
    p, c = yield nav(moves.root) >> auto(machine, rounded=True) >> nav(moves.root)
    for s in statements(c):
        if isinstance(s, CallCursor) and s.subproc() in plans:
            p, _ = yield on(s, call_eqv(plans[s.subproc()]))
    yield nav(moves.root)
