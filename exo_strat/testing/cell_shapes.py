"""Shapes of code that takes indices and bounds from buffers."""

from __future__ import annotations

from typing import Final

from .ranges import ZERO, Bound, N, Range
from .writer import LOCALS, WINDOWS, Writer

CELLS: Final = ("idx", "perm", "idx", "one")
"""Buffers of n indices below n. In `perm` no two are equal; `one` is the first of `idx` that is looked at."""


def gathered(w: Writer) -> None:
    """A loop in which elements of buffers are indices, as other control values are."""
    with w.loop(("0", "n", ZERO, N)) as i:
        _take(w, i)
        if w.ch.chance(30):
            _take(w, i)
        w.block(2, leaves=w.ch.chance(60))


def scattered(w: Writer) -> None:
    """A loop that writes where elements of a buffer say."""
    with w.loop(("0", "n", ZERO, N)) as i:
        place = w.ch.pick(["perm", "perm", "idx"])
        other = w.ch.pick([f"{place}[{i}]", f"{place}[{i}]", f"perm[idx[{i}]]", i, "idx[0]"])
        value = w.ch.pick([f"u[{i} % 6]", f"x[{i}]", f"y[{other}]", f"y[{other} + 1]", "0.0", f"z[0, {other}]"])
        w.update(f"y[{place}[{i}]]", value, w.ch.chance(40))
        if w.ch.chance(30):
            w.leaf()


def rows(w: Writer) -> None:
    """Rows of elements that lie one after the other, between bounds that a buffer has."""
    with w.loop(("0", "n", ZERO, N)) as i:
        if w.ch.chance(50):
            w.emit(w.ch.pick([f"y[{i}] = 0.0", "r = 0.0", f"y[{i}] = x[idx[{i}]]"]))
        first, last = w.ch.pick([(f"ptr[{i}]", f"ptr[{i} + 1]")] * 4 + [("0", f"ptr[{i}]"), (f"ptr[{i}]", "n")])
        k = "k" if i != "k" else "l"
        with w.inside(f"for {k} in seq({first}, {last}):", Range(k, ZERO, N)):
            w.names.add(k)
            col = w.ch.pick([f"idx[{k}]", f"perm[{k}]", k])
            match w.ch.weighted({"product": 4, "scale": 3, "any": 2}):
                case "product":
                    w.emit(f"y[{i}] += x[{k}] * u[{w.ch.pick([f'{col} % 6', '0'])}]")
                case "scale":
                    w.update(f"x[{col}]", w.ch.pick([f"x[{k}]", f"u[{i} % 6]", "2.0"]), w.ch.chance(50))
                case _:
                    _take(w, k)
                    w.block(2, leaves=True)


def clamped(w: Writer) -> None:
    """Indices from a buffer that is written, too: a minimum and a maximum keep them in bounds."""
    b = w.fresh(LOCALS)
    w.emit(f"{b}: {w.ch.pick(['i32', 'i32', 'u8', 'i8'])}[4]")
    if w.ch.chance(85):
        with w.loop(("0", "4", ZERO, Bound(4))) as j:
            w.emit(f"{b}[{j}] = {w.ch.pick([f'i32({j})', f'i32(3 - {j})', '1.0', '0.0'])}")
    with w.loop() as i:
        at = w.ch.pick(["0", "1", f"min(max({i}, 0), 3)"])
        values = [f"i32(min(max({i}, 0), 9))", "2.0", f"{b}[1] + 1.0"]
        if w.ch.chance(30):
            w.emit(f"{b}[{w.ch.pick(['0', at])}] = {w.ch.pick(values)}")
        if w.ch.chance(20):  # where it is written may depend on what is written
            w.emit(f"{b}[min(max(index({b}[{at}]), 0), 3)] {w.ch.pick(['=', '+='])} {b}[1] + 1.0")
        w.ranges.append(Range(f"min(max(index({b}[{at}]), 0), n - 1)", ZERO, N))
        match w.ch.weighted({"count": 3, "bound": 2, "any": 4}):
            case "count":
                w.update(f"y[{w.ranges[-1].text}]", w.ch.pick(["1.0", "u[0]", "x[0]"]), w.ch.chance(80))
            case "bound":
                k = "k" if i != "k" else "l"
                with w.inside(f"for {k} in seq(0, {w.ranges[-1].text}):", Range(k, ZERO, N)):
                    w.names.add(k)
                    if w.ch.chance(30):
                        w.emit(f"{b}[{at}] = 1.0")
                    w.leaf()
            case _:
                w.block(2, leaves=True)
        if w.ch.chance(30):
            w.emit(f"{b}[{w.ch.pick(['0', at])}] = {w.ch.pick(values)}")


def fetched(w: Writer) -> None:
    """Calls of a procedure that takes indices from what it is passed, beside code that does so itself."""
    one, two = w.ch.pick([("x", "y[0:n]"), ("y[1:n + 1]", "x"), ("x", "y[2:n + 2]")])
    place = w.ch.pick(["idx", "perm"])
    if w.ch.chance(40):
        _posted(w, place)
        return
    with w.loop(w.limits(constant=True)):
        w.emit(f"fetch(n, {one}, {two}, {place})")
        if w.ch.chance(50):
            w.leaf()
    if w.ch.chance(50):
        with w.loop(("0", "n", ZERO, N)) as i:
            there = f"x[{place}[{i}]]"
            w.emit(w.ch.pick([f"y[{i}] = {there}", f"{there} = y[{i}]", f"y[{i} + 1] += {there}"]))


def _posted(w: Writer, place: str) -> None:
    """Calls, one an iteration, of a procedure that writes where a part of a buffer of indices says."""
    with w.loop(("0", "n", ZERO, N)) as i:
        count, part = w.ch.pick([("1", f"{place}[{i}:{i} + 1]")] * 3 + [("n", f"{place}[0:n]"), ("1", f"{place}[0:1]")])
        if w.ch.chance(40):
            name = w.fresh(WINDOWS)
            w.emit(f"{name} = {part}")
            part = name
        values = f"x[0:{count}]" if count == "n" else w.ch.pick([f"x[{i}:{i} + 1]", f"y[{i}:{i} + 1]", "u[2:3]"])
        target = w.ch.pick(["z[1, 0:n]", "z[0, 0:n]"] if values[0] == "y" else ["y[0:n]", "y[0:n]", f"z[{i} % 4, 0:n]"])
        w.emit(f"post({count}, n, {values}, {target}, {part})")
        if w.ch.chance(30):
            w.leaf()


def _take(w: Writer, i: str) -> None:
    """An element of a buffer as a control value in scope, and now and then only where it is small."""
    text = {"idx": f"idx[{i}]", "perm": f"perm[{i}]", "one": "idx[0]"}[w.ch.pick(CELLS)]
    if w.ch.chance(15):
        text = f"perm[{text}]"
    w.ranges.append(Range(f"index({text})", ZERO, N))
