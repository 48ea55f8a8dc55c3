"""Rewrites of code that takes indices and bounds from buffers."""

from __future__ import annotations

import pytest
from returns.result import Success

from exo_strat import (
    DRAM_STACK,
    Op,
    Proc,
    add_assertion,
    at,
    bind_expr,
    cut_loop,
    delete_buffer,
    extract_subproc,
    inline,
    inline_assign,
    inline_window,
    parallelize_loop,
    proc_from_source,
    reorder_loops,
    reorder_stmts,
    reverse_loop,
    schedule,
    set_memory,
    set_precision,
    simplify,
    specialize,
    split_write,
    stage_mem,
)
from exo_strat.audit import cvc5, distinct, recheck, replay
from exo_strat.ops.failure import Failure
from exo_strat.testing.counterexamples import assert_real
from exo_strat.testing.equivalence import assert_equivalent

SCATTER = """
def scatter(n: size, m: size, idx: i32[n], b: f32[n], a: f32[m + 1]):
    assert within(idx, 0, m)
    for i in seq(0, n):
        a[idx[i]] = b[i]
"""
DISTINCT = SCATTER.replace("within(idx, 0, m)", "within(idx, 0, m) and distinct(idx)")
ROWS = """
def rows(n: size, nnz: size, ptr: i32[n + 1], v: f32[nnz]):
    assert within(ptr, 0, nnz + 1)
    assert rising(ptr)
    for i in seq(0, n):
        for k in seq(ptr[i], ptr[i + 1]):
            v[k] = 2.0 * v[k]
"""
PRODUCT = """
def product(n: size, m: size, nnz: size, ptr: i32[n + 1], col: i32[nnz], v: f32[nnz], x: f32[m], y: f32[n]):
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    assert within(col, 0, m)
    for i in seq(0, n):
        y[i] = 0.0
        for k in seq(ptr[i], ptr[i + 1]):
            y[i] += v[k] * x[col[k]]
"""


def refused(op: Op, p: Proc) -> Failure:
    """The failure, whose counterexample is seen in a run."""
    outcome = op(p)
    assert not isinstance(outcome, Success), outcome
    failure: Failure = outcome.failure()
    return failure


def refuted(op: Op, p: Proc) -> str:
    failure = refused(op, p)
    assert assert_real(p, failure) == "real"
    return str(failure)


def accepted(op: Op, p: Proc) -> Proc:
    q = schedule(op, p)
    assert assert_equivalent(p, q) > 0
    return q


PARALLEL = at("for i in _: _", parallelize_loop())


def test_a_scatter_is_parallel_if_no_two_indices_are_equal() -> None:
    accepted(PARALLEL, proc_from_source(DISTINCT))
    said = refuted(PARALLEL, proc_from_source(SCATTER))
    assert "idx[0] = 0, idx[1] = 0" in said  # two equal ones


def test_but_not_beside_the_next_element() -> None:
    refuted(PARALLEL, proc_from_source(DISTINCT.replace("= b[i]", "= a[idx[i] + 1]")))


def test_what_is_determined_may_be_written_in_any_order() -> None:
    accepted(at("for i in _: _", reverse_loop()), proc_from_source(SCATTER.replace("b[i]", "0.0")))
    refuted(at("for i in _: _", reverse_loop()), proc_from_source(SCATTER))
    accepted(at("for i in _: _", reverse_loop()), proc_from_source(SCATTER.replace("] = b", "] += b")))


def test_a_histogram_is_counted_in_any_order() -> None:
    p = proc_from_source(
        "def count(n: size, m: size, u: u8[n, m], h: f32[256]):\n    for i in seq(0, n):\n        for j in seq(0, m):\n"
        "            h[u[i, j]] += 1.0"
    )
    accepted(at("for i in _: _", reorder_loops()), p)


def test_rows_are_parallel_if_their_bounds_rise() -> None:
    accepted(PARALLEL, proc_from_source(ROWS))
    assert "ptr[" in refuted(PARALLEL, proc_from_source(ROWS.replace("    assert rising(ptr)\n", "")))
    refuted(PARALLEL, proc_from_source(ROWS.replace("ptr[i + 1])", "ptr[i + 1] / 2 + nnz / 2)")))


def test_a_sparse_product_has_parallel_rows() -> None:
    q = accepted(PARALLEL, proc_from_source(PRODUCT))
    assert "for i in par(0, n):" in str(q)


def test_rows_and_columns_don_t_change_places() -> None:
    refused(at("for i in _: _", reorder_loops()), proc_from_source(ROWS))


def test_reads_through_indices_are_reads() -> None:
    p = proc_from_source(
        "def foo(n: size, idx: i32[n], x: f32[n], y: f32[n]):\n    assert within(idx, 0, n)\n    for i in seq(0, n):\n"
        "        y[i] = x[idx[i]]\n        x[i] = 0.0"
    )
    refuted(at("for i in _: _", reverse_loop()), p)
    refused(at("y[_] = _; x[_] = _", reorder_stmts()), p)


