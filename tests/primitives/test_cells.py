"""Rewrites of code that takes indices and bounds from buffers."""

from __future__ import annotations

import numpy as np
import pytest
from returns.result import Success

from backends.jit import jit
from exo_strat import (
    DRAM_STACK,
    CheckError,
    Op,
    Proc,
    add_assertion,
    at,
    bind_expr,
    cut_loop,
    delete_buffer,
    divide_loop,
    expand_dim,
    extract_subproc,
    fission,
    inline,
    inline_assign,
    inline_window,
    on,
    parallelize_loop,
    proc_from_source,
    reorder_loops,
    reorder_stmts,
    replace,
    reverse_loop,
    rewrite_expr,
    schedule,
    set_memory,
    set_precision,
    shift_loop,
    simplify,
    specialize,
    split_write,
    stage_mem,
    widen_loop,
)
from exo_strat.audit import cvc5, distinct, recheck, replay
from exo_strat.interp import run
from exo_strat.ops.failure import Failure
from exo_strat.ops.moves import after, find
from exo_strat.testing.counterexamples import assert_real
from exo_strat.testing.equivalence import assert_equivalent
from exo_strat.testing.forwarding import assert_forwarding

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


COUNT = """
def count(n: size, m: size, b: i32[n], h: f32[m]):
    b[0] = 1.0
    for i in seq(0, n):
        for j in seq(0, 3):
            h[min(max(index(b[i]), 0), m - 1)] += 1.0
"""


@pytest.mark.parametrize("op", [reorder_loops(), reverse_loop()])
def test_where_written_indices_point_to_is_unknown_so_only_sums_change_their_order(op: Op) -> None:
    accepted(at("for i in _: _", op), proc_from_source(COUNT))
    other = proc_from_source(COUNT.replace("+= 1.0", "= f32(i)"))
    assert "not provable" in str(refused(at("for i in _: _", op), other))


REVERSED = at("for k in _: _", reverse_loop())
HEAD = """
def head(n: size, b: i32[4], x: f32[n], y: f32[n]):
    b[1] = 3.0
    for k in seq(0, min(index(b[1]), n)):
        x[k] = f32(k)
        b[1] += 1.0
        y[k] = x[k]
"""


@pytest.mark.parametrize(
    "op",
    [
        REVERSED,
        at("for k in _: _", divide_loop(2, ("ko", "ki"), "guard")),
        at("for k in _: _", widen_loop(0, "n")),
        at(find("b[_] += _") >> after, fission()),
    ],
)
def test_a_bound_that_its_loop_changes_is_not_read_again(op: Op) -> None:
    p = proc_from_source(HEAD)
    assert "the code does not change the expression" in str(refused(op, p))
    if op != REVERSED:  # where the last iteration is, is not known
        accepted(op, proc_from_source(HEAD.replace("b[1] += 1.0", "b[0] += 1.0")))


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


# -- calls --------------------------------------------------------------------------------------------

ROW = """
def row(n: size, r: index, nnz: size, m: size, ptr: i32[n + 1], col: i32[nnz], v: f32[nnz], x: f32[m], s: f32):
    assert 0 <= r and r < n
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    assert within(col, 0, m)
    for k in seq(ptr[r], ptr[r + 1]):
        s += v[k] * x[col[k]]
"""
PICK = """
def pick(n: size, idx: [i32][n], k: u8, x: f32[256], y: [f32][n]):
    assert within(idx, 0, 256)
    for i in seq(0, n):
        y[i] = x[idx[i]] + x[k]
"""
PICKED = """
def foo(n: size, ix: i32[3, n + 1], k: u8[n], x: f32[256], y: f32[n]):
    assert within(ix, 0, 256)
    for j in seq(0, n):
        y[j] = x[ix[2, j + 1]] + x[k[0]]
"""


def test_rows_of_a_sparse_product_become_calls() -> None:
    q = accepted(at("for k in _: _", replace(proc_from_source(ROW))), proc_from_source(PRODUCT))
    assert "row(n, i, nnz, m, ptr, col, v, x, y[i])" in str(q)
    accepted(at("row(_)", inline()), q)


def test_windows_that_indices_are_taken_from_are_found() -> None:
    q = accepted(at("for j in _: _", replace(proc_from_source(PICK))), proc_from_source(PICKED))
    assert "pick(n, ix[2, 1:n + 1], k[0], x, y[0:n])" in str(q)


