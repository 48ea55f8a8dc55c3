"""Chains of rewrites, a short run: on random programs and on the repository's own, compared by the interpreter and in
C. The long one is `python -m benchmarks.chains` (`make soak`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import chain_parts
from benchmarks.chain_parts import programs, strategies
from benchmarks.chains import batch
from benchmarks.compiled import CompileFailed, Different, builds, case, compare
from exo_strat import ForCursor, proc_from_source, remove_loop
from exo_strat.logic import safety
from exo_strat.logic.dependence import SAFE
from exo_strat.testing import Miscompiled, every
from exo_strat.testing.chains import Chains, check_chain, starting
from exo_strat.testing.choices import Choices
from strategies import elevate, gemmini, halide, normal, std


@pytest.mark.parametrize("first", [0, 60, 120])
def test_chains_keep_the_meaning(first: int) -> None:
    done = batch(first, with_c=False, count=20)
    assert not done.violations, "\n\n".join(done.violations)
    assert sum(done.chains.accepted.values()) > 60 and done.chains.compared > 12, done.chains


def test_chains_keep_the_meaning_in_c() -> None:
    if not builds():
        pytest.skip("there is neither gcc nor clang")
    done = batch(200, count=6)
    assert not done.violations, "\n\n".join(done.violations)
    assert done.in_c, "nothing was compared in C"


def test_code_that_differs_is_seen_by_each_build() -> None:
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0")
    made = case(p)
    assert made is not None
    wrong = made.module.source.replace("= 1.0f", "= 2.0f")
    module = type(made.module)(**{**vars(made.module), "source": wrong})
    for b in builds():
        if not b.parallel:
            compare([made], b)
            with pytest.raises(Different, match="should be"):
                compare([type(made)(made.p, module, made.runs)], b)


def test_code_that_leaves_its_buffer_or_is_no_c_is_seen() -> None:
    watched = next((b for b in builds() if "address" in b.name), None)
    if watched is None:
        pytest.skip("gcc has no sanitizers")
    made = case(proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 1.0"))
    assert made is not None
    for old, new, error in (("i < 4", "i < 5", Different), ("x[i]", "y[i]", CompileFailed)):
        module = type(made.module)(**{**vars(made.module), "source": made.module.source.replace(old, new)})
        with pytest.raises(error):
            compare([type(made)(made.p, module, made.runs)], watched)


def test_a_wrong_strategy_in_a_chain_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that forgets to ask whether the loop may go."""
    monkeypatch.setattr(safety, "repeatable", lambda *_: SAFE)
    wrong = [starting(remove_loop(), every(ForCursor))]
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[0] += 1.0")
    with pytest.raises(Miscompiled):
        for seed in range(40):
            check_chain(Choices.seeded(seed), p, wrong, Chains())


def test_every_strategy_of_the_libraries_is_in_chains_or_said_to_be_elsewhere() -> None:
    source = Path(chain_parts.__file__).read_text()
    elsewhere = {
        std: "NoInstructionWarning check_lanes "
        "abs_rule broadcast_rule fma_rule Rule Tile as_call fission_before fission_where_possible if_it_runs "
        "prefetch remove_parent_loop rise_into stage_compute stream_stores to_instructions transposed unroll_loops "
        "vectorize_for",
        gemmini: "as_tiles block_loop configure cut_nest each fission_as_much_as_possible is_config_call load_tiles "
        "map_again map_all map_every map_to read_registers replace_and_inline split_off tile_layout tile_loops "
        "tile_nest unroll_all unroll_single",
        halide: "Func pipeline",
        normal: "applies_nowhere exhaust seq_nf " + " ".join(n for n in normal.__all__ if n.startswith("is_")),
    }
    for library, names in elsewhere.items():
        here = {n for n in library.__all__ if f"{library.__name__.partition('.')[2]}.{n}" in source}
        assert here | set(names.split()) == set(library.__all__), library.__name__
    rules = {"fuseReduceMap", "parallel", "reduceMapFission", "reorder", "split", "tile", "unroll", "vectorize"}
    assert rules <= set(elevate.__all__) and all(f"elevate.{rule}" in source for rule in rules)
    assert len(strategies()) > 50 and len(programs()) > 40
