"""Making procedures of procedures (paper, appendix A.4, and newer practice).

All but `extract_subproc` and `make_instr` change how the procedure is called: their result is not interchangeable
with the original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from ..cursors.cursor import BlockCursor, ProcCursor, at_path
from ..cursors.kinds import ArgCursor
from ..cursors.rewrite import Rewrite
from ..frontend.checks import NEVER_CALLED, admits_some
from ..frontend.errors import CheckError
from ..frontend.exprs import parse_assertion
from ..frontend.scope import scope_at
from ..ir import build as b
from ..ir.cells import has_cells
from ..ir.names import Sym
from ..ir.nodes import (
    Arg,
    Assign,
    Binary,
    Const,
    Instr,
    Interval,
    ProcDef,
    Read,
    Reduce,
    StrideExpr,
    ViewExpr,
    WindowDef,
    WindowExpr,
)
from ..ir.numbers import is_integer
from ..ir.printing import names_at
from ..ir.span import Span
from ..ir.types import Control, Tensor, bool_, size
from ..ir.walk import Path, get
from ..logic.forms import cond, ge, is_opaque, neg, unknown
from ..logic.questions import env_of, prove, safety
from ..ops.failure import BadArgument, unsafe
from .framework import Trial, Where, primitive, with_callee
from .helpers.access import relist, strides_asked, uses
from .helpers.arguments import Kind, ProcName
from .helpers.extraction import extracted
from .helpers.references import name_arg
from .helpers.refusing import applicable, argument, of_kind, refuse, require
from .helpers.scoping import escaping, no_new_races
from .helpers.wellformed import configs_differ, well_formed

__all__ = ["add_assertion", "extract_subproc", "make_instr", "partial_eval", "transpose"]

# -- extract_subproc ----------------------------------------------------------------------------------


@with_callee
@primitive(
    "A.4",
    same_values=True,
    cursors={"target": "gone", "inside": "gone", "values inside": "gone"},
    again=True,
    trial=Trial(programs="configuration configuration configuration configuration windows patch nest"),
)
def extract_subproc(rw: Rewrite, block: BlockCursor, name: ProcName, include_asserts: bool = True) -> Where:
    """`s  ~>  foo(..)`, where foo is a new procedure whose body is s. Returns the call.

    The paper's form returns the new version and foo. The new procedure takes what s uses, in the order in which it
    comes into scope: control variables, whole buffers, windows. It asserts what is known of its arguments in the
    place of s: the assertions around, the ranges of loops and conditions of branches, fields that its callees ask
    for; with `include_asserts=False` only what it takes to be well-formed by itself. Windows of a buffer that is
    passed too are defined inside.

    Fails with `NotApplicable` if a name defined in the block is used after it, or if the block never runs and so
    foo could never be called; with `Unsafe` if it cannot be shown that foo is well-formed by itself, or that the
    call is.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     assert m >= 8
    ...     for i in seq(0, n):
    ...         for j in seq(0, 8):
    ...             x[i, j] += 2.0
    ... ''')
    >>> p, row = extract_subproc.direct(p, "for j in _: _", "row")
    >>> print(p)
    def foo(n: size, m: size, x: f32[n, m] @ DRAM):
        assert m >= 8
        for i in seq(0, n):
            row(n, m, x, i)
    >>> print(row)
    def row(n: size, m: size, x: f32[n, m] @ DRAM, i: index):
        assert m >= 8
        assert 0 <= i
        assert i < n
        for j in seq(0, 8):
            x[i, j] += 2.0

    Refused: `a` is defined in the block and used after it.

    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     a: f32
    ...     a = 2.0
    ...     x = a
    ... ''')
    >>> print(extract_subproc("sub")(q, q.find("a: _").as_block()).failure())
    extract_subproc('sub'): a name defined in the block is used after it
        def foo(x: f32 @ DRAM):
    -->     a: f32 @ DRAM
            a = 2.0
            x = a
    """
    tree, span = rw.proc.tree, block.span
    applicable(not escaping(tree, span), "a name defined in the block is used after it", block)
    name = name_arg(name)
    call = extracted(tree, span, name, bool(include_asserts))
    if isinstance(call, CheckError):
        runs = not safety.holds_everywhere(tree, span.path(), b.FALSE)
        what = "this code never runs, and a procedure that may never be called is none; eliminate_dead_code drops it"
        applicable(runs, what, block)
        refuse(unsafe(f"{name} is well-formed by itself, and so is its call: {call.message}"))
    rw.exchange(span, call)
    no_new_races(rw, span.path())
    if configs_differ(block.stmts, call):
        well_formed(rw)
    return span.path()


# -- make_instr ---------------------------------------------------------------------------------------


@primitive(same_values=True, by_form=True, trial=Trial(chains="never"))
def make_instr(
    rw: Rewrite,
    proc: ProcCursor,
    c_template: Annotated[str, Kind("a template", ("t({x});", "t();", ""))],
    c_global: str = "",
    c_fence: str = "",
) -> Where:
    """Makes the procedure an instruction: its body stays the meaning, `c_template` is its C text.

    In the text `{x}` stands for an argument, `{x_data}` for the first element of a buffer. `c_global` is C text
    that a file needs once, `c_fence` what must follow before another thread may see what the instruction wrote.
    Nothing is proved: that the text does what the body says is the author's word, as with `@instr`. Returns the root.

    Fails with `BadArgument` if the C text is empty.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def zero(x: [f32][8]):
    ...     for i in seq(0, 8):
    ...         x[i] = 0.0
    ... ''')
    >>> print(make_instr.direct(p, "zero8(&{x_data});"))
    @instr('zero8(&{x_data});')
    def zero(x: [f32][8] @ DRAM):
        for i in seq(0, 8):
            x[i] = 0.0

    Refused: an instruction without C text does nothing.

    >>> q = proc_from_source('''
    ... def zero(x: [f32][8]):
    ...     for i in seq(0, 8):
    ...         x[i] = 0.0
    ... ''')
    >>> print(make_instr("")(q, q.root()).failure())
    make_instr(''): an instruction needs C text
    --> def zero(x: [f32][8] @ DRAM):
            for i in seq(0, 8):
                x[i] = 0.0
    """
    argument(bool(c_template.strip()), "an instruction needs C text")
    rw.set((), instr=Instr(c_template, c_global, c_fence))
    return ()


# -- partial_eval -------------------------------------------------------------------------------------


@primitive(
    cursors={"elsewhere": "stay, gone", "values elsewhere": "stay, replaced, gone"},
    by_form=True,
    narrows=True,
    trial=Trial(after=(("make_instr", 15),)),
)
def partial_eval(
    rw: Rewrite,
    proc: ProcCursor,
    /,
    *values: Annotated[int | bool, Kind("values for the first arguments")],
    **named: Annotated[int | bool, Kind("values by name")],
) -> Where:
    """`def foo(n, x): s  ~>  def foo(x): s[n -> 8]`: fixes control arguments to literals. Returns the root.

    `values` are those of the first arguments, `named` those of others by name. Assertions that are then always true
    are dropped.

    Fails with `BadArgument` if an argument is no control argument, or does not take such a value, or if an
    assertion is then false; with `NotApplicable` on an instruction, which keeps its arguments.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     assert n % 4 == 0
    ...     for i in seq(0, n):
    ...         x[i, 0] = 0.0
    ... ''')
    >>> print(partial_eval.direct(p, n=8))
    def foo(m: size, x: f32[8, m] @ DRAM):
        for i in seq(0, 8):
            x[i, 0] = 0.0

    Refused: the assertion would be false.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     assert n % 4 == 0
    ...     x[0] = 0.0
    ... ''')
    >>> print(partial_eval(n=6)(q, q.root()).failure())
    partial_eval(n=6): with these values an assertion is false
    --> def foo(n: size, x: f32[n] @ DRAM):
            assert n % 4 == 0
            x[0] = 0.0
    """
    tree = rw.proc.tree
    applicable(tree.instr is None, f"{tree.name} is an instruction: its C text was written for its arguments", proc)
    fixed = fixed_values(tree, values, named)
    argument(bool(fixed), "no value is given for any argument")
    for sym, value in fixed.items():
        rw.substitute((), sym, value)
    for k in reversed(range(len(rw.tree.preds))):
        _settle(rw, k)
    for k in reversed(range(len(tree.args))):
        if tree.args[k].sym in fixed:
            rw.delete(Span((), "args", k, k + 1))
    _narrowed(rw)
    return ()


def fixed_values(tree: ProcDef, values: Sequence[object], named: Mapping[str, object]) -> dict[Sym, Const]:
    """The literals for the arguments that get one."""
    names = names_at(tree)
    by_name = {names[a.sym]: a for a in tree.args}
    argument(len(values) <= len(tree.args), f"{tree.name} takes {len(tree.args)} arguments, not {len(values)}")
    given: list[tuple[Arg, object]] = [*zip(tree.args, values, strict=False)]
    for name, value in named.items():
        argument(name in by_name, f"{tree.name} has no argument {name!r}; it takes {', '.join(by_name)}")
        argument(all(by_name[name] is not a for a, _ in given), f"two values are given for {name}")
        given.append((by_name[name], value))
    return {a.sym: _literal(names[a.sym], a, value) for a, value in given}


def _literal(name: str, a: Arg, value: object) -> Const:
    argument(isinstance(a.type, Control), f"{name} is data: only control arguments can be fixed")
    if a.type == bool_:
        argument(isinstance(value, bool), f"{name} is a truth value, not {value!r}")
        return Const(bool(value), bool_)
    if not is_integer(value):
        refuse(BadArgument(f"{name} is an integer, not {value!r}"))
    argument(a.type != size or value >= 1, f"{name} is a size, which is at least 1, not {value}")
    return b.num(value)


def _settle(rw: Rewrite, k: int) -> None:
    """Drop an assertion that is true, whatever the other arguments are."""
    pred = rw.tree.preds[k]
    if is_opaque(pred) or has_cells(pred):
        return
    sizes, f = [ge(unknown(a.sym), 1) for a in rw.tree.args if a.type == size], cond(pred, env_of(rw.tree))
    false = bool(prove(sizes, neg(f), "an assertion is false with these values"))
    argument(not false, "with these values an assertion is false")
    if prove(sizes, f, "an assertion is true with these values"):
        rw.delete(Span((), "preds", k, k + 1))


def _narrowed(rw: Rewrite) -> None:
    """Owed when a procedure is narrowed: some values of its arguments are left."""
    argument(admits_some(rw.tree), NEVER_CALLED)
    well_formed(rw)


# -- add_assertion ------------------------------------------------------------------------------------


@primitive(narrows=True)
def add_assertion(rw: Rewrite, proc: ProcCursor, condition: Annotated[str, Kind("what may be asserted")]) -> Where:
    """`def foo(..): s  ~>  def foo(..): assert e; s`. Returns the root.

    `condition` is object code about the arguments. The new procedure may be called only where it holds, which is
    checked at each call; so it is not interchangeable with the original (`call_eqv`).

    Fails with `BadArgument` if no arguments meet the condition.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 0.0
    ... ''')
    >>> print(add_assertion.direct(p, "n % 8 == 0"))
    def foo(n: size, x: f32[n] @ DRAM):
        assert n % 8 == 0
        x[0] = 0.0

    Refused: no n meets it, so that nobody could call the procedure.

    >>> q = proc_from_source('''
    ... def foo(n: size, x: f32[n]):
    ...     x[0] = 0.0
    ... ''')
    >>> print(add_assertion("n < 0")(q, q.root()).failure())
    add_assertion('n < 0'): no arguments meet all that is asserted: the procedure could never be called
    --> def foo(n: size, x: f32[n] @ DRAM):
            x[0] = 0.0
    """
    tree = rw.proc.tree
    e = parse_assertion(condition, scope_at(tree, ()))
    rw.set((), preds=tree.preds.append(e))
    _narrowed(rw)
    return ()


# -- transpose ----------------------------------------------------------------------------------------


@primitive(
    again=True,
    trial=Trial(
        programs="turned turned turned nest windows calls grid",
        after=(("make_instr", 15),),
        at=(("a matrix", 85),),
    ),
)
def transpose(rw: Rewrite, arg: ArgCursor) -> Where:
    """`def foo(x: T[n, m]): s  ~>  def foo(x: T[m, n]): s[x[i, j] -> x[j, i]]`. Returns the argument.

    The caller passes the buffer the other way round, so the result is not interchangeable with the original.
    Windows that keep both dimensions are turned too.

    Fails with `NotApplicable` if the argument has not two dimensions, or a callee takes both; with `Unsafe` if a
    stride of a dense buffer that somebody asks for may change.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(n: size, m: size, x: f32[n, m]):
    ...     for i in seq(0, n):
    ...         x[i, 0] = 0.0
    ... ''')
    >>> print(transpose.direct(p, "x"))
    def foo(n: size, m: size, x: f32[m, n] @ DRAM):
        for i in seq(0, n):
            x[0, i] = 0.0

    Refused: the callee asks for a row whose elements are neighbours; it would get a column.

    >>> dense = proc_from_source('''
    ... def dense(y: [f32][8]):
    ...     assert stride(y, 0) == 1
    ...     y[0] = 0.0
    ... ''')
    >>> q = proc_from_source('''
    ... def foo(x: f32[4, 8]):
    ...     dense(x[2, 0:8])
    ... ''', {"dense": dense})
    >>> print(transpose()(q, q.find_alloc_or_arg("x")).failure())
    transpose(): not true: the stride of dimension 1 of x, which is asked for, stays the same
    for instance with stride(x, 1) = 1
    --> def foo(x: f32[4, 8] @ DRAM):
            dense(x[2, 0:8])
    """
    tree, t = rw.proc.tree, arg.type()
    applicable(tree.instr is None, f"{tree.name} is an instruction: its C text was written for its arguments", arg)
    what = f"{arg.name()} has not two dimensions"
    t = of_kind(t, Tensor, what, arg)
    applicable(len(t.shape) == 2, what, arg)
    if not t.window:
        _strides_stay(tree, arg, t)
    relist(rw, (*arg.path, ("type", None)), "shape", [t.shape[1], t.shape[0]])
    turned = [arg.sym]
    for sym in turned:
        for path in reversed([p for p, _ in uses(rw.tree, sym)]):
            turned += _turn(rw, path)
    return arg.path


def _strides_stay(tree: ProcDef, arg: ArgCursor, t: Tensor) -> None:
    """Owed when the dimensions of a dense buffer change places: the strides that somebody asks for stay the same."""
    for d in sorted(strides_asked(tree).get(arg.sym, ())):
        what = f"the stride of dimension {d} of {arg.name()}, which is asked for, stays the same"
        same = Binary("==", StrideExpr(arg.sym, d), b.ONE if d == 0 else t.shape[0])
        require(safety.holds(tree, (("body", 0),), same, what), arg)


def _turn(rw: Rewrite, path: Path) -> list[Sym]:
    """Turn one access to a buffer whose dimensions change places; the window that is turned by that, if any."""
    node = rw.node(path)
    match node:
        case StrideExpr(dim=d):
            rw.set(path, dim=1 - d)
        case Read(idx=idx) if not idx:
            applicable(False, "a callee takes the whole buffer", at_path(rw.proc, path))
        case ViewExpr():
            applicable(False, "it also has other extents, by a view", at_path(rw.proc, path))
        case WindowExpr(idx=idx) if all(isinstance(d, Interval) for d in idx):
            what = "a callee takes both dimensions"
            holder = of_kind(get(rw.tree, path[:-1]), WindowDef, what, at_path(rw.proc, path))
            relist(rw, path, "idx", [idx[1], idx[0]])
            return [holder.sym]
        case Read(idx=idx) | WindowExpr(idx=idx) | Assign(idx=idx) | Reduce(idx=idx):
            relist(rw, path, "idx", [idx[1], idx[0]])
        case _:
            pass
    return []
