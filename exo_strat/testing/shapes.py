"""Shapes of code that rewrites look for, filled at random. Imports the writer.

A random program seldom has two neighbouring loops of one range. Each shape here is what some rewrites
act on, or one of the ways in which they go wrong; what stands inside is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .ranges import FAR, ONE, ZERO, Bound, N, Range, fits
from .writer import ITERATORS, Buffer, Writer

Shape = Callable[[Writer], None]


def nest(w: Writer) -> None:
    """Two loops, one all of the other's body."""
    with w.loop():
        _inner_loop(w)


def _inner_loop(w: Writer) -> None:
    limits = w.limits(constant=w.ch.chance(50))
    with w.loop(limits):
        w.block(2, leaves=True)


def twins(w: Writer) -> None:
    """Two neighbouring loops of one range, sometimes with equal bodies."""
    limits = w.limits()
    start = len(w.lines)
    with w.loop(limits) as i:
        w.block(2, leaves=w.ch.chance(70))
    if w.ch.chance(20):
        w.lines += w.lines[start:]
        return
    other = i if w.ch.chance(50) else next(n for n in ITERATORS if n not in w.names | {i})
    with w.inside(f"for {other} in seq({limits[0]}, {limits[1]}):", Range(other, limits[2], limits[3])):
        w.names.add(other)
        w.block(2, leaves=True)


def twin_ifs(w: Writer) -> None:
    """Two neighbouring branches on one condition, which the first may change."""
    cond, yes, no = w.condition(fickle=w.ch.chance(50))
    for _ in range(2):
        with w.inside(f"if {cond}:", *yes):
            w.block(2, leaves=not w.configs)
        if w.ch.chance(30):
            with w.inside("else:", *no):
                w.block(1)


def lone_scope(w: Writer) -> None:
    """A loop or branch that is all of a branch or loop."""
    outer, inner = w.ch.pick([("for", "if"), ("if", "for"), ("if", "if")])
    fickle = w.ch.chance(50)
    if outer == "for":
        with w.loop(use=w.ch.chance(60)):
            w.branch(fickle=fickle)
        return
    cond, yes, no = w.condition(fickle)
    with w.inside(f"if {cond}:", *yes):
        if inner == "if":
            w.branch()
        else:
            with w.loop():
                w.block(2)
    if w.ch.chance(30):
        with w.inside("else:", *no):
            w.block(1)


def invariant(w: Writer) -> None:
    """A loop whose body does not see its iterator."""
    with w.loop(w.limits(constant=w.ch.chance(50)), use=False):
        if w.ch.chance(40):
            w.alloc(())
        w.block(3, leaves=w.ch.chance(60))


def temporary(w: Writer) -> None:
    """A buffer of its own for each iteration, or one for all of them: written always, in part, sometimes, or
    after it is read."""
    shape = w.ch.pick([(), (Bound(4),), (N,), (Bound(2), Bound(4))])
    outside = None if w.ch.chance(50) else w.alloc(shape, init=w.ch.chance(30))
    limits = w.limits()
    with w.loop(limits) as i:
        b = outside or w.alloc(shape, init=w.ch.chance(50))
        late = outside is not None and w.ch.chance(25)
        if outside is not None and w.ch.chance(30):
            with w.inside(f"if {i} == {limits[0]}:"):
                w.fill(b)
        elif not late:
            _write_some(w, b)
        w.ready.add(b.name)
        target = w.ch.pick(w.writable())
        op = "=" if w.ch.chance(70) or not w.is_ready(target) else "+="
        w.emit(f"{w.place(target)} {op} {w.place(b)} + {w.value(1)}")
        if late:
            _write_some(w, b)
        if w.ch.chance(30):
            w.leaf()


def _write_some(w: Writer, b: Buffer) -> None:
    how = w.ch.weighted({"assign": 4, "reduce": 1, "branch": 1, "fill": 2})
    if how == "fill":
        w.fill(b)
    elif how == "branch":
        cond, yes, _ = w.condition()
        with w.inside(f"if {cond}:", *yes):
            w.assign(b)
    elif how == "reduce" and w.is_ready(b):
        w.reduce(b)
    else:
        w.assign(b)


def independent(w: Writer) -> None:
    """A loop whose iterations write different places, maybe by way of a buffer of their own."""
    with w.loop():
        value = "u[0]"
        if w.ch.chance(70):
            shapes: list[tuple[Bound, ...]] = [(), (Bound(2),)]
            value = w.place(w.alloc(w.ch.pick(shapes), init=True))
        known = [b for b in w.writable() if b.base in ("x", "y", "z")]
        own = [(b, d, e) for b in known for d, n in enumerate(b.shape) for e in fits(w.ranges[-1], n)]
        if own:
            b, along, e = w.ch.pick(own)
            idx = [e if d == along else w.index(n) for d, n in enumerate(b.shape)]
            w.emit(f"{w.at(b, idx)} {w.ch.pick(['=', '+='])} {value} + {w.ch.pick(['1.0', 'r', 'u[1]'])}")
        else:
            w.leaf()


def two_writes(w: Writer) -> None:
    """Two neighbouring writes to one place."""
    with w.loop():
        b = w.ch.pick([x for x in w.writable() if w.is_ready(x)])
        place = w.place(b)
        for k in range(2):
            value = w.ch.pick([w.value(1), f"{place} + {w.value(0)}"])
            if k and w.ch.chance(25):
                place = w.place(b)
            w.emit(f"{place} {w.ch.pick(['=', '+='])} {value}")


