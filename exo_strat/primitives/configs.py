"""Configuration state (paper, appendix A.8).

What a run leaves in config fields is a result of it, which its caller may read. A rewrite here may change that
for the field it is about, and for no other. If so, the new version says so (`Rewritten.leaves`), and `call_eqv`
takes it for the old one only where nobody reads the field after the call.
"""

from __future__ import annotations

from typing import Annotated

from ..cursors.cursor import ExprCursor, GapCursor, NodeCursor
from ..cursors.kinds import WriteConfigCursor
from ..cursors.proc import InvalidCursorError
from ..cursors.rewrite import Rewrite
from ..frontend.exprs import parse_data, parse_expr, read_again
from ..frontend.precisions import precision_at
from ..frontend.scope import declarations, scope_at
from ..ir import build as b
from ..ir.config import Config
from ..ir.nodes import (
    Expr,
    ProcDef,
    ReadConfig,
    Var,
    ViewExpr,
    WindowExpr,
    WriteConfig,
)
from ..ir.span import span_of
from ..ir.types import Control, R, Scalar, bool_
from ..ir.walk import Path, children, is_bool, is_control
from ..logic.questions import evaluation, held_at, safety, stored
from ..ops.failure import BadArgument
from .framework import Trial, Where, primitive
from .helpers.arguments import FieldName, Kind
from .helpers.references import ExprLike, in_scope_at
from .helpers.refusing import MAYBE_SKIPPED, applicable, argument, refuse
from .helpers.scoping import fits_alone, no_new_races, other_value, ready, rest_of_block
from .helpers.wellformed import well_formed
from .staging import is_value, read_early

__all__ = ["bind_config", "delete_config", "write_config"]


@primitive(
    "A.8",
    same_values=True,
    cursors={"target": "place"},
    trial=Trial(programs="configuration configuration guarded"),
)
def bind_config(rw: Rewrite, e: ExprCursor, config: Config, field: FieldName) -> Where:
    """`s  ~>  Cfg.f = e; s[e -> Cfg.f]`. Returns the write.

    `e` is a value of the field's kind (of its precision, if it is data) that the statement evaluates whenever it
    runs. Nothing may read the field afterwards before it is written again: in the statement itself, after it,
    in later iterations of the loops around it, in callees; unless the field is known to hold `e` anyway. If
    the value may last to the end of the procedure, the result is for `call_eqv` only where the caller does not
    read the field either.

    Fails with `NotApplicable` if the expression is no value of the field's kind, or need not fit it (a sum in
    `wrap_u8(..)`), and with `Unsafe` if the field
    is read, if iterations of a parallel loop would share it, or if with the field in place of `e` it cannot be
    shown that all is in bounds and callees get what they assert.

    >>> from exo_strat import config, proc_from_source
    >>> @config
    ... class Load:
    ...     scale: f32
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n], a: f32):
    ...     for i in seq(0, n):
    ...         x[i] = a * x[i]
    ... ''')
    >>> print(bind_config.direct(p, "a", Load, "scale"))
    def foo(n: size, x: f32[n] @ DRAM, a: f32 @ DRAM):
        for i in seq(0, n):
            Load.scale = a
            x[i] = Load.scale * x[i]

    Refused: the field is read afterwards, where it should hold 2.0.

    >>> q = proc_from_source('''
    ... def foo(x: f32, a: f32):
    ...     Load.scale = 2.0
    ...     x = a
    ...     x = Load.scale
    ... ''', {"Load": Load})
    >>> print(bind_config(Load, "scale")(q, q.find("a")).failure())
    bind_config(Load, 'scale'): not true: Load.scale is not read afterwards, before it is written again
    it reads Load.scale
        def foo(x: f32 @ DRAM, a: f32 @ DRAM):
            Load.scale = 2.0
    -->     x = a
            x = Load.scale
    """
    tree, place = rw.proc.tree, _field(config, field)
    value: Expr = e.node
    stmt = _statement(e)
    stands_alone = is_control(value) or (not isinstance(value, WindowExpr | ViewExpr) and is_value(tree, e.path))
    applicable(stands_alone, "this stands for a buffer", e)
    what = f"{config.name}.{field} holds {config.fields[field]}, which this is not"
    applicable(_holds(tree, e.path, value, place), what, e)
    applicable(not evaluation.maybe_skipped(tree, stmt, e.path), MAYBE_SKIPPED, e)
    fits_alone(e)
    read_early(rw, e)
    known = _holds_already(tree, stmt, place, value)
    rw.add_part(stmt, WriteConfig(config, field, value), before=True)
    for step, _ in children(value):
        rw.carry((*rw.now(e.path), step), (*stmt, ("rhs", None), step))
    rw.replace(rw.now(e.path), ReadConfig(config, field))
    if not known:
        other_value(rw, tree, stmt, place, e)
    no_new_races(rw, span_of(stmt).path(1))
    return stmt


