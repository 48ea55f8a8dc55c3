"""Annotations that the backend checks (paper, appendix A.7), and names."""

from __future__ import annotations

from typing import Annotated

from ..cursors.cursor import ProcCursor
from ..cursors.kinds import AllocCursor, ArgCursor, ForCursor, WindowDefCursor
from ..cursors.rewrite import Rewrite
from ..frontend.checks import check
from ..frontend.errors import CheckError
from ..frontend.scope import declarations
from ..frontend.words import MODES
from ..ir.externs import SHIFTS
from ..ir.memory import Memory
from ..ir.nodes import Const, ExternCall
from ..ir.precisions import bits_of
from ..ir.precisions import precision as held
from ..ir.span import span_of
from ..ir.types import SCALARS, Scalar, Tensor
from ..ir.walk import get, walk, with_child
from ..ir.walk import rename as renamed
from ..logic.questions import safety
from ..ops.failure import unsafe
from .framework import Trial, Where, primitive
from .helpers.arguments import Kind, NewName, ProcName
from .helpers.references import name_arg
from .helpers.refusing import applicable, argument, refuse, require
from .helpers.wellformed import still_parallel

__all__ = [
    "parallelize_loop",
    "rename",
    "rename_variable",
    "set_memory",
    "set_precision",
    "set_window",
    "vectorize_loop",
]


def _no_instr(a: AllocCursor | ArgCursor) -> None:
    """Owed when a declaration changes: no C text was written for the old one."""
    name = a.proc.name()
    applicable(not a.proc.is_instr(), f"{name} is an instruction: its C text was written for these declarations", a)


@primitive("A.7", same_values=True, by_form=True, again=True, trial=Trial(after=(("make_instr", 15),)))
def set_memory(rw: Rewrite, a: AllocCursor | ArgCursor, memory: Memory) -> Where:
    """`a @ MEM  ~>  a @ MEM'`. Returns the declaration.

    Memories do not change what is computed, so there is nothing to prove: the backend checks that accesses obey the
    memory's rules, and that callers and callees agree. Fails with `NotApplicable` on control arguments, and in
    instructions.

    >>> from exo_strat import DRAM_STACK, proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[4]):
    ...     a: f32[4]
    ...     a[0] = x[0]
    ... ''')
    >>> print(set_memory.direct(p, "a", DRAM_STACK))
    def foo(x: f32[4] @ DRAM):
        a: f32[4] @ DRAM_STACK
        a[0] = x[0]

    Refused: a size lives in no memory.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 0.0
    ... ''')
    >>> print(set_memory(DRAM_STACK)(q, q.find_alloc_or_arg("n")).failure())
    set_memory(DRAM_STACK): a control argument lives in no memory
    --> def foo(n: size, x: f32[n] @ DRAM):
            x[0] = 0.0
    """
    _no_instr(a)
    applicable(a.node.mem is not None, "a control argument lives in no memory", a)
    rw.set(a.path, mem=memory)
    return a.path


@primitive("A.7", by_form=True, again=True, trial=Trial(after=(("make_instr", 15),)))
def set_precision(
    rw: Rewrite,
    a: AllocCursor | ArgCursor,
    precision: Annotated[str | Scalar, Kind("a precision", ("f64", "f32", "i8"))],
) -> Where:
    """`a: T  ~>  a: T'`. Returns the declaration.

    `precision` is a name such as "f32", or a type. The backend checks that operands, callers and callees
    agree. Rounding differs, so the result is not interchangeable with the original (`call_eqv`). Fails with
    `NotApplicable` on control arguments, in instructions, and where a number would have fewer bits than it may be
    shifted by.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 1.0
    ... ''')
    >>> print(set_precision.direct(p, "x", "f64"))
    def foo(n: size, x: f64[n] @ DRAM):
        x[0] = 1.0

    Refused: a size has no precision.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 0.0
    ... ''')
    >>> print(set_precision("f64")(q, q.find_alloc_or_arg("n")).failure())
    set_precision('f64'): a control argument has no precision
    --> def foo(n: size, x: f32[n] @ DRAM):
            x[0] = 0.0
    """
    name = str(precision)
    argument(name in SCALARS, f"{name!r} is no precision: use one of {', '.join(sorted(SCALARS))}")
    _no_instr(a)
    old = a.type()
    applicable(isinstance(old, Scalar | Tensor), "a control argument has no precision", a)
    new = with_child(old, "base", SCALARS[name]) if isinstance(old, Tensor) else SCALARS[name]
    if isinstance(old, Tensor):
        rw.replace((*a.path, ("type", None)), new, keep=["shape"])
    else:
        rw.replace((*a.path, ("type", None)), new)
    _shifts_have_values(rw, a)
    return a.path


