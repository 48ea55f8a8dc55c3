"""What the tests of soundness draw, and how a knock-out is caught."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from exo_strat.primitives import PRIMITIVES
from exo_strat.testing import Malformed, Miscompiled, Tally, check_primitive, precisions

BUDGET = 1500
"""Random programs for each knock-out."""
SEEDS = Path(__file__).with_name("seeds.txt")
"""The seed of a program that catches each knock-out. It is tried first, before all others in turn: a file that is old
costs time only. To write it again:

    EXO_STRAT_FOUND=found.txt pytest tests/soundness; sort -u found.txt > tests/soundness/seeds.txt
"""

Errors = tuple[type[Exception], ...]


@pytest.fixture(autouse=True)
def _one_precision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions that are knocked out know nothing of precisions: programs are at one, and more of them tell."""
    if request.module.__name__.rpartition(".")[2].startswith("test_knockouts"):
        monkeypatch.setattr(precisions, "PERCENT", 0)


@cache
def _seeds() -> dict[str, int]:
    lines = (line.rpartition(" ") for line in SEEDS.read_text().splitlines())
    return {name: int(seed) for name, _, seed in lines}


@pytest.fixture
def must_be_caught(request: pytest.FixtureRequest) -> Callable[..., None]:
    """`must_be_caught(primitive, shapes, by)`: within the budget, a random program shows that the primitive fails."""
    name = f"{request.path.stem} {request.node.name}"

    def check(primitive: str, shapes: str = "", by: Errors = (Miscompiled, Malformed)) -> None:
        known = _seeds().get(name)
        for seed in (*(() if known is None else (known,)), *range(BUDGET)):
            try:
                check_primitive(PRIMITIVES[primitive], 1, Tally(), shapes.split(), shrink=False, first=seed)
            except Exception as e:
                if not isinstance(e, by):
                    continue  # nor does a counterexample count that does not happen: the program is refused
                if found := os.environ.get("EXO_STRAT_FOUND"):
                    with open(found, "a") as file:
                        file.write(f"{name} {seed}\n")
                return
        pytest.fail(f"{BUDGET} random programs do not show that {primitive} is wrong")

    return check
