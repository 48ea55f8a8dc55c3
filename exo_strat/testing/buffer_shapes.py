"""Shapes of code around local buffers, for the rewrites that resize, fold, share and rotate them.

Like those of `shapes`, each is what some rewrites act on, or a way in which they go wrong.
"""

from __future__ import annotations

from .ranges import ONE, ZERO, Bound, N, Range, fits
from .writer import ITERATORS, LOCALS, WINDOWS, Buffer, Writer

TWO, FOUR = Bound(2), Bound(4)


def stencil(w: Writer) -> None:
    """A window of a buffer that each iteration fills, mostly with elements that the next iteration needs too, shifted
    by one."""
    width = w.ch.pick([2, 3])
    t = w.alloc(w.ch.pick([(Bound(width),), (Bound(width),), (Bound(width), TWO)]), init=w.ch.chance(25))
    limits = w.ch.pick([("0", "n", ZERO, N), ("0", "4", ZERO, FOUR), ("1", "n", ONE, N), w.limits()])
    with w.loop(limits) as i:
        if w.ch.chance(15):
            w.leaf()
        k = _name(w)
        with w.inside(f"for {k} in seq({w.ch.pick([0, 0, 0, 1])}, {width}):"):
            w.names.add(k)
            around = Range(f"{i} + {k}", limits[2], limits[3].plus(Bound(width - 1)))
            _fill_row(w, t, k, _sum_of(w, around) if w.ch.chance(85) else w.value(1))
        w.ready.add(t.name)
        targets = [b for b in w.writable() if b.base != t.name]
        w.emit(f"{w.place(w.ch.pick(targets))} = {w.place(t)} + {w.place(t)}")
        if w.ch.chance(15):
            w.assign(t)


def _fill_row(w: Writer, t: Buffer, k: str, value: str) -> None:
    """Writes all of a row of the window, mostly."""
    rest = [_name(w) for _ in t.shape[1:]]
    for name in rest:
        w.emit(f"for {name} in seq(0, {w.ch.pick([2, 2, 2, 1])}):")
        w.depth += 1
    place = w.at(t, [k, *rest])
    if w.ch.chance(8):
        w.emit(f"if {k} < {w.ch.pick(['1', 'n'])}:")
        w.emit(f"    {place} = {value}")
    else:
        w.emit(f"{place} = {value}")
        if w.ch.chance(15):
            w.emit(f"{place} += {value}")
    w.depth -= len(rest)


def _sum_of(w: Writer, r: Range) -> str:
    """A value that depends on one control value."""
    known = [b for b in w.buffers if len(b.shape) == 1 and w.is_ready(b)]
    places = [w.at(b, [e]) for b in known for e in fits(r, b.shape[0])]
    place = w.ch.pick(places or ["2.0"])
    return w.ch.pick([place, f"2.0 * {place}", f"{place} + {w.ch.pick(places or ['1.0'])}", f"relu({place})"])


def _name(w: Writer) -> str:
    name = next(x for x in ITERATORS if x not in w.names)
    w.names.add(name)
    return name


def ring(w: Writer) -> None:
    """A long buffer of which each iteration uses a few elements, some of them written before or after."""
    if w.ch.chance(20):
        _own_cells(w)
        return
    gap = w.ch.pick([1, 2])
    limits = w.ch.pick([("0", "n", ZERO, N), ("0", "n", ZERO, N), ("0", "4", ZERO, FOUR)])
    a = w.alloc((limits[3].plus(Bound(gap)),), init=False)
    for e in range(gap):
        if not w.ch.chance(4):
            w.emit(f"{a.name}[{e}] = {w.value(0)}")
    with w.loop(limits) as i:
        ahead = f"{a.name}[{i} + {gap}]"
        if w.ch.chance(25):
            k = _name(w)
            w.emit(f"for {k} in seq(0, {gap + 1}):")
            w.emit(f"    {a.name}[{i} + {k}] = {w.value(0)}")
        elif not w.ch.chance(12):
            w.emit(f"{ahead} = {w.value(1)}")
        w.ready.add(a.name)
        targets = [b for b in w.writable() if b.base != a.name]
        w.emit(f"{w.place(w.ch.pick(targets))} = {a.name}[{i}] + {w.ch.pick([ahead, w.place(a)])}")
        if w.ch.chance(20):
            w.emit(f"{w.ch.pick([ahead, f'{a.name}[{i}]'])} {w.ch.pick(['=', '+='])} {w.value(0)}")
        if w.ch.chance(45):
            part = f"{a.name}[{i}:{i} + {gap + 1}]"
            if w.ch.chance(35):
                w.emit(f"double({gap + 1}, {part})")
            else:
                v = w.fresh(WINDOWS)
                w.emit(f"{v} = {part}")
                w.emit(f"r = {v}[0] + {v}[{gap}]")


