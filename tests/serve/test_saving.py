"""A path as a file in Python: it is loaded and applied, and makes the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from exo_strat import Proc, proc_from_source, schedule
from exo_strat.cli.files import read
from tests.serve.conftest import MATMUL, Talk

COPY = """
def copy(n: size, x: f32[8 * n], y: f32[8 * n]):
    for i in seq(0, 8 * n):
        y[i] = x[i]
"""


def applied(text: str, folder: Path, p: Proc, name: str = "plan") -> Proc:
    """What a saved strategy makes of a procedure."""
    file = folder / "saved.py"
    file.write_text(text)
    return schedule(read(file).op(name), p)


def test_a_path_makes_the_same_tree_in_a_file(mm: Talk, tmp_path: Path) -> None:
    unrolled = {"op": "attempt", "args": {"op": {"op": "unroll_loop"}}}
    mm.apply("divide_loop", "body[0]", c=4, names=["io", "ii"], tail="cut")
    mm.apply("stage_mem", {"find": "for l in _: _"}, window="C[4 * io + ii, j]", name="acc")
    mm.apply("set_memory", {"find": "acc: _"}, memory={"memory": "DRAM_STACK"})
    mm.apply("bind_expr", {"find": "A[_] * B[_]"}, name="t")
    mm.apply("at", place="for j in _: _", op=unrolled)
    mm.apply("strategies.std.tile", "body[1]", sizes=[2], tail="guard")
    told = mm("save")
    assert told["steps"] == 6 and "from strategies.std import tile" in told["text"]
    p = proc_from_source(MATMUL)
    made = applied(told["text"], tmp_path, p)
    assert made.tree == mm.server.session.version().proc.tree
    assert str(made) == mm("show")["text"]
    compile(told["text"], "saved", "exec")


def test_every_offer_is_saved_and_makes_the_same_tree(mm: Talk, tmp_path: Path) -> None:
    mm.apply("divide_loop", "body[0].body[0]", c=8, names=["jo", "ji"], tail="cut")
    first = proc_from_source(MATMUL)
    for o in mm("offers", version="v1", sample=3, most=25)["offers"]:
        mm("apply", version="v1", action=o["action"])
        told = mm("save", name="made")
        assert applied(told["text"], tmp_path, first, "made").tree == mm.server.session.version().proc.tree, o["text"]


def test_no_steps_are_a_strategy_too(mm: Talk, tmp_path: Path) -> None:
    told = mm("save")
    assert told["steps"] == 0
    p = proc_from_source(MATMUL)
    assert applied(told["text"], tmp_path, p) is p


def test_names_of_the_opened_file_are_imported_from_it(talk: Talk, kernels: Path, tmp_path: Path) -> None:
    talk("open", file=f"{kernels}:both", target="c")
    talk("apply", action={"op": "replace", "at": "body[0]", "args": {"callee": {"proc": "fill"}}})
    talk("apply", action={"op": "inline", "at": "body[1]"})
    talk("apply", action={"op": "strips", "at": {"find": "for i in _: _"}, "args": {"width": 4}})
    talk("apply", action={"op": "set_memory", "at": "args[0]", "args": {"memory": {"memory": "FAST"}}})
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    text = talk("save", folder=str(folder))["text"]
    assert "sys.path.insert(0, str(Path(__file__).parent / '..'))" in text
    assert "from kernels import fill" in text and "from kernels import strips" in text
    first = read(kernels).proc("both")
    made = applied(text, folder, first)
    assert str(made) == talk("show")["text"]
    assert "sys.path" not in talk("save", folder=str(tmp_path))["text"]


def test_holes_are_searched_filled_and_saved(talk: Talk, kernels: Path, tmp_path: Path) -> None:
    talk("open", file=f"{kernels}:scale", target="c")
    action = {"op": "open_strips", "at": "body[0]"}
    [hole] = talk("space", action=action)["holes"]
    assert hole == {"name": "open_strips.width", "candidates": [4, 8], "default": 4}
    keys = [talk("apply", version="v0", action={**action, "fill": {hole["name"]: w}})["key"] for w in (4, 8)]
    assert keys[0] == talk("apply", version="v0", action=action)["key"] != keys[1]
    assert talk.wrong("apply", version="v0", action={**action, "fill": {hole["name"]: 5}})["code"] == "refused"
    talk("go", version="v2")
    text = talk("save", folder=str(tmp_path))["text"]
    assert "open_strips().fill({'open_strips.width': 8})" in text
    assert str(applied(text, tmp_path, read(kernels).proc("scale"))) == talk("show")["text"]


def test_instructions_and_the_machine_of_a_target_are_imported(talk: Talk, tmp_path: Path) -> None:
    talk("open", text=COPY, target="avx2")
    machine = {"machine": None}
    talk.apply("strategies.std.vectorize_for", "body[0]", machine=machine, precision="f32", tail="perfect")
    text = talk("save")["text"]
    assert "from backends.targets import avx2" in text
    made = applied(text, tmp_path, proc_from_source(COPY))
    assert str(made) == talk("show")["text"]


def test_what_has_no_name_in_a_file_is_not_saved(talk: Talk, kernels: Path) -> None:
    talk("open", file=f"{kernels}:fill", target="c")
    talk("apply", action={"op": "unroll_loop", "at": "body[0]"})
    talk("open", file=f"{kernels}:both", target="c")
    talk("apply", action={"op": "call_eqv", "at": "body[1]", "args": {"other": {"version": "v0"}}})
    error = talk.wrong("save")
    assert error["code"] == "not_savable" and "v0" in error["message"]


ANY_NAMES = """
from __future__ import annotations
from exo_strat import *

@proc
def scale(n: size, x: f32[n]):
    for i in seq(0, n):
        x[i] = 2.0 * x[i]

def halves(**how: int) -> Op:
    return at("for i in _: _", divide_loop(how["width"], ("io", "ii")))

def broken() -> Op:
    return [halves][1]
"""


def test_names_of_arguments_are_no_code(talk: Talk, tmp_path: Path) -> None:
    file, mark = tmp_path / "any.py", tmp_path / "mark"
    file.write_text(ANY_NAMES)
    talk("open", file=f"{file}:scale")
    code = f"a=__import__('pathlib').Path({str(mark)!r}).touch(), b"
    talk.apply("halves", "root", how={"width": 4, code: 1, "x y": 2, "class": 3})
    made = applied(talk("save", folder=str(tmp_path))["text"], tmp_path, talk.server.session.version("v0").proc)
    assert made.tree == talk.server.session.version().proc.tree and not mark.exists()


def test_the_name_of_what_is_on_the_path_is_taken(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "any.py").write_text(ANY_NAMES)
    talk("open", file=f"{tmp_path / 'any.py'}:scale")
    talk.apply("halves", "root", how={"width": 4})
    assert talk.wrong("save", name="halves")["message"] == "params.name: halves is on the path: take another name"


def test_a_mistake_in_what_makes_an_op_is_one_of_the_file(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "any.py").write_text(ANY_NAMES)
    talk("open", file=f"{tmp_path / 'any.py'}:scale")
    error = talk.wrong("apply", action={"op": "broken", "at": "root"})
    assert error["code"] == "bad_file" and "IndexError" in error["message"]


@pytest.mark.parametrize("name", ["class", "Proc", "divide_loop"])
def test_names_that_mean_something_else_are_refused(mm: Talk, name: str) -> None:
    assert mm.wrong("save", name=name)["code"] == "bad_params"
