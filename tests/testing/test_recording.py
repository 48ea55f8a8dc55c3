"""What a log of a run has of it: each read, whatever the number of indices, in the order of the run."""

from __future__ import annotations

from exo_strat import proc_from_source
from exo_strat.interp import array
from exo_strat.testing.inputs import Inputs
from exo_strat.testing.recording import record

SOURCE = """
def foo(r: f32, x: f32[4], y: f32[2, 3], z: f32[2, 2, 2], out: f32):
    for i in seq(0, 2):
        t: f32
        t = r
        out = t + x[2 * i + 1] + y[i, i + 1] * z[i, 0, 1 - i] - r
        out += r
"""


def test_the_log_has_each_read_of_scalars_and_of_elements() -> None:
    p = proc_from_source(SOURCE)
    values = {"r": 1, "x": [1] * 4, "y": [[1] * 3] * 2, "z": [[[1] * 2] * 2] * 2, "out": 0}
    given = Inputs({name: array(v) for name, v in values.items()}, {})
    log = record(p.tree, given)
    names = {id(v.cells): a.sym.name for a, v in zip(p.tree.args, log.args.values(), strict=True)}  # type: ignore[attr-defined]
    seen = [(e.kind, names.get(id(e.cells), "t"), e.at) for e in log.events]
    assert seen == [
        *[("W", "t", 0), ("R", "r", 0)],
        *[("W", "out", 0), ("R", "t", 0), ("R", "x", 1), ("R", "y", 1), ("R", "z", 1), ("R", "r", 0)],
        *[("A", "out", 0), ("R", "r", 0)],
        *[("W", "t", 0), ("R", "r", 0)],
        *[("W", "out", 0), ("R", "t", 0), ("R", "x", 3), ("R", "y", 5), ("R", "z", 4), ("R", "r", 0)],
        *[("A", "out", 0), ("R", "r", 0)],
    ]