def _own_cells(w: Writer) -> None:
    """A buffer in which each iteration has a cell, or two, of its own."""
    width = w.ch.pick([1, 2])
    a = w.alloc((N.plus(N) if width == 2 else N,), init=False)
    i = _name(w)
    with w.inside(f"for {i} in {w.ch.pick(['par', 'seq'])}(0, n):", Range(i, ZERO, N)):
        for k in range(width):
            w.emit(f"{a.name}[{width} * {i} + {k}] = {w.ch.pick([f'x[{i}]', 'u[0]', '3.0'])}")
        if w.ch.chance(20):
            return
        part = f"{a.name}[{width} * {i}:{width} * {i} + {width}]"
        if w.ch.chance(60):
            w.emit(w.ch.pick([f"double({width}, {part})", f"axpy({width}, 2.0, u[1:{width + 1}], {part})"]))
        w.emit(f"x[{i}] = {a.name}[{width} * {i}] + {a.name}[{width} * {i} + {width - 1}]")


def sized(w: Writer) -> None:
    """A buffer in a loop or branch whose extent is in scope, or positive, only there."""
    if w.ch.chance(50):
        with w.loop(("0", "n", ZERO, N)) as i:
            _use_last(w, f"{i} + 1", i)
    else:
        with w.inside("if n > 1:"):
            _use_last(w, "n - 1", "n - 2")


def _use_last(w: Writer, extent: str, last: str) -> None:
    a = w.fresh(LOCALS)
    w.emit(f"{a}: f32[{extent}]")
    w.emit(f"{a}[{last}] = {w.value(1)}")
    w.emit(f"{w.place(w.ch.pick(w.writable()))} = {a}[{last}]")


def branches(w: Writer) -> None:
    """A buffer that is used in both branches of an `if`, in one of them, in the condition too, or after it."""
    shape = w.ch.pick([(), (FOUR,), (N,)])
    a = w.alloc(shape, init=False)
    cond, yes, no = w.condition()
    if w.ch.chance(20):
        w.fill(a)
        cond, yes, no = f"{w.place(a)} < 2.0", [], []
    for head, more in ((f"if {cond}:", yes), ("else:", no)):
        with w.inside(head, *more):
            if w.ch.chance(80):
                place = w.place(a)
                w.emit(f"{place} = {w.value(1)}")
                w.emit(f"{w.place(w.ch.pick([b for b in w.writable() if b.name != a.name]))} = {place}")
    if w.ch.chance(20):
        w.fill(a)
        w.emit(f"r = {w.place(a)}")


def overlaid(w: Writer) -> None:
    """A buffer that a loop accesses by its own name and through a window."""
    v, lo = w.fresh(WINDOWS), w.ch.upto(1)
    w.emit(f"{v} = y[{lo}:n + {lo}]")
    with w.loop(("0", "n", ZERO, N), use=False) as i:
        written = f"{v}[{i}] {w.ch.pick(['=', '+='])} {w.ch.pick(['u[0]', '2.0', f'x[{i}]'])}"
        read = f"{w.ch.pick(['r', f'x[{i}]'])} = y[{i} + {w.ch.upto(2)}]"
        for line in [written, read] if w.ch.chance(60) else [read, written]:
            w.emit(line)


def pair(w: Writer) -> None:
    """Two buffers of one shape that are used one after the other, at the same time, or in turn."""
    shape = w.ch.pick([(), (FOUR,), (N,), (TWO, FOUR)])
    a = w.alloc(shape, init=w.ch.chance(70))
    if w.is_ready(a):
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.place(a)}")
    in_loop = w.ch.chance(40)
    if in_loop:
        with w.loop():
            if w.ch.chance(40):
                w.assign(a)
            _second(w, a, shape)
    else:
        _second(w, a, shape)
    if w.ch.chance(25) and w.is_ready(a):
        if w.ch.chance(60):
            w.fill(a)
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.place(a)}")


def _second(w: Writer, a: Buffer, shape: tuple[Bound, ...]) -> None:
    b = w.alloc(shape, init=w.ch.chance(70))
    if not w.is_ready(b):
        place = w.place(b)
        value = w.place(a) if w.is_ready(a) and w.ch.chance(30) else w.value(1)
        if w.is_ready(a) and len(shape) == 1 and w.ch.chance(40):
            place = f"{b.name}[0]"
            w.emit(f"copy(1, {a.name}[0:1], {b.name}[0:1])")
        else:
            w.emit(f"{place} = {value}")
        w.cells.append(place)
        w.emit(f"{w.place(w.ch.pick([x for x in w.writable() if x.base != b.name]))} = {place}")
    else:
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.place(b)} + {w.value(0)}")


