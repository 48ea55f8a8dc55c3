"""How long scheduling takes, how many rewrites it makes, and what the solver is asked.

    python benchmarks/schedule_time.py
"""

from __future__ import annotations

import gc
import time
from statistics import median

from measure import show

from backends.targets import available_targets
from exo_strat.cli_demo import rewrites
from strategies import demos

REPEATS = 5

if __name__ == "__main__":
    rows: list[tuple[object, ...]] = []
    for machine in reversed(available_targets()):
        for demo in (demos.sgemm, demos.gemv_n, demos.gemv_t, demos.axpy):
            times = []
            for _ in range(REPEATS):
                gc.collect()
                start = time.perf_counter()
                p = demo.schedule(machine)
                times.append(time.perf_counter() - start)
            rows.append((f"{demo.name}, {machine.name}", rewrites(p), times[0], median(times)))
    show("Schedule time", ("schedule", "rewrites", "first, s", "median, s"), rows)
