"""What statements do to memory, as a list of accesses in base buffers."""

from __future__ import annotations

import random
from textwrap import indent

import pytest
from hypothesis import given, settings
from pyrsistent import pmap

from exo_strat import logic
from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.ir import types
from exo_strat.ir.config import Config
from exo_strat.ir.memo import forget
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import ProcDef
from exo_strat.ir.span import Span, span_of
from exo_strat.ir.types import Control, Scalar
from exo_strat.ir.walk import statements
from exo_strat.logic.effects.accesses import (
    Access,
    accesses,
    effects,
    effects_on,
    move,
    move_all,
    number_of_places,
    windows_at,
)
from exo_strat.logic.effects.contents import covered
from exo_strat.logic.effects.context import flatten
from exo_strat.logic.effects.coverage import all_covered, before
from exo_strat.logic.effects.dependence import Clash, Safe
from exo_strat.logic.forms.formula import FALSE, TRUE, Lin, V, ge
from exo_strat.logic.questions.safety import commute
from exo_strat.testing import examples as cases
from exo_strat.testing.programs import procs

FIELDS: dict[str, Control | Scalar] = {"k": types.index, "on": types.bool_, "scale": types.f32}
CFG = Config("CFG", pmap(FIELDS))
LIB: dict[str, object] = {"CFG": CFG}


def define(text: str) -> None:
    p = proc_from_source(text, LIB)
    LIB[p.name()] = p


define("""
    def inner(k: index, on: bool, w: [f32][4]):
        assert k >= 0
        assert k < 3
        u = w[1:4]
        for i in seq(0, k):
            if on:
                u[i] = CFG.scale
""")
define("""
    def outer(i: size, w: [f32][8], s: f32):
        assert i <= 2
        t: f32[4]
        for j in seq(0, 4):
            t[j] = w[j]
        inner(i, i < 2, w[2:6])
        s += t[i]
        CFG.k = i
""")
define("""
    def strided(w: [f32][4]):
        if stride(w, 0) == 1:
            w[0] = 1.0
""")


def body(text: str, args: str = "n: size, x: f32[n + 9], y: f32[n + 9], m: f32[9, 9], flag: bool") -> ProcDef:
    lines = [f"    {line}" for line in text.strip("\n").splitlines()]
    return proc_from_source("\n".join([f"def foo({args}):", *lines]), LIB).tree


def name(x: object) -> str:
    if isinstance(x, Lin):
        parts = [f"{'' if k == 1 else k}{name(a)}" for a, k in x.terms] + ([str(x.const)] if x.const else [])
        return "+".join(parts) or "0"
    return f"{x.sym}{x.instance}" if isinstance(x, V) else "?"


def shown(a: Access) -> str:
    where = a.buffer.name if isinstance(a.buffer, Sym) else ".".join(a.buffer[1:])
    index = ",".join("?" if x is None else name(x) for x in a.index)
    return f"{a.kind} {where}[{index}]" + ("" if a.exact else " maybe")


def found(text: str) -> list[str]:
    """The accesses of a body: kind, place, and whether it need not happen. Callee's iterators end in `@`."""
    tree = body(text)
    return [shown(a) for a in effects(tree, Span((), "body", 0, len(tree.body)))]


def test_operands_are_read_before_the_target_is_written() -> None:
    assert found("x[0] = y[1] * x[2] + CFG.scale") == ["R y[1]", "R x[2]", "R CFG.scale[]", "W x[0]"]
    assert found("x[0] += 2.0") == ["A x[0]"]
    assert found("CFG.scale = x[3]") == ["R x[3]", "W CFG.scale[]"]
    assert found("pass") == []


def test_conditions_and_ranges_read_too() -> None:
    assert found("if x[0] < 1.0:\n    pass") == ["R x[0]"]
    assert found("for i in seq(0, CFG.k):\n    pass") == ["R CFG.k[]"]
    assert found("w = x[CFG.k % 4:n + 4]") == ["R CFG.k[]"]
    assert found("a: f32[CFG.k % 4 + 1]\na[0] = 1.0") == ["R CFG.k[]"]


def test_the_second_part_of_a_condition_need_not_be_evaluated() -> None:
    assert found("if x[0] < 1.0 or x[1] < 1.0:\n    pass") == ["R x[0]", "R x[1] maybe"]
    tree = body("if n < 3 or y[2] < 1.0:\n    pass")
    (read,) = effects(tree, Span((), "body", 0, 1))
    assert read.exact and read.guard == ge(Lin.of(V(tree.args[0].sym)), 3)