def accumulation(w: Writer) -> None:
    """A sum that starts anew in each iteration, in a buffer that may outlive it."""
    b = w.alloc((), init=w.ch.chance(50)) if w.ch.chance(60) else w.ch.pick([x for x in w.writable() if w.is_ready(x)])
    with w.loop():
        place = w.place(b)
        if w.ch.chance(80):
            w.emit(f"{place} = {w.ch.pick(['0.0', w.value(1)])}")
        with w.loop():
            w.emit(f"{place} += {w.value(1)}")
        if w.ch.chance(60):
            target = w.ch.pick(w.writable())
            w.emit(f"{w.place(target)} = {place}")


def sequence(w: Writer) -> None:
    """A few simple statements in a row."""
    with w.loop():
        w.block(4, leaves=True)


def calls(w: Writer) -> None:
    """Calls, alone or in a loop."""
    if w.ch.chance(50):
        w.call()
    with w.loop(use=w.ch.chance(60)):
        w.call()
        if w.ch.chance(50):
            w.leaf()


def lookalikes(w: Writer) -> None:
    """Code like the bodies of procedures that could be called, also where a call would not be allowed."""
    for _ in range(1 + w.ch.upto(1)):
        width = w.ch.pick([N, Bound(4), Bound(2)])
        i = next(n for n in ITERATORS if n not in w.names)
        to, of = w.part(width, write=True, i=i), w.part(width, i=i)
        if to is None or of is None:
            continue
        whole = w.ch.pick([f"{to} = {of}", f"{to} += 2.0 * {of}", f"{to} = 0.0", f"{to} = 2.0 * {to}", f"r += {of}"])
        if w.ch.chance(70):
            w.emit(f"for {i} in seq(0, {width}):")
            w.emit(f"    {whole}")
        else:
            w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.ch.pick([w.read(), '2.0'])}")


def windows(w: Writer) -> None:
    """A window and its buffer side by side."""
    w.window()
    with w.loop():
        if w.ch.chance(30):
            w.window()
        w.block(3, leaves=w.ch.chance(70))


def configuration(w: Writer) -> None:
    """Config fields that are written, read and written again: in a loop, in two of one range, in a nest."""
    if w.ch.chance(50):
        w.configure()
    fickle = w.ch.chance(40)
    limits = ("0", "Cfg.mode", ZERO, FAR) if fickle else w.limits()
    for _ in range(1 + w.ch.upto(1)):
        with w.loop(limits, use=w.ch.chance(60)):
            if fickle and w.ch.chance(60):
                w.emit(f"Cfg.mode = {w.ch.pick(['0', '2 - Cfg.mode', '1'])}")
            if w.ch.chance(30):
                with w.loop(use=w.ch.chance(60)):
                    _config_step(w)
                    _config_step(w)
                continue
            for _ in range(1 + w.ch.upto(2)):
                _config_step(w)
    if w.ch.chance(50):
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = Cfg.scale")


def _config_step(w: Writer) -> None:
    kind = w.ch.weighted({"write": 3, "branch": 2, "read": 3, "call": 2, "leaf": 1})
    if kind == "branch":
        cond = w.ch.pick(["Cfg.mode == 1", "Cfg.on", "Cfg.mode < n"])
        with w.inside(f"if {cond}:"):
            w.block(1)
    elif kind == "write":
        w.configure()
    elif kind == "read":
        w.emit(f"{w.place(w.ch.pick([b for b in w.writable() if w.is_ready(b)]))} {w.ch.pick(['=', '+='])} Cfg.scale")
    elif kind == "call":
        w.call(w.ch.pick(["tell", "some", "toggle"]))
    else:
        w.leaf()


def decided(w: Writer) -> None:
    """Branches and loops of which it is known whether they run."""
    if w.ch.chance(50):
        w.ready.add("r")
        with w.loop(("3", "1", Bound(3), ONE) if w.ch.chance(50) else ("n", "n", N, N)):
            w.leaf()
        return
    with w.loop() as i:
        known = [f"{i} < n", f"{i} >= 0", "n > 0", "n < 1", f"{i} < {i}", f"{i} > 5", f"0 < {i} + 2"]
        with w.inside(f"if {w.ch.pick(known)}:"):
            w.leaf()
        if w.ch.chance(50):
            with w.inside("else:"):
                w.leaf()


def patch(w: Writer) -> None:
    """A block that works on a small part of one buffer, maybe on some of it only now and then."""
    tensors = [x for x in w.writable() if x.shape and w.is_ready(x)]
    b = w.alloc((Bound(4),), init=False) if w.ch.chance(30) else w.ch.pick(tensors)
    with w.loop():
        with w.loop(w.limits(constant=True)):
            place = w.place(b)
            if w.ch.chance(30):
                cond, yes, _ = w.condition()
                with w.inside(f"if {cond}:", *yes):
                    w.emit(f"{place} = {w.value(1)}")
            else:
                w.emit(f"{place} {w.ch.pick(['=', '+=']) if w.is_ready(b) else '='} {w.value(1)}")
        if w.is_ready(b) and w.ch.chance(50):
            w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.ch.pick([w.place(b), w.value(1)])}")


def anything(w: Writer) -> None:
    """A random block."""
    w.block(3)


SHAPES: Final[Mapping[str, Shape]] = {
    f.__name__: f
    for f in (
        anything, nest, twins, twin_ifs, lone_scope, invariant, temporary, independent, two_writes, accumulation,
        sequence, calls, lookalikes, windows, configuration, decided, patch,
    )
}  # fmt: skip
