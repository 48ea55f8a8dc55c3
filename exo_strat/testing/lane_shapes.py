"""A shape of code over a few lanes, of which only some count: for rewrites that drop guards."""

from __future__ import annotations

from contextlib import nullcontext

from .ranges import ZERO, Bound
from .writer import Buffer, Writer

LANES = Bound(4)


def lanes(w: Writer) -> None:
    """A buffer of vector lanes that is set, accumulated into and read under one guard: the lane is below a limit.
    Sometimes the guard is another one, is missing, or reads data, or other lanes are read than were set."""
    outside = w.alloc(w.ch.pick([(LANES,), (LANES,), (Bound(2), LANES)]), init=w.ch.chance(30))
    limit = w.ch.pick(["n", "n", "2", "3", "n - 1"])
    with w.loop() if w.ch.chance(60) else nullcontext():
        a = outside if w.ch.chance(60) else w.alloc((LANES,), init=w.ch.chance(30))
        if not w.ch.chance(10):
            _stage(w, a, limit, "=", ["0.0", "x[{i}]", "u[{i} + 2]"])
        for _ in range(w.ch.upto(2)):
            op = "+=" if w.ch.chance(70) else "="
            other = _lane(w, a).replace("{i}", w.ch.pick(["{i}", "3 - {i}"]))
            _stage(w, a, limit, op, ["u[{i}]", "u[0] * u[{i}]", "x[{i}]", f"{other} + u[1]", "u[0] / u[{i}]"])
        _result(w, a, limit)


def _lane(w: Writer, a: Buffer) -> str:
    """The element of a lane."""
    return w.at(a, [*(str(w.ch.upto(1)) for _ in a.shape[1:]), "{i}"])


def _stage(w: Writer, a: Buffer, limit: str, op: str, values: list[str]) -> None:
    """A loop over lanes that writes those that count. An argument of n elements is read there only."""
    guards = {"same": 14, "none": 1, "other": 1, "data": 1}
    with w.loop(("0", "4", ZERO, LANES)) as i:
        kind = w.ch.weighted(guards)
        inside = limit.startswith("n") and kind in ("same", "data")
        value = w.ch.pick([v for v in values if inside or "x[" not in v])
        line = f"{_lane(w, a)} {op} {value}".format(i=i)
        least = w.ch.pick(["n", "2", "1"]) if kind == "other" else limit
        test = f"u[{i}] < 2.0 and {i} < {least}" if kind == "data" else f"{i} < {least}"
        with w.inside(f"if {test}:") if kind != "none" else nullcontext():
            w.emit(line)


def _result(w: Writer, a: Buffer, limit: str) -> None:
    """What is read in the end: the lanes that count, or now and then others."""
    w.ready.add(a.name)
    with w.loop(("0", "4", ZERO, LANES)) as i:
        line = f"{w.ch.pick(['r', 'z[{i}, 0]', 'z[{i}, 0]'])} += {_lane(w, a)}".format(i=i)
        least = limit if w.ch.chance(85) else w.ch.pick(["3", "n"])
        with w.inside(f"if {i} < {least}:") if not w.ch.chance(10) else nullcontext():
            w.emit(line)


__all__ = ["lanes"]
