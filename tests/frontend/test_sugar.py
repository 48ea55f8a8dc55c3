"""Short forms: each is the tree of the longer text beside it, or is refused with what to write instead."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyrsistent import pmap

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError, FrontendError, ObjectTypeError, ParseError, ScopeError
from exo_strat.interp import run
from exo_strat.ir.config import Config
from exo_strat.ir.nodes import Pass
from exo_strat.ir.types import CONTROLS, SCALARS

CFG = Config("Cfg", pmap({"scale": SCALARS["f32"], "rows": CONTROLS["size"]}))
ENV = {"Cfg": CFG, "W": 4, "HALF": 0.5, "NAMES": ["a"]}
HEAD = "def f(n: size, m: index, x: f32[n], y: f32[n], u: u8[n], s: f32):\n"


def proc_of(body: str) -> str:
    """The printed procedure with a body."""
    lines = body.strip("\n").splitlines()
    return str(proc_from_source(HEAD + "\n".join("    " + line for line in lines), ENV, "kernel.py"))


SAME = [
    # an allocation with a value
    ("t: f32 = 0.0", "t: f32\nt = 0.0"),
    ("t: i32 = 0", "t: i32\nt = 0.0"),
    ("t: f64 @ DRAM_STACK = s + 1.0\ns = t", "t: f64 @ DRAM_STACK\nt = s + 1.0\ns = t"),
    ("if n > 1:\n    t: f32 = x[0]\n    s = t", "if n > 1:\n    t: f32\n    t = x[0]\n    s = t"),
    # updates
    ("s -= 1.0", "s += -1.0"),
    ("s -= -1.0", "s += 1.0"),
    ("s -= x[0] + y[0]", "s += -(x[0] + y[0])"),
    ("for i in seq(0, n):\n    x[i] -= y[i]", "for i in seq(0, n):\n    x[i] += -y[i]"),
    ("u[0] -= 1.0", "u[0] = u[0] - 1.0"),  # of unsigned numbers, none is negative
    ("s -= u[0]", "s += -f32(u[0])"),
    ("s *= 2.0", "s *= 2.0"),
    ("s /= x[0] + 1.0", "s = s / (x[0] + 1.0)"),
    ("x[n / 2] /= 2", "x[n / 2] = x[n / 2] / 2.0"),
    ("u[0] //= 2.0", "u[0] = u[0] // 2.0"),
    ("s **= 2", "s = s * s"),
    # loops with a step
    ("for i in seq(0, n, 1):\n    x[i] = 0.0", "for i in seq(0, n):\n    x[i] = 0.0"),
    ("for i in seq(0, n, 2):\n    x[i] = 0.0", "for i in seq(0, (n + 1) / 2):\n    x[2 * i] = 0.0"),
    ("for i in par(1, n, 2):\n    x[i] = 0.0", "for i in par(0, n / 2):\n    x[1 + 2 * i] = 0.0"),
    ("for i in vec(0, 8, W):\n    s = 0.0", "for i in vec(0, 2):\n    s = 0.0"),
    ("for i in seq(m, n, 3):\n    s = 0.0", "for i in seq(0, (n - m + 2) / 3):\n    s = 0.0"),
    ("for i in seq(n - 1, -1, -1):\n    x[i] = 0.0", "for i in seq(0, n):\n    x[n - 1 - i] = 0.0"),
    ("for i in seq(n - 1, 0, -2):\n    x[i] = 0.0", "for i in seq(0, n / 2):\n    x[n - 1 - 2 * i] = 0.0"),
    # powers
    ("s = x[0] ** 2", "s = x[0] * x[0]"),
    ("s = s ** 3 + 1.0", "s = s * s * s + 1.0"),
    ("s = -s ** 2", "s = -(s * s)"),
    ("s = 2.0 / s ** 2.0", "s = 2.0 / (s * s)"),
    ("s = Cfg.scale ** 2", "s = Cfg.scale * Cfg.scale"),
    ("s = s ** 1", "s = s"),
    ("t: f32[W ** 2]", "t: f32[16]"),
    # names for control values
    ("k = n - 1\nx[k] = 0.0", "x[n - 1] = 0.0"),
    ("k = n - 1\nfor i in seq(0, n):\n    x[k - i] = 0.0", "for i in seq(0, n):\n    x[n - 1 - i] = 0.0"),
    ("k = n\nj = k - 1\nx[j] = 0.0", "x[n - 1] = 0.0"),
    ("last = m == n - 1\nif last:\n    s = 0.0", "if m == n - 1:\n    s = 0.0"),
    ("k = 2\ns = k", "s = 2.0"),
    ("W = n - 1\nx[W] = 0.0", "x[n - 1] = 0.0"),  # as in Python, it hides the constant around the procedure
]


@pytest.mark.parametrize(("short", "long"), SAME, ids=[short for short, _ in SAME])
def test_a_short_form_is_the_tree_of_a_long_one(short: str, long: str) -> None:
    text = proc_of(short)
    assert text == proc_of(long)
    assert text == str(proc_from_source(text, ENV))


def test_powers_of_sizes_stand_where_products_do() -> None:
    p = proc_from_source("def f(n: size, x: f32[n ** 2]):\n    assert n ** 2 < 100\n    pass")
    assert str(p).splitlines()[:2] == ["def f(n: size, x: f32[n * n] @ DRAM):", "    assert n * n < 100"]


def test_each_block_gives_its_own_names() -> None:
    assert proc_of("""
