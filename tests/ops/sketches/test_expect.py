"""Sketches: what they match, what is said where they do not, and how programs are sketched."""

from __future__ import annotations

import pytest
from hypothesis import given

from exo_strat import (
    NotApplicable,
    Proc,
    SketchError,
    at,
    config,
    divide_loop,
    expect,
    index,
    proc_from_source,
    schedule,
    sketch,
)
from exo_strat.testing import procs


@config
class Cfg:
    mode: index


MATMUL = proc_from_source("""
def mm(n: size, A: f32[1024, 1024], B: f32[1024, n], C: f32[1024, n]):
    assert n % 32 == 0
    for io in par(0, 32):
        for jo in seq(0, n / 32):
            acc: f32[32]
            for ji in seq(0, 32):
                C[io, 32 * jo + ji] = 0.0
            for ko in seq(0, 256):
                for ki in seq(4, 8):
                    for ji in vec(0, 32):
                        C[io, 32 * jo + ji] += A[io, 4 * ko + ki - 4] * B[4 * ko + ki - 4, 32 * jo + ji]
""")

BRANCHES = proc_from_source("""
def branches(n: size, x: f32[n]):
    for i in seq(0, n):
        if i < 4:
            for j in seq(0, 2):
                x[i] += 1.0
        else:
            x[i] = 0.0
        pass
        if i < 2:
            x[i] = 1.0
    x[0] = 2.0
""")

MATCHES = [
    "par 32 > ...",
    "...",
    "_ > ...",
    "par io 32 > seq jo n / 32 > { seq 32; seq 256 > seq 4 > vec 32 }",
    "par 32 > seq _ > { seq ji _ ; _ 256 > seq ki 4 > vec ji 32 }",
    "par 32 > seq (n + 32) / 32 - 1 > { ...; seq 256 > ... }",
    "par 32 > ... > vec 32",
    "... > vec",
    "... > { seq 32; seq 256 > ... }",
    "... > seq 256 > ... > C[_] += _",
    "par 32 > ... > acc: _",
    "par 32 > seq n / 32 > { seq 32 > C[_] = 0.0; ... }",
]

DIFFERS = [
    ("seq 32 > ...", "expected seq 32, but there is par io 32"),
    ("par 31 > ...", "expected par 31, but there is par io 32"),
    ("par 32", "expected no further loop or branch, but there is seq jo n / 32"),
    ("par i 32 > ...", "expected par i 32, but there is par io 32"),
    ("par 32 > seq n / 16 > ...", "expected seq n / 16, but there is seq jo n / 32"),
    ("par 32 > seq nothing > ...", "expected seq nothing, but there is seq jo n / 32"),
    ("par 32 > seq _ > seq 256 > ...", "expected seq 256, but there is seq ji 32"),
    ("par 32 > seq _ > { seq 32; seq 256 > seq 4 > seq 32 }", "expected seq 32, but there is vec ji 32"),
    ("par 32 > seq _ > { seq 32; seq 256 > ...; seq 4 }", "expected seq 4, but there is no further loop or branch"),
    ("par 32 > seq _ > seq 32", "expected no further loop or branch, but there is seq ko 256"),
    ("... > vec 16", "expected vec 16 somewhere inside, but there is par io 32"),
    ("... > seq 256 > C[_] += _", "expected C[_] += _, but there is seq ki 4"),
    ("if > ...", "expected if, but there is par io 32"),
]


@pytest.mark.parametrize("text", MATCHES)
def test_what_a_sketch_matches(text: str) -> None:
    assert expect(text)(MATMUL).unwrap()[0] is MATMUL


@pytest.mark.parametrize(("text", "message"), DIFFERS)
def test_what_is_said_of_another_shape(text: str, message: str) -> None:
    failure = expect(text)(MATMUL).failure()
    assert isinstance(failure, NotApplicable)
    first, second = failure.message.splitlines()
    assert first == message
    assert second == (
        "the shape is par io 32 > seq jo n / 32 > { seq ji 32; seq ko 256 > seq ki 4 > vec ji 32 }"
    )


def test_the_place_of_a_mismatch_is_marked() -> None:
    failure = expect("par 32 > seq _ > { seq 32; seq 128 > ... }")(MATMUL).failure()
    assert "-->             for ko in seq(0, 256):" in str(failure)


def test_branches() -> None:
    for text in ("seq n > { if > seq 2; else; if }", "seq n > { if > ...; ... }", "_ > { ...; else > x[_] = 0.0; if }"):
        assert expect(text)(BRANCHES).unwrap()
    failure = expect("seq n > { if > seq 2; if }")(BRANCHES).failure()
    assert failure.message.startswith("expected if, but there is else")


def test_statements_stand_in_order_and_need_not_be_listed() -> None:
    for text in ("seq n > ...; x[0] = 2.0", "seq n > ...", "...; x[0] = _"):
        assert expect(text)(BRANCHES).unwrap()
    failure = expect("x[0] = 2.0; seq n > ...")(BRANCHES).failure()
    assert failure.message.startswith("expected x[0] = 2.0, but there is seq i n")


def test_a_sketch_is_of_what_is_in_focus() -> None:
    assert at("for ko in _: _", expect("seq 256 > seq 4 > vec 32"))(MATMUL).unwrap()
    block = MATMUL.find_loop("ko").parent().body()  # type: ignore[union-attr]
    assert expect("seq 32; seq 256 > ...")(MATMUL, block).unwrap()
    assert expect("...")(MATMUL, MATMUL.find("acc: _")).unwrap()  # type: ignore[arg-type]
    assert sketch(block[1:]) == "seq ji 32; seq ko 256 > seq ki 4 > vec ji 32"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "missing before the end"),
        ("par 32 >", "missing before the end"),
        ("par 32 > > seq 4", "missing before '>'"),
        ("par 32 > { seq 4", "a brace is not closed"),
        ("par 32 }", "'}' is not expected"),
        ("pra 32", "'pra 32' in the sketch 'pra 32' is neither a loop"),
        ("seq a b c", "is neither a loop"),
        ("seq 4 5", "is neither a loop"),
        ("x[_] = _ > seq 4", "is neither a loop"),
        ("256", "is neither a loop"),
    ],
)
def test_what_is_no_sketch(text: str, message: str) -> None:
    with pytest.raises(SketchError) as e:
        expect(text)
    assert message in str(e.value)


def test_spaces_do_not_matter() -> None:
    assert expect("par 32>seq _>{seq 32;seq 256>...;}")(MATMUL).unwrap()


@given(procs())
def test_every_program_is_as_it_is_sketched(p: Proc) -> None:
    assert expect(sketch(p))(p).unwrap()[0] is p


def test_a_number_of_iterations_may_be_a_config_field() -> None:
    p = proc_from_source("def foo():\n    for i in seq(0, Cfg.mode):\n        Cfg.mode = 1", {"Cfg": Cfg})
    assert sketch(p) == "seq i Cfg.mode" and expect("seq Cfg.mode")(p).unwrap()


def test_a_number_of_iterations_may_be_in_brackets_after_a_name() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n]):
    for i in seq(1, n + 1):
        x[i - 1] = 0.0
""")
    q = schedule(at("for i in _: _", divide_loop(8, ("io", "ii"))), p)
    assert sketch(q) == "seq io (n + 7) / 8 > seq ii 8 > if"
    assert schedule(expect(sketch(q)), q) is q
