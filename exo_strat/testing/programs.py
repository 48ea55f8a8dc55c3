"""Random procedures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import reject
from hypothesis import strategies as st

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..frontend.errors import CheckError
from .choices import Choices
from .library import environment
from .precisions import at_precisions
from .ranges import FAR, ONE, ZERO, Bound, N, Range
from .shapes import SHAPES
from .writer import Buffer, Writer

ARGS = {
    "n": "size", "m": "size", "c": "index", "d": "int", "flag": "bool",
    "x": "f32[n]", "y": "[f32][n + 2]", "z": "f32[4, n]", "u": "f32[6]", "r": "f32",
    "g": "f32[n, m]", "h": "f32[n * m]", "idx": "i32[n]", "perm": "i32[n]", "ptr": "i32[n + 1]",
}  # fmt: skip
"""The arguments to draw from; those that the body does not name are left out."""

ASSERTIONS = {
    "c": ("0 <= c", "c <= n"), "d": ("-2 <= d", "d <= 2"), "idx": ("within(idx, 0, n)",),
    "perm": ("within(perm, 0, n)", "distinct(perm)"), "ptr": ("within(ptr, 0, n + 1)", "rising(ptr)"),
}  # fmt: skip
LOOSE = ("distinct(perm)", "rising(ptr)")
"""What is now and then not asserted."""


def procs(shapes: Sequence[str] = tuple(SHAPES)) -> st.SearchStrategy[Proc]:
    """Random well-formed procedures: some code of one of the given shapes (see `shapes.SHAPES`), and a little
    around it.

    They call procedures, use config fields, windows with strides and local buffers, have loops that
    start anywhere and may be empty, and stay small enough to run. Raises `ValueError` if there is no such shape.
    """
    check_shapes(shapes)
    return _procs(tuple(shapes))


def check_shapes(shapes: Sequence[str]) -> None:
    """Raises `ValueError` if there is no such shape."""
    unknown = [s for s in shapes if s not in SHAPES]
    if unknown:
        raise ValueError(f"there is no shape {unknown[0]!r}: the shapes are {', '.join(SHAPES)}")


@st.composite
def _procs(draw: st.DrawFn, shapes: tuple[str, ...]) -> Proc:
    p = random_proc(Choices(draw), shapes)
    if p is None:
        reject()
    return p


def random_proc(ch: Choices, shapes: Sequence[str]) -> Proc | None:
    """A random procedure, now and then at several precisions; None if what was drawn is not well-formed, which is
    rare."""
    try:
        return at_precisions(ch, proc_from_source(source(ch, shapes), environment()))
    except CheckError:
        return None


@st.composite
def sources(draw: st.DrawFn, shapes: Sequence[str] = tuple(SHAPES)) -> str:
    """Texts of procedures like those of `procs`, except that indices may miss their buffer by a little."""
    return source(Choices(draw), shapes, sloppy=True)


def source(ch: Choices, shapes: Sequence[str], sloppy: bool = False) -> str:
    """The text of a random procedure. Nearly all are well-formed, unless `sloppy`."""
    shape = ch.pick(shapes)
    w = Writer(ch, _buffers(), [], configs=shape == "configuration" or ch.chance(20))
    w.ready, w.sloppy = {"x", "y", "z", "u", "r"}, sloppy
    if ch.chance(25):
        w.ranges = [ch.pick([Range("c", Bound(0), N.plus(ONE)), Range("d", Bound(-2), Bound(3))])]
    if w.configs and ch.chance(50):
        w.ranges.append(ch.pick([Range("Cfg.mode", ZERO.minus(FAR), FAR), Range("Cfg.width", ONE, FAR)]))
    w.flags = ("flag",) if ch.chance(20) else ()
    if ch.chance(30):
        w.stmt()
    _around(w, shape)
    if ch.chance(30):
        w.stmt(leaf=ch.chance(50))
    if not w.lines:
        w.emit("pass")
    return _header(ch, w.lines)


def _around(w: Writer, shape: str) -> None:
    """The shape, at the top level, in a loop or in a branch."""
    where = w.ch.weighted({"top": 6, "loop": 2, "branch": 1})
    if where == "loop":
        with w.loop():
            SHAPES[shape](w)
    elif where == "branch":
        cond, yes, _ = w.condition()
        with w.inside(f"if {cond}:", *yes):
            SHAPES[shape](w)
    else:
        SHAPES[shape](w)


def _buffers() -> list[Buffer]:
    two = Bound(2)
    return [
        Buffer("x", (N,), "x"),
        Buffer("y", (N.plus(two),), "y", dense=False),
        Buffer("z", (Bound(4), N), "z"),
        Buffer("r", (), "r"),
        Buffer("u", (Bound(6),), "u", constant=True),
    ]


def _header(ch: Choices, lines: Sequence[str]) -> str:
    body = "\n".join(lines)
    used = {a for a in ARGS if re.search(rf"\b{a}\b", body)}
    used |= {"n"} if used & {"x", "y", "z", "c", "g", "h", "idx", "perm", "ptr"} else set()
    used |= {"m"} if used & {"g", "h"} else set()
    asserts = [e for a, es in ASSERTIONS.items() if a in used for e in es if e not in LOOSE or not ch.chance(20)]
    if "n" in used and ch.chance(25):
        asserts.append(ch.pick(["n >= 2", "n % 2 == 0", "n % 4 == 0", "n >= 4"]))
    args = ", ".join(f"{a}: {t}" for a, t in ARGS.items() if a in used)
    heads = [f"def foo({args}):", *(f"    assert {e}" for e in asserts)]
    return "\n".join([*heads, body])

