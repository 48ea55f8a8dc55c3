"""Indices and bounds that are read from buffers: what the language takes, what it refuses, what a program means."""

from __future__ import annotations

import pytest

from exo_strat import (
    CheckError,
    ObjectTypeError,
    at,
    extract_subproc,
    inline,
    parallelize_loop,
    proc_from_source,
    schedule,
)
from exo_strat.interp import run
from exo_strat.ir.cells import has_cells, indexing
from exo_strat.ops.failure import Unsafe

GATHER = """
def gather(n: size, m: size, idx: i32[n], x: f32[m], y: f32[n]):
    assert within(idx, 0, m)
    for i in seq(0, n):
        y[i] = x[idx[i]]
"""
ROWS = """
def rows(n: size, nnz: size, ptr: i32[n + 1], v: f32[nnz]):
    assert within(ptr, 0, nnz + 1) and rising(ptr)
    for i in seq(0, n):
        for k in seq(ptr[i], ptr[i + 1]):
            v[k] = 2.0 * v[k]
"""


def test_an_element_is_an_index_where_an_integer_is_needed() -> None:
    p = proc_from_source(GATHER)
    assert run(p, {"n": 3, "m": 4, "idx": [3, 0, 3], "x": [1, 2, 3, 4], "y": [0] * 3}).outputs["y"] == (4, 1, 4)
    assert has_cells(p.tree) and {s.name for s in indexing(p.tree)} == {"idx"}


def test_an_element_is_a_bound() -> None:
    p = proc_from_source(ROWS)
    assert run(p, {"n": 2, "nnz": 4, "ptr": [1, 1, 3], "v": [1] * 4}).outputs["v"] == (1, 2, 2, 1)


@pytest.mark.parametrize(
    "line",
    [
        "y[0] = x[idx[0] + 1]",
        "y[0] = x[idx[min(i, n - 1)] / 2]",
        "for k in seq(idx[0], n): y[k] = 0.0",
        "if i < idx[0]: y[0] = 0.0",
        "if index(idx[0]) < 3: y[0] = 0.0",
        "if idx[0] < 3: y[0] = 0.0",
        "y[0] = f32(index(idx[0]) + n)",
        "y[0] = x[idx[idx[0]]]",
        "w = y[idx[0]:n]",
        "y[idx[n - 1]] += 1.0",
    ],
)
def test_it_prints_as_text_that_means_the_same(line: str) -> None:
    p = proc_from_source(
        "def foo(n: size, i: index, idx: i32[n], x: f32[n + 1], y: f32[n]):\n    assert within(idx, 0, n)\n"
        f"    assert i >= 0\n    {line}"
    )
    assert proc_from_source(str(p)).tree == p.tree


@pytest.mark.parametrize(
    "asserted, element, holds",
    [("idx[0] == 2", 2, True), ("idx[0] == 2", 3, False), ("idx[n - 1] <= n", 1, True), ("0 <= idx[0] < n", 7, False)],
)
def test_an_assertion_may_be_about_one_element(asserted: str, element: int, holds: bool) -> None:
    p = proc_from_source(f"def foo(n: size, idx: i32[n]):\n    assert {asserted}\n    pass")
    assert (run(p, {"n": 1, "idx": [element]}).trap is None) == holds


@pytest.mark.parametrize(
    "kind, elements, holds",
    [
        ("within(idx, -1, n)", [-1, 2, 0], True),
        ("within(idx, 0, n)", [0, 3, 1], False),
        ("distinct(idx)", [4, -4, 0], True),
        ("distinct(idx)", [4, 0, 4], False),
        ("rising(idx)", [-1, 0, 0], True),
        ("rising(idx)", [0, 2, 1], False),
    ],
)
def test_assertions_about_all_elements_are_checked_on_entry(kind: str, elements: list[int], holds: bool) -> None:
    p = proc_from_source(f"def foo(n: size, idx: i32[n]):\n    assert {kind}\n    pass")
    trap = run(p, {"n": 3, "idx": elements}).trap
    assert trap is None if holds else trap is not None and trap.kind == "assertion"


@pytest.mark.parametrize(
    "elements, kind",
    [([0, None, 1], "uninitialised"), ([0, 1, 2**31], "fit"), ([0, 1, -1], "assertion")],
)
def test_all_elements_are_such_as_their_precision_holds(elements: list[int | None], kind: str) -> None:
    trap = run(proc_from_source(GATHER), {"n": 3, "m": 4, "idx": elements, "x": [1] * 4, "y": [0] * 3}).trap
    assert trap is not None and trap.kind == kind