for i in seq(0, n):
    k = n - 1 - i
    x[k] = 0.0
for i in seq(1, n):
    k = i - 1
    y[k] = 0.0
""") == proc_of("""
for i in seq(0, n):
    x[n - 1 - i] = 0.0
for i in seq(1, n):
    y[i - 1] = 0.0
""")


def test_a_name_means_the_variables_that_it_was_given_with() -> None:
    """An inner loop of the same name does not capture them."""
    assert proc_of("""
for i in seq(0, n):
    k = n - 1 - i
    for i in seq(0, 4):
        x[k] = 0.0
""").splitlines()[1:] == [
        "    for i in seq(0, n):",
        "        for i_1 in seq(0, 4):",
        "            x[n - 1 - i] = 0.0",
    ]


def test_the_index_of_a_loop_with_a_step_is_not_captured() -> None:
    assert proc_of("""
for i in seq(0, n, 2):
    j = i
    for i in seq(0, n, 3):
        x[j] = y[i]
""").splitlines()[1:] == [
        "    for i in seq(0, (n + 1) / 2):",
        "        for i_1 in seq(0, (n + 2) / 3):",
        "            x[2 * i] = y[3 * i_1]",
    ]


def test_the_bounds_of_a_loop_with_a_step_are_outside_of_it() -> None:
    text = proc_of("for i in seq(0, n, 2):\n    for i in seq(0, i, 2):\n        pass")
    assert "for i_1 in seq(0, (2 * i + 1) / 2)" in text


def test_a_value_is_evaluated_before_its_name_is_declared() -> None:
    assert proc_of("s: f32 = s + 1.0").splitlines()[1:] == ["    s_1: f32 @ DRAM", "    s_1 = s + 1.0"]


def test_a_loop_and_a_declaration_hide_a_name() -> None:
    assert proc_of("k = n - 1\nfor k in seq(0, n):\n    x[k] = 0.0").splitlines()[2].strip() == "x[k] = 0.0"
    assert proc_of("k = n - 1\nk: f32 = 1.0\ns = k").splitlines()[3].strip() == "s = k"


def test_a_block_of_names_only_does_nothing() -> None:
    p = proc_from_source("def f(n: size):\n    if n > 1:\n        k = n\n    else:\n        k = 1")
    assert p.tree.body[0].body[0] == Pass() == p.tree.body[0].orelse[0]  # type: ignore[union-attr]


# -- what is refused ----------------------------------------------------------------------------------

REFUSED = [
    # allocations
    ("t: f32[4] = 0.0", ObjectTypeError, "tensor of f32: only a scalar .*; assign its elements in a loop"),
    ("t: index = n - 1", ObjectTypeError, "only data can be allocated, .*; write `t = n - 1`, which names the value"),
    ("t: f32 = n", ObjectTypeError, "a data value is needed here"),
    ("t[0]: f32 = 1.0", ParseError, "an allocation is `name: type @ MEM`, or `name: type @ MEM = value`"),
    ("t: f32 = t + 1.0", ScopeError, "'t' means nothing here"),
    # updates
    ("s @= 2.0", ParseError, "`x /= e`, `x \\^= e` and the like are assignments"),
    ("y /= 2.0", ObjectTypeError, "this cannot be assigned as a whole"),
    ("s /= n", ObjectTypeError, "cannot be combined by '/'"),
    ("n -= 1", ObjectTypeError, "cannot be assigned as a whole"),
    ("q -= 1.0", ScopeError, "declare it first: `q: f32`"),
    # steps
    ("for i in seq(0, n, 0):\n    pass", ObjectTypeError, "a step of 0 gets nowhere: .* that falls -1 or less"),
    ("for i in seq(0, n, m):\n    pass", ObjectTypeError, "a literal, or a constant of the Python program"),
    ("for i in seq(Cfg.rows, n, 2):\n    pass", ObjectTypeError, "the config field Cfg.rows, which may be written"),
    ("for i in seq(0, n, 2.0):\n    pass", ObjectTypeError, "an integer control expression is needed here"),
    ("for i in seq(0, n, 2, 2):\n    pass", ParseError, "takes two arguments, .*, and may take a step"),
    ("for i in seq(0, n, 2):\n    i = 0", ObjectTypeError, "i is the index of a loop"),
    ("for i in seq(0, n, 2):\n    s = i[0]", ObjectTypeError, "i is the index of a loop: an index needs .* a buffer"),
    ("for i in seq(0, n, 2):\n    pass\nx[i] = 0.0", ScopeError, "'i' means nothing here"),
    # powers
    ("s = s ** 0.5", ParseError, "from 1 to 8, .*; write `sqrt\\(s\\)`"),
    ("s = x[0] ** -HALF", ParseError, "write `1.0 / sqrt\\(x\\[0\\]\\)`"),
    ("s = s ** 1.5", ParseError, "write `pow\\(s, 1.5\\)`"),
    ("s = s ** 0", ParseError, "write `1.0`"),
    ("s = s ** -2", ParseError, "write `1.0 / s \\*\\* 2`"),
    ("s = s ** 9", ParseError, "as `t: f32 = s \\*\\* 8` and then `t \\*\\* 2`"),
    ("s = s ** s", ParseError, "for any other take a product, sqrt or pow"),
    ("s = s ** (3 / 2)", ParseError, "for any other take a product, sqrt"),  # for Python 1.5, for control integers 1
    ("s = s ** n", ParseError, "for any other take a product, sqrt"),
    ("s = (s + 1.0) ** 2", ParseError, "s \\+ 1.0 would be written 2 times: .* as in `t: f32 = s \\+ 1.0`"),
    ("for i in seq(0, n):\n    x[i ** 2] = 0.0", CheckError, "one factor of a product of control integers must be"),
    # names for control values
    ("k = n - 1\nk = n - 2", ObjectTypeError, "k is a control value, given in line 2: .*, so take another"),
    ("k = 0\nfor i in seq(0, n):\n    k = i", ObjectTypeError, "k is a control value, given in line 2"),
    ("k = 0\nk += 1", ObjectTypeError, "k is a control value, given in line 2: .* data is declared as in `k: f32`"),
    ("k = 0\nk = x[0:1]", ObjectTypeError, "k is a control value, given in line 2"),
    ("k = 0\nk = 1.0", ObjectTypeError, "k is a control value, given in line 2"),
    ("k = 0\nk[0] = 1.0", ObjectTypeError, "k is a control value, .*: an index needs the name of a buffer"),
    ("for i in seq(0, n):\n    k = i\nx[k] = 0.0", ScopeError, "line 3 gives it a value, further down or in"),
    ("if n > 1:\n    k = 0\nelse:\n    k = 1\nx[k] = 0.0", ScopeError, "give it one before, out here"),
    ("for i in seq(0, 1):\n    W = i\nx[W] = 0.0", ScopeError, "'W' means nothing here: line 3 gives it a value"),
    ("x[W] = 0.0\nW = 0", ScopeError, "'W' means nothing here: line 3 gives it a value, further down"),
    ("k = k + 1", ScopeError, "'k' means nothing here"),
    ("n = 1", ObjectTypeError, "cannot be assigned as a whole"),
    ("k = Cfg.rows + 1", ObjectTypeError, "the config field Cfg.rows, which may be written in between"),
    ("k = stride(x, 0)", ObjectTypeError, "depends on stride\\(x, 0\\), which says how x is stored"),
    ("k = x[0] > 0.0", ObjectTypeError, "depends on data, which may be written in between"),
]


@pytest.mark.parametrize(("body", "kind", "message"), REFUSED, ids=[body for body, _, _ in REFUSED])
def test_a_wrong_short_form_is_refused(body: str, kind: type[FrontendError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        proc_of(body)
    assert type(caught.value) is kind
    place = caught.value.place
    assert place is not None and place.file == "kernel.py"
    assert place.text.strip() in [line.strip() for line in body.splitlines()]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("t: f32 = 0.0\nt = x[n]\ns = t", "t = x[n]"),
        ("t: f32 = x[n]\ns = t", "t: f32 = x[n]"),
        ("s -= 1.0\nk = n\nx[k] -= 1.0", "x[k] -= 1.0"),
        ("s = 0.0\nfor i in seq(n, 0, -1):\n    k = i\n    j = k\n    x[j] = 0.0", "x[j] = 0.0"),
        ("k = n\nif n > 1:\n    k_1 = k\n    s = 0.0\n    s /= x[k_1] ** 2", "s /= x[k_1] ** 2"),
    ],
)
def test_a_check_that_fails_marks_the_line_as_it_was_written(body: str, line: str) -> None:
    with pytest.raises(CheckError, match="may be out of bounds") as caught:
        proc_of(body)
    assert caught.value.place is not None and caught.value.place.text.strip() == line


def test_the_message_shows_the_place() -> None:
    with pytest.raises(ObjectTypeError) as caught:
        proc_of("k = n - 1\nk = Cfg.rows")
    assert str(caught.value).splitlines()[1:] == ["kernel.py:3", "        k = Cfg.rows", "        ^"]


# -- runs ---------------------------------------------------------------------------------------------

BOUND, STEP = st.integers(-12, 12), st.integers(-5, 5).filter(bool)
ROOM = 40


def visited(lo: str, hi: str, step: int, a: int, b: int) -> list[int]:
    """The indices of a loop from lo to hi, which name a and b, in the order in which it takes them."""
    p = proc_from_source(f"""
