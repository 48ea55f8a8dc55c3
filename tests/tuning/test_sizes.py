"""Decisions over sizes: the fewest cases within 3 %, in object code that is proved."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from backends.jit import jit
from exo_strat import *
from exo_strat.tuning.records import NOWHERE, Record, Setting, recorded
from exo_strat.tuning.search import Tried
from exo_strat.tuning.sizes import Cut, by_sizes, cases, sized


def record(sizes: Mapping[str, int], width: int, seconds: float) -> Record:
    at, values = tuple(sorted(sizes.items())), (("width", width),)
    return Record("p", "", "s", "", NOWHERE, at, values, seconds, 0.0, "", "")


def table(times: Mapping[int, Mapping[int, float]]) -> list[Record]:
    """Records of times by width and by n."""
    return [record({"n": n}, w, t) for n, row in times.items() for w, t in row.items()]


# -- the fewest cases ---------------------------------------------------------------------------------


def test_one_case_suffices_where_one_is_good_enough_everywhere() -> None:
    assert cases(table({8: {4: 1.0, 8: 1.02}, 99: {4: 4.0, 8: 3.9}})) == (("width", 8),)
    assert cases(table({8: {4: 1.0, 8: 1.04}, 99: {4: 4.2, 8: 3.9}})) == Cut("n", 28, {"width": 4}, {"width": 8})


def test_three_percent_is_within_three_percent() -> None:
    assert cases(table({8: {4: 1.0, 8: 1.03}, 99: {8: 1.0}})) == (("width", 8),)


def test_what_was_not_measured_at_a_size_is_no_case_there() -> None:
    assert cases(table({8: {4: 1.0}, 99: {8: 1.0}})) == Cut("n", 28, {"width": 4}, {"width": 8})


def test_of_as_many_cases_the_fastest_ones_are_taken() -> None:
    times = {1: {4: 1.0, 8: 9.0}, 10: {4: 1.02, 8: 1.0}, 100: {4: 9.0, 8: 1.0}}
    assert cases(table(times)) == Cut("n", 3, {"width": 4}, {"width": 8})


def test_sizes_in_two_directions() -> None:
    def best(n: int, m: int) -> int:
        return 4 if n < 50 else 8 if m < 50 else 16

    sizes = list(product((10, 20, 80, 160), (10, 80)))
    records = [record({"n": n, "m": m}, w, 1.0 if w == best(n, m) else 2.0) for n, m in sizes for w in (4, 8, 16)]
    assert cases(records) == Cut("n", 40, {"width": 4}, Cut("m", 28, {"width": 8}, {"width": 16}))
    assert cases(list(reversed(records))) == cases(records)


def test_the_fewest_cases_are_those_of_a_search_through_all() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        times = {10**k: {w: float(rng.choice([1.0, 1.02, 1.5])) for w in range(3)} for k in range(6)}
        found = leaves(cases(table(times)))
        assert found == fewest(times)


def leaves(case: object) -> int:
    return leaves(case.small) + leaves(case.large) if isinstance(case, Cut) else 1


def fewest(times: Mapping[int, Mapping[int, float]]) -> int:
    """How many intervals are needed, by trying all ways to cut."""
    sizes = sorted(times)

    def one(part: list[int]) -> bool:
        return any(all(times[n][w] <= 1.03 * min(times[n].values()) for n in part) for w in range(3))

    for count in range(len(sizes)):
        for ends in combinations(range(1, len(sizes)), count):
            bounds = [0, *ends, len(sizes)]
            if all(one(sizes[a:b]) for a, b in pairwise(bounds)):
                return count + 1
    raise AssertionError


def test_very_many_sizes_are_cut_one_after_the_other() -> None:
    times = {n: {w: 1.0 if w == n // 50 else 2.0 for w in range(5)} for n in range(1, 250)}
    assert leaves(cases(table(times))) == 5


def test_a_record_that_lacks_a_size_does_not_count() -> None:
    assert cases([record({"n": 1, "m": 2}, 4, 2.0), record({"n": 1}, 8, 1.0)]) == (("width", 4),)
    with pytest.raises(ValueError, match="no records"):
        cases([])
    with pytest.raises(ValueError, match="no record tells all sizes"):
        cases([record({"n": 1}, 4, 1.0), record({"m": 1}, 4, 1.0)])


# -- object code --------------------------------------------------------------------------------------


@proc
def scale(n: size, m: size, x: f32[n, m] @ DRAM):  # type: ignore
    for i in seq(0, n):  # type: ignore
        for j in seq(0, m):  # type: ignore
            x[i, j] = 2.0 * x[i, j]


OP = at("for j in _: _", divide_loop(hole("width", (4, 8, 16)), ("jo", "ji"), tail="cut"))
CASES = Cut("m", 9, {"width": 4}, Cut("n", 3, {"width": 8}, {"width": 16}))


CODE = """\
def scale(n: size, m: size, x: f32[n, m] @ DRAM):
    if m <= 9:
        scale_1(n, m, x)
    elif n <= 3:
        scale_2(n, m, x)
    else:
        scale_3(n, m, x)"""


def test_each_case_has_its_values_and_the_results_are_right() -> None:
    q = schedule(by_sizes(OP, CASES), scale)
    assert str(q) == CODE
    widths = [q.find(f"scale_{k}(_)").subproc().find_loop("ji").hi().value() for k in (1, 2, 3)]
    assert widths == [4, 8, 16]
    run = jit(q)
    for n, m in ((1, 1), (2, 9), (3, 10), (3, 33), (4, 33), (5, 8)):
        x = np.arange(n * m, dtype=np.float32).reshape(n, m)
        wanted = 2 * x
        run(n, m, x)
        assert (x == wanted).all()


def test_a_strategy_that_renames_is_no_obstacle() -> None:
    q = schedule(by_sizes(OP >> rename("fast"), CASES), scale)
    assert {q.find(f"scale_{k}(_)").subproc().name() for k in (1, 2, 3)} == {"scale_1", "scale_2", "scale_3"}


def test_one_case_is_the_strategy_itself() -> None:
    assert schedule(by_sizes(OP, {"width": 8}), scale) == schedule(OP.fill({"width": 8}), scale)


def test_what_computes_something_else_is_refused() -> None:
    with pytest.raises(SchedulingError, match="call_eqv"):
        schedule(by_sizes(OP >> nav(moves.root) >> add_assertion("n % 2 == 0"), CASES), scale)
    with pytest.raises(SchedulingError, match="k"):
        schedule(by_sizes(OP, Cut("k", 9, {}, {})), scale)
    with pytest.raises(SchedulingError, match="made of a whole procedure"):
        schedule(at("for i in _: _", by_sizes(OP, CASES)), scale)
    with pytest.raises(SchedulingError, match="can't be 5"):
        schedule(by_sizes(OP, Cut("n", 9, {"width": 5}, {})), scale)


def test_it_prints_compares_and_pickles() -> None:
    op = by_sizes(OP, CASES)
    assert eval(repr(op)) == op == pickle.loads(pickle.dumps(op))
    assert by_sizes(OP, {"width": 8}) == eval(repr(by_sizes(OP, {"width": 8})))


# -- of records ---------------------------------------------------------------------------------------


def measured(widths: Mapping[int, Callable[[int], float]]) -> list[Record]:
    """Records of times as functions of m."""
    found: list[Record] = []
    for m in (1, 10, 100, 1000):
        tried = [Tried({}, {"width": w}, "measured", time(m), 0.0) for w, time in widths.items()]
        found += recorded(OP, scale, tried, NOWHERE, {"n": 50, "m": m}, "2026-11-24")
    return found


TIMES = {4: lambda m: 1.0 + m, 8: lambda m: 10.0 + 0.5 * m, 16: lambda m: 1e6}


def test_records_make_cases() -> None:
    op = sized(OP, measured(TIMES))
    assert schedule(op, scale) == schedule(by_sizes(OP, Cut("m", 31, {"width": 4}, {"width": 8})), scale)
    assert eval(repr(op), {**globals(), "Setting": Setting}) == op == pickle.loads(pickle.dumps(op))
    assert "width', 16" not in repr(op), "what no case rests on is left out"


def test_without_a_record_that_fits_holes_have_their_defaults() -> None:
    op = sized(OP, measured(TIMES))
    other = schedule(rename("other"), scale)
    assert schedule(op, other) == schedule(OP, other)
    assert "no record of other fits" in explain(trace(op, other)[1])
    assert schedule(sized(OP, []), scale) == schedule(OP, scale)
