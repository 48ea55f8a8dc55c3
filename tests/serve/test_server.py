"""The methods, and requests that are wrong: an error with a code, and the session as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exo_strat.primitives import PRIMITIVES
from exo_strat.serve.requests import METHODS
from tests.serve.conftest import MATMUL, Talk

REORDER = {"op": "reorder_loops", "at": "body[0]"}
SIZES = {"n": 8, "m": 8, "k": 8}


def test_a_version_is_made_by_an_action_and_undone(mm: Talk) -> None:
    made = mm("apply", action=REORDER)
    assert made["version"] == "v1" and made["changed"] and made["same_values"]
    assert made["rewrites"] == ["reorder_loops()"] and made["focus"] == "body[0]"
    assert mm("show")["text"].splitlines()[1].strip() == "for j in seq(0, m):"
    assert mm("undo")["version"] == "v0"
    other = mm("apply", action={"op": "reorder_loops", "at": {"find": "for j in _: _"}})
    known = mm("versions")
    assert known["current"] == other["version"] == "v2"
    assert [(v["version"], v["parent"]) for v in known["versions"]] == [("v0", None), ("v1", "v0"), ("v2", "v0")]
    assert mm("go", version="v1")["text"] == "reorder_loops()"


def test_two_ways_to_one_program_have_one_key(mm: Talk) -> None:
    there = mm("apply", action=REORDER)["version"]
    back = mm("apply", action=REORDER)
    assert back["key"] == mm("go", version="v0")["key"] != mm("go", version=there)["key"]


def test_a_path_is_replayed_in_another_session(mm: Talk, talk: Talk) -> None:
    mm("apply", action={"op": "divide_loop", "at": {"find": "for j in _: _"}, "args": {"c": 8, "names": ["jo", "ji"]}})
    mm("apply", action={"op": "lift_scope", "at": {"version": "v0", "at": "body[0].body[0]"}})
    told = mm("path")
    assert [a["at"] for a in told["actions"]] == ["body[0].body[0]"] * 2
    other = Talk()
    other("open", text=MATMUL, target="c")
    assert other("replay", actions=told["actions"])["key"] == mm("go", version="v2")["key"]
    assert told["rewrites"] == ["divide_loop(8, ('jo', 'ji'))", "lift_scope()"]


def test_a_replay_is_done_wholly_or_not_at_all(mm: Talk) -> None:
    error = mm.wrong("replay", actions=[REORDER, {"op": "unroll_loop", "at": "body[0]"}])
    assert error["code"] == "refused" and error["data"]["step"] == 1
    assert mm("versions")["current"] == "v0"


def test_a_refusal_is_data_with_its_counterexample(talk: Talk) -> None:
    talk("open", text="def f(n: size, x: f32[n + 1]):\n    for i in seq(0, n):\n        x[i + 1] = x[i]\n")
    error = talk.wrong("apply", action={"op": "parallelize_loop", "at": "body[0]"})
    assert error["code"] == "refused" and error["data"]["kind"] == "Unsafe"
    assert error["data"]["place"] == {"at": "body[0]", "line": "for i in seq(0, n):"}
    assert {"i", "i'"} <= error["data"]["counterexample"].keys() and error["data"]["about"] == "old code"
    assert "iterations" in error["data"]["obligation"]


def test_a_strategy_tells_the_causes_of_its_refusal(mm: Talk) -> None:
    alternatives = [{"op": "unroll_loop"}, {"op": "remove_loop"}]
    error = mm.wrong("apply", action={"op": "try_else", "args": {"ops": alternatives}, "at": "body[0]"})
    assert [c["op"] for c in error["data"]["causes"]] == ["unroll_loop()", "remove_loop()"]


def test_combinators_and_strategies_of_modules_are_applied_by_name(mm: Talk) -> None:
    made = mm.apply("repeat_n", "body[0]", op={"op": "reorder_loops"}, n=3)
    assert made["text"] == "repeat_n(reorder_loops(), 3)" and len(made["rewrites"]) == 3
    mm("go", version="v0")
    action = {"op": "strategies.std.tile", "args": {"sizes": [4, 8], "tail": "cut"}, "at": "body[0]"}
    assert mm("apply", action=action)["same_values"]
    assert len(mm("path")["rewrites"]) > 2


def test_statements_are_followed_through_time(mm: Talk) -> None:
    mm("apply", action={"op": "divide_loop", "at": "body[0]", "args": {"c": 4, "names": ["io", "ii"]}})
    told = mm("forward", cursor={"find": "C[_] += _"}, version="v0")
    assert told == {"at": ".".join(["body[0]"] * 6), "line": "C[4 * io + ii, j] += A[4 * io + ii, l] * B[l, j]"}
    assert mm.wrong("forward", cursor="body[0]", version="v1", to="v0")["code"] == "unknown_cursor"
    mm("open", text="def f(x: f32[2]):\n    for i in seq(0, 2):\n        x[i] = 0.0\n")
    mm("apply", action={"op": "unroll_loop", "at": "body[0]"})
    assert mm("forward", cursor="body[0].lo", version="v2") == {"at": None, "line": ""}


def test_versions_are_forgotten_with_what_was_made_from_them(mm: Talk) -> None:
    for _ in range(3):
        mm("apply", action=REORDER)
    mm("go", version="v1")
    mm("apply", action=REORDER)
    assert mm("forget", versions=["v2"]) == {"current": "v4", "forgotten": ["v2", "v3"]}
    assert mm.wrong("go", version="v3")["code"] == "unknown_version"
    assert mm("forget", versions=["v1"]) == {"current": "v0", "forgotten": ["v1", "v4"]}
    assert mm("apply", action=REORDER)["version"] == "v5"
    assert mm("forget", versions=["v0"]) == {"current": None, "forgotten": ["v0", "v5"]}
    assert mm.wrong("show")["code"] == "no_version"


def test_a_version_is_shown_in_parts(mm: Talk) -> None:
    told = mm("show", parts=["lines", "args", "expressions", "features", "tree", "c"])
    assert told["lines"][1] == {"at": "body[0]", "kind": "a loop", "text": "    for i in seq(0, n):"}
    assert told["args"][3] == {"at": "args[3]", "name": "A", "type": "f32[n, k] @ DRAM", "is_size": False}
    assert {"at": "body[0].hi", "text": "n"} in [{"at": e["at"], "text": e["text"]} for e in told["expressions"]]
    assert told["features"]["loop_depth"] == 3 and told["features"]["For"] == 3
    assert told["tree"]["body"][0]["iter"] == "i" and told["tree"]["node"] == "ProcDef"
    assert "void mm(" in told["c"]


def test_a_callee_is_scheduled_and_exchanged_at_its_call(talk: Talk) -> None:
    text = "def zero(x: f32[8]):\n    for i in seq(0, 8):\n        x[i] = 0.0\ndef both(x: f32[8]):\n    zero(x)\n"
    talk("open", text=text, target="c")
    assert talk("open", version="v0", call="body[0]")["name"] == "zero"
    talk.apply("rename", name="zero_unrolled")
    faster = talk.apply("unroll_loop", "body[0]")["version"]
    talk("go", version="v0")
    assert talk.apply("call_eqv", "body[0]", other={"version": faster})["same_values"]
    assert "zero_unrolled(x)" in talk("show")["text"]
    assert talk.wrong("open", version="v0", call="root")["code"] == "unknown_cursor"
    assert talk.wrong("open", version="v0", text=text)["code"] == "bad_params"


def test_a_file_that_is_open_is_run_again_only_if_it_changed(talk: Talk, kernels: Path) -> None:
    for name in ("fill", "both"):
        talk("open", file=f"{kernels}:{name}", target="c")
    talk.apply("call_eqv", "body[1]", other={"version": "v0"})
    kernels.write_text(kernels.read_text() + "# changed")
    talk("open", file=f"{kernels}:both", target="c")
    action = {"op": "call_eqv", "at": "body[1]", "args": {"other": {"version": "v0"}}}
    assert talk.wrong("apply", action=action)["code"] == "refused"


def test_a_file_is_opened_with_its_names(talk: Talk, kernels: Path) -> None:
    assert talk("open", file=f"{kernels}:scale", target="c")["name"] == "scale"
    assert talk("apply", action={"op": "strips", "args": {"width": 4}, "at": "body[0]"})["text"] == "strips(4)"
    talk("apply", action={"op": "set_memory", "args": {"memory": {"memory": "FAST"}}, "at": "args[1]"})
    error = talk.wrong("apply", action={"op": "broken", "at": "body[0]"})
    assert error["code"] == "bad_file" and "ZeroDivisionError" in error["message"]
    assert "kernels.py" in error["message"]


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("hello", {"protocol": 2}, "wrong_protocol", "this is protocol 1, not 2"),
    ("open", {}, "bad_params", "one of file, text and call"),
    ("open", {"file": "a.py:f", "text": "x"}, "bad_params", "one of file, text and call"),
    ("open", {"file": "nowhere.py:f"}, "bad_file", "does not exist"),
    ("open", {"file": "nowhere.py"}, "bad_file", "names no Proc"),
    ("open", {"text": "x = 1"}, "bad_object_code", "only procedures may stand here"),
    ("open", {"text": "def f(:"}, "bad_object_code", "no Python"),
    ("open", {"text": "\0"}, "bad_object_code", "no Python"),
    ("open", {"text": ""}, "bad_object_code", "there is no procedure"),
    ("open", {"text": "def f(x: f32[4]):\n    x[4] = 0.0"}, "bad_object_code", "x[4]"),
    ("open", {"text": MATMUL, "target": "vax"}, "unknown_target", "vax"),
    ("show", {"version": "v9"}, "unknown_version", "no version v9"),
    ("show", {"parts": ["all"]}, "bad_params", "params.parts[0]"),
    ("undo", {}, "no_version", "0 steps before v0"),
    ("apply", {}, "bad_params", "action is missing"),
    ("apply", {"action": {"op": "frobnicate"}}, "unknown_op", "frobnicate"),
    ("apply", {"action": {"op": "print"}}, "unknown_op", "print"),
    ("apply", {"action": {"op": "os.system", "args": {"command": "true"}}}, "unknown_op", "os.system"),
    ("apply", {"action": {"op": "no.such.module"}}, "unknown_op", "no.such"),
    ("apply", {"action": {"op": "..", "at": "root"}}, "unknown_op", "is no"),
    ("apply", {"action": {"op": "schedule"}}, "unknown_op", "schedule"),
    ("apply", {"action": {"op": "unroll_loop", "at": "body[7]"}}, "unknown_cursor", "there is no body[7]"),
    ("apply", {"action": {"op": "unroll_loop", "at": {"find": "for q in _: _"}}}, "unknown_cursor", "nothing matches"),
    ("apply", {"action": {"op": "unroll_loop", "at": {"find": "for for"}}}, "unknown_cursor", "for for"),
    ("apply", {"action": {"op": "divide_loop", "at": "body[0]"}}, "bad_arguments", "missing"),
    ("apply", {"action": {"op": "divide_loop", "args": {"d": 1}}}, "bad_arguments", "no parameter 'd'"),
    ("apply", {"action": {"op": "identity", "args": {"d": 1}}}, "bad_arguments", "takes no arguments"),
    ("apply", {"action": {"op": "seq", "args": {"ops": 3}}}, "bad_arguments", "takes a list"),
    ("apply", {"action": {"op": "repeat", "args": {"op": 3}}}, "bad_arguments", "repeat"),
    ("apply", {"action": {"op": "set_memory", "args": {"memory": {"memory": "MOON"}}}}, "bad_arguments", "MOON"),
    ("apply", {"action": {"op": "set_memory", "at": "args[3]", "args": {"memory": "A"}}}, "refused", "a memory is"),
    ("apply", {"action": {"op": "replace", "args": {"callee": {"proc": "f"}}}}, "bad_arguments", "no Proc is called"),
    ("apply", {"action": {"op": "strategies.std.tile", "args": {"sizes": ["a"]}, "at": "body[0]"}}, "refused", ""),
    ("offers", {"modules": ["FILE"]}, "unknown_op", "a text was opened"),
    ("offers", {"modules": ["no_such"]}, "unknown_op", "no_such"),
    ("offers", {"cursor": "body[9]"}, "unknown_cursor", "body[9]"),
    ("measure", {"sizes": {"n": 4}}, "bad_sizes", "takes m, too"),
    ("measure", {"sizes": {"n": 0, "m": 1, "k": 1}}, "bad_sizes", "at least 1"),
    ("predict", {"sizes": {"n": 4, "m": 0, "k": 1}}, "bad_sizes", "m is a size, which is at least 1, not 0"),
    ("save", {"name": "repeat"}, "bad_params", "means something else"),
    ("save", {"name": "1"}, "bad_params", "doesn't match"),
    ("save", {"folder": "\0"}, "bad_params", "params.folder"),
    ("open", {"file": "\0.py:f"}, "bad_file", "does not exist"),
    ("open", {"file": "\ud800.py:f"}, "bad_file", "does not exist"),
    ("open", {"text": "def f(x: f32):\n    x = 1.0  # \ud800"}, "bad_object_code", "no Python"),
    ("nothing", {}, "unknown_method", "there are hello"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "params", "code", "said"), WRONG)
def test_a_wrong_request_is_an_error_with_a_code(
    mm: Talk, method: str, params: dict[str, Any], code: str, said: str
) -> None:
    error = mm.wrong(method, **params)
    assert (error["code"], said in error["message"]) == (code, True), error
    assert "Traceback" not in error["message"]
    assert mm("show")["version"] == "v0"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (None, "too_long"),
        (b"", "bad_json"),
        (b"hello", "bad_json"),
        (b'{"id": 7}', "bad_request"),
        (b'{"id": 7, "method": 3}', "bad_request"),
        (b'{"id": 7, "method": "show", "limit": 0}', "bad_request"),
        (b'{"id": 7, "method": "show", "more": 0}', "bad_request"),
        (b'{"id": {}, "method": "show"}', "bad_request"),
        (b'{"id": true, "method": "show"}', "bad_request"),
        (b'{"id": 7, "method": "show", "params": []}', "bad_request"),
    ],
)
def test_a_line_that_is_no_request_has_an_answer(mm: Talk, line: bytes | None, code: str) -> None:
    answer = mm.line(line)
    assert answer["error"]["code"] == code
    assert answer["id"] == (7 if line and b'"id": 7' in line else None)
    assert mm("show")["version"] == "v0"


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats(allow_nan=False) | st.sampled_from(["body[0]", "v0"]),
    lambda x: st.lists(x, max_size=2) | st.dictionaries(st.sampled_from(["op", "at", "args", "find", "cursor"]), x),
    max_leaves=5,
)
NAMES = ["version", "action", "cursor", "ops", "to", "with", "sizes", "versions", "steps", "most", "parts", "text"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(METHODS.keys() - {"measure", "quit"})) | st.text(max_size=3),
    st.dictionaries(st.sampled_from(NAMES), ANY, max_size=3),
)
def test_no_request_is_a_mistake_of_the_server(mm: Talk, method: str, params: dict[str, Any]) -> None:
    answer = mm.line(json.dumps({"id": 1, "method": method, "params": params}).encode())
    assert answer.get("error", {}).get("code") not in ("internal", "no_plugin"), answer


WORDS = ["i", "io", "n", "f32", "C[i, j]", "i +", "", "perfect"]
OBJECTS = [{"cursor": "body[0]"}, {"memory": "DRAM"}, {"version": "v0"}, {"machine": None}, {"op": "simplify"}]
ARGUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(WORDS),
    lambda x: st.lists(x, max_size=2) | st.sampled_from(OBJECTS),
    max_leaves=3,
)
PLACES = ["root", "body[0]", "body[0].hi", "body[0].body[0].after", "args[0]", "args[5]", "body[0:1]"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(sorted(PRIMITIVES)), st.sampled_from(PLACES))
def test_no_argument_of_a_primitive_is_a_mistake_of_the_server(mm: Talk, data: st.DataObject, op: str, at: str) -> None:
    names = list(PRIMITIVES[op].spec.signature.parameters)
    args = {name: data.draw(ARGUMENTS) for name in names}
    action = {"op": op, "args": args, "at": at}
    answer = mm.line(json.dumps({"id": 1, "method": "apply", "params": {"version": "v0", "action": action}}).encode())
    assert answer.get("error", {}).get("code") in (None, "refused", "bad_arguments", "bad_params"), answer


def test_a_mistake_of_the_server_is_told_and_the_session_goes_on(mm: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise KeyError("a mistake")

    monkeypatch.setattr("exo_strat.serve.requests.compared", broken)
    error = mm.wrong("compare", **{"with": "v0"})
    assert error["code"] == "internal" and "report this as a bug" in error["message"]
    assert "test_server.py" in error["data"]["where"]
    assert mm("apply", action=REORDER)["version"] == "v1"


def test_quit_ends_it(mm: Talk) -> None:
    assert mm("quit") == {} and mm.server.ended
