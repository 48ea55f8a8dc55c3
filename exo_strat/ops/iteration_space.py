"""A counterexample as a picture: the iterations of one loop or two, and the two that clash.

The outer loop goes down, the inner one to the right, as matrices are written. The picture takes the colour of the text
around it, so it shows on dark and on light pages; the two iterations differ in shape, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from ..ir.names import Sym
from ..ir.nodes import Expr, For, ProcDef
from ..ir.printing import names_at
from ..ir.walk import Path, statements
from ..logic.forms import Leaf, V, lin, lin_atoms, value_of
from .failure import Failure, Unsafe

STEP: Final = 26
"""Pixels from one iteration to the next."""
MARGIN: Final = 34
AROUND: Final = 5
"""So many iterations are drawn on each side of those that clash; a loop may have millions."""
FIRST: Final = "#0072b2"
SECOND: Final = "#d55e00"
PRIME: Final = "'"
WIDE: Final = 7.2
"""Pixels that a character of the captions takes at most."""


@dataclass(frozen=True)
class Axis:
    """A loop of the picture: its iterator as it is printed, and its values in the two iterations, which are equal if
    the counterexample has one value only."""

    loop: For
    name: str
    first: int
    second: int


@dataclass(frozen=True)
class Space:
    """What is drawn: the loops, the outer one first; the iterations that run, and the two that clash."""

    axes: tuple[Axis, ...]
    points: tuple[tuple[int, ...], ...]
    caption: tuple[str, ...]

    @property
    def marked(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The two iterations."""
        return tuple(a.first for a in self.axes), tuple(a.second for a in self.axes)


def picture(failure: Failure) -> str:
    """The counterexample of a failure, or of the first of its causes that has one, on the iterations of its loops: an
    SVG document, or no text where there is none to draw.

    >>> from exo_strat import at, parallelize_loop, proc_from_source
    >>> p = proc_from_source('''
    ... def shift(n: size, x: f32[n + 1]):
    ...     for i in seq(0, n):
    ...         x[i + 1] = x[i]
    ... ''')
    >>> failure = at("for i in _: _", parallelize_loop())(p).failure()
    >>> svg = picture(failure)
    >>> svg.startswith("<svg"), "one reads x[i], the other writes x[i + 1]" in svg
    (True, True)
    """
    space = space_of(failure)
    return "" if space is None else _svg(space)


def space_of(failure: Failure) -> Space | None:
    """The loops and iterations that a counterexample is about; None if it is about none."""
    for cause in (failure, *(f for f, _ in failure.grounds())):
        if isinstance(cause, Unsafe) and cause.counterexample and cause.place is not None and cause.place.is_valid:
            found = _space(cause.place.proc.tree, cause.place.place(), cause.counterexample, cause)
            if found is not None:
                return found
    return None


def _space(tree: ProcDef, place: Path, values: Mapping[str, int], failure: Unsafe) -> Space | None:
    axes = _axes(tree, place, values)
    if not axes:
        return None
    names = names_at(tree)
    known = {sym: values[name] for sym, name in names.items() if name in values}
    caption = tuple(failure.details.splitlines()) or (failure.message,)
    sizes = [f"{k} = {v}" for k, v in sorted(values.items()) if k.removesuffix(PRIME) not in {a.name for a in axes}]
    return Space(axes, tuple(_points(axes, known)), (*caption, *([", ".join(sizes)] if sizes else [])))


def _axes(tree: ProcDef, place: Path, values: Mapping[str, int]) -> tuple[Axis, ...]:
    """The loops around a place and in it of which the counterexample speaks: two of them, those that have different
    values first.

    An iteration of a loop around the place is one for both. One of a loop inside of it counts if both have a value, and
    if no other loop there has that name: else it is of one of the two only, and no place in the picture is true.
    """
    names = names_at(tree)
    loops = [(path, s) for path, s in statements(tree) if isinstance(s, For)]
    around = [s for path, s in loops if path == place[: len(path)]]
    inside = [s for path, s in loops if path[: len(place)] == place and path != place]
    many = Counter(names[s.iter] for s in (*around, *inside))
    found = [a for s in around if (a := _axis(s, names[s.iter], values)) is not None]
    found += [
        a
        for s in inside
        if many[name := names[s.iter]] == 1 and {name, name + PRIME} <= values.keys()
        if (a := _axis(s, name, values)) is not None
    ]
    apart = [a for a in found if a.first != a.second]
    chosen = (apart + [a for a in found if a not in apart])[:2]
    return tuple(a for a in found if a in chosen)


def _axis(loop: For, name: str, values: Mapping[str, int]) -> Axis | None:
    """A loop with its values in the two iterations, which are one value where only one is known."""
    known = [values[n] for n in (name, name + PRIME) if n in values]
    return Axis(loop, name, known[0], known[-1]) if known else None


