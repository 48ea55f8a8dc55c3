"""Shapes of code for rewrites of arithmetic, and of values that are used later.

Each of the conditions that such rewrites have fails now and then: the value reads what is written, the place is
another one, the factor changes in the loop, an operand changes before the value is used.
"""

from __future__ import annotations

from .ranges import ZERO, Bound, N
from .writer import Buffer, Writer


def sums(w: Writer) -> None:
    """Writes of sums and products that are nested to the right, or have the old value as an operand."""
    with w.loop():
        for _ in range(1 + w.ch.upto(1)):
            b = w.ch.pick([x for x in w.writable() if w.is_ready(x)])
            place = w.place(b)
            w.cells.append(place)
            old = place if w.ch.chance(75) else w.place(b)
            one, two = w.ch.pick([old, w.read()]), w.ch.pick([w.read(), w.value(1), old])
            value = w.ch.pick([f"{one} + ({two} + 1.0)", f"{one} + ({two})", f"{two} + {one}", f"{one} - {w.read()}"])
            if w.ch.chance(40):
                op = w.ch.pick(["fmax", "fmin"])
                value = w.ch.pick([f"{op}({one}, {two})", f"{w.factor()} * (2.0 * {one})", f"{one} * -1.0"])
            reduce = w.ch.chance(30)
            w.update(place, value, reduce)


def distributed(w: Writer) -> None:
    """Sums under a sign, in a product or over a divisor, that are added to something."""
    with w.loop():
        b = w.ch.pick([x for x in w.writable() if w.is_ready(x)])
        place = w.place(b)
        w.cells.append(place)
        both = f"({w.read()} {w.ch.pick('+++-')} {w.ch.pick([place, w.read(), w.read(), w.value(1)])})"
        value = w.ch.pick([f"-{both}", f"{w.factor()} * {both}", f"{both} * {w.factor()}", f"-(2.0 * {both})"])
        w.update(place, value, w.ch.chance(90))


def scaled(w: Writer) -> None:
    """A sum of products with a common factor. It may start at another value than zero; the factor may change, be
    uninitialised, or read the sum."""
    ready = [x for x in w.writable() if w.is_ready(x)]
    b = w.alloc((), init=False) if w.ch.chance(40) else w.ch.pick(ready)
    kind = w.ch.weighted({"constant": 4, "fickle": 3, "unset": 2, "any": 2})
    unset = w.place(w.alloc((), init=False)) if kind == "unset" else ""
    with w.loop() if w.ch.chance(40) else w.inside("if n > 0:"):
        place = w.place(b)
        w.emit(f"{place} = {w.ch.pick(['0.0', '0.0', '0.0', '0.0', '1.0'])}")
        w.ready.add(b.base)
        changes = w.place(w.ch.pick(ready))
        factor = {"constant": w.ch.pick(["2.0", w.factor()]), "fickle": changes, "unset": unset}.get(kind) or w.read()
        with w.loop(w.limits(constant=w.ch.chance(60))):
            for _ in range(1 + w.ch.upto(1)):
                _scaled_step(w, place if w.ch.chance(85) else w.place(b), factor)
            if kind == "fickle" and w.ch.chance(50):
                w.emit(f"{changes} = {w.ch.pick(['3.0', 'u[2]', changes + ' + 1.0'])}")
            elif w.ch.chance(20):
                w.leaf()
        if w.ch.chance(50):
            w.emit(f"{w.place(w.ch.pick(w.writable()))} = {place}")


def _scaled_step(w: Writer, place: str, factor: str) -> None:
    small = w.ch.pick(["u[0]", "2.0", "u[1]"])
    operand = w.ch.pick([w.read(), "1.0"]) if factor[0] in "-2u" else small
    value = w.ch.pick([f"{factor} * {operand}", f"{operand} * {factor}", f"{factor} * ({small} * {small})"])
    if w.ch.chance(10):
        value = operand
    if w.ch.chance(15):
        cond, yes, _ = w.condition()
        with w.inside(f"if {cond}:", *yes):
            w.emit(f"{place} += {value}")
    else:
        w.emit(f"{place} {w.ch.pick(['+=', '+=', '+=', '+=', '+=', '='])} {value}")