@primitive(
    "A.8",
    same_values=True,
    cursors={"target": "gone", "values inside": "gone"},
    trial=Trial(programs="configuration"),
)
def delete_config(rw: Rewrite, write: WriteConfigCursor) -> Where:
    """`Cfg.f = e; s  ~>  s`. Returns what stands around the write: a statement, or the procedure.

    Nothing may read the field afterwards before it is written again: in the statements after it, in later
    iterations of the loops around it, in callees and what they assert; unless the field is known to hold `e`
    anyway, as when a write in a loop repeats one before the loop. If the missing value may show at the end of
    the procedure, the result is for `call_eqv` only where the caller does not read the field either. Fails with
    `Unsafe` if the field is read.

    >>> from exo_strat import config, proc_from_source
    >>> @config
    ... class Load:
    ...     row: stride
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 8], y: f32[n]):
    ...     Load.row = stride(x, 0)
    ...     for i in seq(0, n):
    ...         Load.row = stride(x, 0)
    ...         if Load.row == 8:
    ...             y[i] = x[i, 0]
    ... ''', {"Load": Load})
    >>> print(delete_config.direct(p, "Load.row = _ #1"))
    def foo(n: size, x: f32[n, 8] @ DRAM, y: f32[n] @ DRAM):
        Load.row = stride(x, 0)
        for i in seq(0, n):
            if Load.row == 8:
                y[i] = x[i, 0]

    Refused: the field is read afterwards.

    >>> @config
    ... class Load:
    ...     scale: f32
    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     Load.scale = 2.0
    ...     x = Load.scale
    ... ''', {"Load": Load})
    >>> print(delete_config()(q, q.find("Load.scale = _")).failure())
    delete_config(): not true: Load.scale is not read afterwards, before it is written again
    it reads Load.scale
        def foo(x: f32 @ DRAM):
    -->     Load.scale = 2.0
            x = Load.scale
    """
    tree, at = rw.proc.tree, span_of(write.path)
    node = write.node
    field = ReadConfig(node.config, node.field)
    if not _holds_already(tree, write.path, field, node.rhs):
        other_value(rw, tree, at.path(1), field, write)
    rw.delete(at)
    return at.parent


@primitive("A.8", same_values=True, trial=Trial(programs="configuration"))
def write_config(
    rw: Rewrite,
    gap: GapCursor,
    config: Config,
    field: FieldName,
    value: Annotated[ExprLike | float | bool, Kind("a value for a config field")],
) -> Where:
    """`s1; s2  ~>  s1; Cfg.f = e; s2`. Returns the write.

    `value` is a number, a cursor, or object code in scope at the gap. The data that it reads was written before the
    gap, or is read by the code after the gap anyway. No code after the gap reads the field before it is written again,
    as for `delete_config`, unless the field is known to hold this value already.

    If nothing in the procedure writes the field again, it may keep the new value when the procedure ends. Then
    `call_eqv` takes the result only where the caller does not read the field either.

    Fails with `BadArgument` if the value is not of the field's kind, and with `Unsafe` if the field's old value is
    read, if iterations of a parallel loop would write one field, or if data that `value` reads may not be written yet.

    >>> from exo_strat import config, proc_from_source
    >>> @config
    ... class Load:
    ...     row: stride
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         Load.row = stride(x, 0)
    ...         x[i, 0] = 0.0
    ... ''', {"Load": Load})
    >>> print(write_config.direct(p, p.find_loop("i").before(), Load, "row", "stride(x, 0)"))
    def foo(n: size, x: f32[n, 8] @ DRAM):
        Load.row = stride(x, 0)
        for i in seq(0, n):
            Load.row = stride(x, 0)
            x[i, 0] = 0.0

    Refused: the field is read afterwards, where it should hold 2.0.

    >>> @config
    ... class Load:
    ...     scale: f32
    >>> q = proc_from_source('''
    ... def foo(x: f32):
    ...     Load.scale = 2.0
    ...     x = Load.scale
    ... ''', {"Load": Load})
    >>> print(write_config(Load, "scale", 3.0)(q, q.find("x = _").before()).failure())
    write_config(Load, 'scale', 3.0): not true: Load.scale is not read afterwards, before it is written again
    it reads Load.scale
        def foo(x: f32 @ DRAM):
            Load.scale = 2.0
    -->     x = Load.scale
    """
    place, at = _field(config, field), gap.span
    e = _value(rw, value, at.path(), place)
    path = at.path()
    ready(rw, evaluation.has_value(rw.proc.tree, rest_of_block(rw.proc.tree, path), e), gap)
    rw.insert(at, WriteConfig(config, field, e))
    well_formed(rw)
    if not _holds_already(rw.tree, path, place, e):
        other_value(rw, rw.tree, at.path(1), place, gap)
    no_new_races(rw, path)
    return path