def test_what_depends_on_data_or_config_fields_is_not_sure() -> None:
    assert found("x[CFG.k % 4] = 0.0") == ["R CFG.k[]", "W x[?] maybe"]
    assert found("if y[0] < 1.0:\n    x[0] = 0.0\nelse:\n    x[1] = 0.0") == ["R y[0]", "W x[0] maybe", "W x[1] maybe"]
    assert found("for i in seq(0, CFG.k):\n    x[0] = 0.0") == ["R CFG.k[]", "W x[0] maybe"]
    assert found("if flag and n > 1:\n    x[0] = 0.0") == ["W x[0]"]


def test_what_both_branches_write_is_sure() -> None:
    """At no time that is known within the statement."""
    loops = "if x[0] < 1.0:\n    for i in seq(0, n):\n        y[i] = 1.0\n"
    loops += "else:\n    for j in seq(0, n):\n        y[{}] = 2.0"
    fewer = loops.replace("for j in seq(0, n)", "for j in seq(1, n)")
    for text, sure in ((loops.format("j"), True), (loops.format("j + 1"), False), (fewer.format("j"), False)):
        joint = [a for a in effects(body(text), Span((), "body", 0, 1)) if a.joint]
        assert len(joint) == sure
        assert all(a.exact and a.kind == "W" and len(a.when) == 1 for a in joint)
    nest = "    for i in seq(0, n % 9):\n        for j in seq(0, n % 8):\n            m[{}, {}] = 1.0\n"
    for first, second, sure in (("ij", "ij", True), ("ij", "ji", False)):
        swapped = body(f"if x[0] < 1.0:\n{nest.format(*first)}else:\n{nest.format(*second)}")
        assert len([a for a in effects(swapped, Span((), "body", 0, 1)) if a.joint]) == sure
    once = body("if x[0] < 1.0:\n    y[0] = 1.0\nelse:\n    y[0] += 2.0")
    assert not any(a.joint for a in effects(once, Span((), "body", 0, 1)))


def test_the_known_part_of_a_condition_is_kept() -> None:
    tree = body("for i in seq(0, n):\n    if i < 3 and CFG.on:\n        x[i] = 0.0")
    (_, write) = effects(tree, Span((), "body", 0, 1))
    assert len(write.guard.fs) == 3 and not write.exact  # type: ignore[union-attr]


def test_windows_of_windows_are_resolved() -> None:
    assert found("w = m[2, 1:8]\nu = w[3:5]\nu[1] = w[0]") == ["R m[2,1]", "W m[2,5]"]
    assert found("for i in seq(0, 4):\n    w = x[i:n + i]\n    w[0] = 1.0") == ["W x[i]"]
    assert found("w = x[CFG.k % 4:n + 4]\nw[0] = 1.0") == ["R CFG.k[]", "W x[?] maybe"]


def test_windows_of_local_buffers_are_private() -> None:
    assert found("a: f32[4]\nw = a[1:3]\nw[0] = x[0]\nx[1] = w[0]") == ["R x[0]", "W x[1]"]
    assert found("for i in seq(0, n):\n    a: f32\n    a = x[i]\n    x[i] = a") == ["R x[i]", "W x[i]"]


def test_calls_are_seen_through() -> None:
    assert found("inner(2, True, x[4:8])") == ["R CFG.scale[] maybe", "W x[i@+5] maybe"]
    assert found("w = x[1:9]\nouter(1, w, y[3])") == [
        "R x[j@+1]", "R CFG.scale[] maybe", "W x[i@@+4] maybe", "A y[3]", "W CFG.k[]",
    ]  # fmt: skip


def test_iterators_of_a_callee_are_not_those_of_the_caller() -> None:
    tree = body("for i in seq(0, 4):\n    outer(1, m[i, 0:8], y[i])")
    (read, *_) = effects(tree, Span((), "body", 0, 1))
    assert shown(read) == "R m[i,j@]" and [name(i) for i in read.iters] == ["i", "j@"]
    nested = effects(tree, Span((), "body", 0, 1))[2]
    assert [name(i) for i in nested.iters] == ["i", "i@@"]


