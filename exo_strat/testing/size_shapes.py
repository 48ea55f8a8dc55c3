"""Shapes of code that multiplies and divides by sizes: loops over rows and columns, and over both at once."""

from __future__ import annotations

from .ranges import FAR, ONE, ZERO, Bound, M, N, Range
from .writer import Buffer, Writer

INNER = (("0", "m", M), ("1", "m + 1", M.plus(ONE)), ("0", "4", Bound(4)), ("0", "m - 1", M.minus(ONE)))
"""Ranges of inner loops: the last one may be empty."""


def rectangle(w: Writer) -> None:
    """Two loops whose ranges are sizes, or a loop that stands for two, over arrays of two dimensions and flat ones."""
    w.buffers.append(Buffer("g", (N, M), "g"))
    w.ready |= {"g", "h"}
    if w.ch.chance(50):
        _nested(w)
    else:
        _flat(w)


def _nested(w: Writer) -> None:
    outer = [("0", "n", ZERO, N), ("0", "n", ZERO, N), ("1", "n", ONE, N), ("-1", "2", Bound(-1), Bound(2))]
    with w.loop(w.ch.pick(outer)) as i:
        if w.ch.chance(10):
            w.leaf()
        lo, hi, end = w.ch.pick([*INNER[:1] * 6, *INNER])
        if w.ch.chance(10):
            hi, end = f"min(m, {i} + 1)", M
        with w.loop((lo, hi, ZERO, end)) as j:
            _elements(w, f"max({i}, 0) % n", f"{j} % m", f"(m * (max({i}, 0) % n) + {j} % m)")


def _flat(w: Writer) -> None:
    lo, hi = w.ch.pick([("0", "n * m")] * 4 + [("1", "n * m"), ("0", "m * n - 1"), ("-2", "n * m - 2")])
    with w.loop((lo, hi, FAR.minus(FAR).minus(FAR), FAR)) as k:
        text = k if lo != "-2" else f"({k} + 2)"
        w.ranges += [Range(f"{text} / m", ZERO, N), Range(f"{text} % m", ZERO, M)]
        _elements(w, f"{text} / m", f"{text} % m", text)


def _elements(w: Writer, row: str, column: str, place: str) -> None:
    """Statements at a row and a column, and at a place of a flat array; some look at neighbours."""
    match w.ch.weighted({"own": 5, "neighbour": 3, "row": 2, "any": 3}):
        case "own":
            target = w.ch.pick([f"g[{row}, {column}]", f"h[{place}]"])
            value = w.ch.pick([f"h[{place}]", f"g[{row}, {column}]", f"u[({column}) % 6]", "u[1]"])
            w.update(target, f"{value} + {w.ch.pick(['1.0', 'r', 'u[0]', f'f32({column})'])}", w.ch.chance(40))
        case "neighbour":
            condition, near = w.ch.pick([
                (f"0 < {column}", f"g[{row}, {column} - 1]"), (f"0 < {place}", f"h[{place} - 1]"),
                (f"{place} + m < n * m", f"h[{place} + m]"), (f"0 < {row}", f"g[{row} - 1, {column}]"),
                (f"{column} + 1 < m", f"h[{place} + 1]"),
            ])  # fmt: skip
            own = f"{near[0]}[{place if near[0] == 'h' else f'{row}, {column}'}]"
            one, other = (own, near) if w.ch.chance(50) else (near, own)
            with w.inside(f"if {condition}:"):
                w.update(one, f"{other} + 1.0", w.ch.chance(30))
        case "row":
            w.update(w.ch.pick([f"x[{row}]", "r", f"y[{row} + 1]"]), w.ch.pick([f"h[{place}]", "1.0"]), w.ch.chance(70))
        case _:
            w.block(2, leaves=True)
