"""Unification: which calls a block could be; and that what was inlined is found again."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.cursors.proc import Proc
from exo_strat.frontend.checks import check
from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.interp import run
from exo_strat.ir.names import Sym
from exo_strat.ir.nodes import Alloc, Arg
from exo_strat.ir.printing import names_at, print_expr
from exo_strat.ir.types import Control, Tensor
from exo_strat.ir.walk import walk
from exo_strat.logic.questions.normal import to_expr
from exo_strat.logic.questions.unification import Unified, Unifier, fresh_callee, skeleton
from exo_strat.primitives import inline, replace


@config
class Cfg:
    m: index
    s: f32


def source(args: str, lines: str) -> Proc:
    body = "".join(f"    {s}\n" for s in lines.strip("\n").splitlines())
    return proc_from_source(f"def f({args}):\n{body}", {"Cfg": Cfg})


def ways(callee: Proc, p: Proc) -> list[str]:
    """The solutions for the whole body of `p`, in order: integers, scalars, windows as `base[offset|offset]`."""
    ranks = {
        n.sym: len(n.type.shape) if isinstance(n.type, Tensor) else 0
        for _, n in walk(p.tree)
        if isinstance(n, Arg | Alloc) and not isinstance(n.type, Control)
    }
    names = names_at(p.tree)
    fresh = fresh_callee(callee.tree)
    return [_show(u, fresh.args, names) for u in Unifier(fresh, ranks, {}).solutions(p.tree.body) if not u.rest]


def _show(u: Unified, args: object, names: Mapping[Sym, str]) -> str:
    parts = []
    for a in args:  # type: ignore[attr-defined]
        if a.sym in u.control:
            parts.append(print_expr(to_expr(u.control[a.sym]), names))
        elif a.sym in u.values:
            parts.append(print_expr(u.values[a.sym], names))
        elif a.sym in u.views:
            view = u.views[a.sym]
            dims = [f"{print_expr(to_expr(x), names)}{':' if kept else ''}" for kept, x in view.dims]
            parts.append(f"{names[view.sym]}[{', '.join(dims)}]")
    return ", ".join(parts)


ARGS = "n: size, m: size, x: f32[n + 8, m + 8], y: f32[8]"


@pytest.mark.parametrize(
    ("args", "lines", "block", "expected"),
    [
        ("k: size, a: [f32][k]", "for i in seq(0, k):\n    a[i] = 0.0",
         "for i in seq(2, m):\n    x[n, i + 1] = 0.0", ["m - 2, x[n, 3:]"]),
        ("k: size, a: [f32][8]", "for i in seq(k, 8):\n    a[i] = 0.0",
         "for i in seq(0, 5):\n    y[i] = 0.0", ["3, y[-3:]"]),
        ("k: index, a: [f32][8]", "for i in seq(0, 4):\n    if i + k < 3:\n        a[i] = 0.0",
         "for i in seq(1, 5):\n    if 8 > n + i:\n        y[i] = 0.0", ["n - 4, y[1:]"]),
        ("a: [f32][1]", "a[0] = 0.0", "x[n, 2] = 0.0", ["x[n, 2:]", "x[n:, 2]"]),
        ("a: [f32][1, 1]", "a[0, 0] = 0.0", "y[2] = 0.0", []),
        ("a: [f32][4], b: [f32][4]", "for i in seq(0, 4):\n    a[i] += a[i] * b[i]",
         "for i in seq(0, 4):\n    y[i] += x[0, i] * y[i]", ["y[0:], x[0, 0:]"]),
        ("a: [f32][4], v: f32, u: f32", "for i in seq(0, 4):\n    a[i] = v + u",
         "for i in seq(0, 4):\n    y[i] = 1.0 + x[n, 2]", ["y[0:], 1.0, x[n, 2]", "y[0:], x[n, 2], 1.0"]),
        ("a: f32[8]", "for i in seq(0, 4):\n    a[i] = 0.0", "for i in seq(0, 4):\n    y[i + 1] = 0.0", []),
        ("k: index, a: f32[8]", "assert k == 1\nfor i in seq(0, 4):\n    a[i + k] = 0.0",
         "for i in seq(0, 4):\n    y[i + 1] = 0.0", ["1, y[0:]"]),
        ("a: [f32][4]", "for i in seq(0, 4):\n    a[i] = 0.0", "for i in seq(0, 4):\n    x[i, i] = 0.0", []),
        ("a: [f32][4, 4]", "for i in seq(0, 4):\n    a[i, i] = 0.0", "for i in seq(0, 4):\n    x[i, i + 1] = 0.0",
         ["x[0:, 1:]"]),
        ("a: [f32][4]", "for i in seq(0, 4):\n    a[i / 2] = 0.0",
         "for i in seq(2, 6):\n    y[i / 2] = 0.0", ["y[1:]"]),
        ("a: [f32][4]", "for i in seq(0, 4):\n    a[i] = 0.0\na[0] = 1.0",
         "for i in seq(0, 4):\n    y[i] = 0.0\ny[1] = 1.0", []),
        ("a: [f32][8]", "for i in seq(0, 8):\n    if i < Cfg.m and a[i] < Cfg.s:\n        a[(i + Cfg.m) % 8] = 0.0",
         "for i in seq(0, 8):\n    if i < Cfg.m and y[i] < Cfg.s:\n        y[(i + Cfg.m) % 8] = 0.0", ["y[0:]"]),
        ("k: index", "if k < 3:\n    Cfg.m = 2", "if Cfg.m < 3:\n    Cfg.m = 2", []),
        ("a: [f32][8]", "for i in seq(0, 4):\n    Cfg.m = 1\n    if i + Cfg.m < 4:\n        a[0] = 0.0",
         "for i in seq(Cfg.m, Cfg.m + 4):\n    Cfg.m = 1\n    if i < 4:\n        y[0] = 0.0", []),
        ("a: [f32][8]", "if a[0] < a[1]:\n    a[0] = 0.0", "if y[1] < y[0]:\n    y[1] = 0.0", []),
        ("k: size, a: [f32][1]", "t: f32[2 * k]\nt[k] = 0.0\na[0] = t[k]",
         "u: f32[n + n]\nu[n] = 0.0\ny[0] = u[n]", ["n, y[0:]"]),
    ],
)  # fmt: skip
def test_the_ways_in_which_a_block_is_a_call(args: str, lines: str, block: str, expected: list[str]) -> None:
    head = "" if "n + i" not in block else "assert n < 8\n"
    assert ways(source(args, lines), source(ARGS, head + block)) == expected


def test_skeletons_differ_where_nothing_can_unify() -> None:
    blocks = ["x[0, 0] = y[0]", "x[0, 0] += y[0]", "x[0, 0] = -y[0]", "x[0, 0] = y[0] + y[0] * y[1]", "pass",
              "for i in seq(0, 4):\n    pass", "for i in par(0, 4):\n    pass", "if n < 4:\n    pass"]  # fmt: skip
    skeletons = [skeleton(source(ARGS, b).tree.body[0]) for b in blocks]
    assert len(set(skeletons)) == len(blocks)
    swapped = source(ARGS, "x[n, m] = y[1] * y[2] + x[0, 0]").tree.body[0]
    assert skeleton(swapped) == skeletons[3]


# -- what was inlined is found again ------------------------------------------------------------------

DATA = st.sampled_from(["a[i]", "a[k]", "a[i + k]", "b[k, i]", "b[0, 3]", "v", "2.0", "b[(i + 1) / 2, k]"])
VALUES = st.recursive(
    DATA,
    lambda e: st.one_of(
        st.builds("({} {} {})".format, e, st.sampled_from(["+", "*", "-"]), e),
        st.builds("fmax({}, {})".format, e, e),
        st.builds("(-{})".format, e),
    ),
    max_leaves=3,
)
STORES = st.builds(
    "{} {} {}".format, st.sampled_from(["a[i]", "a[i + k]", "b[i, k]", "b[1, i]"]), st.sampled_from(["=", "+="]), VALUES
)
VIEWS = st.sampled_from(["a[i:i + 4]", "b[k, 1:5]", "b[2:6, i]"])
ADDED = st.sampled_from(["v", "2.0", "v * a[i]"])
PASSED = st.sampled_from(["w", "w[0:4]", "a[k:k + 4]", "b[i, 0:4]", "b[0:4, 1]"])
STATEMENTS = st.one_of(
    STORES,
    st.builds("if {}:\n    {}\nelse:\n    {}".format, st.sampled_from(["i < k", "i + k >= 3"]), STORES, STORES),
    st.builds("t: f32\nt = {}\n{} = t".format, VALUES, st.sampled_from(["a[2]", "b[i, 2]"])),
    st.builds("for j in seq(k, 4):\n    a[j + i] += {}".format, VALUES),
    st.builds("for j in seq(0, 2):\n    w = {}\n    w[j] += {}\n    add({}, {})".format, VIEWS, VALUES, ADDED, PASSED),
)
SIZES = st.sampled_from(["1", "3", "m", "m + 1", "4 - t"])
POINTS = st.sampled_from(["0", "2", "t", "3 - t", "m - 1"])
WINDOWS = st.sampled_from(["y[0:9, 1, 2:11]", "y[t, 0:9, t + 1:t + 10]", "y[m:m + 9, t:t + 9, 2]"])
SCALARS = st.sampled_from(["z[t]", "3.0", "z[0]"])
CELLS = [[[(3 * r + 5 * c + d) % 7 for d in range(13)] for c in range(13)] for r in range(13)]


ADD = proc_from_source("""
def add(v: f32, w: [f32][4]):
    for l in seq(0, 4):
        w[l] += v