def test_the_second_solver_confirms_what_was_said_of_elements() -> None:
    pytest.importorskip("cvc5")
    for text in (DISTINCT, ROWS, PRODUCT):
        found = recheck(distinct(replay(schedule(PARALLEL, proc_from_source(text)))), cvc5())
        assert all(f.outcome == "confirmed" for f in found if f.obligation.expected == "unsat")
        assert not any(f.outcome == "disagrees" for f in found)  # examples of all elements take it long


# -- what indices are taken from stays as it is -------------------------------------------------------

GATHER = """
def gather(n: size, idx: i32[n], x: f32[n], y: f32[n]):
    assert within(idx, 0, n)
    for i in seq(0, n):
        y[i] = x[idx[i]]
"""


@pytest.mark.parametrize(
    "op",
    [
        at("idx: _", set_precision("i16")),
        at("idx: _", set_precision("f32")),
        at("idx: _", set_memory(DRAM_STACK)),
        at("for i in _: _", stage_mem("idx[0:n]", "t")),
        at("idx[_]", bind_expr("t")),
    ],
)
def test_no_rewrite_changes_where_indices_are_taken_from(op: Op) -> None:
    assert not isinstance(op(proc_from_source(GATHER)), Success)


def test_code_with_indices_becomes_a_procedure_and_back() -> None:
    p = proc_from_source(PRODUCT)
    q = accepted(at("for k in _: _", extract_subproc("row")), p)
    assert "assert within(col, 0, m)" in str(q.find("row(_)").subproc())  # type: ignore[attr-defined]
    accepted(at("row(_)", inline()), q)


def test_a_loop_is_not_taken_where_its_bounds_are_not() -> None:
    """Beyond the last row there is no bound."""
    p = proc_from_source(ROWS.replace("        for k", "        if i < n - 1:\n            pass\n        for k"))
    q = accepted(at("for k in _: _", cut_loop("ptr[i]")), p)
    assert q is not None
    said = str(refused(at("for k in _: _", cut_loop("ptr[i + 2]")), p))
    assert "may be out of bounds" in said or "not true" in said


@pytest.mark.parametrize("condition", ["distinct(idx)", "not distinct(idx)", "rising(idx) or n > 2"])
def test_what_is_asserted_of_all_elements_is_no_condition(condition: str) -> None:
    p = proc_from_source(GATHER)
    for op in (at("y[_] = _", specialize(condition)), add_assertion(f"not ({condition})")):
        assert "can only be asserted" in str(refused(op, p))


def test_more_can_be_asserted_of_what_indices_are_taken_from() -> None:
    q = schedule(add_assertion("distinct(idx)"), proc_from_source(SCATTER))
    accepted(PARALLEL, q)
    q = schedule(add_assertion("idx[0] == 1"), proc_from_source(SCATTER))
    assert "assert index(idx[0]) == 1" in str(q)


def test_a_write_whose_place_it_changes_is_not_split() -> None:
    p = proc_from_source("def foo(b: u8[256], x: u8):\n    b[b[0]] = 2.0 + x")
    assert "where is written" in str(refused(at("b[_] = _", split_write()), p))
    apart = proc_from_source("def foo(b: u8[256], c: u8[256], x: u8):\n    c[b[0]] = 2.0 + x")
    accepted(at("c[_] = _", split_write()), apart)


# -- what an attacker found -----------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["y[y[2] % 4]", "y[2]", "y[1] + y[2]"])
def test_a_read_in_the_index_of_a_read_of_one_element_goes_with_it(first: str) -> None:
    p = proc_from_source(f"""
def foo(y: i32[4], z: i32[4]):
    t: i32[1]
    t[0] = {first}
    z[0] = t[t[0] % 1]
""")
    q = schedule(at("t[_] = _", inline_assign()), p)
    assert f"z[0] = {first}\n" in f"{q}\n"
    assert_equivalent(p, q)


def test_a_body_may_become_empty() -> None:
    p = proc_from_source("""
def foo(n: size, u: u8[n], v: f32[n], y: f32[n]):
    t: f32[n]
    for i in seq(0, n):
        t[i] = v[i]
    y[0] = v[u[0] % 1]
""")
    assert "        pass" in str(schedule(at("t: _", delete_buffer()), p))


def test_elements_of_an_argument_that_indices_are_taken_from_are_steady_wherever_they_come_to_stand() -> None:
    p = proc_from_source("""
def foo(n: size, idx: i32[n], x: f32[n], y: f32[n]):
    assert within(idx, 0, n) and distinct(idx)
    w = idx[0:n]
    for i in seq(0, n):
        y[min(max(w[i], 0), n - 1)] = x[i]
""")
    q = schedule(at("w = _", inline_window()), p)
    again = proc_from_source(str(q))
    for version in (q, again):
        assert isinstance(at("for i in _: _", parallelize_loop())(version), Success)
        assert "y[idx[i]] = x[i]" in str(schedule(simplify(), version))


def test_a_value_is_bound_where_it_is_data_and_not_in_an_index() -> None:
    p = proc_from_source("def foo(y: i32[4], z: i32[4]):\n    z[0] = y[0] + z[y[0] % 4]")
    assert "z[0] = s + z[y[0] % 4]" in str(schedule(at("y[0]", bind_expr("s", cse=True)), p))
