"""Combinators, moves, scripts and traces: what each does, on one small program."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from returns.result import Success

import exo_strat
from exo_strat import moves, traversals
from exo_strat.cursors.cursor import Cursor, GapCursor
from exo_strat.cursors.kinds import ForCursor
from exo_strat.cursors.proc import InvalidCursorError, Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ops.combinators import (
    at,
    attempt,
    choose,
    fail,
    fix,
    focus,
    guard,
    identity,
    lift,
    nav,
    on,
    reduce,
    reframe,
    repeat,
    repeat_n,
    savec,
    seq,
    try_else,
    when,
)
from exo_strat.ops.failure import BadArgument, InvalidCursor, NotApplicable, SchedulingError, Unsafe
from exo_strat.ops.strategy import Op, Script, named, strategy
from exo_strat.ops.tracing import trace
from exo_strat.primitives import (
    divide_loop,
    fission,
    lift_scope,
    remove_loop,
    rename,
    reorder_loops,
    reorder_stmts,
    unroll_loop,
)

P = proc_from_source("""
def p(N: size, x: f32[N, 8], y: f32[N]):
    for i in seq(0, N):
        for j in seq(0, 8):
            x[i, j] = 1.0
        y[i] = 2.0
""")


def result(op: Op, p: Proc = P, c: Cursor | None = None) -> tuple[Proc, Cursor]:
    outcome = op(p, c)
    assert isinstance(outcome, Success), str(outcome.failure())
    return outcome.unwrap()


def test_ops_are_data() -> None:
    op = seq(rename("q"), at("for j in _: _", divide_loop(4, ["jo", "ji"], perfect=True)))
    again = seq(rename("q"), at("for j in _: _", divide_loop(4, ("jo", "ji"), perfect=True)))
    assert op == again and hash(op) == hash(again)
    assert repr(op) == "seq(rename('q'), at('for j in _: _', divide_loop(4, ('jo', 'ji'), perfect=True)))"
    assert pickle.loads(pickle.dumps(op)) == op
    assert [type(x).__name__ for x in op.parts()] == ["Primitive", "SaveC"]


def test_operators_are_seq_and_try_else() -> None:
    a, b, c = rename("a"), rename("b"), fail()
    assert a >> b == seq(a, b) and a | c == try_else(a, c)
    assert seq(a, seq(b, c)) == seq(seq(a, b), c)
    assert seq() == identity and seq(a) == a and try_else(a) == a


def test_an_op_starts_at_the_root_and_returns_where_to_go_on() -> None:
    q, c = result(rename("q"))
    assert q.name() == "q" and c == q.root()
    q, c = result(divide_loop(4, ("jo", "ji"), perfect=True), c=P.find_loop("j"))
    assert c == q.find_loop("jo")


def test_the_input_is_untouched_and_a_no_change_is_the_same_object() -> None:
    before = str(P)
    result(rename("q"))
    assert str(P) == before
    assert result(rename("p"))[0] is P


def test_history_lists_the_primitives() -> None:
    q, _ = result(seq(rename("q"), at("for j in _: _", divide_loop(4, ("jo", "ji"), perfect=True))))
    assert [repr(op) for op in q.history()] == ["rename('q')", "divide_loop(4, ('jo', 'ji'), perfect=True)"]


def is_gap(c: Cursor) -> bool:
    return isinstance(c, GapCursor)


def test_a_reason_that_holds_at_many_places_is_told_once() -> None:
    told = str(traversals.once_td(rename("1x") | when(is_gap))(P).failure())
    assert told.startswith("traversals.once_td(try_else(rename('1x'), when(is_gap))): no alternative applies")
    assert told.count("because, at 5 places, rename('1x'): ") == told.count("because, at 5 places, when(is_gap): ") == 1
    assert told.count("because") == 3  # the third: statements have no children


def test_a_strategy_says_itself_why_it_fails() -> None:
    @strategy
    def picky(p: Proc, c: Cursor, n: int) -> Script:
        yield fail(f"{n} is not to my taste")

    @named
    def either() -> Op:
        return fail("first") | fail("second")

    assert str(picky(3)(P).failure()).startswith("picky(3): 3 is not to my taste")
    assert str(either()(P).failure()).startswith("either(): no alternative applies")


def test_what_is_no_op_is_named() -> None:
    @strategy
    def forgotten(p: Proc, c: Cursor) -> Script:
        yield identity

    with pytest.raises(TypeError, match=r"seq is made of Ops, not forgotten: call it"):
        seq(forgotten, identity)  # type: ignore[arg-type]


def test_a_strategy_that_is_none_is_named() -> None:
    @strategy  # type: ignore[arg-type]
    def no_yield(p: Proc, c: Cursor) -> Op:
        return unroll_loop()

    @strategy
    def odd_end(p: Proc, c: Cursor) -> Script:
        yield identity
        return "x"  # type: ignore[return-value]

    @strategy
    def odd_step(p: Proc, c: Cursor) -> Script:
        yield "for i in _: _"  # type: ignore[misc]

    @named
    def no_op() -> Op:
        return None  # type: ignore[return-value]

    for op, message in [
        (no_yield(), "no_yield is a @strategy, but has no `yield`: .* is @named"),
        (odd_end(), "@strategy odd_end returns the cursor to act on next, or nothing, not 'x'"),
        (odd_step(), "@strategy odd_step yields Ops, not 'for i in _: _'"),
        (no_op(), "@named no_op returns an Op, not None"),
    ]:
        with pytest.raises(TypeError, match=message):
            op(P)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: repeat_n(3, unroll_loop()), "an Op and then how often, not 3 and unroll_loop"),  # type: ignore[arg-type]
        (lambda: repeat_n(unroll_loop(), "3"), "an Op and then how often"),  # type: ignore[arg-type]
        (lambda: nav(P.root()), "a cursor: write at"),
        (lambda: nav("x"), "write moves.find"),  # type: ignore[arg-type]
        (lambda: nav(3), "a move or a function of a cursor, not 3"),  # type: ignore[arg-type]
        (lambda: seq([unroll_loop(), unroll_loop()]), r"one by one, with a `\*` before the list"),  # type: ignore[arg-type]
        (lambda: at(unroll_loop(), "for i in _: _"), "takes a place and then an Op, not 'for i in _: _'"),  # type: ignore[arg-type]
        (lambda: at(3, unroll_loop()), r"at\(place, op\) takes a pattern, a move or a cursor, not 3"),  # type: ignore[arg-type]
        (lambda: at(P, unroll_loop()), "takes a pattern, a move or a cursor, not"),
        (lambda: at(moves.find, unroll_loop()), "not moves.find: call it"),  # type: ignore[arg-type]
        (lambda: nav(moves.nth), "not moves.nth: call it"),  # type: ignore[arg-type]
        (lambda: at("for i in _: _", moves.after), r"not moves.after, which leads to a place: write at\(move, op\)"),  # type: ignore[arg-type]
        (lambda: at(moves.after(), fission()), r"moves.after is a move already: .* as in at\(moves.after, op\)"),  # type: ignore[arg-type]
        (lambda: moves.after >> fission(), r"an Op is applied where it leads by at\(moves.after, op\)"),  # type: ignore[operator]
        (lambda: savec(None), "SaveC is made of Ops, not None"),  # type: ignore[arg-type]
        (lambda: try_else(unroll_loop, unroll_loop()), "try_else is made of Ops, not .*: call it"),
    ],
)
def test_what_cannot_be_meant_is_refused_when_it_is_made(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_a_number_of_times_may_be_one_of_numpys() -> None:
    assert repeat_n(unroll_loop(), np.int64(2)) == repeat_n(unroll_loop(), 2)  # type: ignore[arg-type]


def test_try_else_keeps_both_causes() -> None:
    failure = try_else(reorder_loops(), fail("no luck"))(P, P.find("y[_] = _")).failure()
    assert [type(c) for c in failure.causes] == [NotApplicable, NotApplicable]
    assert "this acts on a loop" in str(failure) and "no luck" in str(failure)


def test_failures_say_what_where_and_by_which_op() -> None:
    failure = divide_loop(0, ("io", "ii"))(P, P.find_loop("i")).failure()
    assert isinstance(failure, BadArgument)
    assert str(failure).splitlines()[0] == "divide_loop(0, ('io', 'ii')): the factor must be a positive integer, not 0"
    assert "--> " in str(failure)
    unsafe = divide_loop(3, ("io", "ii"), perfect=True)(P, P.find_loop("i")).failure()
    assert isinstance(unsafe, Unsafe) and unsafe.counterexample["N"] % 3 != 0


def test_a_cursor_of_another_procedure_is_refused() -> None:
    other = proc_from_source("def other(x: f32):\n    x = 0.0")
    failure = rename("q")(P, other.find("x = 0.0")).failure()
    assert isinstance(failure, InvalidCursor) and "another procedure, other, not to p" in failure.message


def test_a_bug_is_never_swallowed() -> None:
    def broken(p: Proc, c: Cursor) -> Proc:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        attempt(lift(broken))(P)
    with pytest.raises(ZeroDivisionError):
        repeat(try_else(when(lambda c: 1 // 0 > 0), identity))(P)


def test_repeat_and_repeat_n() -> None:
    out = repeat(nav(moves.parent))
    q, c = result(out, c=P.find("x[_] = _"))
    assert q is P and c == P.find_loop("i")
    assert result(repeat_n(nav(moves.parent), 1), c=P.find("x[_] = _"))[1] == P.find_loop("j")
    assert isinstance(repeat_n(nav(moves.parent), 3)(P, P.find("x[_] = _")).failure(), InvalidCursor)


def test_reduce_takes_its_targets_before_it_starts() -> None:
    op = reduce(when(lambda c: isinstance(c, ForCursor), divide_loop(4, ("o", "i"))), traversals.loops)
    q, _ = result(op)
    assert [c.name() for c in q.root().find_all("for _ in _: _")] == ["o", "i", "o", "i"]
    assert result(reduce(fail(), traversals.loops), c=P.find("y[_] = _"))[0] is P
    with pytest.raises(ValueError, match="gone"):
        reduce(identity, traversals.loops, gone="later")


def test_nav_savec_and_reframe() -> None:
    y = P.find("y[_] = _")
    assert result(nav(moves.parent >> moves.body >> moves.nth(0)), c=y)[1] == P.find_loop("j")
    q, c = result(reframe(moves.prev(), divide_loop(4, ("jo", "ji"))), c=y)
    assert c == q.forward(y) and "for jo in" in str(q)
    assert savec(savec(identity)) == savec(identity)
    assert result(on(y, nav(lambda c: c.parent())))[1] == P.find_loop("i")


def test_on_is_a_focus_and_then_ops() -> None:
    y = P.find("y[_] = _")
    up = nav(moves.parent)
    assert on(y) == focus(y) and on(y, up, rename("a")) == seq(focus(y), up, rename("a")) == on(y, up) >> rename("a")
    q, c = result(on(y, up, divide_loop(4, ("jo", "ji"))), c=P.find_loop("i"))
    assert c == q.find_loop("jo") and "for ji in" in str(q)
    other = proc_from_source("def other(x: f32): x = 0.0")
    assert isinstance(on(other.body()[0], identity)(P).failure(), InvalidCursor)


@pytest.mark.parametrize("make", [focus, on])
@pytest.mark.parametrize("place", ["y[_] = _", moves.parent, None])
def test_on_takes_a_cursor(make: Callable[..., Op], place: object) -> None:
    with pytest.raises(TypeError, match=r"take a cursor, not .*: at\(place, op\) takes patterns and moves"):
        make(place)


def test_moves_are_data_and_compose() -> None:
    assert repr(moves.parent >> moves.next_() >> moves.find("x[_]")) == (
        "moves.parent >> moves.next_() >> moves.find('x[_]')"
    )
    assert moves.parent >> moves.parent == moves.parent >> moves.parent
    failure = nav(moves.rhs)(P, P.find_loop("i")).failure()
    assert isinstance(failure, NotApplicable) and "has no rhs" in failure.message


def test_guard_commits_where_try_else_does_not() -> None:
    assert result(guard(identity, rename("a"), rename("b")))[0].name() == "a"
    assert result(guard(fail(), rename("a"), rename("b")))[0].name() == "b"
    assert not isinstance(guard(identity, fail(), rename("b"))(P), Success)


def test_choose_takes_the_cheapest_that_applies() -> None:
    shortest = choose(lambda p: len(p.name()), rename("long_name"), fail(), rename("q"), rename("r"))
    assert result(shortest)[0].name() == "q"
    assert len(choose(len, fail("a"), fail("b"))(P).failure().causes) == 2


def test_fix_is_recursion_and_captures_no_label() -> None:
    down = fix(lambda x: try_else(seq(nav(moves.body), nav(moves.nth(0)), x), identity))
    assert result(down)[1] == P.find("x[_] = _")
    nested = fix(lambda x: traversals.once_td(try_else(fail(), when(lambda c: False, x))))
    assert not isinstance(nested(P), Success)


@strategy
def tile(p: Proc, c: Cursor, n: int, names: tuple[str, str] = ("io", "ii")) -> Script:
    """Divide the loop in focus, and the loop inside it."""
    inner = c.body()[0]
    p, c = yield divide_loop(n, names)
    p, _ = yield on(inner, divide_loop(n, ("jo", "ji"), perfect=True))
    return p.find_loop("ji")


def test_do_notation() -> None:
    q, c = result(tile(4), c=P.find_loop("i"))
    assert c == q.find_loop("ji") and repr(tile(4, names=["a", "b"])) == "tile(4, names=('a', 'b'))"
    assert tile(4) == tile(4)
    failure = tile(3)(P, P.find_loop("i")).failure()
    assert isinstance(failure, Unsafe) and "3 divides" in failure.message
    with pytest.raises(TypeError):
        tile()


def test_an_equation_may_keep_its_name() -> None:
    @named
    def rename_somehow(first: str, *others: str) -> Op:
        """The first name that will do."""
        return try_else(*map(rename, (first, *others)))

    op = rename_somehow("not a name", "q")
    assert repr(op) == "rename_somehow('not a name', 'q')" and op == rename_somehow("not a name", "q")
    assert result(op)[0].name() == "q" and rename_somehow.__doc__ == "The first name that will do."
    assert isinstance(rename_somehow("a b", "c d")(P).failure(), NotApplicable)
    with pytest.raises(TypeError):
        rename_somehow()


def test_a_script_ends_at_a_navigation_that_leads_nowhere() -> None:
    @strategy
    def lost(p: Proc, c: Cursor) -> Script:
        yield identity
        return p.find("nothing = _")

    assert isinstance(lost()(P).failure(), InvalidCursor)


def test_a_trace_is_a_tree_of_what_was_tried() -> None:
    op = try_else(reorder_loops(), rename("q"))
    outcome, t = trace(op, P)
    assert isinstance(outcome, Success) and t.op == op
    assert [(repr(d.op), d.failure is None) for d in t.inside] == [("reorder_loops()", False), ("rename('q')", True)]


def test_direct_functions_lift_to_ops() -> None:
    op = lift(divide_loop.direct, 4, ("jo", "ji"))
    q, c = result(op, c=P.find_loop("j"))
    assert "for jo in" in str(q) and c == q.find_loop("jo")
    failure = lift(remove_loop.direct)(P, P.find_loop("j")).failure()
    assert isinstance(failure, NotApplicable)


def test_the_direct_form_raises() -> None:
    with pytest.raises(SchedulingError, match="depends on j"):
        remove_loop.direct(P, "j")
    with pytest.raises(InvalidCursorError, match="nothing matches"):
        remove_loop.direct(P, "k")
    with pytest.raises(SchedulingError, match="not a pattern"):
        remove_loop.direct(P, "for i in")
    with pytest.raises(SchedulingError, match="all of its parent's block"):
        lift_scope.direct(P, "j")


def test_figure_5c_hoists_a_statement() -> None:
    """The paper's Figure 5c, with its three derived Ops from section 6.3.1."""
    reorder_before = reframe(lambda c: c.expand(1, 0), lift(reorder_stmts.direct))
    remove_parent_loop = reframe(lambda c: c.parent(), lift(remove_loop.direct))
    fission_after = reframe(lambda c: c.after(), lift(fission.direct))
    hoist = repeat(try_else(seq(fission_after, remove_parent_loop), reorder_before))
    p = proc_from_source("""
def p(N: size, x: f32[N], y: f32[N], a: f32):
    for i in seq(0, N):
        for j in seq(0, 4):
            x[i] += 1.0
            a = 3.0
            y[i] += 1.0
""")
    q, c = result(hoist, p, p.find("a = 3.0"))
    assert (
        str(q)
        == """def p(N: size, x: f32[N] @ DRAM, y: f32[N] @ DRAM, a: f32 @ DRAM):
    a = 3.0
    for i in seq(0, N):
        for j in seq(0, 4):
            x[i] += 1.0
            y[i] += 1.0"""
    )
    assert c == q.find("a = 3.0")


