"""Complex numbers, level 1: what is made of the loops on pairs (`complex.py`), with vectors of any increments, long
ones, and single numbers.

Parts of a long vector, which threads share, are those of real vectors (`ways.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from . import complex as pairs
from . import level1
from .kernel import COMPLEX_LETTERS, LETTERS, Kernel
from .level1 import MOST, in_precision, written

# In `dot_apart`, pairs that are no neighbours are copied, 256 at a time, so that they stay in the first cache.

VECTORS = """
def Taxpy_pairs_long(n: size, ar: R, ai: R, x: [R][2 * n], y: [R][2 * n]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    assert n >= 2048
    m = n / 2048 * 64
    for p in par(0, 32):
        Taxpy_pairs(m, ar, ai, x[2 * m * p:2 * m * (p + 1)], y[2 * m * p:2 * m * (p + 1)])
    if 0 < n % 2048:
        Taxpy_pairs(n % 2048, ar, ai, x[n / 2048 * 4096:2 * n], y[n / 2048 * 4096:2 * n])

def Taxpy_pairs_apart(n: size, ar: R, ai: R, x: [R][n, 2], y: [R][1, 2]):
    assert stride(x, 1) == 1
    assert stride(y, 1) == 1
    for i in seq(0, n):
        Taxpy_strided(1, ar, ai, x[i:i + 1, 0:2], y[0:1, 0:2])

def Tscal_pairs_long(n: size, ar: R, ai: R, x: [R][2 * n]):
    assert stride(x, 0) == 1
    assert n >= 2048
    for p in par(0, 32):
        Tscal_pairs(n / 2048 * 64, ar, ai, x[n / 2048 * 128 * p:n / 2048 * 128 * (p + 1)])
    if 0 < n % 2048:
        Tscal_pairs(n % 2048, ar, ai, x[n / 2048 * 4096:2 * n])

def Tscal_pairs_apart(n: size, ar: R, ai: R, x: [R][n, 2]):
    assert stride(x, 1) == 1
    Tscal_strided(n, ar, ai, x[0:n, 0:2])

def Tdot_long(n: size, x: [R][2 * n], y: [R][2 * n], p: [R][2], q: [R][2]):
    assert stride(p, 0) == 1
    assert stride(q, 0) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    assert n >= 2048
    sums: R[33, 4] @ DRAM_STACK
    for i in seq(0, 33):
        for k in seq(0, 4):
            sums[i, k] = 0.0
    m = n / 2048 * 64
    for i in par(0, 32):
        Tdot_pairs(m, x[2 * m * i:2 * m * (i + 1)], y[2 * m * i:2 * m * (i + 1)], sums[i, 0:2], sums[i, 2:4])
    if 0 < n % 2048:
        Tdot_pairs(n % 2048, x[n / 2048 * 4096:2 * n], y[n / 2048 * 4096:2 * n], sums[32, 0:2], sums[32, 2:4])
    for i in seq(0, 33):
        for k in seq(0, 2):
            p[k] += sums[i, k]
            q[k] += sums[i, 2 + k]

def Tdots_at(n: size, x: [R][n, 2], y: [R][n, 2], p: [R][2], q: [R][2]):
    assert stride(p, 0) == 1
    assert stride(q, 0) == 1
    assert stride(x, 1) == 1
    assert stride(y, 1) == 1
    for c in seq(0, (n + 255) / 256):
        u: R[256, 2] @ DRAM_STACK
        v: R[256, 2] @ DRAM_STACK
        m = min(256, n - 256 * c)
        Tcopied_strided(m, 1.0, x[256 * c:256 * c + m, 0:2], u[0:m, 0:2])
        Tcopied_strided(m, 1.0, y[256 * c:256 * c + m, 0:2], v[0:m, 0:2])
        s = u.view(512)
        t = v.view(512)
        Tdot_pairs(m, s[0:2 * m], t[0:2 * m], p[0:2], q[0:2])
"""

PRODUCTS = """
def Tproducts(n: size, s: R, x: [R][2 * n], y: [R][2 * n], r: R[2]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    p: R[2] @ DRAM_STACK
    q: R[2] @ DRAM_STACK
    for k in seq(0, 2):
        p[k] = 0.0
        q[k] = 0.0
    Tdot_pairs(n, x[0:2 * n], y[0:2 * n], p[0:2], q[0:2])
    r[0] = p[0] - s * p[1]
    r[1] = q[0] + s * q[1]
"""
"""The sum of x[i] y[i], with x conjugated if s is -1."""

LONG = PRODUCTS.replace("Tproducts", "Tproducts_long").replace("pairs", "long")
LONG = LONG.replace("    p: R", "    assert n >= 2048\n    p: R")
APART = PRODUCTS.replace("Tproducts", "Tproducts_apart").replace("[2 * n]", "[n, 2]").replace(", 0) ==", ", 1) ==")
APART = APART.replace("[0:2 * n]", "[0:n, 0:2]").replace("dot_pairs", "dots_at")

# The first index of the largest |re| + |im|: sizes are written to `some`, 256 at a time. The rest is as in `level1.py`.

LARGEST = """
def Tsizes_at(n: size, x: [R][n, 2], r: [R][n]):
    assert stride(x, 1) == 1
    assert stride(r, 0) == 1
    if stride(x, 0) == 2:
        Tsize1(n, x[0:n, 0:2], r[0:n])
    else:
        Tsize1_strided(n, x[0:n, 0:2], r[0:n])

def Tplace_at(n: size, most: R, counts: R[64], x: [R][n], r: i64):
    assert stride(x, 0) == 1
    if n <= 64:
        Siamax_at(n, most, counts, x[0:n], r)
    else:
        Siamax_from(n, 0, most, counts, x[0:n], r)

def Tlargest_at(n: size, counts: R[64], x: [R][n, 2], most: R, r: i64):
    assert stride(x, 1) == 1
    some: R[256] @ DRAM_STACK
    most = -1.0
    r = 0
    for c in seq(0, (n + 255) / 256):
        here: R
        m = min(256, n - 256 * c)
        Tsizes_at(m, x[256 * c:256 * c + m, 0:2], some[0:m])
        Samax(m, most, some[0:m], here)
        if most < here:
            most = here
            place: i64
            Tplace_at(m, here, counts, some[0:m], place)
            r = i64(256 * c) + place

def Tiamax_few(n: size, counts: R[64], x: [R][n, 2], r: i64):
    assert n <= 64
    assert stride(x, 1) == 1
    most: R
    place: R
    most = -1.0
    place = 0.0
    for i in seq(0, n):
        here: R
        here = fmax(x[i, 0], -x[i, 0]) + fmax(x[i, 1], -x[i, 1])
        place = select(most, here, counts[i], place)
        most = fmax(here, most)
    r = i64(place)

def Tiamax(n: size, shared: size, counts: R[64], x: [R][n, 2], r: i64):
    assert stride(x, 1) == 1
    most: R
    if n < shared or n < 2048:
        Tlargest_at(n, counts, x[0:n, 0:2], most, r)
    else:
        tops: R[33] @ DRAM_STACK
        places: i64[33] @ DRAM_STACK
        tops[32] = -1.0
        for p in par(0, 32):
            Tlargest_at(n / 2048 * 64, counts, x[n / 2048 * 64 * p:n / 2048 * 64 * (p + 1), 0:2], tops[p], places[p])
        if 0 < n % 2048:
            Tlargest_at(n % 2048, counts, x[n / 2048 * 2048:n, 0:2], tops[32], places[32])
        most = -1.0
        for p in seq(0, 33):
            if most < tops[p]:
                most = tops[p]
                r = i64(n / 2048 * 64 * p) + places[p]
"""

# The rotation, with a real c, that takes (a, b) to (r, 0). Numbers are scaled by powers of two, so that squares are of
# middle size: a and b each by its own, and both by one.

ROTATION = """
def Tsize(z: R[2], e: f64, r: f64):
    most: f64
    most = fmax(f64(abs(z[0])), f64(abs(z[1])))
    e = 0.0
    if 0.0 < most and most < LARGEST:
        e = exponent(most)
    re: f64
    im: f64
    re = ldexp(f64(z[0]), -e)
    im = ldexp(f64(z[1]), -e)
    r = sqrt(re * re + im * im)

def Trotg(a: R[2], b: R[2], c: R, s: R[2]):
    if b[0] == 0.0 and b[1] == 0.0:
        c = 1.0
        s[0] = 0.0
        s[1] = 0.0
    else:
        ea: f64
        eb: f64
        own: f64
        other: f64
        Tsize(a, ea, own)
        Tsize(b, eb, other)
        re: f64
        im: f64
        re = ldexp(f64(a[0]), -ea) / own if own != 0.0 else 1.0
        im = ldexp(f64(a[1]), -ea) / own if own != 0.0 else 0.0
        e: f64
        e = ea if ea > eb and own != 0.0 else eb
        own = ldexp(own, fmax(ea - e, -2000.0))
        other = ldexp(other, fmax(eb - e, -2000.0))
        r: f64
        r = sqrt(own * own + other * other)
        p: f64
        q: f64
        p = ldexp(f64(b[0]), -e) / r
        q = -(ldexp(f64(b[1]), -e) / r)
        c = own / r
        s[0] = re * p - im * q
        s[1] = re * q + im * p
        a[0] = ldexp(re * r, e)
        a[1] = ldexp(im * r, e)
"""


def kernels() -> tuple[Kernel, ...]:
    """All kernels of level 1 that are about complex numbers only."""
    return tuple(k for t in LETTERS for k in kernels_in(t))


def kernels_in(precision: str) -> Iterator[Kernel]:
    """The same in a precision."""
    letter = COMPLEX_LETTERS[precision]
    mine = {f"{letter}{p.name()}" for p in pairs.NEAR} | {f"{letter}{p.name()}_strided" for p in pairs.STRIDED}
    loops = {k.name: k for k in pairs.kernels() if k.name in mine | {f"{letter}size1"}}
    loops |= {k.name: k for k in level1.kernels() if k.name[1:] in ("amax", "iamax_at", "iamax_from")}
    text = in_precision("\n".join((VECTORS, PRODUCTS, LONG, APART, LARGEST, ROTATION)), precision, letter)
    return written(text.replace("\n\n\n", "\n\n"), loops, LARGEST=MOST)