""")


@given(st.lists(STATEMENTS, min_size=1, max_size=2), st.integers(0, 1), SIZES, POINTS, SCALARS, WINDOWS)
def test_what_was_inlined_is_found_again(
    statements: list[str], lo: int, n: str, k: str, v: str, b: str
) -> None:
    inner = "\n".join(statements).replace("\n", "\n        ")
    callee = proc_from_source(
        f"""
def callee(n: size, k: index, v: f32, a: [f32][9], b: [f32][9, 9]):
    assert n <= 4
    assert k >= 0
    assert k <= 3
    for i in seq({lo}, n + {lo}):
        b[i, k] = a[i] * v
        b[i, 0] += 1.0
        b[0, i] += 1.0
        {inner}
""",
        {"add": ADD},
    )
    p = proc_from_source(
        f"""
def caller(m: size, x: f32[16], y: f32[13, 13, 13], z: f32[4]):
    assert m <= 3
    for t in seq(0, 4):
        callee({n}, {k}, {v}, x[t + 1:t + 10], {b})
        z[0] += 1.0
""",
        {"callee": callee},
    )
    q, block = inline()(p, p.find("callee(_)")).unwrap()
    check(q.tree)
    found = replace(callee)(q, block).unwrap()[0]
    assert str(found) == str(p)
    inputs = {"m": 2, "x": list(range(16)), "y": CELLS, "z": [1, 2, 3, 4]}
    assert run(q, inputs) == run(p, inputs)
