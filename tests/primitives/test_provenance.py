"""Which procedures may take each other's place: only what primitives of the package make of one original."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from exo_strat import PRIMITIVES, Proc, SchedulingError, proc_from_source
from exo_strat.cursors.cursor import ProcCursor
from exo_strat.cursors.kinds import AssignCursor, CallCursor
from exo_strat.cursors.proc import Rewritten
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.direct import call_eqv, rename
from exo_strat.ir.build import data
from exo_strat.primitives.framework import PrimitiveForm, Where, primitive

BAR = proc_from_source("def bar(x: f32): x = 1.0")
FOO = proc_from_source("def foo(x: f32): bar(x)", {"bar": BAR})


def is_taken(other: Proc) -> bool:
    """Whether a call of bar becomes one of `other`."""
    try:
        q = call_eqv(FOO, "bar(_)", other)
    except SchedulingError as e:
        assert "are not versions of one procedure" in str(e)
        return False
    call = q.find("_(_)")
    return isinstance(call, CallCursor) and call.subproc() is other


def set_to_two(rw: Rewrite, assignment: AssignCursor) -> Where:
    """x = e  ~>  x = 2.0"""
    rw.set(assignment.path, rhs=data(2.0))
    return assignment.path


def test_a_version_that_a_primitive_made_is_taken() -> None:
    q = rename(BAR, "other")
    assert q.origin is BAR and is_taken(q)


def test_edits_of_ones_own_make_another_procedure() -> None:
    rw = Rewrite(BAR)
    set_to_two(rw, BAR.find("x = _"))  # type: ignore[arg-type]
    q = rw.finish("by hand", ())
    assert q.origin is q and q.parent is BAR and q.forward(BAR.find("x = _")) == q.find("x = _")
    assert not is_taken(q) and not is_taken(rename(q, "other"))


def test_a_tree_is_a_procedure_of_its_own() -> None:
    q = Proc(BAR.tree)
    assert q == BAR and q.origin is q and not is_taken(q)
    with pytest.raises(TypeError):
        Proc(BAR.tree, BAR)  # type: ignore[call-arg]


def test_no_public_name_makes_a_version_or_sets_its_origin() -> None:
    made = {"parent", "rewritten", "origin", "same_values", "leaves"}
    for cls in (Proc, Rewrite):
        for name, fn in inspect.getmembers(cls, inspect.isfunction):
            if name == "__init__" or not name.startswith("_"):
                assert not made & inspect.signature(fn).parameters.keys(), f"{cls.__name__}.{name}"
    rewritten = Rewritten("by hand", (), ())
    for field, value in {"origin": FOO, "parent": FOO, "rewritten": rewritten, "tree": FOO.tree}.items():
        with pytest.raises(AttributeError, match="never changes"):
            setattr(BAR, field, value)


def test_a_primitive_from_elsewhere_makes_another_procedure() -> None:
    op = primitive()(set_to_two)
    op = primitive()(set_to_two)  # again, as a notebook does
    q = op.direct(BAR, "x = _")
    assert "x = 2.0" in str(q) and q.forward(BAR.find("x = _")) == q.find("x = _")
    assert q.origin is q and not is_taken(q) and str(op()) == "set_to_two()"


def test_a_primitive_from_elsewhere_cannot_say_that_values_stay() -> None:
    with pytest.raises(TypeError, match=r"only primitives of exo_strat\.primitives are trusted"):
        primitive(same_values=True)(set_to_two)
    assert "set_to_two" not in PRIMITIVES


def test_what_a_function_says_of_where_it_stands_does_not_count() -> None:
    def rename(rw: Rewrite, root: ProcCursor, name: str) -> Where:
        return ()

    rename.__module__ = PRIMITIVES["rename"].spec.fn.__module__
    with pytest.raises(TypeError, match=r"only primitives of exo_strat\.primitives are trusted"):
        primitive(same_values=True)(rename)


def test_a_declaration_made_by_hand_is_not_trusted() -> None:
    for spec in (
        replace(PRIMITIVES["rename"].spec, fn=lambda rw, c, name: set_to_two(rw, c), targets=(AssignCursor,)),
        replace(PRIMITIVES["set_precision"].spec, same_values=True),
    ):
        form = PrimitiveForm(spec)
        q = form.direct(BAR, "x = _" if spec.name == "rename" else "x", "f64")
        assert q != BAR and q.origin is q and not is_taken(q)
    with pytest.raises(AttributeError):
        PRIMITIVES["rename"].spec = PRIMITIVES["simplify"].spec  # type: ignore[misc]


def test_a_procedure_is_filled_in_once() -> None:
    q, text = Proc(FOO.tree), str(FOO)
    q.__init__(BAR.tree)  # type: ignore[misc]
    assert str(q) == text and q.origin is q


def test_a_primitive_from_elsewhere_does_not_replace_another() -> None:
    def rename(rw: Rewrite, root: ProcCursor, name: str) -> Where:
        return ()

    ours, theirs = PRIMITIVES["rename"]("foo"), primitive()(rename)("foo")
    assert ours != theirs and str(ours) == str(theirs)
    assert ours(BAR).unwrap()[0].name() == "foo" and theirs(BAR).unwrap()[0].name() == "bar"
    with pytest.raises(TypeError):
        PRIMITIVES["rename"] = primitive()(rename)  # type: ignore[index]
