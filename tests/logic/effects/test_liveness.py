"""Who reads a config field after a gap, and whether its value there may last to the end."""

from __future__ import annotations

import pytest

from exo_strat.frontend.decorators import config, proc_from_source
from exo_strat.ir.nodes import ProcDef, ReadConfig
from exo_strat.ir.walk import Path
from exo_strat.logic.effects.dependence import Clash, Safe
from exo_strat.logic.effects.liveness import may_last, unread_after


@config
class Cfg:
    n: index
    on: bool


FIELD = ReadConfig(Cfg, "n")


def tree(lines: str) -> ProcDef:
    body = "".join(f"    {s}\n" for s in lines.splitlines())
    return proc_from_source(f"def foo(n: size, a: f32):\n{body}", {"Cfg": Cfg}).tree


def body(*path: int) -> Path:
    return tuple(("body", k) for k in path)


READ = "if Cfg.n < 2:\n    a = 0.0"
INNER = "    if Cfg.n < 2:\n        a = 0.0"

CASES: dict[str, tuple[str, Path, bool, bool]] = {  # lines, the gap; whether it is unread, and may last
    "at the end": ("a = 0.0", body(1), True, True),
    "before the end": ("a = 0.0", body(0), True, True),
    "read": (READ, body(0), False, True),
    "read before": (READ, body(1), True, True),
    "written": (f"Cfg.n = 1\n{READ}", body(0), True, False),
    "written sometimes": (f"if n < 2:\n    Cfg.n = 1\n{READ}", body(0), False, True),
    "written sometimes, unread": ("if n < 2:\n    Cfg.n = 1", body(0), True, True),
    "written on a condition that is opaque": ("if Cfg.on:\n    Cfg.n = 1", body(0), True, True),
    "written in any case": (f"if Cfg.on:\n    Cfg.n = 1\nelse:\n    Cfg.n = 2\n{READ}", body(0), True, False),
    "written in a loop": (f"for i in seq(0, n):\n    Cfg.n = i\n{READ}", body(0), True, False),
    "written in a loop that may be empty": (f"for i in seq(1, n):\n    Cfg.n = i\n{READ}", body(0), False, True),
    "read in the first iteration": (f"for i in seq(0, n):\n{INNER}\n    Cfg.n = 1", body(0), False, False),
    "read in the next iteration": (f"for i in seq(0, n):\n{INNER}\n    a = 1.0", body(0, 1), False, True),
    "written in the next iteration": ("for i in seq(0, n):\n    Cfg.n = 1\n    a = 1.0", body(0, 1), True, True),
    "read after the loop": (f"for i in seq(0, n):\n    a = 1.0\n{READ}", body(0, 1), False, True),
    "written after the loop": (f"for i in seq(0, n):\n    a = 1.0\nCfg.n = 1\n{READ}", body(0, 1), True, False),
    "the other branch": ("if n < 2:\n    a = 1.0\nelse:\n    Cfg.n = Cfg.n + 1", body(0, 1), True, True),
    "read by the write": ("Cfg.n = Cfg.n + 1", body(0), False, False),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(CASES))
def test_what_happens_to_a_field(case: str) -> None:
    lines, gap, unread, lasts = CASES[case]
    t = tree(lines)
    verdict = unread_after(t, gap, FIELD)
    assert isinstance(verdict, Safe) == unread
    assert may_last(t, gap, FIELD) == lasts
    if isinstance(verdict, Clash):
        assert verdict.obligation == "Cfg.n is not read afterwards, before it is written again"
        assert verdict.details == "it reads Cfg.n"


def test_an_example_is_given_where_control_surely_came_through_the_gap() -> None:
    t = tree(f"for i in seq(3, n):\n{INNER}")
    verdict = unread_after(t, body(0), FIELD)
    assert isinstance(verdict, Clash) and verdict.counterexample is not None and verdict.counterexample["n"] > 3
    t = tree(f"for i in seq(3, n):\n    a = 1.0\n{READ}")
    verdict = unread_after(t, body(0, 1), FIELD)
    assert isinstance(verdict, Clash) and verdict.counterexample is None, "the loop may be empty"
