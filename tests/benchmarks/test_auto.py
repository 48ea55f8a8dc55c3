"""What `benchmarks.auto` shows of a program that was tuned."""

from __future__ import annotations

import multiprocessing

from backends.targets import best_machine
from benchmarks.auto import Row, compared, crowded, table
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


def test_processes_beside_ours_are_ended() -> None:
    calls: list[int] = []
    assert crowded(lambda given: calls.append(len(given)), {"n": 1}, 3) >= 0.0
    assert calls and not multiprocessing.active_children()


def test_what_processes_gain_is_of_their_number() -> None:
    row = Row("gemm", 0.001, {"gcc": 0.002}, 3.0, 0.0005, 10**7, single=0.0018, crowded=0.0024, threads=2)
    assert row.processes == 1.5
    head, _, line, *_ = table([row], ["gcc"]).splitlines()
    names, cells = (text.strip("| ").split(" | ") for text in (head, line))
    assert cells[names.index("processes gain")] == "1.50"