def test_values_and_what_callees_assert_are_read() -> None:
    define("def asks(v: f32, s: f32):\n    assert CFG.k == 3\n    s = v")
    tree = body("CFG.k = 3\nasks(x[0] * 2.0, y[1])")
    assert [shown(a) for a in effects(tree, Span((), "body", 1, 2))] == ["R x[0]", "R CFG.k[]", "W y[1]"]
    assert found("outer(1, m[0, 0:8], x[2 * n / 2])")[3] == "A x[n]"


def test_opaque_arguments_of_calls() -> None:
    define("def at(k: index, w: [f32][4]):\n    w[k % 4] = 0.0\n    if k < 2:\n        w[3] = 1.0")
    assert found("at(CFG.k, x[0:4])") == ["R CFG.k[]", "W x[?] maybe", "W x[3] maybe"]
    assert found("inner(1, x[0] < 1.0, y[0:4])")[0] == "R x[0]"


def test_strides_inside_a_callee_mean_nothing_outside() -> None:
    tree = body("strided(m[0:4, 0])\nstrided(m[0, 0:4])")
    one, two = Span((), "body", 0, 1), Span((), "body", 1, 2)
    assert [shown(a) for a in effects(tree, one)] == ["W m[0,0] maybe"]
    assert getattr(commute(tree, one, two), "counterexample", "safe") is None


def test_summaries_are_remembered() -> None:
    tree = body("for i in seq(0, n):\n    x[i] = 0.0")
    assert accesses(tree.body[0]) is accesses(tree.body[0])


@given(procs())
@settings(max_examples=cases(200))
def test_the_accesses_to_one_buffer_are_those_among_all(p: Proc) -> None:
    for path, s in statements(p.tree):
        run = span_of(path)
        every = effects(p.tree, run)
        for buffer in {a.buffer for a in every} | {a.sym for a in p.tree.args}:
            own = [a for a in every if a.buffer == buffer]
            assert effects_on(p.tree, run, buffer) == own, s
            assert not own or number_of_places(p.tree, run, buffer)


def test_windows_in_scope() -> None:
    tree = body("w = x[0:4]\nfor i in seq(0, n):\n    u = w[1:3]\n    u[0] = 0.0")
    assert [str(s) for s in windows_at(tree, (("body", 1),))] == ["w"]
    assert [str(s) for s in windows_at(tree, (("body", 1), ("body", 1)))] == ["w", "u"]


# -- many accesses of a call ----------------------------------------------------------------------------


def chain(rng: random.Random, depth: int) -> Proc:
    """A procedure that calls another one twice, with something between, which does so, too, and so on."""
    some = ("x[i] = 1.0", "x[0] += 2.0", "y = x[i]", "CFG.scale = 1.0", "if y > 0.0:\n        x[1] = y", "pass")
    some += ("for j in seq(0, 3):\n        x[i + j] = y",)
    some += ("if i < 2:\n        y = min(y, x[2])\n    else:\n        x[1] = y",)
    below: dict[str, object] = {"CFG": CFG}
    for k in range(depth):
        lines = [rng.choice(some) for _ in range(3)]
        if below.keys() > {"CFG"}:
            shift = rng.choice(("i", "i", "0", "2 - i"))
            lines[0:1] = [f"f(x, {shift}, y)"]
            lines[2:3] = [rng.choice(("f(x, i, y)", "for k in seq(0, 2):\n        f(x, k, y)", "f(x[0:5], i, y)"))]
        text = "\n    ".join(lines)
        head = f"def f{k}(x: [f32][5], i: index, y: f32):\n    assert i >= 0\n    assert i < 3\n    "
        below["f"] = proc_from_source(head + text, below)
    f = below["f"]
    assert isinstance(f, Proc)
    return f


def stands_for(a: Access, b: Access) -> bool:
    """Whether what `a` says of what may happen includes all that `b` says."""
    told = [known in (None, x) for known, x in zip(a.index, b.index, strict=False)]
    less = set(flatten(a.guard)) <= set(flatten(b.guard)) and a.iters == b.iters[: len(a.iters)]
    starts, ends = (t == b.when[: len(t)] for t in (a.when, a.end))
    known_time = (starts or (a.until is not None and before(a.when, b.when) == TRUE)) and (
        ends or (a.until is not None and before(b.when, a.until) == TRUE)
    )
    return (a.buffer, a.kind, a.op) == (b.buffer, b.kind, b.op) and all(told) and less and known_time


