"""What `exo-strat view` shows beside a program: the bytes that each loop touches, and the roofline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape
from math import ceil, floor, log10
from typing import Final, TypeAlias

from exo_strat import ForCursor, InvalidCursorError, Machine, Proc, analysis
from exo_strat.view import Panel

from .inspect import flops, footprint, statements
from .inspect.amounts import Amount
from .limits import copying, multiply_adds
from .std.writing import text

Seconds: TypeAlias = Callable[[Proc, Mapping[str, int]], float]
"""How long a call of a procedure takes, given its integer arguments. Raises `ValueError` where it can't be measured."""

MOST_LOOPS: Final = 150
ROUNDS: Final = 200_000
"""Rounds of multiply-adds in a measurement of the peak."""
FAR: Final = 1 << 24
"""Elements that are copied to measure memory: more than caches hold."""
WIDTH, HEIGHT, LEFT, BELOW = 460, 280, 58, 40
"""The roofline's size in pixels, and what is left of it and below for labels."""


def footprints(p: Proc, machine: Machine, sizes: Mapping[str, int], seconds: Seconds) -> Panel | None:
    """A table of the loops of a procedure: how often each runs, and the bytes that one iteration and the whole loop
    touch of what is declared outside; with sizes as numbers, and the nearest cache that holds them."""
    loops = [s for s in statements(p.root()) if isinstance(s, ForCursor)]
    if not loops:
        return None
    rows = "".join(_row(c, machine, sizes) for c in loops[:MOST_LOOPS])
    more = f"<p>and {len(loops) - MOST_LOOPS} loops more</p>" if len(loops) > MOST_LOOPS else ""
    given = ", ".join(f"{k} = {v}" for k, v in sizes.items())
    head = "<tr><th>loop<th>iterations<th>bytes an iteration<th>bytes in all<th>fits</tr>"
    about = f"for {escape(given)}" if given else "without sizes (--sizes gives them)"
    return Panel("Footprints", f"<p>What each loop touches, {about}.</p><table>{head}{rows}</table>{more}")


def _row(c: ForCursor, machine: Machine, sizes: Mapping[str, int]) -> str:
    depth = len([1 for label, _ in c.path if label == "body"]) - 1
    title = f"{'&nbsp;' * 2 * depth}{escape(c.name())}"
    count = analysis.trip_count(c.node)
    times = str(count) if count is not None else f"{text(c.hi())} - {text(c.lo())}"
    inner, whole = _bytes(lambda: footprint(c.body())), _bytes(lambda: footprint(c))
    cells = (title, escape(times), *(_shown(x, sizes) for x in (inner, whole)), _level(whole, machine, sizes))
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>"


def _bytes(asked: Callable[[], Amount]) -> Amount | None:
    try:
        return asked()
    except InvalidCursorError:  # its windows depend on data, or on what is not affine
        return None


def _number(x: Amount | None, sizes: Mapping[str, int]) -> int | None:
    """An amount for some sizes; None if it depends on more."""
    try:
        return None if x is None else x.at(**sizes)
    except KeyError:
        return None


def _shown(x: Amount | None, sizes: Mapping[str, int]) -> str:
    if x is None:
        return "depends on data"
    number = _number(x, sizes)
    return escape(str(x)) if number is None or str(x) == str(number) else f"{number:,}<br>{escape(str(x))}"


def _level(x: Amount | None, machine: Machine, sizes: Mapping[str, int]) -> str:
    number = _number(x, sizes)
    if number is None:
        return ""
    caches = machine.processor.caches
    return next((f"L{k}" for k, cache in enumerate(caches, 1) if number <= cache.bytes), "memory")


# -- the roofline -------------------------------------------------------------------------------------


