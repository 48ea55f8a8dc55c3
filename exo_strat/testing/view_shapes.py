"""Shapes of code that looks at buffers with other extents."""

from __future__ import annotations

import re

from .ranges import ONE, ZERO, Bound, N
from .writer import WINDOWS, Buffer, Writer

SIX, FOUR, TWO = Bound(6), Bound(4), Bound(2)


def reshaped(w: Writer) -> None:
    """Code that uses a buffer with other extents. While it does, nothing else names that buffer, but for now and then
    something that should not."""
    if w.ch.chance(30):
        _by_itself(w)
        return
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


def _by_itself(w: Writer) -> None:
    """A loop each iteration of which fills a local buffer by one with other extents, and looks at it by that, by its
    own name or by a third one; or fills not all of it. The buffer may be there before the loop, and hold something."""
    flat, rows = w.ch.chance(60), w.ch.pick([2, 2, 4])
    shape, columns = (FOUR,) if flat else (TWO, TWO), 4 // rows
    b = w.alloc(shape, init=w.ch.chance(20)) if w.ch.chance(70) else None
    with w.loop() as i:
        b = b or w.alloc(shape, init=False)
        if w.ch.chance(20):
            w.leaf()
        name = w.fresh(WINDOWS)
        w.emit(f"{name} = {b.name}.view({rows}, {columns})")
        few = ("0", str(rows - w.ch.chance(15)), ZERO, Bound(rows))
        with w.loop(few) as j, w.loop(("0", str(columns), ZERO, Bound(columns))) as k:
            w.update(f"{name}[{j}, {k}]", w.ch.pick(["1.0", f"u[{j} + {k}]", f"z[{j}, 0]"]), w.ch.chance(10))
        reads = [f"{name}[{rows - 1}, 0]", f"{name}[0, {columns - 1}]"]
        match w.ch.weighted({"same": 6, "own": 2, "third": 2}):
            case "own":
                reads = [f"{b.name}[3]", f"{b.name}[1]"] if flat else [f"{b.name}[1, 0]", f"{b.name}[0, 1]"]
            case "third":
                own = w.fresh(WINDOWS)
                w.emit(f"{own} = {b.name}.view(4)")
                reads = [f"{own}[3]", f"{own}[1]"]
            case _:
                pass
        w.update(w.ch.pick([f"y[min(max({i}, 0), n - 1)]", "r"]), " + ".join(reads), w.ch.chance(60))


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
