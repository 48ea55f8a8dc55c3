"""Searches: what they propose, and that it is a function of the space and the history."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from exo_strat import *
from exo_strat.ops.holes import Told
from exo_strat.ops.spaces import Choice, Limit, Space
from exo_strat.tuning import *

GRID = Space((Choice("rows", (4, 6, 8), 6), Choice("columns", (1, 2, 3, 4), 1)))
TREE = Space(
    (
        Choice("how", ("plain", "tiled"), "plain"),
        Choice("width", (4, 8), 4, under=((("how", "tiled"),),)),
    )
)


def fits(rows: int, columns: int) -> bool:
    return rows * columns <= 16


def cost(values: Any) -> float:
    """Least at 6 rows, 3 columns."""
    return float(abs(values["rows"] - 6) + abs(values["columns"] - 3))


SEARCHES: dict[str, Callable[[], Search]] = {
    "exhaustive": exhaustive,
    "random": lambda: random_search(seed=3),
    "best first": lambda: best_first(lambda v: -cost(v), starts=3),
    "climbing": lambda: climbing(seed=3, starts=3),
    "starting": lambda: starting([{"rows": 8, "columns": 2}], random_search(seed=3)),
    "optuna": lambda: optuna_search(seed=3),
}


def run(search: Search, space: Space, most: int = 100) -> list[Tried]:
    """All that a search proposes, given these costs as times."""
    history: list[Tried] = []
    while len(history) < most and (values := search(space, history)) is not None:
        history.append(Tried(values, values, "measured", cost(values)))
    return history


def chosen(history: list[Tried]) -> list[dict[str, Any]]:
    return [dict(t.values) for t in history]


@pytest.mark.parametrize("name", SEARCHES)
def test_each_assignment_is_proposed_once(name: str) -> None:
    if name == "optuna":
        pytest.importorskip("optuna")
    found = chosen(run(SEARCHES[name](), GRID))
    assert len(found) == GRID.size == 12
    assert sorted(map(str, found)) == sorted(map(str, GRID.assignments()))


@pytest.mark.parametrize("name", SEARCHES)
def test_the_same_history_gives_the_same_proposals(name: str) -> None:
    if name == "optuna":
        pytest.importorskip("optuna")
    first, again = (run(SEARCHES[name](), GRID, 8) for _ in range(2))
    assert first == again
    assert SEARCHES[name]()(GRID, first[:5]) == first[5].values  # whatever was asked before


@pytest.mark.parametrize("name", SEARCHES)
def test_limits_hold_of_what_is_proposed(name: str) -> None:
    if name == "optuna":
        pytest.importorskip("optuna")
    limited = Space(GRID.choices, (Limit(fits, ("rows", "columns")),))
    found = chosen(run(SEARCHES[name](), limited))
    assert len(found) == 8 and all(fits(**v) for v in found)


def test_another_seed_draws_other_assignments() -> None:
    one, two = (chosen(run(random_search(seed), GRID)) for seed in (1, 2))
    assert one != two


def test_exhaustive_takes_candidates_in_order() -> None:
    assert chosen(run(exhaustive(), TREE, 0)) == []
    history = [Tried(v, v, "measured", 1.0) for v in TREE.assignments()]
    assert chosen(history) == [{"how": "plain"}, {"how": "tiled", "width": 4}, {"how": "tiled", "width": 8}]
    assert exhaustive()(TREE, history) is None


def test_a_run_stands_for_all_that_agree_in_what_it_came_to() -> None:
    """A rewrite refused six rows before columns were drawn: so it does with any number of columns."""
    refused = Tried({"rows": 6, "columns": 1}, {"rows": 6}, "refused", reason="no")
    known = Known(GRID, [refused])
    assert {"rows": 6, "columns": 3} in known and {"rows": 4, "columns": 3} not in known
    history, rows = [refused], set[int]()
    while (values := exhaustive()(GRID, history)) is not None:
        rows.add(values["rows"])
        history.append(Tried(values, values, "measured", 1.0))
    assert rows == {4, 8} and len(history) == 9


def test_true_is_another_candidate_than_one() -> None:
    space = Space((Choice("x", (1, True), 1),))
    assert {"x": True} not in Known(space, [Tried({"x": 1}, {"x": 1}, "measured", 1.0)])


def test_a_hole_that_a_run_did_not_name_has_its_default() -> None:
    """A run came to a hole that the space did not know; it had its default."""
    grown = Space((*GRID.choices, Choice("tail", ("cut", "guard"), "cut")))
    known = Known(grown, [Tried({}, {"rows": 4, "tail": "cut"}, "measured", 1.0)])
    assert {"rows": 4, "columns": 2} in known
    assert {"rows": 4, "columns": 2, "tail": "guard"} not in known


def test_best_first_takes_what_the_model_likes_then_neighbours_of_the_fastest() -> None:
    search = best_first(lambda v: v["rows"] + v["columns"] / 10, starts=2)
    first = run(search, GRID, 2)
    assert chosen(first) == [{"rows": 4, "columns": 1}, {"rows": 4, "columns": 2}]
    third = search(GRID, first)
    assert third == {"rows": 4, "columns": 3}  # next to the second, which took less time than the first
    assert run(search, GRID, 5)[-1].seconds == 0.0  # the fifth of twelve is the best


def test_of_a_large_space_some_are_ranked() -> None:
    wide = Space(tuple(Choice(f"h{k}", tuple(range(10)), 0) for k in range(12)))
    asked: list[Any] = []

    def rank(values: Any) -> float:
        asked.append(values)
        return float(sum(values.values()))

    search = best_first(rank, among=50)
    assert wide.size == 10**12
    one, two = search(wide, []), search(wide, [])
    assert one == two and len(asked) <= 50


def test_optuna_prefers_what_was_fast() -> None:
    pytest.importorskip("optuna")
    line = Space((Choice("x", tuple(range(40)), 0), Choice("y", tuple("abcd"), "a")))
    history: list[Tried] = []
    for _ in range(30):
        values = optuna_search(1)(line, history)
        assert values is not None
        history.append(Tried(values, values, "measured", abs(values["x"] - 30) + 1.0))
    later = [abs(t.values["x"] - 30) for t in history[20:]]
    assert sum(later) / len(later) < 8  # 12.5 at random


def test_without_optuna_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(RuntimeError, match=r"pip install 'exo-strat\[tune\]'"):
        optuna_search()


def test_a_candidate_says_what_came_of_it() -> None:
    assert str(Tried({"rows": 4}, {"rows": 4}, "measured", 0.00125)) == "rows = 4: measured, 1.25 ms"
    assert str(Tried({"rows": 4}, {"rows": 4}, "measured", 120.0, unit="cycles")) == "rows = 4: modelled, 120 cycles"
    assert str(Tried({"rows": 4}, {"rows": 4}, "measured", 6.0, unit="")) == "rows = 4: modelled, 6"
    assert str(Tried({}, {}, "refused", reason="no loop")) == "the strategy as it is: refused (no loop)"


def test_what_is_known_of_other_sizes_comes_first() -> None:
    told = {"rows": Told("8"), "columns": 2}  # as a record knows a value that no JSON has
    first = [{"rows": 5, "columns": 1}, {"rows": 4, "columns": 3}, told, {"rows": 4, "columns": 3}]
    found = chosen(run(starting(first, exhaustive()), GRID))
    assert found[:3] == [{"rows": 4, "columns": 3}, {"rows": 8, "columns": 2}, {"rows": 4, "columns": 1}]
    assert len(found) == 12


def test_a_start_may_name_holes_that_only_a_run_comes_to() -> None:
    """The space knows of the choice only; the values are kept, so that the run has them."""
    known = Space((Choice("how", ("plain", "tiled"), "plain"),))
    assert starting([{"how": "tiled", "width": 8}], exhaustive())(known, ()) == {"how": "tiled", "width": 8}


def test_limits_hold_of_a_start() -> None:
    limited = Space(GRID.choices, (Limit(fits, ("rows", "columns")),))
    assert starting([{"rows": 8, "columns": 4}], exhaustive())(limited, ()) == {"rows": 4, "columns": 1}


def test_climbing_goes_up_from_what_was_fast() -> None:
    line = Space(tuple(Choice(f"h{k}", tuple(range(5)), 0) for k in range(4)))
    fast, slow = ({f"h{k}": n for k in range(4)} for n in (3, 1))
    history = [Tried(fast, fast, "measured", 1.0), Tried(slow, slow, "measured", 2.0)]
    found = climbing(starts=2)(line, history)
    assert found is not None and sum(found[name] != 3 for name in found) == 1
