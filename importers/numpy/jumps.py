"""Loops and functions that are left early, in another form: variables say whether they were.

`break` sets a variable, `continue` another one, and what follows in the body is under a branch that asks for it. The
names of these variables have a space in them, so the program has none of them; what stands before the space is printed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

RESULT = "result "
"""The variable for what is returned early."""

Node = TypeVar("Node", bound=ast.stmt)


def own(s: ast.AST) -> Iterator[ast.AST]:
    """All in a statement but for functions that it defines."""
    yield s
    if not isinstance(s, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        for c in ast.iter_child_nodes(s):
            yield from own(c)


def read_after(n: ast.AST, s: ast.stmt, name: str) -> bool:
    """Whether a function reads a variable after a statement, other than in loops that set it."""
    match n:
        case ast.Name(id=found, ctx=ast.Load()):
            return found == name and (n.lineno, n.col_offset) > (s.end_lineno or 0, s.end_col_offset or 0)
        case ast.For(target=t) if any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(t)):
            return any(read_after(x, s, name) for x in (n.iter, *n.orelse))
        case ast.ListComp(generators=g) | ast.GeneratorExp(generators=g) if any(
            isinstance(x, ast.Name) and x.id == name for part in g for x in ast.walk(part.target)
        ):
            return False
        case _:
            return any(read_after(x, s, name) for x in ast.iter_child_nodes(n))


# -- break, continue ------------------------------------------------------------------------------------


def leaves(stmts: Sequence[ast.stmt], jump: type[ast.stmt]) -> bool:
    """Whether one of these statements, or of their branches, is a jump of the loop around."""
    return any(isinstance(s, jump) or (isinstance(s, ast.If) and leaves([*s.body, *s.orelse], jump)) for s in stmts)


def stop_name(s: ast.For | ast.While) -> str:
    """The variable that says whether a loop was left."""
    return f"stop {s.lineno}:{s.col_offset}"


def without_jumps(s: ast.For | ast.While, before: Sequence[ast.stmt] = ()) -> list[ast.stmt]:
    """The body of a loop without `break` and `continue`; `before` is what is done where it breaks."""
    skip = f"skip {s.lineno}:{s.col_offset}"
    stop = stop_name(s)
    asked: set[type[ast.stmt]] = set()

    def jumped(at: ast.stmt) -> list[ast.stmt]:
        if isinstance(at, ast.Break):
            return [*before, assigned(stop, ast.Constant(1), at)]
        return [assigned(skip, ast.Constant(1), at)]

    def kinds(stmts: Sequence[ast.stmt]) -> list[type[ast.stmt]]:
        return [k for k in (ast.Break, ast.Continue) if leaves(stmts, k)]

    def rewritten(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for k, x in enumerate(stmts):
            if isinstance(x, ast.Break | ast.Continue):
                return [*out, *jumped(x)]
            if not isinstance(x, ast.If) or not kinds([x]):
                out.append(x)
                continue
            rest = list(stmts[k + 1 :])
            if _ends(x.body):
                return [*out, _branch(x, rewritten(x.body), rewritten([*x.orelse, *rest]))]
            if _ends(x.orelse):
                return [*out, _branch(x, rewritten([*x.body, *rest]), rewritten(x.orelse))]
            out.append(_branch(x, rewritten(x.body), rewritten(x.orelse)))
            if rest:
                asked.update(kinds([x]))
                names = [stop if j is ast.Break else skip for j in kinds([x])]
                out.append(_if_none(names, rewritten(rest), x))
            return out
        return out

    body = rewritten(s.body)
    if ast.Continue in asked:
        body = [assigned(skip, ast.Constant(0), s), *body]
    else:
        body = [x for x in (_without(x, skip) for x in body) if x is not None]
    return [_if_none([stop], body, s)] if leaves(s.body, ast.Break) else body


def _ends(stmts: Sequence[ast.stmt]) -> bool:
    """Whether a jump ends these statements for sure."""
    if not stmts:
        return False
    last = stmts[-1]
    return isinstance(last, ast.Break | ast.Continue) or (
        isinstance(last, ast.If) and _ends(last.body) and _ends(last.orelse)
    )


def _without(s: ast.stmt, name: str) -> ast.stmt | None:
    """A statement without assignments to a variable that nothing asks for."""
    match s:
        case ast.Assign(targets=[ast.Name(id=n)]) if n == name:
            return None
        case ast.If(body=yes, orelse=no):
            sides = [[x for x in (_without(x, name) for x in side) if x is not None] for side in (yes, no)]
            return _branch(s, *sides)
        case _:
            return s


def assigned(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    """`name = value`, at the place of another statement."""
    return _placed(ast.Assign([ast.Name(name, ast.Store())], value), at)


def if_not_left(s: ast.For | ast.While, stmts: list[ast.stmt]) -> ast.stmt:
    """Statements that run if a loop was not left."""
    return _if_none([stop_name(s)], stmts, s)


def _if_none(names: Sequence[str], stmts: list[ast.stmt], at: ast.AST) -> ast.stmt:
    tests: list[ast.expr] = [ast.Compare(ast.Name(n, ast.Load()), [ast.Eq()], [ast.Constant(0)]) for n in names]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return _placed(ast.If(test, stmts or [ast.Pass()], []), at)


def _branch(s: ast.If, yes: list[ast.stmt], no: list[ast.stmt]) -> ast.If:
    return ast.copy_location(ast.If(s.test, yes or [_placed(ast.Pass(), s)], no), s)


def _placed(s: Node, at: ast.AST) -> Node:
    """A new statement, all of it at the place of another one."""
    for n in ast.walk(s):
        if not hasattr(n, "lineno"):
            ast.copy_location(n, at)
    return s


# -- return ---------------------------------------------------------------------------------------------


def without_returns(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Returns in branches set a variable, and what follows is under the other branch. A return in a loop before one of
    a constant breaks. A return at the end stays."""
    for k, s in enumerate(stmts):
        rest = list(stmts[k + 1 :])
        if isinstance(s, ast.If) and _returns(s):
            yes = [*s.body, *([] if _always(s.body) else rest)]
            no = [*s.orelse, *([] if _always(s.orelse) else rest)]
            return [*stmts[:k], _branch(s, _ended(yes), _ended(no))]
        if isinstance(s, ast.For | ast.While) and _returns(s) and len(rest) == 1 and isinstance(rest[0], ast.Return):
            given = rest[0].value
            if given is not None and _is_constant(given):
                first = _placed(ast.Assign([_results(given, ast.Store)], given), rest[0])
                last = _placed(ast.Return(_results(given, ast.Load)), rest[0])
                return [*stmts[:k], first, *_left(s, given, 0), last]
    return list(stmts)


