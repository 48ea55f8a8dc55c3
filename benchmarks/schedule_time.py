"""How long scheduling takes: the demos' schedules, and schedules that exo-lang runs line by line, too.

    python -m benchmarks.schedule_time

Of the latter each run is a process of its own, ours and exo-lang's in turns; imports don't count.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from backends.targets import available_targets
from benchmarks.common_schedules import SCHEDULES
from benchmarks.measure import show
from benchmarks.peers import python_with
from exo_strat.cli_demo import rewrites
from strategies import demos

REPEATS = 5
COMMON = Path(__file__).with_name("common_schedules.py")


def ours() -> list[tuple[object, ...]]:
    """The demos' schedules: rewrites made, seconds the first time and the median of all."""
    rows: list[tuple[object, ...]] = []
    for machine in reversed(available_targets()):
        for demo in (demos.sgemm, demos.gemv_n, demos.gemv_t, demos.axpy):
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                p = demo.schedule(machine)
                times.append(time.perf_counter() - start)
            rows.append((f"{demo.name}, {machine.name}", rewrites(p), f"{times[0]:.3f}", f"{median(times):.3f}"))
    return rows


def beside_exo_lang() -> list[tuple[object, ...]]:
    """The common schedules: milliseconds here and there, and how many times faster ours is."""
    pythons = {"ours": Path(sys.executable), "exo-lang": python_with("exo-lang")}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(REPEATS):
        for who, python in pythons.items():
            command = [str(python), str(COMMON), *SCHEDULES]
            for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
                name, seconds, _ = line.split()
                found[name, who].append(float(seconds))
    both = {name: [median(found[name, who]) * 1e3 for who in pythons] for name in SCHEDULES}
    return [(name, f"{a:.1f}", f"{b:.1f}", f"{b / a:.1f}") for name, (a, b) in both.items()]


if __name__ == "__main__":
    show("Schedules of the demos", ("schedule", "rewrites", "first, s", "median, s"), ours())
    show("Beside exo-lang", ("schedule", "ours, ms", "exo-lang, ms", "times faster"), beside_exo_lang())
