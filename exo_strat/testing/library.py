"""What generated programs may call and configure: a config and some procedures.

Each procedure is there for a way in which calls go wrong: windows, sizes, assertions, strides, values,
config fields that are read, written or asked for by an assertion, arguments written in part.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from pyrsistent import pmap

from ..cursors.proc import Proc
from ..frontend.decorators import proc_from_source
from ..ir.config import Config
from ..ir.types import Control, Scalar, bool_, f32, int_, size
from ..primitives import (
    bind_expr,
    delete_config,
    divide_loop,
    rename,
    set_precision,
    shift_loop,
    specialize,
    stage_mem,
    unroll_loop,
)

_FIELDS: Final[dict[str, Scalar | Control]] = {"mode": int_, "on": bool_, "scale": f32, "width": size}
CONFIG: Final = Config("Cfg", pmap(_FIELDS))

_SOURCES: Final = """
def double(k: size, v: [f32][k]):
    for i in seq(0, k):
        v[i] = 2.0 * v[i]

def axpy(k: size, a: f32, v: [f32][k], w: [f32][k]):
    for i in seq(0, k):
        w[i] += a * v[i]

def copy(k: size, v: [f32][k], w: [f32][k]):
    for i in seq(0, k):
        w[i] = v[i]

def fetch(k: size, v: [f32][k], w: [f32][k], at: [i32][k]):
    assert within(at, 0, k)
    for i in seq(0, k):
        w[i] = v[at[i]]

def post(k: size, l: size, v: [f32][k], w: [f32][l], at: [i32][k]):
    assert within(at, 0, l)
    for i in seq(0, k):
        w[at[i]] = v[i]

def few(k: size, v: [f32][k]):
    assert k <= 2
    for i in seq(0, k):
        v[i] = 0.0

def packed(k: size, v: [f32][k], w: [f32][k]):
    assert stride(v, 0) == 1
    for i in seq(0, k):
        v[i] = w[i]

def touch(k: size, v: [f32][k]):
    assert k <= 2
    pass

def look(k: size, v: [f32][k]):
    a: f32
    for i in seq(1, k):
        a = v[i]

def zero(v: [f32][4]):
    for i in seq(0, 4):
        v[i] = 0.0

def total(v: [f32][4], r: f32):
    for i in seq(0, 4):
        r += v[i]

def pick(j: index, k: size, v: [f32][k], r: f32):
    assert 0 <= j
    assert j < k
    r = v[j]

def first(k: size, v: [f32][k], a: f32):
    assert stride(v, 0) == 1
    v[0] = a

def gauge(k: size, v: [f32][k]):
    if stride(v, 0) == 1:
        v[0] = 1.0

def tail(k: size, v: [f32][k]):
    assert k >= 2
    a: f32[k]
    w = v[1:k]
    for i in seq(1, k):
        a[i] = w[i - 1]
    if stride(w, 0) == 1:
        double(k - 1, w)
    copy(k - 1, a[1:k], v[0:k - 1])

def some(k: size, v: [f32][k]):
    for i in seq(1, k):
        if Cfg.mode == 1:
            v[i] = Cfg.scale

def tell(a: f32, j: index):
    Cfg.mode = 0
    Cfg.scale = 1.0
    if j < 1:
        Cfg.mode = 2
    Cfg.scale = a

def put(a: f32, b: f32):
    b = 2.0

def late(k: size, a: f32, v: [f32][k]):
    for i in seq(1, k):
        v[i] = a

def mark(k: size, v: [f32][k]):
    v[0] = 1.0

def under(k: size, a: f32, v: [f32][k]):
    if a != 0.0 and v[0] / a < 3.0:
        v[0] = 1.0

def corner(v: [f32][2, 2]):
    v[0, 1] = v[1, 1]

def row(k: size, z: f32[4, k]):
    for i in seq(0, k):
        z[1, i] = z[0, i]

def fit(v: [f32][4]):
    v[Cfg.width % 4] = 1.0
    for i in seq(0, Cfg.width):
        if i < 4:
            v[i] += 1.0

def toggle(v: [f32][4]):
    assert Cfg.on == True
    v[1] = v[0] + 1.0
    Cfg.on = False
"""


@cache
def callees() -> Mapping[str, Proc]:
    """The procedures by name."""
    made: dict[str, Proc] = {}
    for text in _SOURCES.strip().split("\n\n"):
        p = proc_from_source(text, {"Cfg": CONFIG, **made})
        made[p.name()] = p
    return made


STAGED: Final = dict.fromkeys(("pick", "first", "mark", "late", "some", "double"), "v[0:k]")


@cache
def versions(name: str) -> tuple[Proc, ...]:
    """Later versions of one of the procedures: the last is not interchangeable with it; the others are, but for
    fields that some leave alone."""
    p = callees()[name]
    loops = p.find_all("for i in _: _")
    found = [p]
    if loops:
        found.append(shift_loop.direct(p, loops[0], 1))
        found.append(divide_loop.direct(p, loops[0], 2, ("io", "ii"), "guard"))
    if name in STAGED:  # these read all of an argument
        found.append(stage_mem.direct(p, p.body(), STAGED[name], "s"))
    if name == "put":
        found.append(specialize.direct(p, p.body(), "a < 2.0"))
    if name == "late":
        found.append(bind_expr.direct(p, "a", "t"))
    if name in ("zero", "total"):
        found.append(unroll_loop.direct(p, loops[0]))
    if name == "tell":  # these leave other values in a field
        found += [delete_config.direct(p, w) for w in ("Cfg.mode = 2", "Cfg.scale = a", "Cfg.scale = 1.0")]
    tensors = [a for a in p.args() if a.type() == f32 or a.is_tensor()]
    found.append(set_precision.direct(found[-1], tensors[0].name(), "f64"))
    return (p, *(rename.direct(q, f"{name}_{k}") for k, q in enumerate(found[1:])))


def environment() -> Mapping[str, object]:
    """What the names in a generated program mean."""
    return {"Cfg": CONFIG, **callees()}
