"""Two versions side by side."""

from __future__ import annotations

from tests.serve.conftest import Talk


def test_what_became_of_each_statement(mm: Talk) -> None:
    mm.apply("divide_loop", "body[0].body[0]", c=8, names=["jo", "ji"], tail="cut")
    told = mm("compare", **{"with": "v0"})
    assert told["same_values"] and not told["same_program"] and told["by"] == "cursors"
    assert [(c["change"], c.get("was", {}).get("line")) for c in told["changes"]][:2] == [
        ("edited", "for j in seq(0, m):"),
        ("moved", "for l in seq(0, k):"),
    ]
    new = [c["is"]["line"] for c in told["changes"] if c["change"] == "new"]
    assert new[:2] == ["for ji in seq(0, 8):", "for ji in seq(0, m % 8):"]
    assert "-        for j in seq(0, m):" in told["diff"] and "+        for jo in seq(0, m / 8):" in told["diff"]


def test_statements_that_change_places_were_moved(talk: Talk) -> None:
    talk("open", text="def f(x: f32, y: f32, z: f32):\n    x = 1.0\n    y = 2.0\n    z = 3.0\n")
    for at in ("body[0:2]", "body[1:3]"):
        talk("apply", action={"op": "reorder_stmts", "at": at})
    [change] = talk("compare", **{"with": "v0"})["changes"]
    assert change["change"] == "moved" and change["was"]["line"] == "x = 1.0"
    assert (change["was"]["at"], change["is"]["at"]) == ("body[0]", "body[2]")


def test_the_same_program_has_no_changes(mm: Talk) -> None:
    for _ in range(2):
        mm("apply", action={"op": "reorder_loops", "at": "body[0]"})
    told = mm("compare", version="v2", **{"with": "v0"})
    assert told["same_program"] and told["diff"] == [] and told["same_values"]


def test_branches_of_time_are_compared_by_their_text(mm: Talk) -> None:
    mm("apply", action={"op": "reorder_loops", "at": "body[0]"})
    mm("apply", version="v0", action={"op": "parallelize_loop", "at": "body[0]"})
    told = mm("compare", version="v2", **{"with": "v1"})
    assert told["by"] == "text" and told["same_values"]
    assert {c["change"] for c in told["changes"]} == {"gone", "new"}


def test_what_starts_an_origin_is_named(mm: Talk) -> None:
    mm("apply", action={"op": "set_precision", "at": "args[5]", "args": {"precision": "f64"}})
    told = mm("compare", **{"with": "v0"})
    assert not told["same_values"] and "set_precision('f64')" in told["because"]
    mm("open", text="def other(x: f32):\n    x = 1.0\n")
    assert mm("compare", **{"with": "v0"})["because"] == "they were not made from one procedure"
