"""C and assembly, line by line."""

from __future__ import annotations

import shutil

import pytest

from backends.c import compile
from backends.listing import listing
from backends.targets import avx2
from exo_strat import *
from exo_strat.view import lines_of, reels
from strategies.gemv import schedule_gemv


@proc
def inner(n: size, x: [f32][n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]


@proc
def outer(n: size, x: f32[n, n], y: f32[n]):
    for i in par(0, n):
        t: f32
        t = y[i]
        if i < 5:
            y[i] = t + 1.0
        else:
            y[i] = 3.0
        inner(n, x[i, 0:n])


def shown(p: Proc) -> list[tuple[str, str]]:
    """The lines of C that are for a statement, each with its line of object code."""
    found = listing(p)
    texts = [str(q).splitlines() for q in reels(p)]
    pairs = zip(found.c, found.procs, found.origins, strict=True)
    return [(c.strip(), texts[k][line].strip()) for c, k, line in pairs if line >= 0]


def test_each_line_of_c_is_for_a_line_of_object_code() -> None:
    pairs = shown(outer)
    assert [o for c, o in pairs if "2.0f" in c] == ["x[i] = 2.0 * x[i]"]
    for c, o in pairs:
        if " = 3.0f;" in c:
            assert o == "y[i] = 3.0"
        if c.startswith("if ("):
            assert o == "if i < 5:"
        if c.startswith("for ("):
            assert o.startswith("for i in")


@pytest.mark.parametrize("p", [outer, inner, schedule_gemv(avx2)])
def test_every_statement_has_its_lines(p: Proc) -> None:
    found = listing(p, avx2)
    for k, q in enumerate(reels(p)):
        there = {line for of, line in zip(found.procs, found.origins, strict=True) if of == k}
        for path, line in lines_of(q).items():
            node = get(q.tree, path)
            windows = isinstance(node, nodes.WindowDef | nodes.Alloc | nodes.Pass)  # registers have no lines
            if path and path[0][0] == "body" and not windows:
                assert line in there, str(q).splitlines()[line]


def test_the_source_is_what_compile_gives() -> None:
    assert "\n".join(listing(outer).c) == compile([outer], "outer").source


@pytest.mark.skipif(not shutil.which("objdump"), reason="no objdump here")
def test_instructions_lead_to_lines_of_c() -> None:
    found = listing(schedule_gemv(avx2), avx2)
    multiplied = [k for k, text in enumerate(found.assembly) if "vfmadd" in text and "ymm" in text]
    assert multiplied
    lines = {found.c[found.sources[k]] for k in multiplied if found.sources[k] >= 0}
    assert lines and all("fmadd" in line or "reduce" in line or "mul" in line for line in lines)


def test_without_a_compiler_there_is_c_and_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    found = listing(inner)
    assert found.c and not found.assembly and "no-such-compiler" in found.note
