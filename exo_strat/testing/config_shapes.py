"""Shapes of code about config fields: written and read, in bounds, in windows and as arguments of calls.

Like those of `shapes`, each is what some rewrites act on, or a way in which they go wrong.
"""

from __future__ import annotations

from .ranges import FAR, ZERO, Bound
from .writer import LOCALS, WINDOWS, Writer


def configuration(w: Writer) -> None:
    """Config fields that are written, read and written again: in a loop, in two loops of one range, in a nest."""
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
    kind = w.ch.weighted({"write": 3, "branch": 2, "read": 3, "call": 2, "leaf": 1, "index": 1, "extent": 1})
    if kind == "branch":
        cond = w.ch.pick(["Cfg.mode == 1", "Cfg.on", "Cfg.mode < n"])
        with w.inside(f"if {cond}:"):
            w.block(1)
    elif kind == "write":
        w.configure()
    elif kind == "read":
        w.emit(f"{w.place(w.ch.pick([b for b in w.writable() if w.is_ready(b)]))} {w.ch.pick(['=', '+='])} Cfg.scale")
    elif kind == "call":
        w.call(w.ch.pick(["tell", "some", "toggle", "fit"]))
    elif kind == "index":
        place = f"u[Cfg.{w.ch.pick(['width', 'mode'])} % {w.ch.pick([2, 6])}]"
        w.emit(w.ch.pick([f"r = {place}", f"{place} = 1.0", f"{place} += Cfg.scale"]))
    elif kind == "extent":
        name = w.fresh(LOCALS)
        last = f"Cfg.{w.ch.pick(['width', 'mode'])} % 3"
        extent, index = w.ch.pick([("3", last), (f"{last} + 1", "0")])
        w.emit(f"{name}: f32[{extent}]")
        w.emit(f"{name}[{index}] = {w.value(0)}")
        w.emit(f"r = {name}[{index}]")
    else:
        w.leaf()


def drifting(w: Writer) -> None:
    """A loop whose bounds read a config field, whose value is known where the loop starts, and which the body may
    change; or a call that changes the field by which its argument was indexed."""
    call = w.ch.chance(15)
    if call or w.ch.chance(80):
        w.emit(f"Cfg.mode = {w.ch.pick(['1', '2', '0'])}")
    if call:
        w.emit("tell(u[Cfg.mode], 0)")
        w.emit(f"{w.place(w.ch.pick(w.writable()))} = Cfg.scale")
        return
    lo, hi = w.ch.pick([("0", "Cfg.mode"), ("Cfg.mode", "4"), ("Cfg.mode", "Cfg.mode + 2"), ("Cfg.mode", "2")])
    early, inner = w.ch.chance(40), w.ch.chance(50)
    far = (ZERO.minus(FAR), FAR)  # where the loop is, the checks of bounds do not know
    with w.loop((lo, hi, *far)):
        if early and not inner:
            _drift(w)
        if inner:
            with w.loop(w.ch.pick([("0", "2", ZERO, Bound(2)), (lo, hi, *far)])):
                w.block(2, leaves=True)
                _drift(w)
        else:
            w.block(2, leaves=True)
        if not early and not inner:
            _drift(w)


def _drift(w: Writer) -> None:
    if w.ch.chance(80):
        w.emit(f"Cfg.mode = {w.ch.pick(['0', '1', '3'])}")


def sliding(w: Writer) -> None:
    """A window whose offset is a config field, which may change before the window is used."""
    field = f"Cfg.{w.ch.pick(['mode', 'width'])}"
    v = w.fresh(WINDOWS)
    part = w.ch.pick([f"u[{field} % 3:{field} % 3 + 3]", f"z[{field} % 4, 0:n]"])
    w.emit(f"{v} = {part}")
    for _ in range(1 + w.ch.upto(1)):
        if w.ch.chance(40):
            w.configure()
        elif w.ch.chance(80):
            w.emit(f"{field} = {w.ch.pick(['1', '2'])}")
        w.emit(w.ch.pick([f"r = {v}[0]", f"{v}[0] += 1.0"]))


def counted(w: Writer) -> None:
    """A loop or a nest whose lower bound is a config field, which the body may change."""
    w.emit(f"Cfg.mode = {w.ch.pick(['1', '2', '0'])}")
    own = ("Cfg.mode", w.ch.pick(["Cfg.mode + 2", "Cfg.mode + 2", "4"]), ZERO, FAR)
    inner, drifts = w.ch.weighted({"none": 2, "fixed": 3, "own": 2}), w.ch.chance(70)
    with w.loop(own if inner != "own" or w.ch.chance(40) else ("0", "3", ZERO, Bound(3)), use=False) as i:
        if inner == "none":
            _count(w, i, i, drifts)
            return
        with w.loop(("0", "2", ZERO, Bound(2)) if inner == "fixed" else own, use=False) as j:
            _count(w, i, j, drifts)


def _count(w: Writer, i: str, j: str, drifts: bool) -> None:
    """What sees iterators, before or after a field changes."""
    lines = [f"z[{i} % 4, 0] = {w.ch.pick(['1.0', f'u[{j} % 6]', 'r'])}", f"r = u[{j} % 6]"]
    change = [w.ch.pick(["Cfg.mode = 3", "Cfg.mode = 0", "tell(r, 0)"])] if drifts else []
    for line in [lines[0], *change, *lines[w.ch.upto(1) :]]:
        w.emit(line)


def moved(w: Writer) -> None:
    """Calls that mostly change the config field by which one of their arguments was indexed."""
    calls = [
        "tell(u[Cfg.mode % 6], 0)", "tell(r, Cfg.mode)", "tell(Cfg.scale, 1)", "tell(2.0, Cfg.mode + 1)",
        "tell(u[1], Cfg.width)", "fit(z[0:4, 0])",
    ]  # fmt: skip
    for _ in range(1 + w.ch.upto(1)):
        w.emit(w.ch.pick(calls))
    w.emit("r = Cfg.scale")
