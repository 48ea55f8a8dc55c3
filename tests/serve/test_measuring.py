"""Times: measured in processes of their own, each version once."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import Any

import pytest

from exo_strat.serve import measuring
from tests.serve.conftest import Talk

SIZES = {"n": 16, "m": 16, "k": 16}


def test_versions_are_measured_beside_each_other(mm: Talk) -> None:
    mm("apply", action={"op": "reorder_loops", "at": "body[0]"})
    mm("apply", action={"op": "reorder_loops", "at": "body[0]"})
    told = mm("measure", versions=["v0", "v1", "v2"], sizes=SIZES)
    first, second, third = told["times"]
    assert told["target"] == "c"
    assert first["status"] == second["status"] == "measured" and first["seconds"] > 0
    assert first["beside"] is None and second["beside"] > 0
    assert third == {**first, "version": "v2"}  # one C text
    assert second["c_key"] != first["c_key"]


def test_a_version_of_another_origin_is_measured_for_itself(mm: Talk) -> None:
    mm("apply", action={"op": "set_precision", "at": "args[5]", "args": {"precision": "f64"}})
    [row] = mm("measure", sizes=SIZES)["times"]
    assert row["status"] == "measured"
    mm("apply", action={"op": "partial_eval", "args": {"named": {"n": 16}}})
    [row] = mm("measure", sizes={"m": 16, "k": 16})["times"]
    assert row["status"] == "measured"


def test_code_that_no_backend_compiles_is_refused(mm: Talk) -> None:
    mm("open", text="def half(x: f32[4], y: R):\n    y = x[0]\n", target="c")
    [row] = mm("measure", sizes={})["times"]
    assert row["status"] in ("refused", "measured")


class Faulty:
    """A measure whose candidates crash or hang."""

    def __init__(self, act: Any) -> None:
        self.act = act

    def prepare(self, p: Any) -> Any:
        return measuring.Prepared("key")

    def time(self, candidate: Any, best: Any) -> Any:
        [found] = measuring.apart([self.act], 1, 0.5)
        return found


@pytest.mark.parametrize(
    ("act", "status"),
    [(partial(os.kill, 0, signal.SIGSEGV), "crashed"), (partial(time.sleep, 60), "hung")],
)
def test_a_crash_or_a_hang_ends_the_measurement_and_nothing_else(
    mm: Talk, monkeypatch: pytest.MonkeyPatch, act: Any, status: str
) -> None:
    monkeypatch.setattr(measuring.plugins, "load", lambda *_: lambda *a, **k: Faulty(act))
    [row] = mm("measure", sizes=SIZES)["times"]
    assert (row["status"], row["seconds"]) == (status, None) and row["reason"]
    monkeypatch.undo()
    assert mm("measure", sizes=SIZES, seed=1)["times"][0]["status"] == "measured"


def test_arguments_for_which_there_is_no_memory_are_refused(mm: Talk) -> None:
    error = mm.wrong("measure", sizes={**SIZES, "n": 10**13})
    assert error["code"] == "bad_sizes" and "are free" in error["message"]
