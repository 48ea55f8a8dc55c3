"""No flag of a primitive, default or variable of the environment makes a check accept: the flags are declared here."""

from __future__ import annotations

import re
from pathlib import Path

import exo_strat
from exo_strat import proc_from_source
from exo_strat.cursors.rewrite import Rewrite
from exo_strat.ir.build import data
from exo_strat.primitives import PRIMITIVES

KIND_OF_RESULT = {
    ("add_loop", "guard"): "whether the code runs in one of the iterations or in all",
    ("bind_expr", "cse"): "how many places are bound",
    ("divide_loop", "perfect"): "which tail is left, as does `tail`",
    ("extract_subproc", "include_asserts"): "whether the new procedure asserts what is known, which its call meets",
    ("resize_dim", "fold"): "which layout the buffer gets",
    ("set_window", "is_window"): "which type the argument gets",
    ("stage_mem", "accum"): "what the copy starts from",
}
"""The flags of primitives: each chooses what is made, none whether it is checked."""


def test_each_flag_of_a_primitive_chooses_what_is_made() -> None:
    flags = {
        (name, prm.name)
        for name, form in PRIMITIVES.items()
        for prm in form.spec.signature.parameters.values()
        if isinstance(prm.default, bool) or str(prm.annotation) == "bool"
    }
    assert flags == set(KIND_OF_RESULT), "say here what the flag chooses; none may choose whether something is checked"


def test_what_somebody_else_rewrites_takes_no_ones_place() -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    x[0] = 1.0")
    rw = Rewrite(p)
    rw.replace((("body", 0), ("rhs", None)), data(2.0))
    assert rw.finish("mine", ()).origin is not p.origin


def test_the_kernel_reads_no_variable_of_the_environment() -> None:
    root = Path(exo_strat.__file__).parent
    kernel = [f for name in ("logic", "primitives", "cursors", "ir", "frontend") for f in (root / name).rglob("*.py")]
    assert len(kernel) > 100 and not [f for f in kernel if re.search(r"os\.environ|getenv", f.read_text())]
