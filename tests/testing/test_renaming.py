"""Programs under other names: the same programs, and C that works."""

from __future__ import annotations

import numpy as np
import pytest
from pyrsistent import pmap

from backends import available, jit
from backends.c.names import EXTERNAL, KEYWORDS, MACROS
from backends.targets import avx2
from benchmarks.c_words import GROUPS, c_word
from exo_strat import Config, Control, Proc, proc_from_source, rename
from exo_strat.frontend.checks import check
from exo_strat.interp import run
from exo_strat.testing import samples
from exo_strat.testing.choices import Choices
from exo_strat.testing.inputs import config_fields
from exo_strat.testing.programs import random_proc
from exo_strat.testing.renaming import renamed
from exo_strat.testing.shapes import SHAPES


def code(text: str, **env: object) -> Proc:
    return proc_from_source(text, env)


def test_a_program_under_other_names_computes_the_same() -> None:
    """Arguments are compared by position. Programs with config fields are left out: those have another order."""
    compared = 0
    for seed in range(60):
        p = random_proc(Choices.seeded(seed), tuple(SHAPES))
        if p is None:
            continue
        q = renamed(Choices.seeded(seed), p, c_word)
        check(q.tree)
        fields = config_fields(p.tree), config_fields(q.tree)
        assert len(fields[0]) == len(fields[1]) and q.tree.next_id == p.tree.next_id
        for one, other in zip(samples(p, 2), samples(q, 2), strict=True):
            if fields[0]:
                continue
            before, after = run(p, one.args), run(q, other.args)
            assert (before.trap is None) == (after.trap is None)
            if before.trap is None:
                assert [*before.outputs.values()] == [*after.outputs.values()]
                compared += 1
    assert compared > 30


def test_the_same_choices_give_the_same_names() -> None:
    p = random_proc(Choices.seeded(7), tuple(SHAPES))
    assert p is not None
    first, again, other = (renamed(Choices.seeded(k), p, c_word) for k in (1, 1, 2))
    assert str(first) == str(again) != str(other)
    assert str(renamed(Choices.replayed([]), p, c_word)) == str(p), "the simplest choice is no other name"


def test_callees_configs_and_fields_have_other_names() -> None:
    state = Config("Cfg", pmap({"n": Control("size"), "m": Control("int")}))
    inner = code("def inner(x: [f32][8]):\n    if Cfg.m == 1:\n        x[0] = 1.0\n", Cfg=state)
    p = code(
        "def p(x: f32[8]):\n    Cfg.m = 1\n    inner(x[0:8])\n    inner(x[0:8])\n    if Cfg.n == 2:\n        pass",
        Cfg=state,
        inner=inner,
    )
    kinds = set()
    for seed in range(20):
        q = renamed(Choices.seeded(seed), p, c_word)
        write, first, second, branch = q.tree.body
        assert first.f is second.f, "one procedure stays one"
        assert first.f.tree.body[0].cond.lhs.config == write.config == branch.cond.lhs.config
        assert set(write.config.fields) == {write.field, branch.cond.lhs.field}
        names = {"callee": (first.f.name(), "inner"), "config": (write.config.name, "Cfg"), "field": (write.field, "m")}
        names |= {"procedure": (q.name(), "p"), "argument": (q.args()[0].name(), "x")}
        kinds |= {kind for kind, (new, old) in names.items() if new != old}
    assert kinds == {"callee", "config", "field", "procedure", "argument"}


def test_configs_keep_away_from_what_else_the_program_mentions() -> None:
    p = code("def p(x: f32):\n    Cfg.m = 1\n    x = sin(x)\n", Cfg=Config("Cfg", pmap({"m": Control("int")})))
    for seed in range(20):
        check(renamed(Choices.seeded(seed), p, lambda ch: ch.pick(["sin", "DRAM"])).tree)
        rename.direct(renamed(Choices.seeded(seed), p, lambda ch: ch.pick(["sin", "DRAM"])), "entry")


def test_instructions_and_their_configs_keep_their_names() -> None:
    state = Config("State", pmap({"mode": Control("int")}))
    text = '@instr("use(&{x_data});")\ndef use(x: [f32][1]):\n    if State.mode == 1:\n        x[0] = 1.0\n'
    use = code(text, State=state)
    p = code("def p(x: f32[1]):\n    State.mode = 1\n    use(x[0:1])\n", use=use, State=state)
    for seed in range(10):
        write, call = renamed(Choices.seeded(seed), p, c_word).tree.body
        assert call.f is use and (write.config, write.field) == (state, "mode")


def test_arguments_have_names_of_their_own() -> None:
    p = code("def p(n: size, m: size, x: f32[n], y: f32[m]):\n    for i in seq(0, 1):\n        x[0] = y[0]\n")
    for seed in range(20):
        q = renamed(Choices.seeded(seed), p, lambda ch: ch.pick(["n", "m", "step"]))
        assert len({a.name() for a in q.args()}) == 4


@pytest.mark.skipif(not available(avx2), reason="needs AVX2")
@pytest.mark.parametrize("word", ["_mm256_loadu_ps", "__m256", "exo_mask8", "dst", "int64_t"])
def test_names_that_instructions_use(word: str) -> None:
    """A variable of such a name does not hide what the text of an instruction means."""
    env = {"AVX2": avx2.mem_type} | {i: avx2.instruction(f"mm256_{i}_ps") for i in ("loadu", "storeu")}
    text = "def p(x: f32[8], y: f32[8]):\n    v: f32[8] @ AVX2\n    loadu(v[0:8], x[0:8])\n    storeu(y[0:8], v[0:8])\n"
    p = code(text, **env)
    for seed in range(4):
        x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
        jit(renamed(Choices.seeded(seed), p, lambda _: word), flags=["-O0"])(x, y)
        assert np.array_equal(x, y)


def test_the_words_are_names_of_c() -> None:
    words = {w for group in GROUPS for w in group}
    assert {"step", "sync", "send", "errno", "BIG_ENDIAN", "int_", "main", "a0", "getline", "exo_alloc"} <= words
    assert len(words & KEYWORDS) > 50 and len(words & MACROS) > 100 and len(words & EXTERNAL) > 1000
    assert not {"if", "for", "return"} & words, "words of Python can't be names"
