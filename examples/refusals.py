"""What a refusal says, and what combinators make of one.

    python examples/refusals.py
"""

from __future__ import annotations

from exo_strat import *


@proc
def smooth(n: size, x: f32[n + 2], y: f32[n]):
    for i in seq(0, n):
        t: f32
        t = x[i] + x[i + 1]
        y[i] = t + x[i + 2]
    for i in seq(0, n):
        x[i + 1] = y[i]


loop, write_back = "for i in _: _", "for i in _: _ #1"

if __name__ == "__main__":
    # Fusing would let an iteration read what an earlier one has overwritten.
    refused = at(loop, fuse(write_back))(smooth)
    print(refused.failure())

    # A failure is a value: a strategy goes on with something else.
    parallel_if_possible = at(loop, parallelize_loop() | identity)
    both = at(loop, fuse(write_back)) | parallel_if_possible
    print(schedule(both, smooth))

    # The direct form raises instead.
    try:
        direct.divide_loop(smooth, "i", 0, ("io", "ii"))
    except SchedulingError as e:
        print(e)