def _shifts_have_values(rw: Rewrite, a: AllocCursor | ArgCursor) -> None:
    """Owed: no shift is by more bits than a number has now, unless it was before."""
    old, new = declarations(a.proc.tree), declarations(rw.tree)
    for _, e in walk(rw.tree):
        if isinstance(e, ExternCall) and e.f in SHIFTS:
            by, bits = e.args[1], bits_of(held(e, new))
            fits = bits_of(held(e, old)) <= bits or (isinstance(by, Const) and by.value < bits)
            applicable(fits, f"{e.f.shown} may be by more bits than the {bits} that a number would have", a)


@primitive(
    "A.7",
    again=True,
    narrows=True,
    trial=Trial(
        programs="relied relied relied calls independent windows",
        after=(("make_instr", 15),),
        at=(("a tensor", 85),),
    ),
)
def set_window(rw: Rewrite, a: ArgCursor, is_window: bool = True) -> Where:
    """`a: T[_]  ~>  a: [T][_]`, or back with `is_window=False`. Returns the argument.

    A caller may pass more for a window than for a dense tensor, and versions of the procedure may differ on that:
    the result is not interchangeable with the original (`call_eqv`).

    Fails with `Unsafe` if a call in the procedure relies on strides that a window need not have, or if iterations
    of a parallel loop may then touch what another writes; with `NotApplicable` on scalars and control arguments,
    and in instructions.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 1.0
    ... ''')
    >>> print(set_window.direct(p, "x"))
    def foo(n: size, x: [f32][n] @ DRAM):
        x[0] = 1.0

    Refused: elements of an array are neighbours, as the callee asks; those of a window need not be.

    >>> f = proc_from_source('''
    ... def f(y: [f32][8]):
    ...     assert stride(y, 0) == 1
    ...     y[0] = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     f(x)
    ... ''', {"f": f})
    >>> print(set_window()(q, q.find_alloc_or_arg("x")).failure())
    set_window(): not true: with x a window the procedure is not well-formed: f asserts stride(y, 0) == 1, which may be false here; for example stride(x, 0) = 0
    --> def foo(x: f32[8] @ DRAM):
            f(x)
    """  # noqa: E501  (a message is one line)
    _no_instr(a)
    old = a.type()
    applicable(isinstance(old, Tensor), "only a tensor can become a window", a)
    rw.replace((*a.path, ("type", None)), with_child(old, "window", bool(is_window)), keep=["shape"])
    try:
        check(rw.tree)
    except CheckError as e:
        what = "a window" if is_window else "dense"
        refuse(unsafe(f"with {a.name()} {what} the procedure is not well-formed: {e.message}", e.counterexample))
    still_parallel(rw, walk(rw.tree), a)
    return a.path