def repeated(w: Writer) -> None:
    """A value that is computed twice, and operands of it that change in between, mostly in the loop or branch that
    computes it again."""
    ready = [x for x in w.writable() if w.is_ready(x)]
    operand = w.place(w.ch.pick(ready))
    value = w.ch.pick([f"{operand} * 2.0", f"{operand} + u[0]", operand])
    to = [w.place(w.ch.pick([x for x in ready if not operand.startswith(x.name)])) for _ in range(2)]
    lines = [f"{operand} = {w.ch.pick(['u[1]', '3.0'])}", f"{to[1]} = {value}"]
    w.emit(f"{to[0]} = {value}")
    match w.ch.weighted({"loop": 3, "branch": 1, "none": 1}):
        case "loop":
            with w.loop(("0", "2", ZERO, Bound(2)), use=False):
                for line in lines if w.ch.chance(80) else lines[1:]:
                    w.emit(line)
        case "branch":
            with w.inside(f"if {w.ch.pick([value, 'r'])} < 2.0:"):
                for line in lines if w.ch.chance(80) else lines[1:]:
                    w.emit(line)
        case _:
            for line in lines if w.ch.chance(50) else lines[::-1]:
                w.emit(line)


def rivals(w: Writer) -> None:
    """Reductions into one element by operators that may differ: in a row, in a nest, in two loops one after the
    other."""
    b = w.ch.pick([x for x in w.writable() if w.is_ready(x)])
    limits = w.limits(constant=w.ch.chance(60))
    apart = w.ch.chance(40)
    with w.loop(limits, use=w.ch.chance(50)):
        place = w.place(b)
        if w.ch.chance(40) and not apart:
            with w.loop(w.limits(constant=True), use=w.ch.chance(50)):
                _rival(w, place)
                _rival(w, place)
            return
        _rival(w, place)
        if not apart or w.ch.chance(30):
            _rival(w, place)
    if apart:
        with w.loop(limits):
            _rival(w, w.place(b))


def _rival(w: Writer, place: str) -> None:
    w.operator = w.ch.pick(["+", "max", "*", "min"])
    w.accumulate(place, w.value(1))


def assigned(w: Writer) -> None:
    """A local buffer that is assigned a value and read later; in between, the operands of the value or the buffer may
    change."""
    if w.ch.chance(10):
        _slid(w)
        return
    shape: tuple[Bound, ...] = w.ch.pick([(), (), (Bound(4),), (N,)])
    outside = w.alloc(shape, init=w.ch.chance(50)) if w.ch.chance(40) else None
    with w.loop():
        b = outside or w.alloc(shape, init=w.ch.chance(40))
        place = w.place(b)
        if w.ch.chance(15) and w.is_ready(b):
            w.emit(f"{w.place(w.ch.pick(w.writable()))} = {place}")
        operand = w.place(w.ch.pick([x for x in w.writable() if x.base != b.base and w.is_ready(x)]))
        w.emit(f"{place} = {f'{operand} + 1.0' if w.ch.chance(60) else w.value(1)}")
        w.ready.add(b.base)
        for _ in range(1 + w.ch.upto(2)):
            _use(w, b, place, operand)
    if outside is not None and w.ch.chance(30) and w.is_ready(outside):
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.place(outside)}")


def _slid(w: Writer) -> None:
    """Each iteration writes an element that a later one reads, or an earlier one, or none."""
    b, k = w.alloc((Bound(6),), init=True), w.ch.pick([1, 0, 2])
    with w.loop(("0", "4", ZERO, Bound(4))) as i:
        w.emit(f"{b.name}[{i} + 1] = {w.value(1)}")
        w.emit(f"{w.place(w.ch.pick([x for x in w.writable() if x.base != b.base]))} = {b.name}[{i} + {2 - k}]")


def _use(w: Writer, b: Buffer, place: str, operand: str) -> None:
    others = [x for x in w.writable() if x.base != b.base and w.is_ready(x)]
    target, value = w.place(w.ch.pick(others)), place if w.ch.chance(85) else w.place(b)
    match w.ch.weighted({"use": 6, "branch": 2, "loop": 2, "leaf": 2, "again": 2, "call": 1}):
        case "use":
            w.update(target, f"{value} + {w.value(0)}", w.ch.chance(30))
        case "branch":
            with w.inside(f"if {w.ch.pick([value, 'r'])} < 2.0:"):
                if w.ch.chance(20):
                    w.emit(f"{operand} = 3.0")
                w.emit(f"{target} = {w.ch.pick([value, '1.0'])}")
        case "loop":
            with w.loop():
                w.emit(f"{w.ch.pick([operand, w.place(w.ch.pick(others))])} = {value}")
        case "again":
            w.update(place, w.value(1), w.ch.chance(40))
        case "call":
            part = w.part(N, b.base, write=True)
            if part is not None:
                w.emit(w.ch.pick([f"pick(0, n, {part}, {value})", f"axpy(n, {value}, {part}, z[0, 0:n])"]))
        case _:
            w.leaf()
