"""What the generators draw: well-formed programs of every shape, admitted inputs, targets and arguments."""

from __future__ import annotations

import re
from collections import Counter
from inspect import getdoc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exo_strat.cursors.cursor import Cursor
from exo_strat.cursors.proc import Proc
from exo_strat.frontend.decorators import proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import admits, run
from exo_strat.ir.nodes import Alloc, Assign, Call, For, If, Reduce, WindowDef, WriteConfig
from exo_strat.ir.precisions import index_value
from exo_strat.ir.walk import walk
from exo_strat.ops.strategy import Op
from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import SHAPES, cursors, inputs, ops, procs, samples
from exo_strat.testing.choices import Choices
from exo_strat.testing.library import environment
from exo_strat.testing.programs import random_proc, source
from exo_strat.testing.ranges import Bound, M, N, Range, fits, index, mirrored


def test_some_programs_take_the_numbers_of_integers() -> None:
    drawn = [random_proc(Choices.seeded(seed), tuple(SHAPES)) for seed in range(200)]
    found = [p for p in drawn if p is not None and any(index_value(n) is not None for _, n in walk(p.tree))]
    assert 5 < len(found) < 50


@pytest.mark.hypothesis
@pytest.mark.parametrize("shape", SHAPES)
def test_programs_are_well_formed_and_mostly_run_without_a_trap(shape: str) -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=40)
    @given(st.data())
    def once(data: st.DataObject) -> None:
        text = source(Choices(data.draw), [shape])
        try:
            p = proc_from_source(text, environment())
        except CheckError:
            counts["ill-formed"] += 1
            return
        counts["well-formed"] += 1
        counts["runs"] += any(run(p, i.args, i.configs).trap is None for i in samples(p))

    once()
    assert counts["ill-formed"] * 20 <= counts["well-formed"], counts
    assert counts["runs"] * 3 >= counts["well-formed"] * 2, counts


def test_every_kind_of_statement_is_drawn() -> None:
    kinds: Counter[type] = Counter()

    @settings(max_examples=250)
    @given(procs())
    def once(p: Proc) -> None:
        kinds.update({type(n) for _, n in walk(p.tree)})

    once()
    for kind in (Alloc, Assign, Call, For, If, Reduce, WindowDef, WriteConfig):
        assert kinds[kind] >= 5, (kind, kinds)


@settings(max_examples=30)
@given(st.data(), procs())
def test_inputs_are_admitted(data: st.DataObject, p: Proc) -> None:
    given_ = data.draw(inputs(p))
    assert admits(p, given_.args, given_.configs)
    assert all(admits(p, i.args, i.configs) for i in samples(p))


def test_samples_are_the_same_every_time_and_include_the_smallest_size() -> None:
    p = proc_from_source("def foo(n: size, x: [f32][n]):\n    x[0] = 0.0")
    assert samples(p) == samples(p)
    first = samples(p)[0]
    assert first.args["n"] == 1
    assert {i.args["x"].strides for i in samples(p)} == {(2,)}  # type: ignore[attr-defined]


def test_inputs_obey_assertions_about_strides_and_products_of_sizes() -> None:
    p = proc_from_source(
        "def foo(n: size, m: size, x: [f32][n]):\n"
        "    assert stride(x, 0) == 1\n    assert n % 4 == 0\n    x[m % 4] = 0.0"
    )
    assert {i.args["n"] for i in samples(p)} == {4, 8}
    assert {i.args["x"].strides for i in samples(p)} == {(1,)}  # type: ignore[attr-defined]


def test_a_procedure_that_admits_nothing_small_has_no_samples() -> None:
    assert samples(proc_from_source("def foo(n: size, x: f32[n]):\n    assert n > 1000\n    x[0] = 0.0")) == []


@settings(max_examples=40)
@given(st.data(), procs())
def test_cursors_belong_to_the_program(data: st.DataObject, p: Proc) -> None:
    c = data.draw(cursors(p))
    assert isinstance(c, Cursor) and c.proc is p and c.is_valid


@settings(max_examples=40)
@given(st.data(), procs())
def test_ops_are_primitives_with_a_target_of_their_kind(data: st.DataObject, p: Proc) -> None:
    op, c = data.draw(ops(p, ["divide_loop", "simplify", "reorder_stmts"]))
    assert isinstance(op, Op) and op.name in PRIMITIVES  # type: ignore[attr-defined]
    assert isinstance(c, PRIMITIVES[op.name].spec.targets)  # type: ignore[attr-defined]


# -- indices ------------------------------------------------------------------------------------------

SIZES = [(n, m) for n in range(1, 5) for m in range(1, 4)]
BOUNDS = st.builds(Bound, st.integers(-2, 4), st.integers(0, 1), st.integers(0, 1))


def value(b: Bound, n: int, m: int) -> int:
    return b.c + b.a * n + b.b * m


@given(st.data(), BOUNDS, BOUNDS, st.sampled_from([Bound(4), N, M, N.plus(Bound(2)), Bound(1)]))
def test_indices_stay_within_the_extent(data: st.DataObject, lo: Bound, hi: Bound, extent: Bound) -> None:
    r = Range("i", lo, hi)
    drawn = index(Choices(data.draw), extent, [r])
    for text in [*fits(r, extent), *mirrored(r, extent), drawn]:
        for n, m in SIZES:
            for i in range(value(lo, n, m), value(hi, n, m)):
                k = eval(text.replace("/", "//"), {"i": i, "n": n, "m": m})
                assert 0 <= k < value(extent, n, m), (text, i, n, m)


@given(BOUNDS)
def test_bounds_print_as_what_they_are(b: Bound) -> None:
    assert all(eval(str(b), {"n": n, "m": m}) == value(b, n, m) for n, m in SIZES)


def test_a_shape_that_there_is_not_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="there is no shape 'nets': the shapes are"):
        procs(["nets"])


def test_the_page_lists_the_shapes() -> None:
    page = (Path(__file__).parents[2] / "docs/property-testing.md").read_text()
    section = page.partition("### Shapes of programs")[2].partition("\n## ")[0]
    said = {name: " ".join((getdoc(shape) or "").split("\n\n")[0].split()) for name, shape in SHAPES.items()}
    assert dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.M)) == said
