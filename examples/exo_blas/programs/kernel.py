"""What a BLAS kernel is: a naive program, and the strategy that all of its kind share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from exo_strat import (
    AllocCursor,
    ArgCursor,
    Machine,
    Op,
    Proc,
    R,
    Tensor,
    direct,
    rename,
    schedule,
    traversals,
)
from strategies.blas.calls import other_versions

LETTERS = {"f32": "s", "f64": "d"}
"""What BLAS calls a precision."""
COMPLEX_LETTERS = {"f32": "c", "f64": "z"}
"""What it calls complex numbers of a precision."""


@dataclass(frozen=True)
class Kernel:
    """A kernel of the library: its C name, the precision it computes in, the program, and how it is scheduled.

    `plan` is given the machine. It is the strategy that the kernel's family shares, with arguments that a table can
    hold, such as how many vectors are taken together; it acts on the procedure.

    Kernels that it `calls` are functions of their own, never a part of their callers in C: what one of them needs of
    registers and of the stack should not be saved by a call that goes another way. If a kernel is
    `alike`, its plan leaves calls of their programs, and at last these become calls of what is made of the programs: so
    the plan may be the same for more machines, and what it asks about calls is asked about what is short.
    """

    name: str
    precision: str
    program: Proc
    plan: Callable[[Machine], Op]
    calls: tuple[Kernel, ...] = ()
    alike: bool = False

    def scheduled(self, machine: Machine) -> Proc:
        """The program as scheduled for a machine. Raises `SchedulingError` if a step fails."""
        made = _scheduled(self.plan(machine), self.program)
        calls = tuple(k.scheduled(machine) for k in self.calls) if self.alike else ()
        return _scheduled(other_versions(calls), made) if calls else made

    def reached(self) -> tuple[Kernel, ...]:
        """The kernels that it calls, and those that they call."""
        return tuple(dict.fromkeys(k for own in self.calls for k in (own, *own.reached())))


@cache
def _scheduled(plan: Op, program: Proc) -> Proc:
    """What a plan makes of a program: many plans are the same for AVX2 and for AVX-512."""
    return schedule(plan, program)


def typed(program: Proc, precision: str, name: str) -> Proc:
    """A program over the undecided precision `R`, for one precision and with a name of its own.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def scal(n: size, alpha: R, x: [R][n]):
    ...     for i in seq(0, n):
    ...         x[i] = alpha * x[i]
    ... ''')
    >>> print(typed(p, "f64", "dscal"))
    def dscal(n: size, alpha: f64 @ DRAM, x: [f64][n] @ DRAM):
        for i in seq(0, n):
            x[i] = alpha * x[i]
    """
    allocs = [c for c in traversals.nlr(program.root()) if isinstance(c, AllocCursor)]
    declared: list[ArgCursor | AllocCursor] = [*program.args(), *allocs]
    for declaration in declared:
        kind = declaration.type()
        if (kind.base if isinstance(kind, Tensor) else kind) == R:
            program = direct.set_precision(program, declaration, precision)
    return schedule(rename(name), program)


def kernel_of(
    program: Proc,
    precision: str,
    plan: Callable[[Machine], Op],
    variant: str = "",
    *assertions: str,
    calls: tuple[Kernel, ...] = (),
    alike: bool = False,
) -> Kernel:
    """The kernel of a program over `R` in a precision, named for it, where the assertions hold besides the program's.

    >>> from exo_strat import identity, proc_from_source
    >>> p = proc_from_source('''
    ... def scal(n: size, alpha: R, x: [R][n]):
    ...     for i in seq(0, n):
    ...         x[i] = alpha * x[i]
    ... ''')
    >>> print(kernel_of(p, "f64", lambda machine: identity, "few", "n < 8").program)
    def dscal_few(n: size, alpha: f64 @ DRAM, x: [f64][n] @ DRAM):
        assert n < 8
        for i in seq(0, n):
            x[i] = alpha * x[i]
    """
    name = named_for(precision, program.name(), variant)
    mine = typed(program, precision, name)
    for assertion in assertions:
        mine = direct.add_assertion(mine, assertion)
    return Kernel(name, precision, mine, plan, calls, alike)


def unit_stride(program: Proc) -> Proc:
    """The program for windows whose elements, or those of each row, are neighbours.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def scal(n: size, alpha: f32, x: [f32][n]):
    ...     for i in seq(0, n):
    ...         x[i] = alpha * x[i]
    ... ''')
    >>> print(unit_stride(p))
    def scal(n: size, alpha: f32 @ DRAM, x: [f32][n] @ DRAM):
        assert stride(x, 0) == 1
        for i in seq(0, n):
            x[i] = alpha * x[i]
    """
    for a in program.args():
        kind = a.type()
        if isinstance(kind, Tensor) and kind.window:
            program = direct.add_assertion(program, f"stride({a.name()}, {len(kind.shape) - 1}) == 1")
    return program


def named_for(precision: str, routine: str, variant: str = "") -> str:
    """The name of a kernel: `saxpy`, `dgemv_n`, `saxpy_strided`.

    >>> named_for("f32", "gemv", "n")
    'sgemv_n'
    """
    return f"{LETTERS[precision]}{routine}" + (f"_{variant}" if variant else "")