@primitive("A.7", same_values=True, again=True)
def parallelize_loop(
    rw: Rewrite, loop: ForCursor, mode: Annotated[str, Kind("how iterations run", ("par", "vec", "seq"))] = "par"
) -> Where:
    """`for i in seq(..)  ~>  for i in par(..)`, if no iteration touches what another writes.

    `mode` may also be "vec", under the same condition, or "seq", the way back, which is always right. Returns the
    loop.

    Fails with `Unsafe` if two iterations may touch one location that either writes; that includes accumulations
    into one location, and config fields.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(parallelize_loop.direct(p, "i"))
    def foo(n: size, x: f32[n] @ DRAM):
        for i in par(0, n):
            x[i] = 0.0

    Refused: an iteration reads what the one before it wrote.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(1, n):
    ...         x[i] = x[i - 1]
    ... ''')
    >>> print(parallelize_loop()(q, q.find_loop("i")).failure())
    parallelize_loop(): not true: no two iterations of i touch one location that either writes
    one reads x[i - 1], the other writes x[i]
    for instance with i = 2, i' = 1, n = 3
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(1, n):
                x[i] = x[i - 1]
    """
    argument(mode in MODES, f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if mode != "seq":
        require(safety.parallel(rw.proc.tree, loop.path), loop)
    rw.set(loop.path, mode=mode)
    return loop.path


@primitive(same_values=True, again=True)
def vectorize_loop(rw: Rewrite, loop: ForCursor) -> Where:
    """`for i in seq(..)  ~>  for i in vec(..)`, if no iteration touches what another writes. Beyond the paper.

    The mode says that the iterations may run side by side in one instruction. The condition is that of
    `parallelize_loop`, which with the mode "seq" is also the way back. Returns the loop.

    Fails with `Unsafe` if two iterations may touch one location that either writes; that includes accumulations
    into one location, and config fields.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[8]):
    ...     for i in seq(0, 8):
    ...         x[i] = 2.0 * x[i]
    ... ''')
    >>> print(vectorize_loop.direct(p, "i"))
    def foo(x: f32[8] @ DRAM):
        for i in vec(0, 8):
            x[i] = 2.0 * x[i]

    Refused: all iterations add to one location.

    >>> q = proc_from_source('''
    ... def foo(x: f32[8], y: f32):
    ...     for i in seq(0, 8):
    ...         y += x[i]
    ... ''')
    >>> print(vectorize_loop()(q, q.find_loop("i")).failure())
    vectorize_loop(): not true: no two iterations of i touch one location that either writes
    one accumulates into y, the other accumulates into y
    for instance with i = 1, i' = 0
        def foo(x: f32[8] @ DRAM, y: f32 @ DRAM):
    -->     for i in seq(0, 8):
                y += x[i]
    """
    require(safety.parallel(rw.proc.tree, loop.path), loop)
    rw.set(loop.path, mode="vec")
    return loop.path


@primitive(same_values=True, by_form=True, again=True, trial=Trial(after=(("make_instr", 15),)))
def rename(rw: Rewrite, proc: ProcCursor, name: ProcName) -> Where:
    """Gives the procedure another name. Returns its root.

    Fails with `BadArgument` if the name is no identifier.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 0.0
    ... ''')
    >>> print(rename.direct(p, "bar"))
    def bar(n: size, x: f32[n] @ DRAM):
        x[0] = 0.0

    Refused: `2d` is no identifier.

    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     x = 0.0
    ... ''')
    >>> print(rename("2d")(q, q.root()).failure())
    rename('2d'): '2d' is no name: a letter or _, then letters, digits and _
    --> def foo(x: f32 @ DRAM):
            x = 0.0
    """
    rw.set((), name=name_arg(name))
    return ()


@primitive(same_values=True, cursors={"values inside": "stay, replaced"}, by_form=True, trial=Trial(chains="seldom"))
def rename_variable(rw: Rewrite, c: ForCursor | AllocCursor | WindowDefCursor, name: NewName) -> Where:
    """`for i: s  ~>  for j: s[i -> j]`, `a: T; s  ~>  b: T; s[a -> b]` or `w = a[..]; s  ~>  v = a[..]; s[w -> v]`.

    `name` is an identifier. It may be the name of another variable in scope, and each read still means the variable
    that it meant before. Where two variables in scope have one name, the inner one prints with a number, as `k_1`.
    Returns the loop, allocation or window.

    Fails with `BadArgument` if the name is no identifier.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(rename_variable.direct(p, "i", "k"))
    def foo(n: size, x: f32[n] @ DRAM):
        for k in seq(0, n):
            x[k] = 0.0

    Refused: `2d` is no identifier.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     for i in seq(0, n):
    ...         x[i] = 0.0
    ... ''')
    >>> print(rename_variable("2d")(q, q.find_loop("i")).failure())
    rename_variable('2d'): '2d' is no name: a letter or _, then letters, digits and _
        def foo(n: size, x: f32[n] @ DRAM):
    -->     for i in seq(0, n):
                x[i] = 0.0
    """
    name = name_arg(name)
    if c.name() == name:
        return c.path
    to = {c.sym: rw.fresh(name)}
    block = span_of(c.path)
    uses = 1 if isinstance(c, ForCursor) else len(getattr(get(rw.tree, block.parent), block.label)) - block.lo
    for path in map(block.path, range(uses)):
        old = rw.node(path)
        rw.replace(path, renamed(old, to), keep=[label for label, _ in old.CHILDREN])
    return c.path
