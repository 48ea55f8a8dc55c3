"""`bool NAME_admits(..)`: whether a procedure that takes indices from buffers may be called with such arguments.

A C compiler cannot check what a procedure asserts of its arguments, and a wrong index would read or write anywhere. So
beside each such procedure stands a function of the same arguments that checks sizes and assertions, the ones about all
elements too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kernel import Binary, Claim, Control, Expr, Scalar, Tensor, has_cells
from .expressions import Expressions
from .needs import Needs
from .program import Function
from .terms import ATOM, REL, Term
from .types import INT, MOST
from .views import Env

DISTINCT = f"""\
#include <stdlib.h>
// Whether no two of n numbers are equal; they are in memory that this function frees. Without memory it is not known.
static int exo_by_value(const void *a, const void *b) {{
    const {INT} x = *(const {INT} *)a, y = *(const {INT} *)b;
    return (x > y) - (x < y);
}}
static bool exo_distinct({INT} *values, {INT} n) {{
    bool distinct = values != NULL;
    if (distinct) qsort(values, (size_t)n, sizeof(*values), exo_by_value);
    for ({INT} i = 1; distinct && i < n; i++) distinct = values[i - 1] != values[i];
    free(values);
    return distinct;
}}"""


def admits_name(f: Function) -> str:
    """The name of the function that tells whether a procedure may be called."""
    return f"{f.name}_admits"


def admission(f: Function, env: Env, needs: Needs) -> Iterator[str]:
    """The lines of the function's body, where `env` says what C calls the arguments."""
    printer = Expressions(f, needs)
    for a in f.tree.args:
        if isinstance(a.type, Control) and a.type.name != "bool":
            for demand in _of_number(a.type.name, f.most):
                yield from _unless(Term(f"{env.controls[a.sym]} {demand}", REL))
    for p in f.tree.preds:
        for part in _conjuncts(p):
            if isinstance(part, Claim):
                yield from _claim(part, printer, env, needs)
            else:
                yield from _unless(printer.control(part, env))
    yield "return true;"


def _of_number(kind: str, most: int) -> Iterator[str]:
    """What is asked of a control argument: with numbers beyond `most` integers may overflow."""
    if kind == "size":
        yield ">= 1"
    if most < MOST:
        yield f"<= {most}"
        if kind != "size":
            yield f">= -{most}"


def _conjuncts(e: Expr) -> list[Expr]:
    if isinstance(e, Binary) and e.op == "and" and has_cells(e):
        return [*_conjuncts(e.lhs), *_conjuncts(e.rhs)]
    return [e]


def _unless(condition: Term) -> Iterator[str]:
    yield f"if (!{condition.within(ATOM)}) return false;"


def _claim(c: Claim, printer: Expressions, env: Env, needs: Needs) -> Iterator[str]:
    t = next(a.type for a in printer.function.tree.args if a.sym == c.sym)
    assert isinstance(t, Tensor)
    places = [Term(env.spell(f"i{d}")[0]) for d in range(len(t.shape))]
    extents = [printer.control(e, env) for e in t.shape]
    element = env.views[c.sym].element(places)
    value = f"({INT}){element.within(ATOM)}"
    checks = _fits(element, printer.function.data[c.sym].scalar)
    if c.kind == "within":
        lo, hi = (printer.control(a, env) for a in c.args)
        checks.append(f"if ({value} < {lo.within(REL + 1)} || {value} >= {hi.within(REL + 1)}) return false;")
    elif c.kind == "rising":
        before = env.views[c.sym].element([Term(f"{places[0]} - 1", 70)])
        checks.append(f"if ({places[0]} > 0 && {element} < {before}) return false;")
    else:
        needs.prelude(DISTINCT)
        values, inner = env.spell("values")
        after, _ = inner.spell("next")
        count = " * ".join(e.within(80) for e in extents)
        yield "{"
        yield f"    {INT} *{values} = malloc((size_t)({count}) * sizeof({INT})), *{after} = {values};"
        checks = [f"if ({values} == NULL) return false;", f"*{after}++ = {value};"]
    yield from _nest(checks, [str(p) for p in places], [str(e) for e in extents])
    if c.kind == "distinct":
        yield f"    if (!exo_distinct({values}, {count})) return false;"
        yield "}"


def _fits(element: Term, t: Scalar) -> list[str]:
    """Numbers that the control integers of C don't hold are admitted by no assertion."""
    return [f"if ({element.within(REL + 1)} > INT64_MAX) return false;"] if t.name == "u64" else []


def _nest(body: list[str], places: list[str], extents: list[str]) -> Iterator[str]:
    depth = 0
    for place, extent in zip(places, extents, strict=True):
        yield f"{'    ' * depth}for ({INT} {place} = 0; {place} < {extent}; {place}++) {{"
        depth += 1
    yield from ("    " * depth + line for line in body)
    yield from ("    " * d + "}" for d in reversed(range(depth)))
