"""Objects of Python's that are not what they seem, and answers that nobody has: none may be believed, none may end
Python. Found by an attack on the restructured kernel."""

from __future__ import annotations

from typing import Any

import pytest
from pyrsistent import pvector

from backends.c import RaceError
from backends.c import compile as compile_c
from exo_strat import Config, Proc, direct, f32, proc_from_source, size
from exo_strat.frontend.decorators import make_proc
from exo_strat.ir.nodes import Call, Const, ExternCall, Read, Select, Unary
from exo_strat.ir.walk import with_child
from exo_strat.ops.failure import SchedulingError


class Lying(str):
    """A text that is first equal to another one, and then not."""

    said = False

    def __eq__(self, other: object) -> bool:
        first, self.said = not self.said, True
        return first

    def __hash__(self) -> int:
        return str.__hash__(self)

    def startswith(self, *_: Any) -> bool:
        return False


def test_a_text_of_another_class_is_the_text_that_it_is() -> None:
    p = proc_from_source("def foo(x: f32[10]):\n    for i in seq(0, 10):\n        x[i] = 1.0")
    wanted = direct.divide_loop(p, "i", 4, ("io", "ii"), tail="cut")
    assert str(direct.divide_loop(p, "i", 4, ("io", "ii"), tail=Lying("cut"))) == str(wanted)


def test_a_config_is_no_class_to_be_derived_from_and_keeps_its_fields() -> None:
    with pytest.raises(TypeError, match="no subclasses"):
        type("Evil", (Config,), {})
    given = {"a": size}
    c = Config("C", given)  # type: ignore[arg-type]
    given["a"] = f32  # type: ignore[assignment]
    assert c.fields["a"] == size


P = proc_from_source("def foo(x: f32[8]):\n    x[0] = 1.0")


class Seeming:
    """Not a procedure, but it has a tree."""

    tree = P.tree


def test_a_tree_that_could_change_is_refused() -> None:
    with pytest.raises(TypeError, match="idx of Assign is a list, not a pvector"):
        make_proc(with_child(P.tree, "body", pvector([with_child(P.tree.body[0], "idx", [Const(0, size)])])))
    x = P.tree.args[0].sym
    with pytest.raises(TypeError, match="which is no Proc"):
        make_proc(with_child(P.tree, "body", pvector([Call(Seeming(), pvector([Read(x, pvector())]))])))  # type: ignore[arg-type]


CHOICES = [Select(c, Const(1.0, f32), Const(2.0, f32)) for c in (Const(3, size), Unary("not", Const(3, size)))]


@pytest.mark.parametrize("value", [ExternCall(None, pvector()), Read(P.tree.args[0].sym, [Const(0, size)]), *CHOICES])  # type: ignore[arg-type]
def test_an_expression_that_is_none_is_a_bad_argument(value: Any) -> None:
    c = Config("C", {"a": f32})  # type: ignore[arg-type]
    with pytest.raises(SchedulingError, match="is needed, not"):
        direct.write_config(P, P.body()[0].before(), c, "a", value)


def undecidable(lines: str) -> Proc:
    """Code under an assertion on strides that is beyond the solver."""
    body = "".join(f"    {line}\n" for line in lines.split("\n"))
    return proc_from_source(
        f"def foo(n: size, k: size, m: size, x: f32[n, k, m], y: f32):\n    assert stride(x, 0) % 16 == 0\n{body}"
    )


def test_the_backend_refuses_a_loop_of_which_nobody_knows_whether_it_races() -> None:
    with pytest.raises(RaceError, match="iterations of the par loop i may race: no two iterations of i"):
        compile_c([undecidable("for i in par(0, 8):\n    y = 1.0")])


def test_a_question_with_nothing_to_choose_may_be_undecided() -> None:
    p = undecidable("for i in seq(0, 8):\n    y += 1.0")
    with pytest.raises(SchedulingError, match="could not decide"):
        direct.remove_loop(p, "i")