def _points(axes: Sequence[Axis], known: Mapping[Sym, int]) -> Iterator[tuple[int, ...]]:
    """The iterations near those that clash."""
    outer, *inner = axes
    for i in _near(outer, known):
        if not inner:
            yield (i,)
            continue
        for j in _near(inner[0], {**known, outer.loop.iter: i}):
            yield i, j


def _near(axis: Axis, known: Mapping[Sym, int]) -> range:
    """The iterations of a loop that are drawn: all near those that clash; where an end is not known, these."""
    least, most = min(axis.first, axis.second), max(axis.first, axis.second)
    lo, hi = _value(axis.loop.lo, known), _value(axis.loop.hi, known)
    return range(
        max(least - AROUND, least if lo is None else lo), min(most + AROUND + 1, most + 1 if hi is None else hi)
    )


def _value(e: Expr, known: Mapping[Sym, int]) -> int | None:
    """What a bound is; None if it depends on more than the counterexample says."""
    form = lin(e)
    values: dict[Leaf, int | bool] = {V(s): n for s, n in known.items()}
    plain = all(isinstance(a, V) and a in values for a in lin_atoms(form))
    return value_of(form, values) if plain else None


# -- drawing ------------------------------------------------------------------------------------------


def _svg(space: Space) -> str:
    rows = [p[0] for p in (*space.points, *space.marked)] if len(space.axes) == 2 else [0]
    columns = [p[-1] for p in (*space.points, *space.marked)]
    top, left = min(rows), min(columns)
    texts = (*space.caption, *(_said(space, k) for k in (0, 1)))
    wide = MARGIN * 2 + STEP * (max(columns) - left)
    high = MARGIN * 2 + STEP * (max(rows) - top)
    width, height = max(wide, 40 + WIDE * max(map(len, texts))), high + 18 * len(texts) + 8

    def at(p: Sequence[int]) -> tuple[float, float]:
        return MARGIN + STEP * (p[-1] - left), MARGIN + STEP * (p[0] - top if len(p) == 2 else 0)

    parts = [*_labels(space, top, left, rows, columns), *(_dot(*at(p)) for p in space.points)]
    first, second = map(at, space.marked)
    parts += [_arrow(first, second), _circle(*first), _square(*second)]
    for n, text in enumerate(texts):
        y = high + 18 * n + 6
        mark = {len(texts) - 2: _circle(14, y - 4, 5), len(texts) - 1: _square(14, y - 4, 5)}.get(n, "")
        parts.append(f'{mark}<text x="28" y="{y}">{escape(text, quote=False)}</text>')
    title = escape(" and ".join(_said(space, k) for k in (0, 1)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{width:.0f}" '
        f'height="{height}" viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="12" '
        f'fill="currentColor">{"".join(parts)}</svg>'
    )


def _said(space: Space, k: int) -> str:
    """One of the two iterations in words."""
    prime = PRIME * k
    return ", ".join(f"{a.name}{prime} = {(a.first, a.second)[k]}" for a in space.axes)


def _labels(space: Space, top: int, left: int, rows: Sequence[int], columns: Sequence[int]) -> Iterator[str]:
    inner = space.axes[-1]
    for j in range(left, max(columns) + 1):
        yield f'<text x="{MARGIN + STEP * (j - left)}" y="16" text-anchor="middle" opacity="0.7">{j}</text>'
    x = MARGIN + STEP * (max(columns) - left) + 16
    yield f'<text x="{x}" y="16" font-weight="bold">{escape(inner.name)}</text>'
    if len(space.axes) == 2:
        for i in range(top, max(rows) + 1):
            yield f'<text x="14" y="{MARGIN + STEP * (i - top) + 4}" text-anchor="middle" opacity="0.7">{i}</text>'
        y = MARGIN + STEP * (max(rows) - top) + 22
        yield f'<text x="14" y="{y}" text-anchor="middle" font-weight="bold">{escape(space.axes[0].name)}</text>'


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="3" opacity="0.45"/>'


def _circle(x: float, y: float, r: float = 8) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="none" stroke="{FIRST}" stroke-width="2.5"/>'


def _square(x: float, y: float, r: float = 8) -> str:
    side = f'x="{x - r:g}" y="{y - r:g}" width="{2 * r:g}" height="{2 * r:g}"'
    return f'<rect {side} fill="none" stroke="{SECOND}" stroke-width="2.5"/>'


def _arrow(a: tuple[float, float], b: tuple[float, float]) -> str:
    """From one iteration to the other; none where both are one point."""
    if a == b:
        return ""
    (x, y), (u, v) = a, b
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    dx, dy = (u - x) / length, (v - y) / length
    tip = (u - 12 * dx, v - 12 * dy)
    wings = ((tip[0] - 7 * dx - s * 4 * dy, tip[1] - 7 * dy + s * 4 * dx) for s in (1, -1))
    head = " ".join(f"{p:.1f},{q:.1f}" for p, q in (tip, *wings))
    line = f'x1="{x + 9 * dx:.1f}" y1="{y + 9 * dy:.1f}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}"'
    return f'<line {line} stroke="currentColor" stroke-width="1.5"/><polygon points="{head}"/>'