# -- what is owed -------------------------------------------------------------------------------------


def _holds_already(tree: ProcDef, path: Path, field: ReadConfig, value: Expr) -> bool:
    """Whether a field is known to hold a value just before the statement at `path`."""
    if is_control(value):
        return bool(safety.equal_at(tree, path, field, value))
    held = held_at(tree, path, field)
    return held is not None and bool(safety.equal_at(tree, path, held, stored(tree, value, field)))


# -- arguments ----------------------------------------------------------------------------------------


def _field(config: Config, field: str) -> ReadConfig:
    known = ", ".join(sorted(config.fields))
    argument(field in config.fields, f"{config.name} has no field {field!r}; its fields are {known}")
    return ReadConfig(config, field)


def _statement(e: ExprCursor) -> Path:
    """The statement that evaluates an expression."""
    inside = any(label in ("body", "orelse") for label, _ in e.path)
    applicable(inside, "this stands in the procedure's signature or assertions: no statement evaluates it", e)
    return e.stmt().path


def _holds(tree: ProcDef, path: Path, e: Expr, field: ReadConfig) -> bool:
    """Whether a field is of the kind of an expression, and of the precision that it has at `path`."""
    t = field.config.fields[field.field]
    return _same_kind(tree, e, t) and (not isinstance(t, Scalar) or precision_at(tree, path) in (t, R))


def _value(rw: Rewrite, value: object, at: Path, field: ReadConfig) -> Expr:
    """The value for a field: data or control, as the field is."""
    t, e = field.config.fields[field.field], value
    if isinstance(value, bool):
        e = b.TRUE if value else b.FALSE
    elif isinstance(value, int | float):
        e = b.data(value) if isinstance(t, Scalar) or isinstance(value, float) else b.num(value)
    elif isinstance(value, str):
        scope = scope_at(rw.proc.tree, at)
        e = parse_data(value, scope) if isinstance(t, Scalar) else parse_expr(value, scope)
    elif isinstance(value, NodeCursor):
        found = rw.proc.forward(value)
        if not isinstance(found, NodeCursor):
            raise InvalidCursorError("this cursor points to code that is gone")
        e = found.node
    if isinstance(e, Expr):
        in_scope_at(rw, e, at, value)
        if is_control(e):
            e = read_again(e, rw.proc.tree, at)
    if not isinstance(e, Expr) or isinstance(e, WindowExpr | ViewExpr) or not _same_kind(rw.proc.tree, e, t):
        refuse(BadArgument(f"{field.config.name}.{field.field} holds {t}, which {value!r} is not"))
    return e


def _same_kind(tree: ProcDef, e: Expr, t: Scalar | Control) -> bool:
    """Whether a value is data or a control value, integer or truth value, as a field of type `t` holds it."""
    if isinstance(t, Scalar):
        return not is_control(e)
    return is_control(e) and (t == bool_) == (is_bool(e) or (isinstance(e, Var) and declarations(tree)[e.sym] == bool_))
