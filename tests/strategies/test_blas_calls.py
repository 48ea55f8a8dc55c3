"""Programs in blocks that call others."""

from __future__ import annotations

from exo_strat import Proc, at, divide_loop, proc_from_source, schedule
from strategies.blas.calls import called, calls_scheduled, reached

BY_FOUR = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))


def zero(value: float = 0.0) -> Proc:
    return proc_from_source(f"def zero(n: size, x: [f32][n]):\n    for i in seq(0, n):\n        x[i] = {value}\n")


def test_procedures_of_one_name_each_become_their_own_version() -> None:
    """Two are equal, and yet no versions of one procedure."""
    parts = {"za": zero(), "zb": zero(1.0), "zc": zero()}
    lines = "".join(f"    {name}(n, x[0:n])\n" for name in parts)
    p = proc_from_source(f"def p(n: size, x: [f32][n]):\n{lines}", parts)
    made = called(schedule(calls_scheduled((("zero", BY_FOUR),)), p))
    assert [f.origin for f in made] == [f.origin for f in parts.values()]
    assert all("for io" in str(f) for f in made)


def test_no_way_through_the_calls_is_followed_twice() -> None:
    f = zero()
    for k in range(20):
        sides = {}
        for side in "lm":
            text = f"def {side}{k}(n: size, x: [f32][n]):\n    {f.name()}(n, x[0:n])\n"
            sides[f"{side}{k}"] = proc_from_source(text, {f.name(): f})
        lines = "".join(f"    {name}(n, x[0:n])\n" for name in sides)
        f = proc_from_source(f"def f{k}(n: size, x: [f32][n]):\n{lines}", sides)
    assert len(reached(f)) == 60
    made = schedule(calls_scheduled((("zero", BY_FOUR),)), f)
    (last,) = (g for g in reached(made) if g.name() == "zero")
    assert "for io" in str(last)
