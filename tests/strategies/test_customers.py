"""Strategies with holes for searches: their spaces, and what is found by a model, which is never worse than the
defaults. The model is ours: how many instructions and statements a run executes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from backends.evaluate import Values, evaluate
from backends.targets import avx2, avx512, plain_c
from exo_strat import Machine, Op, Proc, at, f32, lint, nodes, proc, schedule, size, space
from exo_strat.tuning import History, Modelled, Search, exhaustive, tune
from strategies import programs
from strategies.axpy import axpy
from strategies.blas.level1 import optimize_level_1
from strategies.convolution import convolve
from strategies.gemm import gemm
from strategies.gemv import gemv, gemv_t

Same = Callable[..., None]


def executed(p: Proc, **sizes: int) -> float:
    """How many statements a run executes, where an instruction is one."""
    return _body(p.tree.body, {a.sym: sizes[a.sym.name] for a in p.tree.args if a.sym.name in sizes})


def _body(body: Sequence[Any], known: Mapping[Any, int]) -> float:
    return sum(_statement(s, known) for s in body)


def _statement(s: Any, known: Mapping[Any, int]) -> float:
    match s:
        case nodes.For():
            lo, hi = (evaluate(e, Values(known, {})) for e in (s.lo, s.hi))
            return sum(_body(s.body, {**known, s.iter: i}) for i in range(lo, hi))
        case nodes.If():
            return _body(s.body if evaluate(s.cond, Values(known, {})) else s.orelse, known)
        case nodes.Call() if s.f.tree.instr is None:
            pairs = zip(s.f.tree.args, s.args, strict=True)
            return _body(s.f.tree.body, {a.sym: evaluate(e, Values(known, {})) for a, e in pairs if _is_size(a)})
    return 0 if isinstance(s, nodes.Alloc | nodes.Pass) else 1


def _is_size(a: Any) -> bool:
    return isinstance(a.type, nodes.Control)


def proposing(*asked: Mapping[str, Any]) -> Search:
    """A search that tries these after the defaults."""

    def search(space: object, history: History) -> dict[str, Any] | None:
        return dict(asked[len(history) - 1]) if len(history) <= len(asked) else None

    return search


def by(strategy: str, *values: Mapping[str, Any]) -> Search:
    """`proposing` values of the holes of a strategy."""
    return proposing(*({f"{strategy}.{name}": x for name, x in v.items()} for v in values))


def dot(machine: Machine) -> Op:
    return at("for i in _: _", optimize_level_1(machine, "f32"))


PLANS: dict[str, tuple[Callable[[Machine], Op], Proc]] = {
    "sgemm": (gemm, programs.sgemm),
    "axpy": (axpy, programs.saxpy),
    "dot": (dot, programs.sdot),
    "gemv": (gemv, programs.sgemv),
    "gemv_t": (gemv_t, programs.sgemv_trans),
    "convolution": (partial(convolve, precision="f32", taps=3), programs.convolution),
}


@pytest.mark.parametrize("machine", [avx2, avx512, plain_c], ids=repr)
@pytest.mark.parametrize("name", PLANS)
def test_plans_are_values_without_faults(name: str, machine: Machine) -> None:
    op = PLANS[name][0](machine)
    assert lint(op) == () and pickle.loads(pickle.dumps(op)) == op


def test_the_space_of_a_product_leaves_out_what_does_not_fit_the_registers() -> None:
    found = space(gemm(avx2))
    names = [n.rpartition(".")[2] for n in found.names]
    tiles = {tuple(a.values())[:2] for a in found.assignments()}
    assert names == ["rows", "vectors", "depth", "width"] and found.admits(found.defaults())
    assert (6, 2) in tiles and (4, 3) in tiles and (6, 3) not in tiles and (12, 1) in tiles


def test_products_of_several_sizes(computes_the_same: Same) -> None:
    """Twelve rows together load B half as often as six, where there are twelve; else the defaults are as good."""
    op, tall = gemm(avx2), {"rows": 12, "vectors": 1}
    tall_op = op.fill({f"gemm.optimize_deep_gemm.{name}": x for name, x in tall.items()})
    for plan in (op, tall_op):
        schedule(plan, programs.sgemm)  # its kernels are kept, so that the processes of the search needn't make them
    for m in (12, 6):
        measure = Modelled(partial(executed, m=m, n=16, k=40))
        found = tune(op, programs.sgemm, measure, search=by("gemm.optimize_deep_gemm", tall), jobs=1)
        assert [t.status for t in found.tried] == ["measured"] * 2 and found.best is not None
        assert found.best.decisions["gemm.optimize_deep_gemm.rows"] == m
    computes_the_same(programs.sgemm, schedule(tall_op, programs.sgemm), m=13, n=17, k=5)


@pytest.mark.parametrize("name, sizes", [("axpy", {"N": 1000}), ("dot", {"N": 40})])
def test_vectors(name: str, sizes: dict[str, int], computes_the_same: Same) -> None:
    """Of few elements, joining many partial sums is more work than adding up."""
    plan, program = PLANS[name]
    found = tune(plan(avx2), program, Modelled(partial(executed, **sizes)), search=exhaustive(), trials=5, jobs=1)
    assert found.best is not None and found.best.seconds is not None
    assert len(found.tried) > 2 and found.best.seconds <= (found.tried[0].seconds or 0.0)
    assert name != "dot" or found.best.seconds < (found.tried[0].seconds or 0.0)
    computes_the_same(program, found.best_proc, N=37)


def test_products_with_a_vector(computes_the_same: Same) -> None:
    """Of two rows, a block of four takes none."""
    search = by("gemv.optimize_level_2_general", {"rows": 2, "vectors": 1})
    found = tune(gemv(avx2), programs.sgemv, Modelled(partial(executed, M=2, N=40)), search=search, jobs=1)
    assert len(found.tried) == 2 and found.best is not None and found.best.seconds is not None
    assert found.best.seconds <= (found.tried[0].seconds or 0.0)
    computes_the_same(programs.sgemv, found.best_proc, M=7, N=19)


@proc
def smooth(m: size, n: size, k: f32[2], x: f32[m, n], y: f32[m, n]):
    assert n > 1
    for i in seq(0, m):
        for j in seq(0, n - 1):
            for c in seq(0, 2):
                y[i, j] += k[c] * x[i, j + c]


def test_convolutions(computes_the_same: Same) -> None:
    """A row more that is taken together, and the weights are loaded once for it."""
    search = by("convolve", {"rows": 1, "vectors": 1}, {"rows": 4, "vectors": 1})
    op, measure = convolve(avx2, "f32", 2), Modelled(partial(executed, m=8, n=33))
    found = tune(op, smooth, measure, search=search, jobs=1)
    assert found.best is not None and found.best.decisions == {"convolve.rows": 4, "convolve.vectors": 1}
    computes_the_same(smooth, found.best_proc, m=7, n=14)
