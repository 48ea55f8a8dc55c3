"""Shapes of code that rewrites look for, filled at random.

A random program seldom has two neighbouring loops of one range. Each shape here is what some rewrites
act on, or one of the ways in which they go wrong; what stands inside is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .buffer_shapes import asked, borrowed, branches, grid, overlaid, pair, ring, sized, stencil
from .cell_shapes import clamped, fetched, gathered, rows, scattered
from .config_shapes import configuration, counted, drifting, moved, sliding
from .lane_shapes import lanes
from .ranges import ONE, ZERO, Bound, M, N, Range, fits
from .size_shapes import rectangle
from .sum_shapes import assigned, distributed, repeated, rivals, scaled, sums
from .view_shapes import reshaped
from .writer import ITERATORS, Buffer, Writer

Shape = Callable[[Writer], None]


def nest(w: Writer) -> None:
    """Two loops, one of which is the whole body of the other."""
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
    """A loop or branch that is the whole body of another loop or branch."""
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
    """A loop whose body does not use the iterator."""
    with w.loop(w.limits(constant=w.ch.chance(50)), use=False):
        if w.ch.chance(40):
            w.alloc(())
        w.block(3, leaves=w.ch.chance(60))


def temporary(w: Writer) -> None:
    """A buffer for each iteration, or one for all of them: written always, in part, under a condition, or after it is
    read."""
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
        reduce = w.is_ready(target) and w.ch.chance(30)
        w.update(w.place(target), f"{w.place(b)} + {w.value(1)}", reduce)
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
    """A loop whose iterations write different elements, some through a buffer that the iteration allocates."""
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
            w.update(w.at(b, idx), f"{value} + {w.ch.pick(['1.0', 'r', 'u[1]'])}", w.ch.chance(50))
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
            w.update(place, value, w.ch.chance(50))


def accumulation(w: Writer) -> None:
    """A sum that starts anew in each iteration, in a buffer that may outlive it."""
    b = w.alloc((), init=w.ch.chance(50)) if w.ch.chance(60) else w.ch.pick([x for x in w.writable() if w.is_ready(x)])
    with w.loop():
        place = w.place(b)
        if w.ch.chance(80):
            w.emit(f"{place} = {w.ch.pick(['0.0', w.value(1)])}")
        with w.loop():
            w.accumulate(place, w.value(1))
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
        w.call(w.ch.pick([None, None, "gauge"]))
    with w.loop(use=w.ch.chance(60)):
        w.call()
        if w.ch.chance(50):
            w.leaf()


def lent(w: Writer) -> None:
    """Calls with local buffers of which only a part was written."""
    for _ in range(1 + w.ch.upto(1)):
        if w.ch.chance(40):
            with w.loop(use=w.ch.chance(60)):
                w.lend()
        else:
            w.lend()


def handed(w: Writer) -> None:
    """Calls with an element passed by reference that the callee need not read, of a buffer that is mostly not
    initialised."""
    b = w.alloc(w.ch.pick([(), (Bound(4),)]), init=w.ch.chance(15))
    with w.loop(use=w.ch.chance(60)):
        if w.ch.chance(25):
            w.emit(f"{w.place(b)} = {w.value(0)}")
        to = w.ch.pick([x for x in w.writable() if x.base != b.name])
        k = w.ch.pick([1, 1, 2])
        w.emit(w.ch.pick([f"put({w.place(b)}, {w.place(to)})", f"late({k}, {w.place(b)}, u[0:{k}])"]))


def relied(w: Writer) -> None:
    """Calls that need a stride of 1, or a whole dense buffer, for arguments that `set_window` may make windows."""
    calls = ["first(1, x[n - 1:n], 2.0)", "row(n, z)", "packed(2, u[1:3], z[0:2, 0])", "packed(n, x, z[1, 0:n])"]
    w.emit(w.ch.pick(calls))
    w.leaf()


def turned(w: Writer) -> None:
    """A buffer of two dimensions that is used by row, by column and by element, mostly in code that reads its
    strides."""
    uses = [
        "if stride(z, 0) == n:", "if stride(z, 1) == 1:", "first(1, z[1, 0:1], 2.0)", "gauge(n, z[1, 0:n])",
        "gauge(4, z[0:4, n - 1])", "packed(n, z[2, 0:n], x)", "tail(4, z[0:4, 0])", "double(n, z[1, 0:n])",
    ]  # fmt: skip
    for _ in range(1 + w.ch.upto(1)):
        text = w.ch.pick(uses)
        w.emit(text)
        if text.endswith(":"):
            w.emit("    z[1, 0] = 1.0")
    w.leaf()


def diagonal(w: Writer) -> None:
    """A nest in which iterations on a diagonal access the same element, but no two of one row or column do."""
    outer, inner = w.limits(constant=True), w.ch.pick([("0", "3", ZERO, Bound(3)), ("0", "2", ZERO, Bound(2))])
    if w.ch.chance(80):
        outer = ("0", "3", ZERO, Bound(3))
    with w.loop(outer, use=False) as i, w.loop(inner, use=False) as j:
        place = f"u[({j} - {i} + 2) % 6]" if outer[1] != "3" else f"u[{j} - {i} + 2]"
        w.emit(f"{place} {w.ch.pick(['=', '+=', '='])} {w.ch.pick(['2.0', f'z[{j}, 0]', 'r'])}")


def guarded(w: Writer) -> None:
    """A branch whose condition reads data and guards a part of itself (`a and b`), alone or in a loop."""
    if w.ch.chance(50):
        with w.inside(f"if {w.guarded()}:"):
            w.leaf()
        return
    with w.loop(), w.inside(f"if {w.guarded()}:"):
        w.block(2, leaves=True)


def choices(w: Writer) -> None:
    """Statements with `a if c else b`, of which a side may only be evaluated where the condition says so, and branches
    that write one place."""
    with w.loop():
        for _ in range(1 + w.ch.upto(2)):
            b = w.ch.pick(w.writable())
            place, reduce = w.place(b), w.is_ready(b) and w.ch.chance(30)
            if w.ch.chance(30):
                _branch_on_data(w, b, place, reduce)
            else:
                w.update(place, w.choice(), reduce)


def _branch_on_data(w: Writer, b: Buffer, place: str, reduce: bool) -> None:
    """An `if` on data that writes a place, often with an else branch that mostly writes the same one."""
    with w.inside(f"if {w.read()} {w.ch.pick(['<', '>', '<=', '!='])} {w.ch.pick([w.read(), '0.0', '2.0'])}:"):
        w.update(place, w.value(1), reduce)
    if w.ch.chance(50):
        with w.inside("else:"):
            w.update(w.place(b) if w.ch.chance(15) else place, w.value(1), reduce and not w.ch.chance(15))


def lookalikes(w: Writer) -> None:
    """Code like the bodies of procedures that it could be replaced by, also where that is not allowed."""
    if w.ch.chance(10):
        w.emit("b: f32")
        with w.loop(("1", "4", ONE, Bound(4))) as i:
            w.emit(f"b = u[{i}]")
        if w.ch.chance(60):
            w.emit("r = b")
        return
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


def misfits(w: Writer) -> None:
    """Loops like the bodies of procedures, where a call is mostly not allowed: a loop too long, another stride, two
    parts of one buffer."""
    width, bodies = w.ch.pick([
        ("n", ["y[{}] = x[{}]", "y[{}] = 0.0", "x[{}] = 0.0", "y[{}] = y[{} + 1]"]),
        ("4", ["z[{}, 0] = u[{}]", "u[{}] = u[{} + 2]", "u[{}] = 0.0", "u[{}] += 2.0 * u[{} + 1]"]),
        ("2", ["u[{}] = 0.0", "z[{}, n - 1] = 0.0", "u[{}] = u[{} + 2]"]),
    ])  # fmt: skip
    i = next(n for n in ITERATORS if n not in w.names)
    w.emit(f"for {i} in seq(0, {width}):")
    w.emit(f"    {w.ch.pick(bodies).format(i, i)}")


def windows(w: Writer) -> None:
    """A window and its buffer, used in the same code."""
    w.window(w.alloc((Bound(2), Bound(4))) if w.ch.chance(25) else None)
    with w.loop():
        if w.ch.chance(30):
            w.window()
        w.block(3, leaves=w.ch.chance(70))


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
    """A block that uses a small part of one buffer, some of it perhaps only under a condition."""
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
                w.update(place, w.value(1), w.is_ready(b) and w.ch.chance(50))
        if w.is_ready(b) and w.ch.chance(50):
            w.emit(f"{w.place(w.ch.pick(w.writable()))} = {w.ch.pick([w.place(b), w.value(1)])}")


def tiles(w: Writer) -> None:
    """A loop over tiles that may overlap, touch or leave gaps, with a body that uses the sum of the iterators."""
    shifted = w.ch.chance(45)
    wide = [("2", Bound(2), 1, 3), ("3", Bound(3), 1, 3), ("m - 1", M, 1, 3)]
    others = [
        ("n", N, 1, 2), ("2", Bound(2), 2, 2), ("2", Bound(2), 2, 4), ("2", Bound(2), 2, 1), ("n", N, 1, 1),
        ("n - 1", N, 1, 2),
    ]  # fmt: skip
    count, most, step, width = w.ch.pick(wide if shifted else [*others, *wide])
    lo = w.ch.pick(["0", "0", "0", "1"])
    if w.ch.chance(40):
        w.alloc((Bound(8),), init=True)
    outer, inner = [i for i in ITERATORS if i not in w.names][:2]
    last = Bound(*(step * k for k in most.minus(ONE)))
    with w.inside(f"for {outer} in seq({lo}, {count}):"), w.inside(f"for {inner} in seq(0, {width}):"):
        w.names |= {outer, inner}
        total = f"{step} * {outer} + {inner}" if step > 1 else f"{outer} + {inner}"
        w.ranges.append(Range(total, ZERO, last.plus(Bound(width))))
        if w.ch.chance(10):
            w.ranges.append(Range(inner, ZERO, Bound(width)))
        if shifted:
            _shift(w)
        else:
            w.block(3, leaves=w.ch.chance(70))


def reload(w: Writer) -> None:
    """A loop whose iterations all begin with the same code, which may fill a buffer that the rest uses or changes."""
    local = w.ch.chance(50)
    b = w.alloc(w.ch.pick([(), (Bound(4),), (N,)]), init=w.ch.chance(50)) if local else w.ch.pick(w.writable())
    limits = w.limits()
    with w.loop(limits, use=False) as i:
        if w.ch.chance(20):
            w.leaf()
        mine = Range(i, limits[2], limits[3])
        match w.ch.weighted({"loop": 5, "growing": 1, "branch": 1, "late": 1, "alone": 3}):
            case "loop":
                with w.loop():
                    w.emit(f"{w.place(b)} = {w.ch.pick([w.value(1), w.place(w.ch.pick(w.buffers))])}")
                    if w.ch.chance(50):
                        _use(w, b, mine)
            case "growing":
                j = w.fresh(ITERATORS)
                with w.inside(f"for {j} in seq(0, {i}):", Range(j, ZERO, limits[3].minus(ONE))):
                    w.assign(b)
            case "branch":
                w.branch(1)
            case "late":
                with w.inside(f"if {i} > {w.ch.pick(['0', '1'])}:"):
                    w.assign(b)
            case _:
                w.assign(b)
        _use(w, b, mine)


def _use(w: Writer, b: Buffer, r: Range) -> None:
    """A statement that uses a buffer, and sees a value that the code before did not."""
    w.ready.add(b.name)
    w.ranges.append(r)
    target = w.ch.pick(w.writable())
    op = "=" if w.ch.chance(70) or not w.is_ready(target) else "+="
    w.emit(f"{w.place(target)} {op} {w.place(b)} + {w.value(1)}")


def neighbours(w: Writer) -> None:
    """A loop in which each iteration reads what another one writes."""
    with w.loop():
        _shift(w)


def _shift(w: Writer) -> None:
    """Two statements of which one reads at another distance from the innermost value than where one writes."""
    known = [b for b in w.writable() if w.is_ready(b)]
    own = [(b, d, list(fits(w.ranges[-1], n))) for b in known for d, n in enumerate(b.shape)]
    wide = [(b, d, es) for b, d, es in own if len(es) > 1]
    if not wide:
        w.leaf()
        return
    b, along, es = w.ch.pick(wide)
    idx = [w.index(n) for n in b.shape]
    to, of = ([e if d == along else x for d, x in enumerate(idx)] for e in (es[0], w.ch.pick(es[1:])))
    if w.ch.chance(30):
        to, of = of, to
    lines = [f"{w.at(b, to)} = {w.ch.pick(['u[0]', '2.0', w.at(b, of)])}"]
    lines.append(f"{w.place(w.ch.pick(w.writable()))} = {w.at(b, of)}")
    for line in lines if w.ch.chance(50) else lines[::-1]:
        w.emit(line)


def stages(w: Writer) -> None:
    """Overlapping tiles of a producer and its consumer, in one loop or in two; or tiles that only seem to compute the
    same where they overlap."""
    b = w.alloc((Bound(16),), init=w.ch.chance(30))
    tile = f"{w.ch.pick(['', '2 * ', '', '3 * '])}{{}}"
    limits, together = ("0", "3", ZERO, Bound(3)), w.ch.chance(50)
    with w.loop(limits) as i:
        _compute(w, b, tile.format(i))
        if together:
            _look_at(w, b, i, tile.format(i))
    if not together:
        with w.loop(limits) as i:
            _look_at(w, b, i, tile.format(i))


def _compute(w: Writer, b: Buffer, tile: str) -> None:
    if w.ch.chance(15):
        w.emit(f"u[{w.ch.upto(1)}] = z[{tile} % 4, 0]")
    with w.loop(("0", w.ch.pick(["3", "4", "2"]), ZERO, Bound(4))) as j:
        place = f"{b.name}[{tile} + {j}]"
        by_place, others = [f"z[({tile} + {j}) % 4, 0]", f"u[({tile} + {j}) % 6]"], [f"z[{j} % 4, 0]", "u[0]", "r"]
        value = w.ch.pick([*by_place * 3, *others, f"{by_place[0]} + {by_place[1]}", f"{by_place[0]} * u[1] + r"])
        match w.ch.weighted({"assign": 4, "sum": 3, "accumulate": 1, "guard": 2}):
            case "assign":
                w.emit(f"{place} = {value}")
            case "accumulate":
                w.emit(f"{place} += {value}")
            case "guard":
                cond, yes, _ = w.condition()
                with w.inside(f"if {cond}:", *yes):
                    w.emit(f"{place} = {value}")
            case _:
                w.emit(f"{place} = {w.ch.pick(['0.0', value])}")
                with w.loop(("0", w.ch.pick(["2", f"{j} + 1", "2"]), ZERO, Bound(2))) as k:
                    w.emit(f"{place} += {w.ch.pick([*by_place, f'z[({tile} + {j} + {k}) % 4, 0]', f'z[{k} % 4, 0]'])}")
    w.ready.add(b.name)


def _look_at(w: Writer, b: Buffer, i: str, tile: str) -> None:
    if w.ch.chance(20):
        w.emit(w.ch.pick([f"{b.name}[{tile} + 1] = 1.0", "r = 0.0", "u[1] = r", f"z[{i}, 0] += 1.0"]))
    near = [f"{b.name}[{tile} + {w.ch.pick([0, 0, 1, 2])}]" for _ in range(2)]
    w.emit(f"{w.ch.pick([f'y[{i}]', 'r', f'y[{i}]'])} {w.ch.pick(['=', '+='])} {near[0]} + {near[1]}")


def anything(w: Writer) -> None:
    """A random block."""
    w.block(3)


SHAPES: Final[Mapping[str, Shape]] = {
    f.__name__: f
    for f in (
        anything, nest, twins, twin_ifs, lone_scope, invariant, temporary, independent, two_writes, accumulation,
        sequence, calls, lookalikes, windows, configuration, drifting, decided, patch, tiles, reload, neighbours,
        stencil, ring, pair, grid, sized, branches, borrowed, sums, distributed, scaled, assigned, rivals, stages,
        lanes, lent, guarded, choices, handed, diagonal, sliding, asked, relied, misfits, counted,
        moved, turned, repeated, overlaid, gathered, scattered, rows, clamped, fetched,
        rectangle, reshaped,
    )
}  # fmt: skip