def f(a: index, b: index, at: i32, seen: i32[{ROOM}, {ROOM}]):
    assert -12 <= a and a <= 12 and -12 <= b and b <= 12
    for i in seq({lo}, {hi}, {step}):
        k = i + 14
        at += 1.0
        seen[k, 0] = at
""")
    blank = [[0] * ROOM for _ in range(ROOM)]
    seen = run(p, {"a": a, "b": b, "at": 0, "seen": blank}).outputs["seen"]
    order = {row[0]: k - 14 for k, row in enumerate(seen) if row[0]}  # type: ignore[attr-defined, index, arg-type]
    return [order[n] for n in sorted(order)]


@settings(deadline=None)
@given(a=BOUND, b=BOUND, step=STEP)
def test_a_loop_visits_what_pythons_range_does(a: int, b: int, step: int) -> None:
    expected = list(range(a, b, step))
    assert visited("a", "b", step, a, b) == expected  # bounds that are known when it runs
    assert visited(str(a), str(b), step, a, b) == expected  # and that are known now
    assert visited("a + 1", "b - 1", step, a, b) == list(range(a + 1, b - 1, step))


@given(x=st.integers(-9, 9), y=st.integers(1, 9), power=st.integers(1, 8))
@settings(deadline=None)
def test_values_are_as_python_has_them(x: int, y: int, power: int) -> None:
    p = proc_from_source(f"""
