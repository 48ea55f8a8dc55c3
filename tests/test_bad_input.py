"""Bad input to patterns, Ops and the paper's direct forms: each a clear error of its own, and nothing changed.

Programs that are no object code are in `frontend/test_parser.py`, accesses out of bounds and the like
in `frontend/test_checks.py`; what a jitted function refuses is in `backends/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from pyrsistent import pmap
from returns.result import Success

from backends import jit
from exo_strat import *
from exo_strat.frontend.errors import FrontendError
from exo_strat.frontend.near import count
from exo_strat.primitives import PRIMITIVES, PrimitiveForm

NEEDS_EIGHT = proc_from_source("""
def needs_eight(n: size, v: [f32][n]):
    assert n % 8 == 0
    assert stride(v, 0) == 1
    for i in seq(0, n):
        v[i] = 0.0
""")

P = proc_from_source(
    """
def p(n: size, m: size, x: f32[n, 8], y: f32[n], s: f32):
    assert n % 4 == 0
    t: f32[8]
    for i in seq(0, n):
        for j in seq(0, 8):
            x[i, j] = 1.0
        y[i] = 2.0
    if n > 4:
        s = 0.0
        s = 1.0
    for k in seq(0, 8):
        t[k] = s + y[0]
    needs_eight(8, x[0, :])
