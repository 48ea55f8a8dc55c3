"""A strategy of one's own, tested on random programs before it is used.

    python examples/own_strategy.py
"""

from __future__ import annotations

from exo_strat import *
from exo_strat.testing import check_strategy, every


@strategy
def tile_and_unroll(p: Proc, c: ForCursor, factor: int) -> Script:
    """`for i: s  ~>  for io: s; s; ..; then the rest`. Focus: a loop. Returns the loop that is left."""
    p, outer = yield divide_loop(factor, ("io", "ii"), tail="cut")
    yield on(outer.body()[0], unroll_loop())
    return outer


@proc
def scale(n: size, a: f32, x: f32[n]):
    for i in seq(0, n):
        x[i] = a * x[i]


if __name__ == "__main__":
    op = tile_and_unroll(4)
    print(op)
    print(schedule(at("for i in _: _", op) >> simplify(), scale))

    # Every loop of every random program: where the strategy applies, the program must compute the same.
    tally = check_strategy(op, at=every(ForCursor), max_examples=25)
    print(f"held on {tally.accepted[str(op)]} loops, refused on {tally.refusals(str(op))}")
