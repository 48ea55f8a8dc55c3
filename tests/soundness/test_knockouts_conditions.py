"""Primitives with one thing wrong in their own code: a condition left out, a comparison or sign swapped, a case or
cursor forgotten. Each must be caught within the budget; see `test_knockouts` for the questions that primitives share.

A variant names a function, an expression or statement in it, and what stands in its place. Those that leave a condition
out are in `test_knockouts_each`, without being written down.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import NamedTuple

import pytest

from exo_strat.cursors.edits import Replace
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.ir.nodes import Node
from exo_strat.ir.walk import with_child
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing.knockouts import edited, replaced
from exo_strat.testing.library import callees, versions

Caught = Callable[..., None]

class Variant(NamedTuple):
    """What is wrong, as a piece of text for another, in the primitive or in a function that it calls."""

    primitive: str
    what: str
    old: str
    new: str
    shapes: str = ""
    function: str = ""


V = Variant
COVERED = '_same_stride(rw, path, sym, node.dim, dense_strides(how.shape)[d])'

INTO_ONE = "primitives.helpers.scoping.into_one"

VARIANTS = [
    # -- loops
    V("cut_loop", "the cut may be before the start", 'Binary("<=", old.lo, e)', "b.TRUE"),
    V("cut_loop", "the cut may be after the end", 'Binary("<=", e, old.hi)', "b.TRUE"),
    V("cut_loop", "the second loop starts one late", 'with_child(old, "lo", e)',
      'with_child(old, "lo", b.add(e, b.ONE))'),
    V("mult_loops", "quotient for remainder", "b.mod(b.var(k), count)", "b.div(b.var(k), count)", function=INTO_ONE),
    V("mult_loops", "the inner start is lost", "b.add(inner.lo, b.mod(b.var(k), count))", "b.mod(b.var(k), count)",
      function=INTO_ONE),
    V("mult_loops", "the outer start is lost", "b.add(outer.lo, b.div(b.var(k), count))", "b.div(b.var(k), count)",
      function=INTO_ONE),
    V("mult_loops", "parallel if the inner loop was", "joint_mode(outer, inner)", "inner.mode", function=INTO_ONE),
    V("collapse_loops", "quotient for remainder", "b.mod(b.var(k), count)", "b.div(b.var(k), count)",
      function=INTO_ONE),
    V("collapse_loops", "as many iterations as rows", "b.times(b.sub(outer.hi, outer.lo), count)",
      "b.sub(outer.hi, outer.lo)", function=INTO_ONE),
    V("collapse_loops", "the outer start is lost", "b.sub(outer.hi, outer.lo)", "outer.hi", function=INTO_ONE),
    V("collapse_loops", "parallel if the inner loop was", "joint_mode(outer, inner)", "inner.mode", function=INTO_ONE),
    V("collapse_loops", "rows of different lengths", 'Binary("==", count, first)', "b.TRUE", "rectangle",
      "primitives.collapse._count"),
    V("mult_loops", "more than a loop inside", "len(outer.body) == 1", "True", "nest sequence",
      "primitives.helpers.scoping.nest"),
    V("shift_loop", "shifted the other way", "b.sub(old.lo, e)", "b.sub(e, old.lo)"),
    V("shift_loop", "the end forgets the start", "b.add(old.hi, b.sub(e, old.lo))", "b.add(old.hi, e)"),
    V("shift_loop", "the new start may change", "fixed and is_opaque(e)", "False", "counted configuration",
      "primitives.helpers.scoping.integer_arg"),
    V("unroll_loop", "an empty loop runs", "n <= 0", "n < 0"),
    V("unroll_loop", "counted from one", "int(lo.value) + k", "int(lo.value) + k + 1", "", "primitives.loops._nth"),
    V("unroll_loop", "one iteration more", "n.const", "n.const + 1", "", "logic.forms.translate.trip_count"),
    # -- ranges
    V("reverse_loop", "one iteration later", "b.sub(b.add(old.lo, old.hi), b.ONE)", "b.add(old.lo, old.hi)"),
    V("reverse_loop", "the start is lost", "b.add(old.lo, old.hi)", "old.hi", "counted"),
    V("reverse_loop", "any temporary is excused", "either(same, private(tree, _after(path), facts, [body]))",
      "lambda a, b: True", "", "logic.questions.safety.reversal"),
    V("widen_loop", "one iteration more", "in_range(old.iter, old.lo, old.hi)",
      "in_range(old.iter, old.lo, b.add(old.hi, b.ONE))"),
    V("widen_loop", "the first iteration is lost", "in_range(old.iter, old.lo, old.hi)",
      "in_range(old.iter, b.add(old.lo, b.ONE), old.hi)"),
    V("widen_loop", "cursors to the old start are lost",
      'rw.carry((*path, ("lo", None)), (*guard, ("lhs", None), ("lhs", None)))', "pass"),
    V("tighten_loop", "the else branch is lost", "len(old.body) == 1 and not guard.orelse", "len(old.body) == 1"),
    V("tighten_loop", "the last iteration is lost", "rw.set(path, lo=new[0], hi=new[1])",
      "rw.set(path, lo=new[0], hi=b.sub(new[1], b.ONE))"),
    V("tighten_loop", "the old start stays", "rw.set(path, lo=new[0], hi=new[1])",
      "rw.set(path, lo=old.lo, hi=new[1])"),
    # -- scopes
    V("lift_scope", "the condition depends on the iterator", "loop.iter not in mentions(cond.cond)", "True",
      "lone_scope", "primitives.scopes._if_out_of_for"),
    V("lift_scope", "an else branch is lost", 'not cond.orelse and label == "body"', "True",
      "lone_scope", "primitives.scopes._for_out_of_if"),
    V("lift_scope", "the other branch is lost",
      "if other: rw.insert(Span(twin, other_label, 0, 0), *rw.copy(other))", "pass",
      "lone_scope", "primitives.scopes._if_out_of_if"),
    # -- functions
    V("approximate", "the result may stay as it was", "safety.fully_written(tree, body, out, ())", "True", "",
      "primitives.approximation._check"),
    V("approximate", "the result is read first", "safety.covered(tree, body, out)", "True", "",
      "primitives.approximation._check"),
    V("approximate", "an argument is written", "written_args(tree) == {out}", "True", "",
      "primitives.approximation._check"),
    V("approximate", "a config field is written", "not outside and not tree.preds", "True", "",
      "primitives.approximation._check"),
    V("approximate", "a buffer that was not written", "evaluation.reads_own(tree)", "True", "",
      "primitives.approximation._check"),
    # -- procedures
    V("inline_assign", "a callee may write it", "callee.args[k].sym not in written_args(callee)", "True",
      "assigned calls", "primitives.inlining._is_element"),
    V("inline_assign", "later iterations read it in the block, too", "(*uses.outside, *uses.inside)", "uses.outside",
      "assigned", "primitives.inlining._readers"),
    V("inline", "an argument may change", "return [actual]", "return []", "moved",
      "logic.questions.evaluation.argument_values"),
    V("inline", "a window of a window is not shifted", "Interval(b.add(d.lo, w.lo), b.add(d.lo, w.hi))",
      "Interval(w.lo, w.hi)", "calls", "primitives.procs.Actuals._window"),
    V("inline", "an element of a window is not shifted", "b.add(d.lo, next(inner))", "next(inner)", "calls",
      "primitives.procs.Actuals._read"),
    V("inline", "the stride of another dimension", "kept[dim]", "dim", "calls", "primitives.procs.Actuals._stride"),
    V("replace", "an equation that is not true", "safety.linear(tree, path, e)", "True", "lookalikes",
      "primitives.procs._as_call"),
    V("replace", "a call that may not stand here", "error is None", "True", "", "primitives.procs._as_call"),
    V("replace", "a name that is used after the block", "not escaping(tree, span)", "True", "lookalikes"),
    V("partial_eval", "an instruction loses arguments", "tree.instr is None", "True"),
    V("transpose", "an instruction takes another buffer", "tree.instr is None", "True"),
    V("add_assertion", "cursors into the body are lost", "rw.set((), preds=tree.preds.append(e))",
      "lost(rw, preds=tree.preds.append(e))"),
    V("add_assertion", "another assertion goes", "tree.preds.append(e)", "tree.preds.append(e)[1:]"),
    V("make_instr", "only the first statement stays", "rw.set((), instr=Instr(c_template, c_global, c_fence))",
      "rw.set((), instr=Instr(c_template, c_global, c_fence), body=rw.tree.body[:1])"),
    V("make_instr", "the assertions go", "rw.set((), instr=Instr(c_template, c_global, c_fence))",
      "rw.set((), instr=Instr(c_template, c_global, c_fence), preds=rw.tree.preds[:0])"),
    V("make_instr", "cursors into the body are lost", "rw.set((), instr=Instr(c_template, c_global, c_fence))",
      "lost(rw, instr=Instr(c_template, c_global, c_fence))"),
    # -- buffers
    V("expand_dim", "reads find an older value in their slice", "_values_found(tree, a, rest, e)", "pass"),
    V("expand_dim", "a negative index", 'Binary("<=", b.ZERO, e)', "b.TRUE"),
    V("expand_dim", "an index one too large", 'Binary("<", e, extent)', 'Binary("<=", e, extent)'),
    V("rearrange_dim", "accesses stay", "lambda idx: [idx[d] for d in perm]", "list"),
    V("rearrange_dim", "extents stay", "[old[d] for d in perm]", "[*old]"),
    V("rearrange_dim", "windows change their order", "kept == sorted(kept)", "True", "windows"),
    V("rearrange_dim", "a stride changes", COVERED, "", "grid", "primitives.helpers.access._redirect_one"),
    V("rearrange_dim", "a stride of a window changes", "sorted(_asked_of(rw.proc.tree, path))", "()", "grid",
      "primitives.helpers.access._redirect_window"),
    V("lift_alloc", "the extents depend on the loop", "not inner", "True", "sized", "primitives.buffers._lift"),
    V("lift_alloc", "the extents may be negative outside", 'Binary("<=", b.ONE, e)', "b.TRUE", "sized",
      "primitives.buffers._lift"),
    V("sink_alloc", "another statement uses it, too", "len(using) == 1", "len(using) >= 1"),
    V("sink_alloc", "the other branch gets none", "len(labels) == 2", "False", "branches"),
    V("sink_alloc", "the other branch uses the first one", "rename_uses(rw, branch, alloc.sym, twin)", "pass",
      "branches", "primitives.buffers._twin"),
    V("sink_alloc", "the condition uses it", "a.sym not in mentions(branch.cond)", "True", "branches"),
    V("delete_buffer", "other writes go", "return s.sym in names", "return True", "temporary",
      "primitives.buffers._only_writes"),
    V("delete_buffer", "calls that write elsewhere go", "only and not isinstance(get(tree, use), StrideExpr)",
      "not isinstance(get(tree, use), StrideExpr)", "temporary calls",
      "primitives.buffers._only_writes"),
    V("delete_buffer", "windows are forgotten", "names.append(n.sym)", "pass", "windows temporary",
      "primitives.buffers._uses"),
    V("delete_buffer", "statements have moved", "rw.now(stmt)", "stmt", "temporary"),
    # -- expressions
    V("bind_expr", "values that have changed", "if not same: break", "pass", "", "primitives.staging._equal_places"),
    V("bind_expr", "what a loop changes before it reads", "same or not isinstance(block[k], For)", "True",
      "repeated",
      "primitives.staging._equal_places"),
    V("bind_expr", "arguments that are written",
      "isinstance(formal.type, Scalar) and formal.sym not in written_args(call.f.tree)",
      "isinstance(formal.type, Scalar)", "calls",
      "primitives.staging.is_value"),
    V("commute_expr", "a difference", '("+", "*")', '("+", "*", "-")'),
    V("commute_expr", "a quotient", '("+", "*")', '("+", "*", "/")'),
    V("commute_expr", "one operand twice", "rw.set(e.path, lhs=node.rhs, rhs=node.lhs)",
      "rw.set(e.path, lhs=node.rhs, rhs=node.rhs)"),
    V("rewrite_expr", "cursors to what stands beside it are lost", "rw.replace(e.path, value)",
      "rw.replace(e.path[:-1], put(get(tree, e.path[:-1]), e.path[-1], value))"),
    V("simplify", "the other branch", '"body" if truth else "orelse"', '"orelse" if truth else "body"', "decided",
      "primitives.simplification._Simplification._choose"),
    V("simplify", "a condition decides itself", "self._truth(s.cond, known)",
      'self._truth(s.cond, facts_inside(known, s, "body", self.env))', "lone_scope",
      "primitives.simplification._Simplification._choose"),
    V("simplify", "one iteration is none", "n <= 0", "n <= 1", "decided patch",
      "primitives.simplification._Simplification._never_runs"),
    V("simplify", "a factor 1 absorbs", "_is(x, 0) or _is(y, 0)", "_is(x, 0) or _is(y, 1)", "scaled sums",
      "primitives.simplification._shorter"),
    V("eliminate_dead_code", "a loop that runs", 'Binary("<=", node.hi, node.lo)', 'Binary("<=", node.lo, node.hi)'),
    V("eliminate_dead_code", "the other branch", 'rw.unwrap(path, "orelse")', "rw.unwrap(path)"),
    # -- annotations, names, statements that do nothing
    V("set_memory", "a control argument", "a.node.mem is not None", "True"),
    V("set_memory", "another declaration", "rw.set(a.path, mem=memory)", 'rw.set((("args", 0),), mem=memory)'),
    V("set_memory", "an instruction", "_no_instr(a)", "pass"),
    V("set_precision", "a control argument", "isinstance(old, Scalar | Tensor)", "True"),
    V("set_precision", "a window becomes dense", 'with_child(old, "base", SCALARS[name])',
      "Tensor(SCALARS[name], old.shape)"),
    V("set_precision", "an instruction", "_no_instr(a)", "pass"),
    V("set_window", "strides that calls rely on", "check(rw.tree)", "pass", "calls"),
    V("set_window", "an instruction", "_no_instr(a)", "pass"),
    V("rename", "a name that is none", "name_arg(name)", "name"),
    V("rename", "an instruction stays none", "rw.set((), name=name_arg(name))",
      "rw.set((), name=name_arg(name), instr=None)"),
    V("rename", "cursors into the body are lost", "rw.set((), name=name_arg(name))",
      "lost(rw, name=name_arg(name))"),
    V("rename_variable", "only the declaration", "isinstance(c, ForCursor)", "True"),
    V("rename_variable", "all but the last use", "len(getattr(get(rw.tree, block.parent), block.label)) - block.lo",
      "len(getattr(get(rw.tree, block.parent), block.label)) - block.hi"),
    V("rename_variable", "cursors into the scope are lost",
      "rw.replace(path, renamed(old, to), keep=[label for label, _ in old.CHILDREN])",
      "rw.replace(path, renamed(old, to), keep=[])"),
    V("insert_pass", "the next statement goes", "rw.insert(gap.span, Pass())",
      "rw.insert(gap.span, Pass())\nat = gap.span.lo + 1\nrw.delete(gap.span._replace(lo=at, hi=at + 1))"),
    V("insert_pass", "the statement before runs again", "rw.insert(gap.span, Pass())",
      "rw.insert(gap.span, Pass(), *gap.span._replace(lo=gap.span.lo - 1, hi=gap.span.lo).members(rw.tree))"),
    V("insert_pass", "in the place of the next statement", "rw.insert(gap.span, Pass())",
      "rw.insert(gap.span._replace(hi=gap.span.lo + 1), Pass())"),
    V("delete_pass", "places that have moved", "reversed(found)", "found"),
    V("delete_pass", "the next statement goes", "k + 1", "k + 2"),
    V("delete_pass", "cursors know of one only", "rw.delete(Span(parent, label, k, k + 1))",
      "rw.delete(Span(parent, label, k, k + 1))\ndel rw.edits[1:]"),
    # -- choices
    V("evaluate_both", "the sides are exchanged", "_both(node.cond, node.then, node.other)",
      "_both(node.cond, node.other, node.then)", "choices", "primitives.choices._evaluated"),
    V("evaluate_both", "nothing is added, or one", "NEUTRAL[first.op]", "1.0", "choices",
      "primitives.choices._without_branch"),
    V("evaluate_both", "what was there is lost", "other = place", "other = b.data(0.0)", "choices",
      "primitives.choices._without_branch"),
    V("evaluate_both", "what is equal is less", "ExternCall(select, pvector((x, y, a, b)))",
      "ExternCall(select, pvector((y, x, b, a)))", "choices", "primitives.choices._both"),
    V("evaluate_both", "an `or` for an `and`", "_both(one, _both(two, a, b), b)", "_both(one, a, _both(two, a, b))",
      "choices", "primitives.choices._both"),
    V("bind_expr", "a side that may be skipped", 'isinstance(n, Select) and label != "cond"', "False", "choices",
      "logic.effects.context.asked_first"),
    V("simplify", "the other side", "None if truth is None else e.then if truth else e.other",
      "None if truth is None else e.other if truth else e.then", "choices",
      "primitives.simplification._Simplification._decided"),
    V("reverse_loop", "a side is read where the other is", "_side(e.cond, False, e.other)",
      "_side(e.cond, True, e.other)", "choices", "logic.effects.accesses.reads_of"),
    # -- conditions that programs of other shapes find
    V("bind_expr", "it is the second part of an `and`", "not evaluation.maybe_skipped(tree, stmt, e.path)", "True",
      "guarded"),
    V("bind_config", "it is the second part of an `and`", "not evaluation.maybe_skipped(tree, stmt, e.path)", "True",
      "guarded"),
    V("bind_config", "a window", "not isinstance(value, WindowExpr | ViewExpr) and is_value(tree, e.path)",
      "is_value(tree, e.path)", "windows sliding"),
    V("bind_config", "a whole buffer", 'applicable(stands_alone, "this stands for a buffer", e)', "pass", "calls"),
    V("stage_mem", "another name for the buffer", "applicable(not hidden, what, block)", "pass", "overlaid",
      "primitives.staging._only_name"),
    V("stage_mem", "a window of it that lives on", "w not in leaving", "True", "windows",
      "primitives.staging._only_name"),
    V("reorder_loops", "a parallel loop gets a race where it is outside",
      'inner.mode == "seq"', "True", "diagonal", "logic.questions.safety.interchange"),
    V("transpose", "a callee takes both dimensions",
      "holder = of_kind(get(rw.tree, path[:-1]), WindowDef, what, at_path(rw.proc, path))",
      "holder = get(rw.tree, path[:-1])\nif not isinstance(holder, WindowDef): return []", "calls",
      "primitives.subprocs._turn"),
    V("merge_recompute", "there is no tile", "_any(empty, _le(b.ONE, tiles))", "b.TRUE"),
    V("merge_recompute", "there are gaps between tiles", "_any(empty, _le(tiles, b.ONE), _le(b.num(c), width))",
      "b.TRUE"),
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def _versions_are_made() -> None:
    """The library's versions are made with primitives, once: not with those of a variant."""
    for name in callees():
        versions(name)


