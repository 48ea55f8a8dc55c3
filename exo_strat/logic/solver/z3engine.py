"""Problems put to Z3.

Each question gets a context of its own and a resource limit instead of a time limit, so that an answer
depends on nothing but the question: not on the machine's speed, nor on what was asked before.
"""

from __future__ import annotations

from typing import Any, Literal

import z3  # type: ignore[import-untyped]

from .problem import Join, Node, Problem

RLIMIT = 2_000_000
SMALL = 8


def solve(problem: Problem) -> list[int] | Literal[False] | None:
    """Values for which all nodes hold, small ones if possible; False: there are none; None: gave up."""
    ctx = z3.Context()
    xs = [z3.Int(f"x{i}", ctx) for i in range(problem.size)]
    solver = z3.SolverFor("QF_LIA", ctx=ctx)
    solver.set("rlimit", RLIMIT)
    for node in problem.nodes:
        solver.add(term(node, xs, ctx))
    result = solver.check()
    if result == z3.unsat:
        return False
    if result != z3.sat:
        return None
    values = _values(solver.model(), xs)
    if all(abs(v) <= SMALL for v in values):
        return values
    solver.push()
    for x in xs:
        solver.add(x >= -SMALL, x <= SMALL)
    return _values(solver.model(), xs) if solver.check() == z3.sat else values


def valid_exists(context: Problem, goal: tuple[Node, ...], exists: tuple[int, ...]) -> bool:
    """Whether Z3 shows, with quantifiers: if all nodes of `context` hold then there are values of the
    variables `exists` for which all of `goal` hold. False also if it gave up."""
    ctx = z3.Context()
    xs = [z3.Int(f"x{i}", ctx) for i in range(context.size)]
    solver = z3.Solver(ctx=ctx)
    solver.set("rlimit", RLIMIT)
    for node in context.nodes:
        solver.add(term(node, xs, ctx))
    wanted = z3.And([term(g, xs, ctx) for g in goal])
    solver.add(z3.Not(z3.Exists([xs[i] for i in exists], wanted) if exists else wanted))
    return bool(solver.check() == z3.unsat)


def term(node: Node, xs: list[Any], ctx: Any) -> Any:
    """`node` as a Z3 term over `xs`."""
    if isinstance(node, Join):
        parts = [term(p, xs, ctx) for p in node.parts]
        if not parts:
            return z3.BoolVal(node.is_all, ctx)
        return z3.And(parts) if node.is_all else z3.Or(parts)
    total = z3.Sum([z3.IntVal(node.const, ctx), *[k * xs[v] for v, k in node.terms]])
    return total == 0 if node.is_eq else total >= 0


def _values(model: Any, xs: list[Any]) -> list[int]:
    return [model.eval(x, model_completion=True).as_long() for x in xs]
