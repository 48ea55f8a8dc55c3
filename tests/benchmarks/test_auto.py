"""What `benchmarks.auto` shows of a program that was tuned or has threads, and when it measures again."""

from __future__ import annotations

from backends.targets import best_machine
from benchmarks import auto as auto_benchmark
from benchmarks.auto import Row, compared, table
from benchmarks.programs import PROGRAMS
from strategies.auto import auto


def test_a_program_that_was_tuned_stands_beside_itself_untuned() -> None:
    target = best_machine()
    [row] = compared(["atax"], "small", target, [auto(target, "f64")], {}, tuning=0.1)
    assert row.ours > 0.0 and row.untuned is not None and row.untuned > 0.0 and row.single is None


def test_times_of_one_thread_and_untuned_have_columns_with_what_is_gained() -> None:
    row = Row("gemm", 0.001, {"gcc": 0.002}, 3.0, 0.0005, 10**7, single=0.0018, untuned=0.0012)
    head, _, line, *_ = table([row], ["gcc"]).splitlines()
    names, cells = (text.strip("| ").split(" | ") for text in (head, line))
    assert len(names) == len(cells) == len(set(names)) + 1  # `gain` stands twice
    assert cells[4:8] == ["1.80", "1.80", "1.20", "1.20"]


def test_what_independent_products_gain_stands_beside_the_gain() -> None:
    row = Row("gemm", 0.001, {"gcc": 0.002}, 3.0, 0.0005, 10**7, single=0.0018, independent=1.95)
    head, _, line, *_ = table([row], ["gcc"]).splitlines()
    names, cells = (text.strip("| ").split(" | ") for text in (head, line))
    assert cells[names.index("independent gain")] == "1.95"


def test_a_program_is_measured_again_while_independent_products_gain_little(monkeypatch) -> None:
    gains = iter([1.0, 1.2, 1.9, 1.1, 1.85, 1.95])
    times = iter([5.0, 4.0, 3.0])
    monkeypatch.setattr(auto_benchmark, "gain", lambda threads: next(gains))
    monkeypatch.setattr(auto_benchmark, "measured", lambda *_: ([next(times)], []))
    assert auto_benchmark.undisturbed([], PROGRAMS["gemm"], {}, 2) == ([3.0], [], 1.85)