def lost(rw: Rewrite, **fields: object) -> None:
    """Changes fields of a procedure as `Rewrite.set` does, but takes all of it for new."""
    tree: Node = rw.tree
    for label, value in fields.items():
        tree = with_child(tree, label, value)
    rw.do(Replace((), tree, frozenset(), (), ()))


def function_of(variant: Variant) -> FunctionType:
    """The function that a variant changes: the primitive's own, or one or a method of the package."""
    if not variant.function:
        found = PRIMITIVES[variant.primitive].spec.fn
    else:
        *where, name = variant.function.split(".")
        depth = len(where) - where[-1].lstrip("_")[0].isupper()
        module = import_module(f"exo_strat.{'.'.join(where[:depth])}")
        found = inspect.unwrap(attrgetter(".".join([*where[depth:], name]))(module))
    assert isinstance(found, FunctionType)
    return found


@pytest.mark.parametrize(
    ("primitive", "variant"), [(v.primitive, v) for v in VARIANTS], ids=[f"{v.primitive}-{v.what}" for v in VARIANTS]
)
def test_a_variant_is_caught(
    primitive: str, variant: Variant, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    function = function_of(variant)
    monkeypatch.setitem(function.__globals__, "lost", lost)
    with edited(function, lambda tree: replaced(tree, variant.old, variant.new)):
        must_be_caught(primitive, variant.shapes)


@pytest.mark.parametrize("primitive", ["add_assertion", "partial_eval", "set_window", "transpose"])
def test_another_procedure_that_is_taken_for_the_same(
    primitive: str, monkeypatch: pytest.MonkeyPatch, must_be_caught: Caught
) -> None:
    monkeypatch.setattr(PRIMITIVES[primitive], "_spec", replace(PRIMITIVES[primitive].spec, same_values=True))
    must_be_caught(primitive, "")
