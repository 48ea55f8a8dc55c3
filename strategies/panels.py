"""What `exo-strat view` shows beside a program: the bytes that each loop touches, and the roofline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from math import ceil, floor, log10
from typing import Final, TypeAlias

from exo_strat import (
    DRAM,
    DRAM_STACK,
    DRAM_STATIC,
    AllocCursor,
    ForCursor,
    InvalidCursorError,
    Machine,
    Proc,
    Sym,
    Tensor,
    analysis,
    forms,
)
from exo_strat.tuning import Timed
from exo_strat.view import Panel, lines_of, reels

from .inspect import flops, footprint, statements
from .inspect.amounts import Amount
from .limits import copying, multiply_adds
from .std.writing import text

Time: TypeAlias = Callable[[Proc, Mapping[str, int]], Timed | str]
"""What a call of a procedure takes, given its integer arguments; or why that can't be measured."""

Known: TypeAlias = Mapping[Sym, int]
"""Sizes by the arguments that they are for."""

MOST_LOOPS: Final = 150
ROUNDS: Final = 200_000
"""Rounds of multiply-adds in a measurement of the peak."""
FAR: Final = 1 << 24
"""Elements that are copied to measure memory: more than caches hold."""
WIDTH, HEIGHT, LEFT, BELOW = 460, 280, 58, 40
"""The roofline's size in pixels, and what is left of it and below for labels."""


def footprints(p: Proc, machine: Machine, sizes: Mapping[str, int], time: Time) -> Panel | None:
    """A table of the loops of a procedure, and of those that it calls: how often each runs, and the bytes that one
    iteration and the whole loop touch, also of buffers that are allocated in it; with sizes as numbers, and the nearest
    cache that holds what the whole loop touches."""
    tables, rest = list[str](), MOST_LOOPS
    for q in reels(p):
        loops = [s for s in statements(q.root()) if isinstance(s, ForCursor)][:rest]
        rest -= len(loops)
        if loops:
            tables.append(_table(q, loops, machine, sizes if q is p else {}))
    more = f"<p>The first {MOST_LOOPS} loops.</p>" if not rest else ""
    given = ", ".join(f"{k} = {v}" for k, v in sizes.items())
    about = f"for {escape(given)}" if given else "without sizes (--sizes gives them)"
    head = f"<p>What each loop touches, as the smallest windows around its accesses, {about}.</p>"
    return Panel("Footprints", f"{head}{''.join(tables)}{more}") if tables else None


def _table(p: Proc, loops: Sequence[ForCursor], machine: Machine, sizes: Mapping[str, int]) -> str:
    lines, printed = lines_of(p), str(p).splitlines()
    names = {c.node.iter: printed[lines[c.path]].split()[1] for c in statements(p.root()) if isinstance(c, ForCursor)}
    known = _known(p, sizes)
    head = "<tr><th>line<th>loop<th>iterations<th>bytes an iteration<th>bytes in all<th>all fits</tr>"
    rows = "".join(_row(c, lines[c.path] + 1, machine, known, names) for c in loops)
    return f"<h2>{escape(p.name())}</h2><table>{head}{rows}</table>"


def _row(c: ForCursor, line: int, machine: Machine, known: Known, names: Mapping[Sym, str]) -> str:
    depth = len([1 for label, _ in c.path if label in ("body", "orelse")]) - 1
    title = f"{'&nbsp;' * 2 * depth}{escape(names[c.node.iter])}"
    lo, hi = text(c.lo()), text(c.hi())
    count = _number(_difference(c), known)
    times = f"{max(count, 0):,}" if count is not None else hi if lo == "0" else f"{hi} - ({lo})"
    inner = _amount(lambda: footprint(c.body()) + _allocated(c))
    whole = _amount(lambda: footprint(c) + _allocated(c))
    shown = (_shown(inner, known, names), _shown(whole, known, names), _level(whole, machine, known))
    if count is not None and count <= 0:  # amounts are those of loops that run
        shown = ("", "0", "")
    cells = (str(line), title, escape(times), *shown)
    return "<tr>" + "".join(f"<td>{cell}" for cell in cells) + "</tr>"


def _known(p: Proc, sizes: Mapping[str, int]) -> Known:
    """The sizes that are given, by the arguments: a loop's iterator may have an argument's name."""
    return {a.node.sym: sizes[a.node.sym.name] for a in p.args() if a.node.sym.name in sizes}


def _allocated(c: ForCursor) -> Amount:
    """The bytes of the buffers in memory that are allocated in a loop. Each iteration uses them again."""
    found = Amount()
    for s in statements(c):
        t = s.type() if isinstance(s, AllocCursor) else None
        if isinstance(s, AllocCursor) and isinstance(t, Tensor) and s.mem() in (DRAM, DRAM_STACK, DRAM_STATIC):
            size = Amount.of(analysis.size_of(analysis.concrete(t.base)))
            extents = [forms.affine(e) for e in t.shape]
            if None in extents:
                raise InvalidCursorError(f"the extents of {s.name()} are not affine\n{s}")
            for e in extents:
                size = size * Amount.of(e or 0)
            found = found + size
    return found