""",
    {"needs_eight": NEEDS_EIGHT},
)

OTHER = proc_from_source("""
def other(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 1.0
    for i in seq(0, n):
        x[i] = 1.0
""")


@pytest.fixture(autouse=True)
def nothing_changes() -> Iterator[None]:
    """After each test the procedures are the same objects and print as they did."""
    before = [(p, p.tree, [id(n) for _, n in walk(p.tree)], "\n".join(str(c) for c in p.body())) for p in (P, OTHER)]
    yield
    for p, tree, ids, text in before:
        assert p.tree is tree and [id(n) for _, n in walk(p.tree)] == ids
        assert "\n".join(str(c) for c in p.body()) == text and p.history() == ()


@dataclass(frozen=True)
class Case:
    """A primitive called wrongly: its arguments, where, the failure, and a part of its message."""

    op: PrimitiveForm
    args: tuple[object, ...]
    place: str | None
    kind: type[Failure]
    message: str
    kwargs: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.op.spec.name}-{self.message[:30]}"


CFG = Config("Cfg", pmap({"f": index}))
GAP = "gap before y[i]"


def cursor(place: str | None) -> Cursor:
    """The cursor at a place of `P`: the root, a pattern, an argument or a gap."""
    if place is None:
        return P.root()
    if place == GAP:
        return P.find("y[_] = _").before()
    if place.startswith("arg "):
        return P.find_alloc_or_arg(place.removeprefix("arg "))
    return P.find(place)


LOOP, K, T, STORE, BRANCH = "for i in _: _", "for k in _: _", "t: _", "x[_] = _", "if _: _"
NO_LOOP, NO_NAME = "this acts on a loop", "is no name"
AB = ("io", "ii")

CASES = [
    # -- loops
    Case(divide_loop, (0, AB), LOOP, BadArgument, "the factor must be a positive integer, not 0"),
    Case(divide_loop, (-4, AB), LOOP, BadArgument, "not -4"),
    Case(divide_loop, ("-4", AB), LOOP, BadArgument, "not -4"),
    Case(divide_loop, ("q", AB), LOOP, BadArgument, "'q' means nothing here"),
    Case(divide_loop, (4, ("io",)), LOOP, BadArgument, "names: a list of 2, each a text, is needed, not ('io',)"),
    Case(divide_loop, (4, ("i o", "ii")), LOOP, BadArgument, "'i o' is no name"),
    Case(divide_loop, (4, AB), LOOP, BadArgument, "not 'bad'", {"tail": "bad"}),
    Case(divide_loop, (3, AB), LOOP, Unsafe, "divi", {"perfect": True}),
    Case(divide_loop, (4, AB), STORE, NotApplicable, NO_LOOP),
    Case(mult_loops, ("ij",), LOOP, NotApplicable, "must be one loop and nothing else"),
    Case(mult_loops, ("ij",), T, NotApplicable, NO_LOOP),
    Case(collapse_loops, ("ij",), LOOP, NotApplicable, "must be one loop and nothing else"),
    Case(collapse_loops, ("ij",), T, NotApplicable, NO_LOOP),
    Case(cut_loop, ("n +",), LOOP, BadArgument, "not object code"),
    Case(cut_loop, ("nn",), LOOP, BadArgument, "'nn' means nothing here"),
    Case(cut_loop, (9,), K, Unsafe, "not after the loop's end"),
    Case(cut_loop, ("n > 1",), LOOP, BadArgument, "integer"),
    Case(cut_loop, (None,), LOOP, BadArgument, "None"),
    Case(cut_loop, (4,), STORE, NotApplicable, NO_LOOP),
    Case(shift_loop, ("zz",), LOOP, BadArgument, "'zz' means nothing here"),
    Case(shift_loop, (0,), BRANCH, NotApplicable, NO_LOOP),
    Case(reorder_loops, (), LOOP, NotApplicable, "must be one loop"),
    Case(reorder_loops, (), STORE, NotApplicable, NO_LOOP),
    Case(fission, (0,), GAP, BadArgument, "positive integer, not 0"),
    Case(fission, (), STORE, NotApplicable, "this acts on a gap"),
    Case(remove_loop, (), LOOP, NotApplicable, "depends on i"),
    Case(remove_loop, (), T, NotApplicable, NO_LOOP),
    Case(add_loop, ("q q", 3), STORE, BadArgument, NO_NAME),
    Case(add_loop, ("q", 0), STORE, Unsafe, "at least once"),
    Case(add_loop, ("q", "n > 1"), STORE, BadArgument, "integer"),
    Case(add_loop, ("q", 3), "arg n", NotApplicable, "this acts on a block"),
    Case(unroll_loop, (), LOOP, NotApplicable, "constant number of times"),
    Case(unroll_loop, (), BRANCH, NotApplicable, NO_LOOP),
    # -- scopes and statements
    Case(fuse, (K,), LOOP, NotApplicable, "right after the first"),
    Case(fuse, ("for z in _: _",), LOOP, InvalidCursor, "its loops are i, j, k"),
    Case(fuse, ("for z in",), LOOP, BadArgument, "not a pattern"),
    Case(fuse, (3,), LOOP, BadArgument, "a reference is a cursor, a pattern or a move, not 3"),
    Case(fuse, (OTHER.find_loop("i"),), LOOP, InvalidCursor, "another procedure, other, not to p"),
    Case(fuse, (K,), STORE, NotApplicable, NO_LOOP),
    Case(lift_scope, (), "for j in _: _", NotApplicable, "all of its parent's block"),
    Case(lift_scope, (), STORE, NotApplicable, NO_LOOP),
    Case(reorder_stmts, (), STORE, NotApplicable, "two neighbouring statements"),
    Case(reorder_stmts, (), "arg y", NotApplicable, "this acts on a block"),
    Case(merge_writes, (), STORE, NotApplicable, "two neighbouring statements"),
    Case(merge_writes, (), "arg y", NotApplicable, "this acts on a block"),
    Case(commute_expr, (), LOOP, NotApplicable, "this acts on"),
    # -- procedures
    Case(inline, (), STORE, NotApplicable, "this acts on a call"),
    Case(replace, ("needs_eight",), K, BadArgument, "callee: a procedure is needed, not 'needs_eight'"),
    Case(replace, (OTHER,), K, NotApplicable, "shape"),
    Case(replace, (OTHER,), "arg y", NotApplicable, "this acts on a block"),
    Case(call_eqv, (OTHER,), "needs_eight(_)", NotApplicable, "other"),
    Case(call_eqv, (NEEDS_EIGHT,), STORE, NotApplicable, "this acts on a call"),
    Case(rename, ("a b",), None, BadArgument, NO_NAME),
    Case(rename, (3,), None, BadArgument, "name: a text is needed, not 3"),
    # -- buffers
    Case(lift_alloc, (), T, NotApplicable, "top level"),
    Case(lift_alloc, (0,), T, BadArgument, "positive integer, not 0"),
    Case(lift_alloc, (), LOOP, NotApplicable, "this acts on an allocation"),
    Case(sink_alloc, (), LOOP, NotApplicable, "this acts on an allocation"),
    Case(delete_buffer, (), K, NotApplicable, "this acts on an allocation"),
    Case(expand_dim, (0, "0"), T, Unsafe, "positive"),
    Case(expand_dim, ("n", "ii"), T, BadArgument, "'ii' means nothing here"),
    Case(expand_dim, ("s", "0"), T, BadArgument, "not a data value"),
    Case(expand_dim, ("n", "0"), LOOP, NotApplicable, "this acts on an allocation"),
    Case(rearrange_dim, ((1, 0),), T, BadArgument, "no permutation of the 1 dimensions of t"),
    Case(rearrange_dim, ((0,),), LOOP, NotApplicable, "this acts on an allocation"),
    Case(divide_dim, (1, 4), T, BadArgument, "there is no dimension 1"),
    Case(divide_dim, (0, 0), T, BadArgument, "positive integer, not 0"),
    Case(divide_dim, (0, 3), T, Unsafe, "3 divides the extent"),
    Case(divide_dim, (0, 4), LOOP, NotApplicable, "this acts on an allocation"),
    Case(bind_expr, ("q r",), "y[0]", BadArgument, NO_NAME),
    Case(bind_expr, ("q",), STORE, NotApplicable, "this acts on"),
    Case(evaluate_both, (), STORE, NotApplicable, "this acts on a conditional expression"),
    Case(stage_mem, ("u[0:8]", "q"), K, BadArgument, "'u' means nothing here"),
    Case(stage_mem, ("t[0:", "q"), K, BadArgument, "never closed"),
    Case(stage_mem, (3, "q"), K, BadArgument, "window: a text is needed, not 3"),
    Case(stage_mem, ("t[0, 0]", "q"), K, BadArgument, "t has 1 dimensions, not 2"),
    Case(stage_mem, ("t[0:4]", "q"), K, Unsafe, "inside the window"),
    Case(stage_mem, ("t[0:9]", "q"), K, Unsafe, "lies within t"),
    Case(stage_mem, ("t[0:8]", "q r"), K, BadArgument, NO_NAME),
    Case(stage_mem, ("t[0:8]", "q"), "arg n", NotApplicable, "this acts on a block"),
    # -- simplification, annotations
    Case(eliminate_dead_code, (), LOOP, Unsafe, "never runs"),
    Case(eliminate_dead_code, (), BRANCH, Unsafe, "always true or always false"),
    Case(eliminate_dead_code, (), STORE, NotApplicable, NO_LOOP),
    Case(rewrite_expr, ("n +",), "8", BadArgument, "not object code"),
    Case(rewrite_expr, ("m",), "n", Unsafe, "equal"),
    Case(rewrite_expr, ("0",), LOOP, NotApplicable, "this acts on"),
    Case(rename_variable, ("a b",), LOOP, BadArgument, NO_NAME),
    Case(rename_variable, ("a",), STORE, NotApplicable, "this acts on a loop or an allocation"),
    Case(set_memory, ("DRAM",), T, BadArgument, "memory: a memory is needed, not 'DRAM'"),
    Case(set_memory, (DRAM,), "arg n", NotApplicable, "lives in no memory"),
    Case(set_memory, (DRAM,), LOOP, NotApplicable, "this acts on an allocation or an argument"),
    Case(approximate, (P,), STORE, NotApplicable, "this acts on a call of an extern function"),
    Case(set_precision, ("f33",), T, BadArgument, "'f33' is no precision"),
    Case(set_precision, ("f32",), "arg n", NotApplicable, "has no precision"),
    Case(set_precision, ("f32",), LOOP, NotApplicable, "this acts on an allocation or an argument"),
    Case(set_window, (), "arg n", NotApplicable, "only a tensor"),
    Case(set_window, (), T, NotApplicable, "this acts on an argument"),
    Case(parallelize_loop, ("gpu",), LOOP, BadArgument, "not 'gpu'"),
    Case(parallelize_loop, (), STORE, NotApplicable, NO_LOOP),
    # -- config fields, procedures of procedures
    Case(bind_config, (CFG, "no"), "n", BadArgument, "Cfg has no field 'no'; its fields are f"),
    Case(bind_config, ("Cfg", "f"), "n", BadArgument, "config: a config is needed, not 'Cfg'"),
    Case(bind_config, (CFG, "f"), STORE, NotApplicable, "this acts on"),
    Case(delete_config, (), STORE, NotApplicable, "this acts on a write to a config field"),
    Case(write_config, (CFG, "f", "n <"), GAP, BadArgument, "not object code"),
    Case(write_config, (CFG, "f", None), GAP, BadArgument, "or True or False is needed, not None"),
    Case(write_config, (CFG, "f", 1), STORE, NotApplicable, "this acts on a gap"),
    Case(extract_subproc, ("a b",), STORE, BadArgument, NO_NAME),
    Case(extract_subproc, ("sub",), "arg n", NotApplicable, "this acts on a block"),
    Case(make_instr, ("",), None, BadArgument, "needs C text"),
    Case(partial_eval, ("8",), None, BadArgument, "values: an integer or True or False is needed, not '8'"),
    Case(partial_eval, (), None, BadArgument, "no argument 'k'", {"k": 8}),
    Case(add_assertion, ("n +",), None, BadArgument, "not object code"),
    Case(transpose, (), "arg y", NotApplicable, "has not two dimensions"),
    Case(transpose, (), T, NotApplicable, "this acts on an argument"),
    # -- loops of more shapes, scopes
    Case(divide_with_recompute, (2, 0, AB), LOOP, BadArgument, "positive integer, not 0"),
    Case(divide_with_recompute, ("m +", 4, AB), LOOP, BadArgument, "not object code"),
    Case(divide_with_recompute, (3, 4, AB), K, Unsafe, "the tiles leave no gaps"),
    Case(divide_with_recompute, (2, 4, AB), STORE, NotApplicable, NO_LOOP),
    Case(merge_recompute, ("q",), K, NotApplicable, "must be one loop and nothing else"),
    Case(merge_recompute, ("q",), STORE, NotApplicable, NO_LOOP),
    Case(guard_first, (), "arg n", NotApplicable, "this acts on a block"),
    Case(guard_first, (), "s = 0.0", NotApplicable, "must stand in the loop"),
    Case(drop_guard, ("0",), "if _: _", BadArgument, "fill: a number or None is needed, not '0'"),
    Case(drop_guard, (0.0,), "if _: _", NotApplicable, "one assignment to fill in"),
    Case(drop_guard, (), "if _: _", Unsafe, "only local buffers are written"),
    Case(drop_guard, (), LOOP, NotApplicable, "this acts on an `if`"),
    Case(join_loops, (K,), LOOP, NotApplicable, "right after the first"),
    Case(join_loops, (K,), STORE, NotApplicable, NO_LOOP),
    Case(vectorize_loop, (), STORE, NotApplicable, NO_LOOP),
    Case(reverse_loop, (), STORE, NotApplicable, NO_LOOP),
    Case(tighten_loop, (), LOOP, NotApplicable, "must be an `if` without an else branch"),
    Case(tighten_loop, (), STORE, NotApplicable, NO_LOOP),
    Case(widen_loop, (0, "q"), LOOP, BadArgument, "'q' means nothing here"),
    Case(widen_loop, (0, 8), STORE, NotApplicable, NO_LOOP),
    Case(specialize, ("n <",), STORE, BadArgument, "not object code"),
    Case(specialize, ("n + 1",), STORE, BadArgument, "condition"),
    Case(specialize, ((),), STORE, BadArgument, "condition"),
    Case(specialize, ("n > 1",), "arg n", NotApplicable, "this acts on a block"),
    # -- statements
    Case(insert_pass, (), STORE, NotApplicable, "this acts on a gap"),
    Case(insert_noop_call, (NEEDS_EIGHT, (8, "x[0, :]")), GAP, Unsafe, "needs_eight changes nothing"),
    Case(insert_noop_call, (3, ()), GAP, BadArgument, "instr: a procedure is needed, not 3"),
    Case(insert_noop_call, (NEEDS_EIGHT, (8,)), GAP, BadArgument, "2 arguments"),
    Case(insert_noop_call, (NEEDS_EIGHT, (8, "x[0, :]")), STORE, NotApplicable, "this acts on a gap"),
    Case(split_write, (), STORE, NotApplicable, "is not made by"),
    Case(split_write, (), LOOP, NotApplicable, "this acts on"),
    Case(fold_into_reduce, (), STORE, NotApplicable, "no operand is the old value of x"),
    Case(fold_into_reduce, (), LOOP, NotApplicable, "this acts on"),
    Case(lift_reduce_constant, (), STORE, NotApplicable, "an assignment of zero and the loop after it"),
    Case(lift_reduce_constant, (), "arg n", NotApplicable, "this acts on a block"),
    Case(left_reassociate_expr, (), "s + y[0]", NotApplicable, "the right operand is not made by '+'"),
    Case(left_reassociate_expr, (), LOOP, NotApplicable, "this acts on"),
    Case(inline_assign, (), "s = 1.0", NotApplicable, "s is no local buffer"),
    Case(inline_assign, (), LOOP, NotApplicable, "this acts on"),
    Case(inline_window, (), LOOP, NotApplicable, "this acts on"),
    # -- dimensions
    Case(mult_dim, (0, 1), T, BadArgument, "there is no dimension 1"),
    Case(mult_dim, (0, 0), LOOP, NotApplicable, "this acts on an allocation"),
    Case(resize_dim, (1, 4, 0), T, BadArgument, "there is no dimension 1"),
    Case(resize_dim, (0, "n +", 0), T, BadArgument, "not object code"),
    Case(resize_dim, (0, 0, 0), T, Unsafe, "positive"),
    Case(resize_dim, (0, 4, 0), T, Unsafe, "in what is left of it"),
    Case(resize_dim, (0, 4, 0), LOOP, NotApplicable, "this acts on an allocation"),
    Case(reuse_buffer, (3,), T, BadArgument, "not 3"),
    Case(reuse_buffer, ("arg z",), T, BadArgument, "not a pattern"),
    Case(reuse_buffer, (T,), T, NotApplicable, "cannot take its own place"),
    Case(reuse_buffer, (T,), LOOP, NotApplicable, "this acts on an allocation"),
    Case(unroll_buffer, (1,), T, BadArgument, "there is no dimension 1"),
    Case(unroll_buffer, (0,), T, NotApplicable, "is no literal: unroll the loops"),
    Case(unroll_buffer, (0,), LOOP, NotApplicable, "this acts on an allocation"),
    Case(rotate_buffer, (), LOOP, NotApplicable, "a loop around the one that fills it"),
    Case(rotate_buffer, (), STORE, NotApplicable, NO_LOOP),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_op_that_is_used_wrongly_fails_and_says_why(case: Case) -> None:
    op = case.op(*case.args, **case.kwargs)
    focus = cursor(case.place)
    failure = op(P, focus).failure()
    assert type(failure) is case.kind and case.message in str(failure)
    assert str(failure).startswith(f"{op!r}: "), "the failure names the Op with its arguments"
    assert "\n--> " in str(failure), "it marks the line"
    assert failure.op == op and failure.place is not None and failure.place.proc is P


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_direct_form_raises_the_same(case: Case) -> None:
    on_proc = case.op.spec.targets == (ProcCursor,)
    place = () if on_proc else (cursor(case.place),)
    expected = InvalidCursorError if case.kind is InvalidCursor else SchedulingError
    with pytest.raises(expected) as caught:
        getattr(direct, case.op.spec.name)(P, *place, *case.args, **case.kwargs)
    assert case.message in str(caught.value) and type(caught.value) is expected
    if isinstance(caught.value, SchedulingError):
        assert type(caught.value.failure) is case.kind


WITHOUT_ARGUMENTS = {"simplify": simplify(), "delete_pass": delete_pass()}
"""What acts on any procedure, with nothing to be wrong."""


def test_every_primitive_is_there() -> None:
    assert {c.op.spec.name for c in CASES} | WITHOUT_ARGUMENTS.keys() == set(PRIMITIVES)


# -- cursors -------------------------------------------------------------------------------------------

CALLS = {c.op.spec.name: c.op(*c.args, **c.kwargs) for c in CASES} | WITHOUT_ARGUMENTS


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_cursor_of_another_procedure_is_refused_by_every_primitive(name: str) -> None:
    op, stray = CALLS[name], OTHER.find_loop("i")
    failure = op(P, stray).failure()
    assert type(failure) is InvalidCursor and failure.op == op
    assert "belongs to another procedure, other, not to p; look the place up again in the p at hand" in str(failure)


def two_branches() -> tuple[Proc, Proc]:
    left, right = unroll_loop()(P, P.find_loop("j")), unroll_loop()(P, P.find_loop("k"))
    return left.unwrap()[0], right.unwrap()[0]


def test_a_cursor_of_another_branch_is_refused() -> None:
    left, right = two_branches()
    failure = unroll_loop()(left, right.find_loop("j")).failure()
    assert type(failure) is InvalidCursor and "another version of p, from which this one was not made" in str(failure)
    with pytest.raises(InvalidCursorError, match="another version of p"):
        direct.unroll_loop(left, right.find_loop("j"))
    with pytest.raises(InvalidCursorError, match="time goes forward only"):
        direct.unroll_loop(P, left.find_loop("k"))
    assert isinstance(unroll_loop()(left, P.find_loop("k")), Success), "but one of an earlier version is carried along"


def test_a_cursor_to_code_that_is_gone_is_refused() -> None:
    left, _ = two_branches()
    failure = rename("q")(left, P.find_loop("j")).failure()
    assert type(failure) is InvalidCursor and "code that is gone" in str(failure)
    with pytest.raises(InvalidCursorError, match="code that is gone"):
        direct.divide_loop(left, P.find_loop("j"), 4, ["jo", "ji"])
    gone = left.forward(P.find_loop("j"))
    for use in (gone.parent, gone.place, lambda: gone.find("x")):
        with pytest.raises(InvalidCursorError):
            use()


def test_navigation_that_leads_nowhere() -> None:
    i, store = P.find_loop("i"), P.find("y[_] = _")
    for go, message in [
        (i.parent, "top level"),
        (store.next, "no statement 1 after"),
        (lambda: store.prev(2), "no statement 2 before"),
        (lambda: i.body()[7], "no number 7"),
        (lambda: i.body()[1:1], "none are at 1:1"),
        (lambda: store.expand(5, 0), "cannot grow"),
        (P.find("if _: _").orelse, "no else branch"),
    ]:
        with pytest.raises(InvalidCursorError, match=message) as caught:
            go()
        assert "--> " in str(caught.value)


def test_what_is_no_cursor_is_a_bug_of_the_caller() -> None:
    with pytest.raises(TypeError, match="a cursor is needed"):
        P.forward("i")  # type: ignore[arg-type]


# -- patterns ------------------------------------------------------------------------------------------


def test_a_reference_that_matches_nothing() -> None:
    with pytest.raises(InvalidCursorError, match="nothing matches 'for z in _: _' in p: its loops are i, j, k"):
        direct.divide_loop(P, "z", 4, ["zo", "zi"])
    with pytest.raises(InvalidCursorError, match=r"in p: the nearest assignment: `y\[i\] = 2.0`"):
        direct.reorder_stmts(P, "y = 3.0")
    failure = at("for z in _: _", unroll_loop())(P).failure()
    assert type(failure) is InvalidCursor and "its loops are i, j, k" in str(failure)


def test_a_reference_with_a_syntax_error() -> None:
    with pytest.raises(SchedulingError, match="not a pattern") as caught:
        direct.divide_loop(P, "for i in", 4, ["io", "ii"])
    assert type(caught.value.failure) is BadArgument and "<pattern>:1\n    for i in\n" in str(caught.value)
    with pytest.raises(PatternError, match="not a pattern"):
        P.find("for i in")
    with pytest.raises(PatternError, match="a text, not 3"):
        P.find(3)  # type: ignore[arg-type]
    assert count(iter(())) == 0


# -- calls and accesses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "values"),
    [
        ("needs_eight(n, y)", r"needs_eight asserts n % 8 == 0, which may be false here", lambda v: v["n"] % 8 != 0),
        ("needs_eight(8, x[0:8, 1])", "needs_eight asserts stride", None),
        ("needs_eight(8, x[0, 0:4])", "may differ from what is passed", None),
        ("needs_eight(0, y)", "size argument n may be less than 1", None),
        ("y[n] = 0.0", r"y\[n\] may be out of bounds in dimension 0", lambda v: v["n"] >= 1),
        ("for i in seq(0, n):\n        y[i - 1] = 0.0", r"y\[i - 1\] may be out of bounds", lambda v: v["i"] == 0),
        ("y[0] = x[0, 8]", r"x\[0, 8\] may be out of bounds in dimension 1", None),
        ("w = y[2:n + 1]", "may be out of bounds", lambda v: v["n"] >= 1),
        ("t: f32[n - 1]\n    t[0] = 0.0", "extent", lambda v: v["n"] == 1),
    ],
)
def test_a_call_or_access_that_may_go_wrong_shows_values(
    body: str, message: str, values: Callable[[dict[str, int]], bool] | None
) -> None:
    with pytest.raises(CheckError, match=message) as caught:
        proc_from_source(f"def f(n: size, x: f32[n + 8, 8], y: f32[n]):\n    {body}", {"needs_eight": NEEDS_EIGHT})
    error = caught.value
    assert error.place is not None and error.place.text.strip() in body and "^" in str(error)
    if values is not None:
        assert error.counterexample is not None and values(dict(error.counterexample))
        assert all(f"{k} = {v}" in str(error) for k, v in error.counterexample.items() if k == "n")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jit(simplify()), "jit compiles a procedure"),
        (lambda: jit(None), "jit compiles a procedure"),
        (lambda: simplify()(3), "an Op is applied to a procedure, not to 3"),
        (lambda: schedule(P, simplify()), "takes the Op first"),
        (lambda: explain(simplify()), "takes what trace.op, p..1. is"),  # type: ignore[arg-type]
        (lambda: trace(P, simplify()), "trace.op, p. takes an Op"),  # type: ignore[arg-type]
        (lambda: trace(simplify(), simplify()), "and then a procedure"),  # type: ignore[arg-type]
        (lambda: lint(P), "lint.op. takes an Op"),  # type: ignore[arg-type]
        (lambda: config(3), "@config stands above a class"),
    ],
)
def test_a_wrong_thing_at_a_front_door(call: Callable[[], object], message: str) -> None:
    with pytest.raises((TypeError, FrontendError), match=message):
        call()


def test_a_place_that_is_no_pattern_is_refused_when_the_op_is_made() -> None:
    with pytest.raises(PatternError, match=r"not a pattern .such as `for i in _: _`"):
        at("for i in", unroll_loop())


def test_an_unknown_extern_function_names_those_that_are_there() -> None:
    with pytest.raises(ScopeError, match="'exp' is no extern function: there are abs, alternate, cos, erf, expf, "):
        proc_from_source("def foo(x: f32[2]):\n    x[0] = exp(x[1])")


def test_an_argument_is_found_by_a_move_of_which_a_refusal_tells() -> None:
    wider = at(moves.find_alloc_or_arg("x"), set_precision("f64"))
    assert "x: f64[n, 8]" in str(schedule(wider, P)) and repr(eval(repr(wider), dict(globals()))) == repr(wider)
    assert "t: f64[8]" in str(schedule(at(moves.find_alloc_or_arg("t"), set_precision("f64")), P))
    for pattern in ("y: _", "y: f32[_]"):
        failure = at(pattern, set_precision("f64"))(P).failure()
        assert "y is an argument" in str(failure) and "moves.find_alloc_or_arg('y')" in str(failure)
    read = proc_from_source("def g(v: [f32][2]):\n    v[0] = v[1]")
    assert "moves.find_alloc_or_arg('v')" in str(at("v[_]", set_precision("f64"))(read).failure())
    window = proc_from_source("def g(v: [f32][4]):\n    w = v[0:2]\n    w[0] = 0.0")
    assert "moves.find_alloc_or_arg('v')" in str(set_memory(DRAM)(window, window.find("w = _").rhs()).failure())  # type: ignore[union-attr]
    assert "it has no allocation" not in str(at("q: _", set_precision("f64"))(P).failure())
