"""Shapes of code that looks at buffers with other extents."""

from __future__ import annotations

import re

from .ranges import ONE, ZERO, Bound, N
from .writer import WINDOWS, Buffer, Writer

SIX, FOUR, TWO = Bound(6), Bound(4), Bound(2)


def reshaped(w: Writer) -> None:
    """Code that uses a buffer with other extents. While it does, nothing else names that buffer, but for now and then
    something that should not."""
    base, text, shape = _choice(w)
    name = w.fresh(WINDOWS)
    w.emit(f"{name} = {base}.view({text})")
    buffers, cells = w.buffers, w.cells
    view = Buffer(name, shape, base, constant=base == "u")
    hidden = [b for b in buffers if b.base == base and not (w.sloppy and w.ch.chance(5))]
    w.buffers = [*(b for b in buffers if b not in hidden), view, view]
    w.cells = [c for c in cells if not any(re.search(rf"\b{b.name}\b", c) for b in hidden)]
    for _ in range(1 + w.ch.chance(50)):
        _use(w, view)
    w.buffers, w.cells = [*buffers], [c for c in cells if c in w.cells]
    if w.ch.chance(70):
        w.leaf()


def _choice(w: Writer) -> tuple[str, str, tuple[Bound, ...]]:
    """A buffer, its new extents as text, and what they are."""
    match w.ch.weighted({"local": 4, "z": 4, "x": 2, "u": 2}):
        case "local":
            b = w.alloc((TWO, FOUR) if w.ch.chance(60) else (FOUR,))
            if len(b.shape) == 2:
                return b.name, *w.ch.pick([("8", (Bound(8),)), ("4, 2", (FOUR, TWO)), ("2, 2, 2", (TWO, TWO, TWO))])
            return b.name, *w.ch.pick([("2, 2", (TWO, TWO)), ("4, 1", (FOUR, ONE)), ("4", (FOUR,))])
        case "z":
            flat, halves = ("4 * n", (Bound(0, 4),)), ("2, 2 * n", (TWO, Bound(0, 2)))
            return "z", *w.ch.pick([("n, 4", (N, FOUR)), flat, halves, ("4, n", (FOUR, N))])
        case "x":
            return "x", *w.ch.pick([("1, n", (ONE, N)), ("n, 1", (N, ONE)), ("n", (N,))])
        case _:
            three = Bound(3)
            return "u", *w.ch.pick([("2, 3", (TWO, three)), ("6", (SIX,)), ("3, 1, 2", (three, ONE, TWO))])


def _use(w: Writer, view: Buffer) -> None:
    """A loop or nest over the buffer, or anything that may use it."""
    kind = w.ch.weighted({"all": 3, "row": 2, "any": 3})
    if kind == "any":
        w.block(2, leaves=w.ch.chance(70))
        return
    with w.loop(("0", str(view.shape[0]), ZERO, view.shape[0])) as i:
        if len(view.shape) == 1 or kind == "row":
            rest = "".join(", 0" for _ in view.shape[1:])
            w.update(f"{view.name}[{i}{rest}]", w.value(1), w.ch.chance(30))
            return
        with w.loop(("0", str(view.shape[1]), ZERO, view.shape[1])) as j:
            rest = "".join(", 0" for _ in view.shape[2:])
            w.update(f"{view.name}[{i}, {j}{rest}]", w.value(1), w.ch.chance(30))