@pytest.mark.parametrize(
    "callee, text, old, new, pattern",
    [
        (ROW, PRODUCT, "x[col[k]]", "x[col[k - ptr[i]]]", "for k in _: _"),
        (ROW, PRODUCT, "ptr[i + 1])", "ptr[i + 1] - 1)", "for k in _: _"),
        (ROW, PRODUCT, "(ptr[i], ptr[i + 1])", "(ptr[i + 1], ptr[i])", "for k in _: _"),
        (PICK, PICKED, "ix[2, j + 1]", "ix[(j + 2) % 3, j]", "for j in _: _"),
        (PICK, PICKED, "ix[2, j + 1]", "ix[min(ix[2, j], 2), j]", "for j in _: _"),
        (PICK, PICKED, "x[k[0]]", "x[k[j]]", "for j in _: _"),
    ],
)
def test_other_indices_are_no_call(callee: str, text: str, old: str, new: str, pattern: str) -> None:
    assert old in text
    p = proc_from_source(text.replace(old, new))
    assert "does not unify" in str(refused(at(pattern, replace(proc_from_source(callee))), p))


@pytest.mark.parametrize("passed", ["w, k[0]", "w[0:n], k[0]", "v, u[0]"])
def test_a_call_that_gets_indices_through_windows_is_inlined(passed: str) -> None:
    """Indices are taken from the argument then: a window of it is nothing that stays the same."""
    text = PICKED.partition("    for j")[0] + "    w = ix[2, 1:n + 1]\n    v = w[0:n]\n    u = k[0:n]\n"
    text += f"    pick(n, {passed}, x, y[0:n])"
    p = proc_from_source(text, {"pick": proc_from_source(PICK)})
    q = accepted(at("pick(_)", inline()), p)
    assert str(proc_from_source(str(q))) == str(q)
    assert "x[ix[2, " in str(q) and "x[k[" in str(q)
    assert_forwarding(p, inline(), p.find("pick(_)"), q)


TABLE = """
def table(n: size, m: size, k: size, idx: i32[n, m], b: f32[n, m], a: f32[k]):
    assert within(idx, 0, k) and distinct(idx)
    for i in seq(0, n):
        for j in seq(0, m):
            a[idx[i, j]] = b[i, j]
"""


def test_elements_of_a_table_may_be_distinct_too() -> None:
    p = proc_from_source(TABLE)
    accepted(PARALLEL, p)
    accepted(at("for j in _: _", parallelize_loop()), p)
    accepted(at("for i in _: _", reorder_loops()), p)
    assert "touch one location" in refuted(PARALLEL, proc_from_source(TABLE.replace(" and distinct(idx)", "")))
    assert "touch one location" in refuted(PARALLEL, proc_from_source(TABLE.replace("idx[i, j]]", "idx[0, j]]")))
    for other in ("idx[i, 0]]", "idx[min(i, n - 1), j / 2]]"):
        q = proc_from_source(TABLE.replace("idx[i, j]]", other))
        assert "touch one location" in refuted(at("for j in _: _", parallelize_loop()), q)


def test_the_second_solver_confirms_what_was_said_of_a_table() -> None:
    pytest.importorskip("cvc5")
    found = recheck(distinct(replay(schedule(PARALLEL, proc_from_source(TABLE)))), cvc5())
    assert all(f.outcome == "confirmed" for f in found if f.obligation.expected == "unsat")


@pytest.mark.parametrize(
    ("rows", "trap"), [([[3, 1], [0, 2]], False), ([[3, 1], [0, 1]], True), ([[3, 1], [3, 0]], True)]
)
def test_a_table_with_equal_elements_is_stopped(rows: list[list[int]], trap: bool) -> None:
    p = proc_from_source(TABLE)
    outcome = run(p, {"n": 2, "m": 2, "k": 4, "idx": rows, "b": [[1, 2], [3, 4]], "a": [0] * 4})
    assert (outcome.trap is not None) == trap
    compiled = jit(p)
    arrays = np.array(rows, np.int32), np.ones((2, 2), np.float32), np.zeros(4, np.float32)
    if trap:
        with pytest.raises(ValueError, match="idx"):
            compiled(2, 2, 4, *arrays)
    else:
        compiled(2, 2, 4, *arrays)


def test_a_part_of_a_table_is_distinct_as_well() -> None:
    callee = "def put(l: size, k: size, idx: [i32][l], a: f32[k]):\n    assert within(idx, 0, k) and distinct(idx)\n"
    put = proc_from_source(f"{callee}    for j in seq(0, l):\n        a[idx[j]] += 1.0")
    text = TABLE.replace("for j in seq(0, m):\n            a[idx[i, j]] = b[i, j]", "put(m, k, idx[i, 0:m], a)")
    accepted(PARALLEL, proc_from_source(text, {"put": put}))
    with pytest.raises(CheckError, match="asserts distinct"):
        proc_from_source(text.replace(" and distinct(idx)", ""), {"put": put})
    both = proc_from_source(callee.replace("[i32][l]", "[i32][l, l]") + "    pass")
    whole = text.replace("idx: i32[n, m]", "idx: i32[m, m]").replace(
        "put(m, k, idx[i, 0:m], a)", "put(m, k, idx[0:m, 0:m], a)"
    )
    proc_from_source(whole, {"put": both})


