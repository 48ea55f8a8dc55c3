"""In vectors of which precision a nest computes, and how its numbers are rounded."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from pyrsistent import pmap

from exo_strat import (
    AssignCursor,
    ExternCursor,
    ForCursor,
    Machine,
    Proc,
    ReduceCursor,
    Scalar,
    Tensor,
    declarations,
    is_control,
    nodes,
    walk,
)

from .. import std
from ..inspect import accesses
from ..std.instructions import steps

FLOATS = ("f16", "bf16", "f32", "f64")
"""The precisions that round, the widest last."""


def one_precision(c: ForCursor) -> str:
    """The precision in which a nest computes in vectors: that of all its data; of several, the widest that rounds, as
    loads and stores convert. An empty text if it has several integers, which C compilers make vectors of.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], y: f32[n], z: f64[n]):
    ...     for i in seq(0, n):
    ...         y[i] = 2.0 * x[i]
    ...     for j in seq(0, n):
    ...         z[j] = f64(x[j])
    ... ''')
    >>> one_precision(p.find_loop("i")), one_precision(p.find_loop("j"))
    ('f32', 'f64')
    """
    kinds = declarations(c.proc.tree)
    found = {t.base if isinstance(t := kinds[a.sym], Tensor) else t for a in accesses(c)}
    names = [t.name if isinstance(t, Scalar) else "" for t in found]
    return names[0] if len(names) == 1 else max(set(FLOATS).intersection(names), key=FLOATS.index, default="")


@cache
def as_written(machine: Machine) -> Machine:
    """A machine without the instructions on floating point that may differ from what statements say: those that round a
    product and a sum of it once, and choices, for which `not a < b` is `b <= a`, which it isn't of NaN.

    >>> from backends.targets import avx2
    >>> names = [{i.name() for i in machine.get_instructions("f32")} for machine in (avx2, as_written(avx2))]
    >>> sorted(name for name in names[0] - names[1] if name.startswith("mm256_f") or "select" in name)[:3]
    ['mm256_fmadd_ps', 'mm256_fmadd_set1_ps', 'mm256_fmadd_to_ps']
    >>> "mm256_mul_ps" in names[1]
    True
    """

    def left(precision: str) -> tuple[Proc, ...]:
        known = machine.get_instructions(precision)
        return tuple(i for i in known if precision not in FLOATS or not any(map(differs, steps((i,)))))

    return replace(machine, instructions=pmap({precision: left(precision) for precision in machine.instructions}))


def differs(s: AssignCursor | ReduceCursor) -> bool:
    """Whether a statement multiplies and adds, or chooses."""
    value = s.rhs()
    chooses = isinstance(value, ExternCursor) and value.function().name == "select"
    return chooses or std.fma_rule(s) is not None or std.negated_fma_rule(s) is not None


def has_zeros(p: Proc) -> bool:
    """Whether a program multiplies by 0, or adds it: what plans drop, as it changes no number. But infinity times 0 is
    none, and -0 plus 0 is 0.

    >>> from exo_strat import proc_from_source
    >>> texts = (f"def foo(x: f32):\\n    x = {e}" for e in ("0.0 * x", "x + 0.0", "-x * 1.0 - 0.0"))
    >>> [has_zeros(proc_from_source(text)) for text in texts]
    [True, True, False]
    """
    sums = (n for _, n in walk(p.tree) if isinstance(n, nodes.Binary) and n.op in "+*" and not is_control(n))
    return any(isinstance(e, nodes.Const) and e.value == 0 for n in sums for e in (n.lhs, n.rhs))
