"""The audit sees what a fresh process asks, and shares no encoding with the engines that it checks."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from exo_strat import audit
from exo_strat.audit import canonical, replay

KERNEL = Path(audit.__file__).parent.parent
ENGINES = ("omega", "z3engine", "problem", "witnesses", "lemmas")

SCHEDULE = '''
from exo_strat.direct import divide_loop, reorder_loops, stage_mem
from exo_strat.frontend.decorators import proc_from_source

def make():
    p = proc_from_source("""
def foo(n: size, m: size, x: f32[n + 2, m], y: f32[n, m]):
    assert m % 2 == 0
    for i in seq(0, n):
        for j in seq(0, m):
            y[i, j] = x[i, j] + x[i + 2, j]
""")
    p = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
    p = reorder_loops(p, "ii j")
    p = divide_loop(p, "j", 2, ["jo", "ji"], tail="perfect")
    return stage_mem(p, "for ji in _: _", "x[4 * io:4 * io + 6, 2 * jo:2 * jo + 2]", "t")
'''

IN_A_NEW_PROCESS = (
    SCHEDULE
    + """
from exo_strat.audit import canonical
from exo_strat.logic.solver.answers import listening

with listening() as heard:
    make()
print("\\0".join(map(canonical, heard)))
"""
)


def imported(path: Path) -> Iterator[str]:
    """The last names of the modules that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield (node.module or "").rpartition(".")[2]
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.rpartition(".")[2] for alias in node.names)


def test_a_replay_asks_what_a_new_process_asks() -> None:
    command = [sys.executable, "-c", IN_A_NEW_PROCESS]
    fresh = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split("\0")
    scope: dict[str, object] = {}
    exec(SCHEDULE, scope)
    make = scope["make"]
    assert callable(make)
    make()  # now everything is remembered
    steps = replay(make())
    assert [canonical(q) for s in steps for q in s.questions] == fresh
    assert len(fresh) >= 20


def test_only_the_solver_asks_the_engines() -> None:
    users = {p.relative_to(KERNEL).as_posix() for p in KERNEL.rglob("*.py") if {"omega", "z3engine"} & {*imported(p)}}
    assert users == {"logic/solver/proofs.py"}


def test_the_audit_shares_nothing_with_the_engines() -> None:
    for path in sorted((KERNEL / "audit").glob("*.py")):
        assert not {*ENGINES, "z3", "evaluate"} & {*imported(path)}, path


def test_only_the_three_questions_reach_the_solver() -> None:
    for path in sorted(KERNEL.rglob("*.py")):
        if path.parent.name != "solver":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(("solver", "proofs")):
                    assert {a.name for a in node.names} <= {"prove", "satisfiable", "prove_exists"} | ANSWERS, path


ANSWERS = {"Answer", "Proved", "Question", "Refuted", "Sat", "Unknown", "Unsat", "Words", "listening", "spelled"}