# -- what is lifted -----------------------------------------------------------------------------------


def test_a_primitive_is_lifted_by_name() -> None:
    assert lift(exo_strat.reorder_stmts) == lift(exo_strat.direct.reorder_stmts)
    loop = P.find("for _ in _: _")
    assert exo_strat.schedule(lift(exo_strat.divide_loop, 4, ["io", "ii"]), P, loop) == exo_strat.direct.divide_loop(  # type: ignore[arg-type]
        P, loop, 4, ["io", "ii"]
    )
    assert exo_strat.schedule(lift(exo_strat.rename, "bar"), P).name() == "bar"
    assert "bar(" in str(exo_strat.schedule(lift(exo_strat.extract_subproc, "bar"), P, loop))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fn", "args", "message"),
    [
        (exo_strat.divide_loop, (), "missing a required argument: 'c'"),
        (exo_strat.attempt, (), "makes an Op, as lift does"),
        (exo_strat.ops.traversals.once_td, (), r"traversals.once_td makes an Op"),
        (3, (), "lift takes a function"),
        (lambda p: p, (), "too many positional arguments"),
    ],
)
def test_what_cannot_be_lifted_is_refused_when_the_op_is_made(fn: Any, args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        lift(fn, *args)


def test_direct_forms_have_their_own_signatures() -> None:
    for name, op in exo_strat.primitives.PRIMITIVES.items():
        form = getattr(exo_strat.direct, name, None)
        if form is None:
            continue
        names = [p for p in inspect.signature(form).parameters if p not in ("p", "ref")]
        assert names == list(op.spec.signature.parameters) and form.__name__ == name and form.__doc__
    signature = "(p: 'Proc', ref: 'Cursor | str', /, cut: 'ExprLike') -> 'Proc'"
    assert str(inspect.signature(exo_strat.direct.cut_loop)) == signature


def test_a_memory_in_exos_way_is_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(TypeError, match="write a subclass of CMemory"):

        class Neon(exo_strat.Memory):
            @classmethod
            def alloc(cls, new_name: str) -> str:
                return new_name