def f(x: f64, y: f64, out: f64[4]):
    t: f64 = x
    t -= y
    out[0] = t
    t /= y
    out[1] = t * y
    out[2] = x ** {power}
    k = 3
    out[k] = -x ** 2
""")
    out = run(p, {"x": x, "y": y, "out": [0] * 4}).outputs["out"]
    assert out == (x - y, x - y, x**power, -(x**2))


# -- what an attack found -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "k = 7\n    x[0] = k / 2",
        "k = 7\n    h = k / 2\n    x[0] = h",
        "k = 7\n    x[0] *= 1 / k",
        "a = 7\n    b = 2\n    x[0] = a / b + 1",
        "x[0] = M / 2",
        "x[0] = 1 - M / 2",
        "h = M / 2\n    x[0] = h",
        "s: f32 = M / 2",
    ],
)
def test_a_quotient_of_control_integers_is_no_data(text: str) -> None:
    with pytest.raises(FrontendError, match=r"write its numbers as data|cannot be combined|a data value is needed"):
        proc_from_source(f"def f(x: f32[8]):\n    {text}", {"M": 7})
    proc_from_source(f"def f(x: f32[8]):\n    {text}".replace("/ ", "* "), {"M": 7})


def test_an_integer_is_converted_before_it_is_negated() -> None:
    """-y may not fit the precision of y."""
    for narrow in ("u32", "i32"):
        p = proc_from_source(f"def f(x: i64[1], y: {narrow}):\n    x[0] -= y")
        assert "x[0] += -i64(y)" in str(p)
    assert "x[0] += -y" in str(proc_from_source("def f(x: f64[1], y: f32):\n    x[0] -= y"))


@pytest.mark.parametrize(
    "text",
    [
        "for j in seq(0, 8, 2):\n        x[j] = 1.0\n    x[j] = 2.0",
        "for i in seq(0, 8):\n        j: f32 = x[i]\n    x[j] = 2.0",
        "for i in seq(0, 8):\n        w = x[i:8]\n        x[j] = 1.0\n    for j in seq(0, 8):\n        x[j] = 1.0",
    ],
)
def test_a_name_that_the_procedure_binds_is_no_python_constant(text: str) -> None:
    with pytest.raises(FrontendError, match=r"'j' means nothing here: line . gives it a value"):
        proc_from_source(f"def f(x: f32[8]):\n    {text}", {"j": 5})


def test_annotations_are_read_outside() -> None:
    p = proc_from_source("def f(x: f32[K]):\n    K = 3\n    x[K] = 0.0", {"K": 4})
    assert str(p) == "def f(x: f32[4] @ DRAM):\n    x[3] = 0.0"


def test_a_name_does_not_grow_without_end() -> None:
    lines = "\n    ".join(f"k{n + 1} = k{n} + k{n}" for n in range(40))
    with pytest.raises(FrontendError, match="has become very long"):
        proc_from_source(f"def f(n: size, x: f32[n]):\n    k0 = n\n    {lines}\n    x[0] = 0.0")