def _difference(c: ForCursor) -> Amount | None:
    """How often a loop runs, where that is not below zero."""
    lo, hi = forms.affine(c.node.lo), forms.affine(c.node.hi)
    return None if lo is None or hi is None else Amount.of(hi - lo)


def _amount(asked: Callable[[], Amount]) -> Amount | None:
    try:
        return asked()
    except InvalidCursorError:  # its windows depend on data, or on what is not affine
        return None


def _number(x: Amount | None, known: Known) -> int | None:
    """An amount for some sizes; None if it depends on more."""
    if x is None or not all(isinstance(a, forms.V) and a.sym in known for a in _leaves(x)):
        return None
    return x.at(**{sym.name: n for sym, n in known.items()})


def _leaves(x: Amount) -> Iterator[forms.Atom]:
    """The variables of an amount, and what is no number whatever they are."""
    stack = list(x.atoms())
    while stack:
        a = stack.pop()
        match a:
            case forms.Mul():
                stack.extend(a.factors)
            case forms.Quot():
                stack.extend(forms.lin_atoms(a.lin))
            case _:
                yield a


def _shown(x: Amount | None, known: Known, names: Mapping[Sym, str]) -> str:
    if x is None:
        return "depends on data"
    # an amount knows the names that iterators were given, which may be printed with a number behind
    others = [names[a.sym] for a in _leaves(x) if isinstance(a, forms.V) and names.get(a.sym, a.sym.name) != a.sym.name]
    if others:
        return escape(f"depends on {', '.join(dict.fromkeys(others))}")
    number = _number(x, known)
    if number is None:
        return escape(str(x))
    return f"{number:,}" if not list(x.atoms()) else f"{number:,}<br>{escape(str(x))}"


def _level(x: Amount | None, machine: Machine, known: Known) -> str:
    number = _number(x, known)
    if number is None:
        return ""
    caches = machine.processor.caches
    return next((f"L{k}" for k, cache in enumerate(caches, 1) if number <= cache.bytes), "memory")


# -- the roofline -------------------------------------------------------------------------------------


def roofline(p: Proc, machine: Machine, sizes: Mapping[str, int], time: Time) -> Panel | None:
    """The speed of a procedure under the two limits of one core, all measured: its multiply-adds on registers, and
    its memory as fast as copies go. Operations and bytes are those of the program that was scheduled. None without
    sizes; where there is no speed or no limit, why."""
    if not sizes:
        return None
    # of the program as it was written: a schedule may compute some values twice, and its branches count as taken
    first, precision = [*p.versions()][-1], _precision(p)
    known = _known(first, sizes)
    work, touched = (_number(_amount(partial(count, first.root())), known) for count in (flops, footprint))
    if not work or not touched:
        return _without("the operations or the bytes depend on data, or on more than the sizes that are given")
    top = multiply_adds(machine, precision) if precision else None
    if top is None:
        return _without(f"{machine} has no multiply-adds for the precision of all arguments")
    adds, operations = top
    asked = ((adds, {"n": ROUNDS}), (copying(precision), {"n": FAR}), (p, sizes))
    times = [time(q, given) for q, given in asked]
    told = [x for x in times if isinstance(x, Timed)]
    if len(told) < len(times):
        return _without("; ".join(x for x in times if isinstance(x, str)))
    peak = ROUNDS * operations / told[0].seconds
    memory = 2 * FAR * (4 if precision == "f32" else 8) / told[1].seconds
    took, spread = told[2].seconds, told[2].spread
    intensity, speed = work / touched, work / took
    limit = min(peak, intensity * memory)
    rows = {
        "time of a call, median": f"{took * 1e3:.3g} ms",
        "half of the calls within": f"{spread * 1e3:.2g} ms",
        "operations of the original": f"{work:,}",
        "bytes that it touches": f"{touched:,}",
        "intensity": f"{intensity:.3g} operations a byte",
        "speed": f"{speed / 1e9:.3g} GFLOP/s",
        "multiply-adds of one core": f"{peak / 1e9:.3g} GFLOP/s",
        "copying by one core": f"{memory / 1e9:.3g} GB/s",
        "part of the limit": f"{speed / limit:.0%}" + (", data stay in caches" if limit < speed < peak else ""),
    }
    table = "".join(f"<tr><td>{k}<td class=r>{v}</tr>" for k, v in rows.items())
    return Panel("Roofline", _chart(intensity, speed, peak, memory) + f"<table>{table}</table>{_shared(p)}")


def _without(why: str) -> Panel:
    return Panel("Roofline", f"<p>There is none: {escape(why)}.</p>")


def _shared(p: Proc) -> str:
    """What to know of a procedure that has loops for threads."""
    parallel = any(isinstance(s, ForCursor) and s.mode() == "par" for q in reels(p) for s in statements(q.root()))
    about = (
        "Threads share its loops, as many as OMP_NUM_THREADS says, else one a core: beside other programs they wait."
    )
    return f"<p>{about} With OMP_NUM_THREADS=1 it can be compared with the limits of one core.</p>" if parallel else ""


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
