"""Offers: what is offered succeeds, is the same in any process, and has the arguments that make sense."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.serve.candidates import BY_KIND, BY_NAME, TOGETHER
from tests.serve.conftest import MATMUL, Talk

STENCIL = """
def stencil(n: size, x: f32[4 * n + 2], y: f32[4 * n]):
    a: f32[4 * n]
    for i in seq(0, 4 * n):
        a[i] = x[i] + x[i + 1] + x[i + 2]
    for i in seq(0, 4 * n):
        y[i] = 0.5 * a[i]
"""
LOCAL = """
def local(n: size, x: f32[8], y: f32[n, 8]):
    for i in seq(0, n):
        t: f32[8]
        u: f32[8]
        for j in seq(0, 8):
            t[j] = x[j] * 2.0
        for j in seq(0, 8):
            u[j] = t[j]
        for j in seq(0, 8):
            y[i, j] = u[j]
"""
BRANCHES = """
def branches(n: size, x: f32[n + 1], y: f32[n + 1]):
    for i in seq(0, n + 1):
        if i < n:
            y[i] = x[i] * (2.0 + x[i])
        if i < n:
            x[i] += 1.0 + y[i]
    for i in seq(0, 1):
        y[i] = y[i] + x[0]
"""


def op_texts(found: dict[str, Any]) -> list[str]:
    return [o["text"] for o in found["offers"]]


@pytest.mark.parametrize("text", [MATMUL, STENCIL, LOCAL, BRANCHES])
def test_what_is_offered_is_applied_and_makes_what_the_offer_says(talk: Talk, text: str) -> None:
    first = talk("open", text=text, target="c")["version"]
    found = talk("offers", sample=7, most=30)
    assert found["candidates"] > 60 and len(found["offers"]) == 30
    for o in found["offers"]:
        made = talk("apply", version=first, action=o["action"])
        told = {k: made[k] for k in ("key", "focus", "same_values", "changed", "text")}
        assert told == {k: o[k] for k in told}
        assert o["same_values"] and o["changed"]
    actions = [found["offers"][0]["action"]]
    assert talk("replay", version=first, actions=actions)["key"] == found["offers"][0]["key"]


def test_offers_at_a_loop_have_its_arguments(mm: Talk) -> None:
    found = mm("offers", cursor="body[0]")
    texts = op_texts(found)
    assert "reorder_loops()" in texts
    assert "divide_loop(8, ('io', 'ii'), tail='cut')" in texts
    assert "stage_mem('C[0:n, 0:m]', 'C_tmp', accum=True)" in texts
    assert {o["action"]["at"].split(".")[0] for o in found["offers"]} <= {"body[0]"}
    reorder = next(o for o in found["offers"] if o["text"] == "reorder_loops()")
    assert reorder["equation"] == "for i: for j: s  ~>  for j: for i: s"
    assert reorder["line"] == "for i in seq(0, n):"
    inner = op_texts(mm("offers", cursor={"find": "for l in _: _"}, ops=["stage_mem"]))
    assert "stage_mem('C[i, j]', 'C_tmp')" in inner and "stage_mem('A[i, 0:k]', 'A_tmp')" in inner


def test_factors_that_divide_need_no_tail(talk: Talk) -> None:
    talk("open", text=LOCAL, target="c")
    texts = op_texts(talk("offers", cursor={"find": "for j in _: _"}, ops=["divide_loop"]))
    assert texts == [f"divide_loop({c}, ('jo', 'ji'), tail='perfect')" for c in (2, 4)]
    texts = op_texts(talk("offers", cursor="root", below=True, ops=["divide_loop"], factors=[3]))
    assert len(texts) > 3 and all(t.startswith("divide_loop(3,") for t in texts)


def test_the_neighbours_of_a_place_are_arguments(talk: Talk) -> None:
    talk("open", text=LOCAL, target="c")
    texts = op_texts(talk("offers"))
    assert "reuse_buffer(local.body()[0].body()[0])" not in texts  # t is still needed
    assert "fuse(local.body()[0].body()[3])" in texts and "fuse(local.body()[0].body()[4])" in texts
    assert "expand_dim('n', 'i')" in texts and "lift_alloc()" in texts
    assert "divide_dim(0, 4)" in texts and "set_memory(DRAM_STACK)" in texts


def test_a_stencil_is_staged_by_what_its_accesses_touch_together(talk: Talk) -> None:
    talk("open", text=STENCIL, target="c")
    talk.apply("divide_loop", "body[1]", c=4, names=["io", "ii"], tail="perfect")
    texts = op_texts(talk("offers", cursor="body[1].body[0]", ops=["stage_mem"]))
    assert "stage_mem('x[4 * io:4 * io + 6]', 'x_tmp')" in texts


def test_refused_candidates_come_with_their_reasons_if_they_are_wanted(talk: Talk) -> None:
    talk("open", text="def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 0.0\n", target="c")
    found = talk("offers", cursor="body[0]", ops=["divide_loop"], factors=[4], refused=True)
    [why] = [o["refused"] for o in found["offers"] if "refused" in o]
    assert (why["kind"], why["counterexample"]) == ("Unsafe", {"n": 1})
    assert len(found["offers"]) == found["candidates"] == 4


def test_the_default_leaves_out_what_changes_values_or_nothing(mm: Talk) -> None:
    assert mm("offers", cursor="args[5]", ops=["set_precision"])["offers"] == []
    [offer] = mm("offers", cursor="args[5]", ops=["set_precision"], all_values=True)["offers"]
    assert (offer["text"], offer["same_values"]) == ("set_precision('f64')", False)
    assert mm("offers", cursor="body[0]", ops=["simplify"])["offers"] == []
    [offer] = mm("offers", cursor="body[0]", ops=["simplify"], unchanged=True)["offers"]
    assert not offer["changed"]


def test_pages_and_samples_are_parts_of_the_whole(mm: Talk) -> None:
    whole = mm("offers", cursor="body[0]")
    got: list[Any] = []
    at: int | None = 0
    while at is not None:
        page = mm("offers", cursor="body[0]", first=at, most=4)
        assert len(page["offers"]) <= 4
        got, at = got + page["offers"], page["next"]
    assert got == whole["offers"]
    one, again, other = (mm("offers", sample=seed, most=5)["offers"] for seed in (1, 1, 2))
    assert one == again != other
    every = mm("offers", unchanged=True)
    assert every["next"] is None and every["tried"] == every["candidates"]
    assert {o["key"] for o in one + other} <= {o["key"] for o in every["offers"]}
    assert mm("offers", seconds=1e-9)["tried"] == 1


def test_predictions_come_with_offers(mm: Talk) -> None:
    found = mm("offers", cursor="body[0]", ops=["reorder_loops", "divide_loop"], predict={"n": 64, "m": 64, "k": 64})
    costs = [o["cost"] for o in found["offers"]]
    assert len(costs) > 3 and all(c > 0 for c in costs)
    told = mm("predict", sizes={"n": 64, "m": 64, "k": 64})
    assert told["costs"][0]["cost"] > 0
    assert mm.wrong("predict", sizes={"n": 64})["code"] == "bad_sizes"


def test_strategies_of_modules_and_of_the_file_take_part(talk: Talk, kernels: Path) -> None:
    talk("open", file=f"{kernels}:scale", target="c")
    found = talk("offers", cursor="body[0]", modules=["FILE", "strategies.std"], factors=[4])
    texts = op_texts(found)
    assert "strips(4)" in texts and "interleave_loop(4)" in texts and "tile(4)" in texts
    names = {o["action"]["op"] for o in found["offers"]}
    assert "strips" in names and "strategies.std.interleave_loop" in names and "broken" not in names


def test_a_file_gives_procedures_to_call(talk: Talk, kernels: Path) -> None:
    talk("open", file=f"{kernels}:both", target="c")
    texts = op_texts(talk("offers", cursor="body[0]", ops=["replace"]))
    assert texts == ["replace(fill)"]
    assert "inline()" in op_texts(talk("offers", cursor="body[1]"))
    assert {"set_memory(FAST)", "set_memory(DRAM_STACK)"} <= set(op_texts(talk("offers", cursor="args[0]")))


def test_the_catalogue_tells_of_every_primitive(mm: Talk) -> None:
    known = {o["op"]: o for o in mm("ops", modules=["strategies.std"])["ops"]}
    assert PRIMITIVES.keys() <= known.keys() and "strategies.std.licm" in known
    assert all(known[name]["doc"] for name in PRIMITIVES)
    divide = known["divide_loop"]
    assert divide["targets"] == ["a loop"] and [p["name"] for p in divide["parameters"]][:2] == ["c", "names"]
    assert divide["parameters"][0]["kind"] == "a factor" and divide["parameters"][2]["default"] == "'guard'"
    assert {name for name, o in known.items() if o["by_name"]} == BY_NAME.keys()


def test_all_that_is_known_of_primitives_is_of_primitives() -> None:
    assert TOGETHER.keys() | BY_NAME.keys() <= PRIMITIVES.keys()
    words = {k.words for form in PRIMITIVES.values() for k in form.spec.kinds.values()}
    assert BY_KIND.keys() <= words


def test_offers_are_the_same_whatever_the_seed_of_hashes_is(mm: Talk) -> None:
    lines = [
        json.dumps({"id": 1, "method": "open", "params": {"text": MATMUL, "target": "c"}}),
        json.dumps({"id": 2, "method": "offers", "params": {"cursor": "body[0]"}}),
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-m", "exo_strat.cli", "serve-json"]
    ran = subprocess.run(command, input="\n".join(lines), env=env, capture_output=True, check=True, text=True)
    assert json.loads(ran.stdout.splitlines()[2])["result"] == mm("offers", cursor="body[0]")
