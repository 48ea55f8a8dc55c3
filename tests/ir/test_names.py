"""Names: one check, behind every door by which one comes in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyrsistent import pmap

from exo_strat import (
    Config,
    Memory,
    Proc,
    SchedulingError,
    add_loop,
    bind_expr,
    direct,
    divide_loop,
    extern,
    f32,
    make_proc,
    proc_from_source,
    reparse_env,
)
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.frontend.errors import CheckError, ParseError
from exo_strat.ir.names import Sym, checked_name
from exo_strat.ir.walk import rename, with_child
from exo_strat.ops.failure import BadArgument

LIGATURE = "\N{LATIN SMALL LIGATURE FI}"
BAD = [LIGATURE, "", " ", "i o", "1x", "x.y", "class", "x\n", "\N{MATHEMATICAL BOLD SMALL I}f"]
"""No names: the first is one to Python, which reads it as `fi`; the last it reads as a keyword."""

P = proc_from_source("""
def f(n: size, x: f32[n], y: f32[8]):
    for i in seq(0, n):
        for j in seq(0, 4):
            x[i] = x[i] + 1.0
    for k in seq(0, 8):
        y[k] = 2.0
""")


def again(p: Proc) -> bool:
    """Whether the text of a procedure reads as it is."""
    return str(proc_from_source(str(p), reparse_env(p.tree))) == str(p)


@pytest.mark.parametrize("name", [*BAD, 3, None, b"x"])
def test_what_is_no_name(name: object) -> None:
    with pytest.raises(ValueError, match="is no name"):
        checked_name(name)


GOOD = ["x", "_", "i_1", "\N{GREEK SMALL LETTER ALPHA}", "match", "min", "seq", "f32", "DRAM"]


@pytest.mark.parametrize("name", GOOD)
def test_what_is_one_is_printed_and_read_again(name: str) -> None:
    assert checked_name(name) == name
    for q in (direct.rename_variable(P, "i", name), direct.rename(P, name), direct.bind_expr(P, "x[_] + 1.0", name)):
        assert again(q)


def renamed(name: str) -> object:
    return make_proc(with_child(P.tree, "name", name))


def with_variable(name: str) -> object:
    return make_proc(rename(P.tree, {P.tree.args[1].sym: Sym(name, 1)}))


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "make",
    [
        lambda name: Memory(name),
        lambda name: Config(name, pmap({"a": f32})),
        lambda name: Config("Cfg", pmap({name: f32})),
        lambda name: extern(name, 1, abs, "{0}"),
        lambda name: Rewrite(P).fresh(name),
        renamed,
        with_variable,
    ],
)
def test_no_object_has_a_bad_name(make: Callable[[str], object], name: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        make(name)


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize(
    "use",
    [
        lambda name: direct.rename(P, name),
        lambda name: direct.rename_variable(P, "i", name),
        lambda name: direct.divide_loop(P, "i", 4, [name, "ii"]),
        lambda name: direct.divide_loop(P, "i", 4, ["io", name]),
        lambda name: direct.mult_loops(P, "i", name),
        lambda name: direct.add_loop(P, "y[_] = _", name, 4),
        lambda name: direct.bind_expr(P, "x[_] + 1.0", name),
        lambda name: direct.stage_mem(P, "for j in _: _", "x[0:n]", name),
        lambda name: direct.extract_subproc(P, "for j in _: _", name),
        lambda name: direct.divide_with_recompute(P, "k", 2, 4, [name, "ii"]),
    ],
)
def test_no_primitive_takes_one(use: Callable[[str], object], name: str) -> None:
    with pytest.raises(SchedulingError, match="is no name") as caught:
        use(name)
    assert isinstance(caught.value.failure, BadArgument)


def test_python_reads_a_ligature_as_two_letters_in_a_text_too() -> None:
    p = proc_from_source(f"def f({LIGATURE}: f32): {LIGATURE} = 1.0")
    assert [str(a.sym) for a in p.tree.args] == ["fi"] and LIGATURE not in str(p)


def test_two_arguments_of_one_name() -> None:
    with pytest.raises(ParseError, match="two arguments are called n"):
        proc_from_source("def f(n: size, n: size): pass")
    p = proc_from_source("def f(n: size, m: size): pass")
    twice = rename(p.tree, {a.sym: Sym("n", a.sym.id) for a in p.tree.args})
    with pytest.raises(CheckError, match="two arguments are called n"):
        make_proc(twice)


def test_a_new_procedure_gives_two_variables_of_one_name_two() -> None:
    p = proc_from_source("def f(x: f32[4, 4]):\n    for i in seq(0, 4):\n        for i in seq(0, 4):\n            pass")
    q = divide_loop(2, ["i", "i"])(p, p.find_loop("i")).unwrap()[0]
    assert again(q)
    loops = "    for i in seq(0, 4):\n        for j in seq(0, 4):\n            x[i, j] = 1.0"
    nest = proc_from_source(f"def f(x: f32[4, 4]):\n{loops}")
    same = direct.rename_variable(nest, "j", "i")
    _, sub = direct.extract_subproc(same, "x[_] = _", "sub")
    assert [a.name() for a in sub.args()] == ["x", "i", "i_1"]
    assert again(sub)


def test_a_name_of_a_class_of_its_own_becomes_a_plain_one() -> None:
    class Name(str):
        def __str__(self) -> str:
            return "other"

    for op in (bind_expr(Name("t")), add_loop(Name("t"), 4)):
        q: Proc = op(P, P.find("x[_] + 1.0" if op.name == "bind_expr" else "y[_] = _")).unwrap()[0]
        assert " t" in str(q) and "other" not in str(q)
