"""Chains of rewrites, a short run: on random programs and on the repository's own, compared by the interpreter and in
C. The long one is `python -m benchmarks.chains` (`make soak`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from returns.result import Success

from backends import jit
from backends.c import names
from benchmarks import chain_gemmini, chain_parts, chain_vectors, crossed
from benchmarks.chain_parts import programs, strategies
from benchmarks.chain_sums import sums
from benchmarks.chains import DIFFERENT, batch, table
from benchmarks.compiled import CompileFailed, Different, builds, case, compare, compiles
from exo_strat import ForCursor, Machine, Proc, at, proc_from_source, remove_loop, schedule
from exo_strat.interp import Outcome
from exo_strat.logic.effects.dependence import SAFE
from exo_strat.logic.questions import safety
from exo_strat.testing import Miscompiled, every
from exo_strat.testing.chains import Chains, Draw, check_chain, starting
from exo_strat.testing.choices import Choices
from exo_strat.testing.library import environment
from exo_strat.testing.renaming import renamed
from strategies import elevate, gemmini, halide, normal, std


@pytest.mark.parametrize("first", [0, 120])
def test_chains_keep_the_meaning(first: int) -> None:
    done = batch(first, with_c=False, count=8)
    assert not done.violations, "\n\n".join(done.violations)
    assert sum(done.chains.accepted.values()) > 24 and done.chains.compared > 4, done.chains


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
    for b in builds():
        if not b.parallel:
            right = replace(made.module, architecture=b.architecture)
            wrong = replace(right, source=right.source.replace("= 1.0f", "= 2.0f"))
            compare([replace(made, module=right)], b)
            with pytest.raises(Different, match="should be"):
                compare([replace(made, module=wrong)], b)


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


# -- processors ---------------------------------------------------------------------------------------

AXPY = proc_from_source("""
def axpy(n: size, a: f32, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        y[i] += a * x[i]
""")


@pytest.mark.parametrize("machine", chain_vectors.machines(), ids=str)
def test_chains_reach_the_registers_of_a_processor(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a plan for vectors, and by way of lanes in memory. What comes out is run, Neon's in an emulator."""
    monkeypatch.setattr(chain_vectors, "suited", lambda _: (machine,))
    ways = ((chain_vectors.on_vectors,), (chain_vectors.in_lanes, chain_vectors.to_registers))
    cases = [made for way in ways if (made := case(_after(AXPY, way))) is not None]
    assert len(cases) == len(ways) and all(c.module.architecture for c in cases)
    taken = [b for b in builds() if any(map(b.takes, cases))]
    for b in taken:
        compare(cases, b)
    if not taken:
        pytest.skip("nothing here compiles for it and runs the result")


def _after(p: Proc, draws: Sequence[Draw]) -> Proc:
    """A program after steps, each as some seed draws it that lets it succeed on the spot."""
    for draw in draws:
        drawn = (draw(Choices.seeded(seed), p) for seed in range(40))
        outcomes = (op(p, at) for _, op, at in filter(None, drawn))
        p = next(o.unwrap()[0] for o in outcomes if isinstance(o, Success) and o.unwrap()[0] is not p)
    return p


def test_a_program_stays_on_one_architecture() -> None:
    machines = chain_vectors.machines()
    assert chain_vectors.suited(AXPY) == machines
    for machine in machines:
        q = schedule(at("for i in _: _", std.vectorize_for(machine, "f32", tail="cut")), AXPY)
        neon = machine.name == "neon"
        assert all((m.name == "neon") == neon for m in chain_vectors.suited(q))


def test_programs_for_gemmini_are_compared_on_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    tally, p = Chains(), chain_gemmini.programs()[-1]
    q = check_chain(Choices.seeded(2), p, chain_gemmini.draws(p), tally, often=50, keep=compiles)
    assert chain_gemmini.agrees(q) and sum(tally.accepted.values()) > 1 and not chain_gemmini.agrees(AXPY)
    monkeypatch.setattr(chain_gemmini, "run", lambda *_: Outcome({"C": 1000}, {}, None))
    with pytest.raises(Different, match="on the model"):
        chain_gemmini.agrees(q)
    monkeypatch.setattr(chain_gemmini, "samples", lambda *_: [])
    assert not chain_gemmini.agrees(q), "nothing was compared"


def test_what_a_chain_does_not_keep_is_dropped() -> None:
    tally = Chains()
    q = check_chain(Choices.seeded(3), AXPY, strategies(), tally, keep=lambda _: False)
    assert q is AXPY and not tally.accepted and tally.drawn == 1


# -- names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forgotten", ["KEYWORDS", "MACROS", "EXTERNAL"])
def test_a_backend_that_forgets_names_of_c_is_caught(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is enough that a few programs have such names."""
    b = next((b for b in builds() if not b.parallel and not b.emulator), None)
    if b is None:
        pytest.skip("gcc has no sanitizers")
    put = proc_from_source("def put(x: [f32][4]):\n    for i in seq(0, 4):\n        x[i] = sqrt(x[i])")
    text = "def foo(x: f32[4]):\n    t: f32[4]\n    t[0] = x[0]\n    put(x)\n    x[0] = t[0]"
    p = proc_from_source(text, {"put": put})
    word = {"KEYWORDS": "volatile", "MACROS": "FP_NAN", "EXTERNAL": "strtoull"}[forgotten]
    programs = [renamed(Choices.seeded(seed), p, lambda _: word) for seed in range(4)]
    compare(list(filter(None, map(case, programs))), b)
    monkeypatch.setattr(names, forgotten, getattr(names, forgotten) - {word})
    with pytest.raises(CompileFailed, match=word):
        compare(list(filter(None, map(case, programs))), b)


# -- compilers ----------------------------------------------------------------------------------------


def test_compilers_are_compared_on_what_a_chain_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Config fields are set as the input says."""
    text = "def foo(x: f32[4]):\n    for i in seq(0, 4):\n        if i < Cfg.width:\n            x[i] = Cfg.scale"
    made = case(proc_from_source(text, environment()))
    assert made is not None and crossed.agree(made)
    given, done = made.runs[0]
    x = crossed.arrays(made.p, given)
    jit(crossed.with_state(made.p, given))(*x)
    assert np.array_equal(x[0], done.outputs["x"])
    monkeypatch.setattr(crossed, "disagreements", lambda p, args: ("x is [2.] by clang, and [1.] by gcc",))
    with pytest.raises(Different, match="by clang"):
        crossed.agree(made)


def test_compilers_are_compared_on_bf16() -> None:
    made = case(proc_from_source("def foo(x: bf16[4]):\n    for i in seq(0, 4):\n        x[i] = f32(x[i]) + 1.0"))
    assert made is not None and crossed.agree(made)


def test_compilers_are_not_compared_where_python_cannot_call() -> None:
    made = case(proc_from_source("def foo(x: f32[4]):\n    assert x[0] < 9.0\n    x[0] = 1.0"))
    assert made is None or not crossed.agree(made)


def test_a_wrong_strategy_in_a_chain_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that forgets to ask whether the loop may go."""
    monkeypatch.setattr(safety, "repeatable", lambda *_: SAFE)
    wrong = [starting(remove_loop(), every(ForCursor))]
    p = proc_from_source("def foo(x: f32[4]):\n    for i in seq(0, 4):\n        x[0] += 1.0")
    with pytest.raises(Miscompiled):
        for seed in range(40):
            check_chain(Choices.seeded(seed), p, wrong, Chains())


def test_every_strategy_of_the_libraries_is_in_chains_or_said_to_be_elsewhere() -> None:
    source = "".join(Path(module.__file__ or "").read_text() for module in (chain_parts, chain_vectors))
    elsewhere = {
        std: "NoInstructionWarning check_lanes "
        "abs_rule Rule Tile as_call fission_before fission_where_possible if_it_runs "
        "prefetch remove_parent_loop rise_into stage_compute stream_stores to_instructions transposed unroll_loops",
        gemmini: "as_tiles block_loop configure cut_nest each fission_as_much_as_possible is_config_call load_tiles "
        "map_again map_all map_every map_to read_registers replace_and_inline split_off tile_layout tile_loops "
        "tile_nest unroll_all unroll_single",
        halide: "Func H_clone_in H_compute_with pipeline",
        normal: "applies_nowhere exhaust seq_nf sum_in_place tidy "
        + " ".join(n for n in normal.__all__ if n.startswith("is_")),
    }
    for library, others in elsewhere.items():
        here = {n for n in library.__all__ if f"{library.__name__.partition('.')[2]}.{n}" in source}
        assert here | set(others.split()) == set(library.__all__), library.__name__
    rules = {"fuseReduceMap", "parallel", "reduceMapFission", "reorder", "split", "tile", "unroll", "vectorize"}
    assert rules <= set(elevate.__all__) and all(f"elevate.{rule}" in source for rule in rules)
    assert len(strategies()) > 50 and len(programs()) > 40


def test_the_sums_of_several_runs() -> None:
    first, second = batch(0, with_c=False, count=1), batch(1, with_c=False, count=2)
    added = sums([table(first, 1), table(second, 2)])
    assert added["chains"] == first.chains.drawn + second.chains.drawn
    assert added["steps accepted"] == (first.chains.accepted + second.chains.accepted).total()
    assert added[DIFFERENT] == len(first.chains.accepted + second.chains.accepted)
    assert added["seconds"] == 3
