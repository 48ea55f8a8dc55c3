"""Random loop nests: what the checks accept never leaves a buffer, what they refuse does for the values shown."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError

SIZES = range(1, 7)


def expressions(names: list[str]) -> st.SearchStrategy[str]:
    literal = st.integers(-2, 9).map(str)
    atom = st.one_of(st.sampled_from(names), literal)
    return st.one_of(
        atom,
        st.builds(lambda a, b, op: f"{a} {op} {b}", atom, atom, st.sampled_from("+-")),
        st.builds(lambda a, b, c, op: f"({a} + {b}) {op} {c}", atom, atom, st.integers(1, 4), st.sampled_from("/%")),
        st.builds(lambda a, k, b: f"{k} * {a} + {b}", atom, st.integers(-1, 3), atom),
    )


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    """The lines of a body: loops and branches around one access to `x`."""
    lines: list[str] = []
    names = ["N"]
    for depth, i in enumerate(draw(st.sampled_from([["i"], ["i", "j"]]))):
        lo, hi = draw(expressions(names)), draw(expressions(names))
        lines.append("    " * depth + f"for {i} in seq({lo}, {hi}):")
        names.append(i)
    if draw(st.booleans()):
        op = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
        test = f"{draw(expressions(names))} {op} {draw(expressions(names))}"
        lines.append("    " * len(lines) + f"if {test}:")
    lines.append("    " * len(lines) + f"x[{draw(expressions(names))}] = 0.0")
    return lines


def stays_inside(lines: list[str], n: int) -> bool:
    """Runs the body for one size, as Python."""
    visited: list[int] = []
    body = "\n".join(lines).replace("seq(", "range(").replace("/", "//").replace(" = 0.0", "")
    exec(body.replace("x[", "visit(").replace("]", ")"), {"N": n, "visit": visited.append})
    return all(0 <= k < n for k in visited)


@settings(deadline=None)
@given(programs())
def test_accepted_exactly_if_no_run_leaves_the_buffer(lines: list[str]) -> None:
    text = "def foo(N: size, x: f32[N]):\n" + "\n".join("    " + line for line in lines)
    try:
        proc_from_source(text)
    except CheckError as e:
        assert e.counterexample is not None
        assert not stays_inside(lines, e.counterexample["N"])
    else:
        assert all(stays_inside(lines, n) for n in SIZES)
