"""The schema: our own check of it agrees with that of the jsonschema package, and knows all that it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exo_strat.serve.faults import CODES, Fault
from exo_strat.serve.refusals import KINDS
from exo_strat.serve.requests import METHODS, PROTOCOL
from exo_strat.serve.schema import CHECKS, NOTES, check, methods, misfits, schema
from exo_strat.serve.server import greeting
from exo_strat.serve.showing import PARTS

DEFS = schema()["$defs"]


def schemas(s: Any) -> Iterator[dict[str, Any]]:
    """A schema and all those in it."""
    if isinstance(s, dict):
        yield s
        for keyword in ("$defs", "properties"):
            for inner in s.get(keyword, {}).values():
                yield from schemas(inner)
        for inner in s.get("anyOf", []):
            yield from schemas(inner)
        yield from schemas(s.get("items"))
        yield from schemas(s.get("additionalProperties"))


def test_our_check_knows_every_keyword_of_the_schema() -> None:
    used = {keyword for s in schemas(schema()) for keyword in s}
    assert used <= {*CHECKS, *NOTES}
    refs = {s["$ref"].removeprefix("#/$defs/") for s in schemas(schema()) if "$ref" in s}
    assert refs <= DEFS.keys()


def test_the_schema_lists_the_methods_codes_and_parts_that_there_are() -> None:
    assert set(methods()) == METHODS.keys()
    assert {f"{m}.result" for m in METHODS} <= DEFS.keys()
    assert DEFS["error"]["properties"]["code"]["enum"] == sorted(CODES)
    assert DEFS["refusal"]["properties"]["kind"]["enum"] == list(KINDS)
    assert set(DEFS["show.params"]["properties"]["parts"]["items"]["enum"]) == PARTS.keys()
    assert DEFS["greeting"]["properties"]["protocol"] == {"const": PROTOCOL}
    check(greeting(), "greeting", "greeting")


@pytest.mark.parametrize(
    ("name", "value", "where", "said"),
    [
        ("go.params", {}, "params", "version is missing"),
        ("go.params", {"version": "V1"}, "params.version", "doesn't match"),
        ("go.params", {"version": "v1\n"}, "params.version", "doesn't match"),
        ("undo.params", {"steps": 0}, "params.steps", "at least 1"),
        ("undo.params", {"steps": True}, "params.steps", "an integer is needed, not true"),
        ("undo.params", {"step": 1}, "params", '"step" is unknown; it has steps'),
        ("apply.params", {"action": {"op": "fuse", "at": 3}}, "params.action.at", "none of what may be here"),
        ("value", [{"memory": 3}], "params[0].memory", "a string is needed, not 3"),
        ("measure.params", {"sizes": {"n": 1.5}}, "params.sizes.n", "an integer is needed, not 1.5"),
        ("measure.params", {"sizes": {"n": 1}, "versions": []}, "params.versions", "a list of at least 1"),
        ("show.params", {"parts": ["lines", "all"]}, "params.parts[1]", "one of lines"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(name: str, value: Any, where: str, said: str) -> None:
    with pytest.raises(Fault) as e:
        check(value, name, "params")
    assert e.value.data == {"where": where} and said in e.value.message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["op", "at", "args", "version", "n"]), x),
    max_leaves=6,
)
LIKELY = st.fixed_dictionaries(
    {},
    optional={
        "version": st.sampled_from(["v0", "v12", "w1", 3]),
        "cursor": st.sampled_from(["root", {"find": "i"}, {"find": 1}, {"version": "v0", "at": "root"}]) | JSON,
        "action": st.fixed_dictionaries({"op": st.text(max_size=3)}, optional={"at": JSON, "args": JSON}),
        "sizes": st.dictionaries(st.text(max_size=2), st.integers() | st.booleans(), max_size=2),
        "steps": st.integers(-1, 2),
        "limit": st.floats(allow_nan=False),
    },
)


@given(st.sampled_from(sorted(DEFS)), LIKELY | JSON)
def test_our_check_agrees_with_jsonschema(name: str, value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    value = json.loads(json.dumps(value))
    theirs = jsonschema.Draft202012Validator({**schema(), "$ref": f"#/$defs/{name}"}).is_valid(value)
    ours = not any(misfits(value, DEFS[name], "it"))
    assert ours == theirs or (theirs and has_whole_floats(value))


def has_whole_floats(value: Any) -> bool:
    """Whether there is a number such as 1.0, which is an integer in JSON Schema, and none for us."""
    if isinstance(value, dict | list):
        return any(map(has_whole_floats, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer()


def test_the_schema_is_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
