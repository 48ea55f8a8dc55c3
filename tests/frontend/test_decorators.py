"""`@proc`, `@instr` and `@config`: where names are looked up, where errors point, what is refused."""

from __future__ import annotations

import pytest

from exo_strat import *
from exo_strat.frontend.errors import Place

SIZE = 4


class CustomMemory(Memory):
    """A memory of another kind."""


def test_a_closure_sees_the_variables_around_it() -> None:
    lanes = 16

    @proc
    def f(x: f32[lanes * SIZE]):
        for i in seq(0, lanes):
            x[i * SIZE] = 0.0

    assert str(f).splitlines()[0] == "def f(x: f32[64] @ DRAM):"
    assert "x[i * 4]" in str(f)


def test_a_name_is_bound_when_the_decorator_runs() -> None:
    with pytest.raises(ScopeError, match="'later' means nothing here"):

        @proc
        def f():
            later()

    later = proc_from_source("def later():\n    pass")
    assert later.name() == "later"


def test_an_error_points_into_the_file() -> None:
    with pytest.raises(ScopeError) as caught:

        @proc
        def f(x: f32[4]):
            x[0] = 1.0
            x[1] = yy  # here

    place = caught.value.place
    assert isinstance(place, Place) and place.file == __file__ and place.text.strip() == "x[1] = yy  # here"
    with open(__file__) as source:
        assert "yy  # here" in source.readlines()[place.line - 1]


def test_a_failed_check_points_into_the_file_and_shows_values() -> None:
    with pytest.raises(CheckError, match=r"x\[i \+ 1\] may be out of bounds in dimension 0") as caught:

        @proc
        def f(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i + 1] = 0.0  # too far

    assert caught.value.place is not None and caught.value.place.text.strip() == "x[i + 1] = 0.0  # too far"
    n, i = (caught.value.counterexample[k] for k in ("n", "i"))
    assert 0 <= i < n <= i + 1


def test_what_is_no_function_is_no_procedure() -> None:
    with pytest.raises(ParseError, match="decorate functions"):
        proc(3)
    with pytest.raises(ParseError, match="one procedure is needed"):
        proc(lambda: None)
    namespace: dict[str, object] = {}
    exec("def f(): pass", namespace)
    with pytest.raises(ParseError, match="source text of f cannot be read; put it in a file"):
        proc(namespace["f"])


def test_an_instruction_needs_its_text() -> None:
    with pytest.raises(ParseError, match="takes the C text"):

        @instr
        def f():
            pass

    q = proc_from_source("@instr('nop();', c_global='#include <x.h>')\ndef f():\n    pass")
    assert q.is_instr() and q.tree.instr.c == "nop();" and q.tree.instr.c_global == "#include <x.h>"
    assert proc_from_source(str(q)) == q


def test_a_config_needs_fields_of_object_types() -> None:
    with pytest.raises(ParseError, match=r"field rows of config A has no type .*: sise; did you mean 'size'"):

        @config
        class A:
            rows: sise

    with pytest.raises(ParseError, match="config B has no fields"):

        @config
        class B:
            pass


def test_make_proc_checks_a_tree() -> None:
    p = proc_from_source("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0")
    assert make_proc(p.tree) == p
    wrong = p.tree.args[1].type
    tree = nodes.ProcDef("g", p.tree.args.set(1, nodes.Arg(p.tree.args[1].sym, wrong.base, DRAM)), *parts(p.tree))
    with pytest.raises(CheckError, match="0 dimensions") as caught:
        make_proc(tree)
    assert "-->         x[i] = 0.0" in str(caught.value)


def parts(tree: nodes.ProcDef) -> tuple[object, ...]:
    return tree.preds, tree.body, tree.instr, tree.next_id


def test_what_a_text_needs_to_be_read_again() -> None:
    sram = Memory("SRAM")
    callee = proc_from_source("def callee(x: f32):\n    x = sin(x)")
    p = proc_from_source("def f(x: f32 @ SRAM):\n    callee(x)", {"SRAM": sram, "callee": callee})
    env = reparse_env(p.tree)
    assert env["SRAM"] is sram and env["callee"] is callee
    assert proc_from_source(str(p), env) == p


def test_two_procedures_of_one_name_print_with_numbers() -> None:
    one, two = (proc_from_source(f"def g(x: f32):\n    x = {n}.0") for n in (1, 2))
    p = proc_from_source("def f(x: f32):\n    a(x)\n    b(x)\n    a(x)", {"a": one, "b": two})
    assert str(p).splitlines()[1:] == ["    g(x)", "    g_1(x)", "    g(x)"]
    assert reparse_env(p.tree) == {"g": one, "g_1": two, "DRAM": DRAM}
    assert proc_from_source(str(p), reparse_env(p.tree)) == p


def test_a_pattern_finds_a_call_as_it_is_printed() -> None:
    one, two = (proc_from_source(f"def g(x: f32):\n    x = {n}.0") for n in (1, 2))
    p = proc_from_source("def f(x: f32):\n    a(x)\n    b(x)", {"a": one, "b": two})
    assert [c.subproc() for c in p.find_all("g_1(_)")] == [two]
    assert [c.subproc() for c in p.find_all("g(_)")] == [one, two], "both bear the name"
    with pytest.raises(InvalidCursorError, match=r"`g\(x\)`; `g_1\(x\)`"):
        p.find("g_2(_)")


def test_a_callee_and_an_extern_of_one_name() -> None:
    f = proc_from_source("def relu(x: f32):\n    x = 1.0")
    p = proc_from_source("def f(x: f32):\n    mine(x)\n    x = relu(x)", {"mine": f})
    assert str(p).splitlines()[1:] == ["    relu_1(x)", "    x = relu(x)"]
    assert proc_from_source(str(p), reparse_env(p.tree)) == p


def test_two_memories_of_one_name_in_one_program() -> None:
    one, two = Memory("SRAM"), CustomMemory("SRAM")
    with pytest.raises(CheckError, match="two different things are called SRAM in f and what it calls"):
        proc_from_source("def f(x: f32 @ A, y: f32 @ B):\n    x = y", {"A": one, "B": two})
    g = proc_from_source("def g(x: f32):\n    y: f32 @ A\n    y = x", {"A": one})
    with pytest.raises(CheckError, match="two different things are called SRAM"):
        proc_from_source("def f(x: f32, y: f32 @ B):\n    g(x)", {"g": g, "B": two})