def test_a_byte_is_within_256_unasserted() -> None:
    text = "def foo(n: size, b: u8[n], h: f32[256]):\n    for i in seq(0, n):\n        h[b[i]] += 1.0"
    p = proc_from_source(text)
    counts = run(p, {"n": 3, "b": [255, 0, 255], "h": [0] * 256}).outputs["h"]
    assert counts[0] == 1 and counts[255] == 2  # type: ignore[index]
    with pytest.raises(CheckError, match="h has extent 255"):
        proc_from_source(text.replace("h: f32[256]", "h: f32[255]"))


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("within(idx, 0, m)", "within(idx, 0, m + 1)", "x.idx.i.. may be out of bounds"),
        ("    assert within(idx, 0, m)\n", "", "x.idx.i.. may be out of bounds"),
        ("idx: i32", "idx: f32", "within is of a buffer of integers"),
        ("y[i] = x", "idx[i] = 0.0\n        y[i] = x", "idx is written here"),
        ("within(idx, 0, m)", "not within(idx, 0, m)", "can only be asserted"),
        ("within(idx, 0, m)", "within(idx, 0, m) or n > 1", "can only be asserted"),
        ("within(idx, 0, m)", "within(idx, 0, m) and rising(y)", "rising is of a buffer of integers"),
        ("within(idx, 0, m)", "within(idx, 0, m) and n == m + 1 and distinct(idx)", "could never be called"),
        ("within(idx, 0, m)", "within(idx, m, 0)", "could never be called"),
        ("for i in", "if distinct(idx):\n        y[0] = 0.0\n    for i in", "can only be asserted"),
        ("for i in seq(0, n):", "t: f32[idx[0] + 1]\n    for i in seq(0, n):", "an extent cannot be read"),
        ("within(idx, 0, m)", "within(idx, 0)", "within takes a buffer"),
    ],
)
def test_what_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises((CheckError, ObjectTypeError), match=message):
        proc_from_source(GATHER.replace(old, new))


def test_no_bound_of_rows_is_beyond_what_is_asserted() -> None:
    proc_from_source(ROWS)
    with pytest.raises(CheckError, match=r"v\[k\] may be out of bounds"):
        proc_from_source(ROWS.replace("nnz + 1)", "nnz + 2)"))


LIMITED = """
def head(n: size, b: i32[4], x: f32[n]):
    b[1] += 1.0
    for k in seq(max(index(b[0]), 0), min(index(b[1]), n)):
        x[k] = 0.0
"""


def test_of_a_written_bound_the_other_part_of_a_minimum_is_known() -> None:
    p = proc_from_source(LIMITED)
    assert run(p, {"n": 3, "b": [-5, 8, 0, 0], "x": [1, 2, 3]}).outputs["x"] == (0, 0, 0)
    assert run(p, {"n": 3, "b": [1, 1, 0, 0], "x": [1, 2, 3]}).outputs["x"] == (1, 0, 3)
    for old, new in (("min(index(b[1]), n)", "max(index(b[1]), n)"), (", n)):", ", n + 1)):"), (", 0), ", ", -1), ")):
        with pytest.raises(CheckError, match=r"x\[k\] may be out of bounds"):
            proc_from_source(LIMITED.replace(old, new))


# -- calls --------------------------------------------------------------------------------------------

CALLEE = """
def pick(n: size, m: size, idx: [i32][n], x: [f32][m], y: [f32][n]):
    assert within(idx, 0, m) and distinct(idx)
    for i in seq(0, n):
        y[idx[i]] = x[i]
"""


def caller(args: str, asserted: str = "within(idx, 0, n) and distinct(idx)", body: str = "") -> str:
    head = "def foo(n: size, idx: i32[2 * n], c: i32[2 * n], x: f32[2 * n], y: f32[2 * n]):\n"
    return f"{head}    assert {asserted}\n    {body}pick({args})"


PICK = proc_from_source(CALLEE.replace("x: [f32][m], y: [f32][n]", "x: [f32][n], y: [f32][m]"))


def test_a_part_of_a_buffer_inherits_what_is_asserted_of_all() -> None:
    asserted = "within(idx, 0, 2 * n) and distinct(idx)"
    p = proc_from_source(caller("n, 2 * n, idx[n:2 * n], x[0:n], y[0:2 * n]", asserted), {"pick": PICK})
    idx = [3, 1, 0, 2]
    outputs = run(p, {"n": 2, "idx": idx, "c": idx, "x": [5, 6, 7, 8], "y": [0] * 4}).outputs
    assert outputs["y"] == (5, 0, 6, 0)