@pytest.mark.parametrize("wide", [4096, 3])
@pytest.mark.parametrize("seed", range(12))
def test_fewer_accesses_of_a_call_say_more_of_what_may_be_and_less_of_what_is(
    seed: int, wide: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = chain(random.Random(seed), 4)
    p = proc_from_source("def p(x: f32[5], y: f32):\n    f(x, 1, y)\n    y = x[0]", {"f": f}).tree
    monkeypatch.setattr(logic.effects.summaries, "MANY", 10**9)
    forget()
    all_of_them = effects(p, Span((), "body", 0, 2))
    monkeypatch.setattr(logic.effects.summaries, "MANY", 3)
    monkeypatch.setattr(logic.effects.summaries, "WIDE", wide)
    forget()
    fewer = effects(p, Span((), "body", 0, 2))
    assert len(fewer) < len(all_of_them)
    assert all(any(stands_for(a, b) for a in fewer) for b in all_of_them if b.guard != FALSE)
    assert all(any(a == b for b in all_of_them) for a in fewer if a.exact)
    for buffer in {a.buffer for a in fewer}:
        known = all_covered(p, (), all_of_them, buffer)
        less = all_covered(p, (), fewer, buffer)
        assert isinstance(less, Clash) or isinstance(known, Safe)
    forget()


def test_calls_that_double_at_each_level_take_no_exponential_time() -> None:
    f = proc_from_source("def f(x: [f32][8]):\n    x[0] = x[1] + 1.0")
    for _ in range(40):
        f = proc_from_source("def f(x: [f32][8]):\n    f(x[0:8])\n    f(x[0:8])", {"f": f})
    p = proc_from_source("def p(x: f32[8], y: f32[8]):\n    f(x[0:8])\n    y[0] = 1.0", {"f": f}).tree
    assert len(effects(p, Span((), "body", 0, 1))) < 100
    assert isinstance(commute(p, Span((), "body", 0, 1), Span((), "body", 1, 2)), Safe)


def test_accumulations_of_a_call_come_after_the_assignment_before_them() -> None:
    dot = proc_from_source("def dot(x: [f32][1], a: [f32][64]):\n    x[0] = 0.0\n" + sums(40))
    twice = proc_from_source("def twice(x: [f32][1], a: [f32][64]):\n    dot(x, a)\n    dot(x, a)", {"dot": dot})
    for f in (dot, twice):
        head = "def p(a: f32[64], y: f32):\n    t: f32[1]\n    "
        p = proc_from_source(f"{head}f(t[0:1], a[0:64])\n    y = t[0]", {"f": f}).tree
        assert isinstance(covered(p, Span((), "body", 1, 3), p.body[0].sym), Safe)
        assert len([a for a in accesses(p.body[1]) if a.kind == "A"]) <= logic.effects.summaries.MANY
        late = proc_from_source(f"{head}t[0] += 1.0\n    f(t[0:1], a[0:64])\n    y = t[0]", {"f": f}).tree
        assert isinstance(covered(late, Span((), "body", 1, 4), late.body[0].sym), Clash)


def test_an_assignment_amid_accumulations_is_not_before_them() -> None:
    lines = sums(40).splitlines(keepends=True)
    lines[20] = "    x[0] = 0.0\n"
    dot = proc_from_source("def dot(x: [f32][1], a: [f32][64]):\n" + "".join(lines))
    p = proc_from_source("def p(a: f32[64]):\n    t: f32[1]\n    dot(t[0:1], a[0:64])", {"dot": dot}).tree
    assert isinstance(covered(p, Span((), "body", 1, 2), p.body[0].sym), Clash)


def sums(n: int) -> str:
    return "".join(f"    x[0] += a[{k}]\n" for k in range(n))


def test_what_nested_branches_both_write_is_listed_once() -> None:
    lines = "x[0] = 1.0"
    for _ in range(12):
        lines = f"if y[0] < 1.0:\n{indent(lines, '    ')}\nelse:\n    x[0] = 1.0"
    assert len([a for a in accesses(body(lines).body[0]) if a.joint]) == 12


@settings(max_examples=40, deadline=None)
@given(procs())
def test_accesses_that_are_moved_together_are_moved_as_each_alone(p: Proc) -> None:
    found = effects(p.tree, Span((), "body", 0, len(p.tree.body)))
    own = {a.sym: Lin.of(V(a.sym)) * 3 + 1 for a in p.tree.args}
    iters = {i: Lin.of(V(i.sym, "@")) for a in found for i in a.iters}
    env = {**{V(sym): x for sym, x in own.items()}, **iters}
    assert list(move_all(found, env)) == [move(a, env) for a in found]