def roofline(p: Proc, machine: Machine, sizes: Mapping[str, int], seconds: Seconds) -> Panel | None:
    """The speed of a procedure under the two limits of the processor, all measured: its multiply-adds on registers, and
    its memory as fast as copies go. Operations and bytes are those of the program that was scheduled. None without
    sizes, or where they depend on data."""
    if not sizes:
        return None
    # of the program as it was written: a schedule may compute some values twice, and its branches count as taken
    whole, precision = [*p.versions()][-1].root(), _precision(p)
    work, touched = (_number(_bytes(partial(count, whole)), sizes) for count in (flops, footprint))
    top = multiply_adds(machine, precision) if precision else None
    if not work or not touched or top is None:
        return None
    adds, operations = top
    peak = ROUNDS * operations / seconds(adds, {"n": ROUNDS})
    memory = 2 * FAR * (4 if precision == "f32" else 8) / seconds(copying(precision), {"n": FAR})
    took = seconds(p, sizes)
    intensity, speed = work / touched, work / took
    limit = min(peak, intensity * memory)
    rows = {
        "time of a call": f"{took * 1e3:.3g} ms",
        "operations": f"{work:,}",
        "bytes that it touches": f"{touched:,}",
        "intensity": f"{intensity:.2f} operations a byte",
        "speed": f"{speed / 1e9:.1f} GFLOP/s",
        "peak of multiply-adds": f"{peak / 1e9:.1f} GFLOP/s",
        "memory, copying": f"{memory / 1e9:.1f} GB/s",
        "part of the limit": f"{speed / limit:.0%}" + (", data stay in caches" if speed > limit else ""),
    }
    table = "".join(f"<tr><td>{k}<td class=r>{v}</tr>" for k, v in rows.items())
    return Panel("Roofline", _chart(intensity, speed, peak, memory) + f"<table>{table}</table>")


def _precision(p: Proc) -> str:
    """The precision of the data arguments, if it is one."""
    found = {str(getattr(a.type(), "base", a.type())) for a in p.args() if a.mem() is not None}
    return found.pop() if len(found) == 1 else ""


def _chart(intensity: float, speed: float, peak: float, memory: float) -> str:
    """Both limits on logarithmic axes, and the procedure as a dot."""
    ridge = peak / memory
    left, right = min(intensity, ridge) / 8, max(intensity, ridge) * 8
    bottom, top = min(speed, left * memory) / 2, max(peak, speed) * 2

    def x(v: float) -> float:
        return LEFT + (log10(v) - log10(left)) / (log10(right) - log10(left)) * (WIDTH - LEFT - 10)

    def y(v: float) -> float:
        return 10 + (log10(top) - log10(v)) / (log10(top) - log10(bottom)) * (HEIGHT - BELOW - 10)

    roof = f"{x(left):.0f},{y(left * memory):.0f} {x(ridge):.0f},{y(peak):.0f} {x(right):.0f},{y(peak):.0f}"
    marks = [
        f'<text x="{x(v):.0f}" y="{HEIGHT - 22}" text-anchor="middle">{v:g}</text>' for v in _decades(left, right)
    ] + [f'<text x="{LEFT - 6}" y="{y(v) + 4:.0f}" text-anchor="end">{v / 1e9:g}</text>' for v in _decades(bottom, top)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-size="11" font-family="sans-serif" fill="currentColor" role="img" '
        'aria-label="roofline: speed over operations a byte">'
        f'<polyline points="{roof}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<line x1="{x(intensity):.0f}" y1="{y(min(peak, intensity * memory)):.0f}" x2="{x(intensity):.0f}" '
        f'y2="{y(speed):.0f}" stroke="currentColor" stroke-dasharray="3 3"/>'
        f'<circle cx="{x(intensity):.0f}" cy="{y(speed):.0f}" r="6" fill="#d55e00"/>{"".join(marks)}'
        f'<text x="{(WIDTH + LEFT) // 2}" y="{HEIGHT - 5}" text-anchor="middle">operations a byte</text>'
        f'<text x="12" y="{HEIGHT // 2}" text-anchor="middle" transform="rotate(-90 12 {HEIGHT // 2})">GFLOP/s</text>'
        "</svg>"
    )


def _decades(low: float, high: float) -> Iterator[float]:
    """The powers of ten in a range."""
    yield from (10.0**k for k in range(ceil(log10(low)), floor(log10(high)) + 1))