def grid(w: Writer) -> None:
    """A buffer of two dimensions that is accessed by element, by row and as a whole; mostly in rows or columns with a
    literal index."""
    _grid(w, asked=25)


def asked(w: Writer) -> None:
    """A window of a buffer, in code that mostly reads the strides of the window."""
    _grid(w, asked=90)


def _grid(w: Writer, asked: int) -> None:
    shape = w.ch.pick([(TWO, FOUR), (TWO, N), (N, FOUR), (FOUR, TWO), (ONE, FOUR), (N, TWO)])
    b = w.alloc(shape, init=False)
    fixed = w.ch.pick([d for d in (0, 1) if shape[d].a == 0]) if w.ch.chance(70) or asked > 50 else None
    if fixed is None:
        w.fill(b)
    else:
        _fill_by_literals(w, b, fixed)
    with w.loop():
        at = [str(w.ch.upto(n.c - 1)) if d == fixed else w.index(n) for d, n in enumerate(shape)]
        cell = w.at(b, at)
        if w.ch.chance(asked):
            w.emit(f"if stride({b.name}, {w.ch.pick([0, 0, 1])}) == {w.ch.pick([1, shape[1], 2])}:")
            w.emit(f"    {cell} = 7.0")
        target = w.ch.pick([cell, *(w.place(x) for x in w.writable() if x.base != b.name)])
        w.emit(f"{target} {w.ch.pick(['=', '+='])} {cell}")
        if shape[1] == FOUR and w.ch.chance(40):
            row = f"{b.name}[{at[0]}, "
            w.emit(w.ch.pick([f"zero({row}0:4])", f"double(2, {row}1:3])", f"gauge(4, {row}0:4])"]))
            w.emit(f"r += {b.name}[{at[0]}, 1]")


def _fill_by_literals(w: Writer, b: Buffer, fixed: int) -> None:
    k = next(x for x in ITERATORS[::-1] if x not in w.names)
    for c in range(b.shape[fixed].c):
        w.emit(f"for {k} in seq(0, {b.shape[1 - fixed]}):")
        w.emit(f"    {w.at(b, [str(c), k] if fixed == 0 else [k, str(c)])} = {w.value(0)}")
    w.ready.add(b.name)


def borrowed(w: Writer) -> None:
    """Nested or successive loops whose iterations all use one buffer. Mostly an iteration writes it before it reads it,
    and seldom is the last value read afterwards."""
    t = w.alloc(w.ch.pick([(), (TWO,)]), init=w.ch.chance(40))
    limits, kind = w.limits(), w.ch.pick(["nest", "nest", "twins", "halves"])
    with w.loop(limits) as i:
        if kind == "nest":
            with w.loop() as j:
                _sometimes(w, t, f"{i} + {j} == {limits[0]} + 1")
        else:
            _through(w, t)
            if kind == "halves":
                _sometimes(w, t, f"{i} == {limits[0]}")
    if kind == "twins":
        with w.inside(f"for {i} in seq({limits[0]}, {limits[1]}):", Range(i, limits[2], limits[3])):
            w.names.add(i)
            _sometimes(w, t, f"{i} == {limits[0]}")
    if w.ch.chance(30):
        w.ready.add(t.name)
        w.emit(f"{w.place(w.ch.pick([b for b in w.writable() if b.base != t.name]))} = {w.place(t)}")


def _sometimes(w: Writer, t: Buffer, cond: str) -> None:
    """Passes a value through a buffer, maybe not in the last iteration."""
    if w.ch.chance(40):
        with w.inside(f"if {cond}:"):
            _through(w, t)
    else:
        _through(w, t)


def _through(w: Writer, t: Buffer) -> None:
    """Passes a value through a buffer."""
    others = [b for b in w.writable() if b.base != t.name]
    source = w.ch.pick([b for b in others if w.is_ready(b)])
    target = w.ch.pick([b for b in others if w.is_ready(b) and b.base != source.base] or [source])
    how = w.ch.weighted({"write": 12, "branch": 2, "none": 1})
    if how == "write" and t.shape and w.ch.chance(60):
        w.emit(f"for {(k := _name(w))} in seq(0, 2):")
        w.emit(f"    {w.at(t, [k])} = {w.place(source)}")
    elif how == "write":
        w.emit(f"{w.place(t)} = {w.place(source)}")
    elif how == "branch":
        cond, yes, _ = w.condition()
        with w.inside(f"if {cond}:", *yes):
            w.emit(f"{w.place(t)} = {w.place(source)}")
    w.ready.add(t.name)
    w.emit(f"{w.place(target)} += {w.place(t)}")