def _is_constant(e: ast.expr) -> bool:
    match e:
        case ast.Constant(value=value):
            return value is not None
        case ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Tuple(elts=items):
            return all(map(_is_constant, items))
        case _:
            return False


def _results(like: ast.expr, context: Callable[[], ast.expr_context]) -> ast.expr:
    """The variables for what is returned: one for each item of a tuple."""
    if isinstance(like, ast.Tuple):
        names: list[ast.expr] = [ast.Name(f"{RESULT}{k}", context()) for k in range(len(like.elts))]
        return ast.Tuple(names, context())
    return ast.Name(RESULT, context())


def _left(s: ast.For | ast.While, like: ast.expr, depth: int) -> list[ast.stmt]:
    """A loop whose returns set variables and break, with those around it."""
    found = f"found {s.lineno}:{s.col_offset}"
    nested = depth > 0

    def rewritten(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for x in stmts:
            match x:
                case ast.Return(value=value):
                    to = _placed(ast.Assign([_results(like, ast.Store)], value or ast.Constant(None)), x)
                    return [
                        *out,
                        to,
                        *([assigned(found, ast.Constant(1), x)] if nested else []),
                        _placed(ast.Break(), x),
                    ]
                case ast.If(body=yes, orelse=no):
                    out.append(_branch(x, rewritten(yes), rewritten(no)))
                case ast.For() | ast.While() if _returns(x):
                    out += _left(x, like, depth + 1)
                    inner = f"found {x.lineno}:{x.col_offset}"
                    test = ast.Compare(ast.Name(inner, ast.Load()), [ast.NotEq()], [ast.Constant(0)])
                    end = [assigned(found, ast.Constant(1), x)] if nested else []
                    out.append(_placed(ast.If(test, [*end, ast.Break()], []), x))
                case _:
                    out.append(x)
        return out

    body = rewritten(s.body)
    if isinstance(s, ast.For):
        new: ast.stmt = ast.For(s.target, s.iter, body, s.orelse)
    else:
        new = ast.While(s.test, body, s.orelse)
    first = [assigned(found, ast.Constant(0), s)] if nested else []
    return [*first, ast.copy_location(new, s)]


def _ended(stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
    out: list[ast.stmt] = []
    for s in without_returns(stmts):
        if isinstance(s, ast.Return):
            given = s.value if s.value is not None else ast.Constant(None)
            return [*out, _placed(ast.Assign([ast.Name(RESULT, ast.Store())], given), s)]
        out.append(s)
    return out or [ast.Pass()]


def _returns(s: ast.AST) -> bool:
    return any(isinstance(n, ast.Return) for n in own(s))


def _always(stmts: Sequence[ast.stmt]) -> bool:
    if not stmts:
        return False
    last = stmts[-1]
    both = isinstance(last, ast.If) and _always(last.body) and _always(last.orelse)
    return isinstance(last, ast.Return | ast.Raise) or both