def test_there_are_no_more_elements_than_values_for_them() -> None:
    few = TABLE.replace("within(idx, 0, k)", "n == 2 and m == 3\n    assert within(idx, 0, 5)").replace(
        "a: f32[k]", "a: f32[9]"
    )
    with pytest.raises(CheckError, match="could never be called"):
        proc_from_source(few.replace("k: size, ", ""))


def test_a_table_does_not_rise() -> None:
    with pytest.raises(CheckError, match=r"rising\(idx\): idx has 2 dimensions"):
        proc_from_source(TABLE.replace("distinct(idx)", "rising(idx)"))


POST = """
def post(k: size, m: size, at: [i32][k], x: [f32][k], y: [f32][m]):
    assert within(at, 0, m)
    for i in seq(0, k):
        y[at[i]] = x[i]
"""
POSTED = """
def foo(n: size, m: size, idx: i32[4 * n], x: f32[4 * n], y: f32[m], z: f32[m]):
    assert within(idx, 0, m) and distinct(idx)
    for i in seq(0, n):
        post(4, m, idx[4 * i:4 * i + 4], x[4 * i:4 * i + 4], y[0:m])
"""
SCALE = """
def scale(n: size, nnz: size, r: index, ptr: i32[n + 1], v: f32[nnz]):
    assert within(ptr, 0, nnz + 1) and 0 <= r and r < n
    for k in seq(ptr[r], ptr[r + 1]):
        v[k] = 2.0 * v[k]
"""
SCALED = """
def foo(n: size, nnz: size, ptr: i32[n + 1], v: f32[nnz]):
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    for i in seq(0, n):
        scale(n, nnz, i, ptr, v)
"""
SET = "def set(k: u8, x: f32[256]):\n    x[k] = 1.0"
SETS = """
def foo(n: size, k: u8[n], x: f32[256]):
    assert distinct(k)
    for i in seq(0, n):
        set(k[i], x)
"""
CALLEES = {"post": proc_from_source(POST), "scale": proc_from_source(SCALE), "set": proc_from_source(SET)}
W = "        w = idx[4 * i:4 * i + 4]\n        post(4, m, w, "


@pytest.mark.parametrize(
    "text",
    [
        POSTED,
        POSTED.replace("        post(4, m, idx[4 * i:4 * i + 4], ", W),
        POSTED.replace(
            "        post(4, m, idx[4 * i:4 * i + 4], ",
            W.replace("post", "u = w[0:4]\n        post").replace(", w,", ", u,"),
        ),
        SCALED,
        SETS,
    ],
)
def test_of_a_callee_the_elements_that_it_takes_are_known(text: str) -> None:
    """They are those of the buffer that is passed, of which the caller asserts what it does."""
    accepted(PARALLEL, proc_from_source(text, CALLEES))


@pytest.mark.parametrize(
    "text, old, new",
    [
        (POSTED, " and distinct(idx)", ""),
        (POSTED, "idx[4 * i:4 * i + 4]", "idx[i:i + 4]"),
        (POSTED, "idx[4 * i:4 * i + 4]", "idx[0:4]"),
        (POSTED, "        post(4, m, idx[4 * i:4 * i + 4], ", W.replace("4 * i:4 * i", "i:i")),
        (POSTED, "y[0:m])", "y[0:m])\n        y[idx[(4 * i + 4) % (4 * n)]] = 0.0"),
        (SCALED, " and rising(ptr)", ""),
        (SCALED, "i, ptr, v)", "0, ptr, v)"),
        (SETS, "    assert distinct(k)\n", ""),
        (SETS, "k[i]", "k[0]"),
    ],
)
def test_calls_that_take_one_element_twice_meet(text: str, old: str, new: str) -> None:
    assert old in text
    assert "touch one location" in refuted(PARALLEL, proc_from_source(text.replace(old, new), CALLEES))