@pytest.mark.parametrize(
    "args, asserted, body, message",
    [
        ("n, n, idx[0:n], x[0:n], y[0:n]", "within(idx, 0, 2 * n) and distinct(idx)", "", r"asserts within\("),
        ("n, n, idx[0:n], x[0:n], y[0:n]", "within(idx, 0, n)", "", r"asserts distinct\(idx\), which may be false"),
        ("n, n, c[0:n], x[0:n], y[0:n]", "within(idx, 0, 2 * n)", "", r"asserts within"),
        ("n, n, c[0:n], x[0:n], y[0:n]", "within(idx, 0, 2 * n)", "c[0] = 0.0\n    ", "c is written here"),
        ("n, n, t, x[0:n], y[0:n]", "within(idx, 0, 2 * n)", "t: i32[n]\n    ", "t is no argument"),
    ],
)
def test_a_call_owes_what_its_callee_asserts(args: str, asserted: str, body: str, message: str) -> None:
    with pytest.raises(CheckError, match=message):
        proc_from_source(caller(args, asserted, body), {"pick": PICK})


def test_a_size_is_read_from_no_buffer() -> None:
    with pytest.raises(CheckError, match="size argument n of pick cannot be read from a buffer"):
        proc_from_source(caller("idx[0], n, idx[0:n], x[0:n], y[0:n]", "within(idx, 0, 2 * n)"), {"pick": PICK})


COUNT = """
def count(n: size, m: size, b: i32[n], top: u8, h: f32[m]):
    for i in seq(0, n):
        if now(b[i]) < now(top):
            h[min(max(now(b[i]), 0), m - 1)] += 1.0
"""


def test_an_element_that_is_not_asked_to_stay_may_be_of_a_local_buffer() -> None:
    count = proc_from_source(COUNT)
    assert not indexing(count.tree) and proc_from_source(str(count)).tree == count.tree
    text = "def foo(m: size, x: i32[4], h: f32[m]):\n    b: i32[4]\n    t: u8\n    t = 9\n    for i in seq(0, 4):\n"
    text += "        b[i] = 2 * x[i]\n    count(4, m, b, t, h)"
    p = proc_from_source(text, {"count": count})
    assert run(p, {"m": 5, "x": [1, 1, 9, 4], "h": [0] * 5}).outputs["h"] == (0, 0, 2, 0, 1)
    assert "now" not in str(schedule(at("count(_)", inline()), p))  # `b` is written there
    with pytest.raises(CheckError, match="b is no argument"):
        proc_from_source(text, {"count": proc_from_source(COUNT.replace("now(b[i])", "b[i]"))})


@pytest.mark.parametrize(
    "line, error, message",
    [
        ("x[now(3)] = 1.0", ObjectTypeError, "now is of one element of a buffer of integers"),
        ("x[now(x[0])] = 1.0", ObjectTypeError, "an integer control expression is needed"),
        ("x[0] = now(u[0])", ObjectTypeError, "a data value is needed here"),
        ("x[now(k[0])] = 1.0", CheckError, "may be out of bounds in dimension 0"),
    ],
)
def test_what_an_element_now_is_not(line: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        proc_from_source(f"def foo(u: u8[4], k: i32[4], x: f32[256]):\n    {line}")


def test_it_is_in_the_range_of_its_precision_and_else_unknown() -> None:
    p = proc_from_source("def foo(u: u8[4], x: f32[256]):\n    for i in seq(0, 4):\n        x[now(u[i])] = f32(u[i])")
    assert isinstance(at("for i in _: _", parallelize_loop())(p).failure(), Unsafe)
    assert "now" not in str(proc_from_source(str(p).replace("f32(u[i])", "f32(u[i])\n        u[0] = 1")))


def test_extracted_procedures_are_what_their_text_says() -> None:
    p = proc_from_source(
        "def foo(n: size, u: u8[n], x: f32[n], y: f32[n]):\n    t: u8\n    t = u[0]\n"
        "    y[0] = x[min(max(t, 0), n - 1)]"
    )
    q, bar = extract_subproc.direct(p, "y[_] = _", "bar")
    assert "now(t)" in str(bar)
    again = proc_from_source(str(bar))
    assert again.tree == bar.tree
    assert str(proc_from_source(str(q), {"bar": again})) == str(q)


@pytest.mark.parametrize(
    ("loop", "inside"),
    [
        ("for i in seq(min(max(b, 0), n), n): {}", True),
        ("for i in seq(0, max(min(b, n), 0)): {}", True),
        ("for i in seq(0 - 4, n):\n        if i >= min(max(b, 0), n): {}", True),
        ("for i in seq(0, n + 4):\n        if max(min(b, n), 0) > i: {}", True),
        ("for i in seq(min(max(b, 0 - 1), n), n): {}", False),
        ("for i in seq(0, n + 4):\n        if max(min(b, n), 0) >= i: {}", False),
    ],
)
def test_a_bound_that_is_kept_inside_keeps_the_loop_inside(loop: str, inside: bool) -> None:
    """Whatever b is, `min(max(b, 0), n)` is from 0 to n."""
    text = f"def foo(n: size, b: i32, x: f32[n]):\n    b = 3\n    {loop.format('x[i] += 1.0')}\n"
    if inside:
        proc_from_source(text)
        return
    with pytest.raises(CheckError, match="may be out of bounds"):
        proc_from_source(text)