@pytest.mark.parametrize(
    "old, new",
    [
        ("post(4, m, idx[4 * i:4 * i + 4], ", "w = idx[4 * i:4 * i + 4]\n        post(4, m, w, "),  # the window is ours
        ("idx[4 * i:4 * i + 4]", "idx[4 * min(max(now(b[i]), 0), n - 1):4 * min(max(now(b[i]), 0), n - 1) + 4]"),
    ],
)
def test_where_a_part_lies_may_not_be_known(old: str, new: str) -> None:
    text = POSTED.replace("z: f32[m]", "b: i32[n]").replace(old, new)
    text = text.replace("post(4, m, w, ", "if b[i] > 0:\n            post(4, m, w, ")
    p = proc_from_source(text, CALLEES)
    if "now" in new:
        assert "touch one location" in str(refused(PARALLEL, p))
    else:
        accepted(PARALLEL, p)


def test_elements_of_a_callee_are_none_of_a_buffer_of_its_caller() -> None:
    """Procedures count their variables for themselves, so a callee's may have the number of one of the caller's."""
    callee = proc_from_source("def take(at: i32[4], y: f32[4]):\n    assert within(at, 0, 4)\n    y[at[0]] = 1.0")
    text = """
def foo(at: i32[4], b: i32[4], y: f32[4]):
    assert within(at, 0, 4) and distinct(at) and within(b, 0, 4)
    take(b, y)
    y[at[1]] = 2.0
"""
    p = proc_from_source(text, {"take": callee})
    assert "commute" in refuted(at("take(_)\ny[_] = _", reorder_stmts()), p)
    accepted(
        at("take(_)\ny[_] = _", reorder_stmts()), proc_from_source(text.replace("take(b", "take(at"), {"take": callee})
    )


def test_what_a_call_writes_where_elements_say_is_written() -> None:
    """So the read after it needs nothing from before, and iterations do not depend on each other."""
    text = """
def foo(n: size, k: u8[n], y: f32[n]):
    t: f32[256]
    for i in seq(0, n):
        set(k[i], t)
        y[i] = t[k[i]]
"""
    accepted(at("for i in _: _", reverse_loop()), proc_from_source(text, CALLEES))
    other = text.replace("t[k[i]]", "t[k[0]]").replace(
        "    for i", "    for j in seq(0, 256):\n        t[j] = 0.0\n    for i"
    )
    refused(at("for i in _: _", reverse_loop()), proc_from_source(other, CALLEES))


# -- no counterexample that cannot be ----------------------------------------------------------------


@pytest.mark.parametrize("cut", ["b[n]", "b[n] - 1", "b[0 - 1]", "b[b[0] + 1]"])
def test_an_element_that_is_not_there_has_no_value(cut: str) -> None:
    p = proc_from_source(
        "def foo(n: size, b: i32[n], y: f32[n]):\n    assert within(b, 0, n)\n    t: f32\n    for i in seq(0, b[0]):\n"
        "        y[i] = 1.0"
    )
    for op in (cut_loop(cut), shift_loop(cut), widen_loop(0, cut)):
        assert "out of bounds" in refuted(at("for i in _: _", op), p)
    assert "out of bounds" in refuted(at("t: _", expand_dim(cut, "0")), p)
    assert "out of bounds" in refuted(at("for i in _: _", stage_mem(f"y[{cut}]", "s")), p)
    assert "out of bounds" in refuted(on(p.find_loop("i").hi(), rewrite_expr(cut)), p)
    assert "the cut is not after the loop's end" in refuted(at("for i in _: _", cut_loop("b[n - 1]")), p)


def test_nothing_is_known_of_what_no_indices_are_taken_from() -> None:
    p = proc_from_source(
        "def foo(n: size, u: u8[n], y: f32[n]):\n    for i in seq(0, n):\n        t: f32\n        t = f32(u[i])\n"
        "        y[i] = t"
    )
    for op in (at("t: _", expand_dim("256", "u[i]")), at("for i in _: _", shift_loop("u[0]"))):
        assert "u would come to be one of the arguments that indices are taken from" in str(refused(op, p))


def test_it_is_not_known_whether_a_scatter_reaches_all() -> None:
    text = GATHER.replace("within(idx, 0, n)", "within(idx, 0, n) and distinct(idx)\n    t: f32[n]")
    body = "t[idx[i]] = x[i]\n    for i in seq(0, n):\n        y[i] = t[i]"
    p = proc_from_source(text.replace("y[i] = x[idx[i]]", body))
    said = str(refused(at("for i in _: _ #0", stage_mem("t[0:n]", "s")), p))
    assert "could not decide whether every location of the window is surely written" in said


def test_data_is_no_config_field() -> None:
    p = proc_from_source("def foo(b: i32[4], y: f32[4]):\n    b[1] = 2\n    for i in seq(0, 4):\n        y[i] = 1.0")
    assert "'b[0]' reads data, which may change" in str(refused(at("for i in _: _", cut_loop("b[0]")), p))
