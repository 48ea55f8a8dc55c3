"""Level 1: programs that call the loops of `level1.py`, and each other, and those about single numbers.

They are over the precision `R`; `Tamax` is samax or damax. What is long is taken in 32 parts, as in `ways.py`.
"""

from __future__ import annotations

# In double precision, the sum of squares is enough if it is of middle size: nothing overflowed, and what vanished does
# not count, an error of at most n 2^-1074. Else numbers are scaled by a power of two first. That of neighbours leaves
# this to the one of long vectors, and says so by -1. Squares of single precision neither overflow nor vanish.

NORMS = """
def dnrm2_scaled(n: size, x: [f64][n], r: f64):
    most: f64
    damax_strided(n, 0.0, x[0:n], most)
    r = most
    if 0.0 < most and most < LARGEST:
        e: f64
        e = fmax(exponent(most), -1000.0)
        scale: f64
        scale = ldexp(1.0, -e)
        squares: f64
        dscaled_strided(n, scale, x[0:n], squares)
        r = ldexp(sqrt(squares), e)

def dnrm2(n: size, x: [f64][n], r: f64):
    assert stride(x, 0) == 1
    if n == 1:
        r = abs(x[0])
    else:
        squares: f64
        dsquares(n, x[0:n], squares)
        r = -1.0 if squares < 1e-270 or squares > LARGEST else sqrt(squares)

def dnrm2_long(n: size, x: [f64][n], r: f64):
    assert stride(x, 0) == 1
    squares: f64
    if n >= 2048:
        dsquares_long(n, x[0:n], squares)
    else:
        dsquares(n, x[0:n], squares)
    if squares < 1e-270 or squares > LARGEST:
        dnrm2_scaled(n, x[0:n], r)
    else:
        r = sqrt(squares)

def dnrm2_apart(n: size, x: [f64][n], r: f64):
    squares: f64
    dsquares_apart(n, x[0:n], squares)
    if squares < 1e-270 or squares > LARGEST:
        dnrm2_scaled(n, x[0:n], r)
    else:
        r = sqrt(squares)

def dnrm2_parts(n: size, x: [f64][n, 2], r: f64):
    assert stride(x, 1) == 1
    re: f64
    im: f64
    dsquares_strided(n, x[0:n, 0], re)
    dsquares_strided(n, x[0:n, 1], im)
    if re + im < 1e-270 or re + im > LARGEST:
        parts: f64[2] @ DRAM_STACK
        dnrm2_scaled(n, x[0:n, 0], parts[0])
        dnrm2_scaled(n, x[0:n, 1], parts[1])
        dnrm2_long(2, parts[0:2], r)
    else:
        r = sqrt(re + im)

def snrm2(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1
    if n == 1:
        r = abs(x[0])
    else:
        squares: f64
        ssquares(n, x[0:n], squares)
        r = sqrt(squares)

def snrm2_long(n: size, x: [f32][n], r: f64):
    assert stride(x, 0) == 1
    assert n >= 2048
    squares: f64
    ssquares_long(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_apart(n: size, x: [f32][n], r: f64):
    squares: f64
    ssquares_apart(n, x[0:n], squares)
    r = sqrt(squares)

def snrm2_parts(n: size, x: [f32][n, 2], r: f64):
    assert stride(x, 1) == 1
    re: f64
    im: f64
    ssquares_strided(n, x[0:n, 0], re)
    ssquares_strided(n, x[0:n, 1], im)
    r = sqrt(re + im)
"""


# The first index of the largest |x[i]|. A number that is none never is the largest. Few numbers are taken one after the
# other. Of others, the largest is known first, and then the least index of what is not less; what is none counts as -1.
# Many are taken in chunks; pieces of 32 of the first of the best chunks are asked for the largest until one has it. The
# last piece begins early instead of being short. Counts are the numbers from 0 to 63. `start` is room.

LARGEST_OF = """
def Tiamax(n: size, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    place: R
    Tsearch(n, x[0:n], counts[0:n], place)
    r = i64(place)

def Tiamax_at(n: size, most: R, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    assert stride(x, 0) == 1
    place: R
    Tfirst(n, most, 64.0, x[0:n], counts[0:n], place)
    r = i64(place)

def Tiamax_few(n: size, counts: R[64], x: [R][n], r: i64):
    assert n <= 64
    assert stride(x, 0) == 1
    most: R
    Tamax(n, -1.0, x[0:n], most)
    Tiamax_at(n, most, counts, x[0:n], r)

def Tiamax_from(n: size, at: index, most: R, counts: R[64], x: [R][n], r: i64):
    assert 0 <= at
    assert at <= n - 32
    assert stride(x, 0) == 1
    found: u8
    found = 0
    for p in seq(0, (n - at + 31) / 32):
        if found == 0:
            here: R
            start = min(at + 32 * p, n - 32)
            Tamax(32, -1.0, x[start:start + 32], here)
            if most <= here:
                found = 1
                place: i64
                Tiamax_at(32, most, counts, x[start:start + 32], place)
                r = i64(start) + place

def Tiamax_many(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    assert n >= 32
    assert stride(x, 0) == 1
    most: R
    if n <= 4096:
        Tamax(n, -1.0, x[0:n], most)
        Tiamax_from(n, 0, most, counts, x[0:n], r)
    else:
        most = -1.0
        start = 0
        for c in seq(0, (n + 4095) / 4096):
            here: R
            m = min(4096, n - 4096 * c)
            Tamax(m, most, x[4096 * c:4096 * c + m], here)
            if most < here:
                most = here
                start = i64(4096 * c)
        Tiamax_from(n, min(max(start, 0), n - 32), most, counts, x[0:n], r)

def Tiamax_long(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    assert n >= 2048
    assert stride(x, 0) == 1
    tops: R[33] @ DRAM_STACK
    tops[32] = -1.0
    for p in par(0, 32):
        Tamax(n / 2048 * 64, -1.0, x[n / 2048 * 64 * p:n / 2048 * 64 * (p + 1)], tops[p])
    if 0 < n % 2048:
        Tamax(n % 2048, -1.0, x[n / 2048 * 2048:n], tops[32])
    most: R
    most = -1.0
    start = 0
    for p in seq(0, 33):
        if most < tops[p]:
            most = tops[p]
            start = i64(n / 2048 * 64 * p)
    Tiamax_from(n, min(max(start, 0), n - 32), most, counts, x[0:n], r)

def Tiamax_copied(n: size, at: index, most: R, counts: R[64], x: [R][n], some: R[512], r: i64):
    assert 0 <= at and at < n
    if at + 512 < n:
        Tcopy_strided(512, x[at:at + 512], some[0:512])
    place: i64
    if n - at <= 64:
        Tiamax_at(n - at, most, counts, some[0:n - at], place)
    else:
        Tiamax_from(min(512, n - at), 0, most, counts, some[0:min(512, n - at)], place)
    r = i64(at) + place

def Tiamax_apart(n: size, counts: R[64], x: [R][n], start: i64, r: i64):
    if n <= 64:
        Tiamax(n, counts, x[0:n], r)
    else:
        most: R
        some: R[512] @ DRAM_STACK
        if n <= 512:
            Tcopy_strided(n, x[0:n], some[0:n])
            Tamax(n, -1.0, some[0:n], most)
            Tiamax_from(n, 0, most, counts, some[0:n], r)
        else:
            most = -1.0
            start = 0
            for c in seq(0, (n + 511) / 512):
                here: R
                m = min(512, n - 512 * c)
                Tcopy_strided(m, x[512 * c:512 * c + m], some[0:m])
                Tamax(m, most, some[0:m], here)
                if most < here:
                    most = here
                    start = i64(512 * c)
            Tiamax_copied(n, min(max(start, 0), n - 1), most, counts, x[0:n], some, r)
"""


# The flag h[0] tells which entries of H are 1 or -1: all are given, those of the diagonal are 1, or the others are.
# Except for what the processor has near, to multiply by 1 takes no time.

FLAGGED = """
def Tflagged(n: size, h: R[5], x: [R][n], y: [R][n]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    if h[0] < 0.0:
        Trotm(n, h[1], h[3], h[2], h[4], x[0:n], y[0:n])
    elif h[0] == 0.0:
        Trotm_unit(n, h[3], h[2], x[0:n], y[0:n])
    else:
        Trotm_diagonal(n, h[1], h[4], x[0:n], y[0:n])

def Tflagged_apart(n: size, nx: size, ny: size, h: R[5], x: [R][nx], y: [R][ny]):
    a: R = 1.0
    b: R = 1.0
    c: R = -1.0
    d: R = 1.0
    if h[0] != 0.0:
        a = h[1]
        d = h[4]
    if h[0] <= 0.0:
        b = h[3]
        c = h[2]
    Trotm_apart(n, nx, ny, a, b, c, d, x[0:nx], y[0:ny])

def Tflagged_long(n: size, before: index, shared: size, h: R[5], x: [R][n], y: [R][n]):
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    assert 0 <= before and before < n and shared >= 2048
    a: R = 1.0
    b: R = 1.0
    c: R = -1.0
    d: R = 1.0
    if h[0] != 0.0:
        a = h[1]
        d = h[4]
    if h[0] <= 0.0:
        b = h[3]
        c = h[2]
    Trotm_long(n, before, shared, a, b, c, d, x[0:n], y[0:n])
"""


# |re| + |im| of one number; the rotation that takes (a, b) to (r, 0), scaled, so that squares are of middle size; and
# the modified one that takes (sqrt(d1) x, sqrt(d2) y) to a multiple of (1, 0), whose d1 and d2 are kept so.

ROTATIONS = """
def Tcabs1(z: R[2], r: R):
    r = abs(z[0]) + abs(z[1])

def Trotg(a: R, b: R, c: R, s: R):
    if b == 0.0:
        c = 1.0
        s = 0.0
        b = 0.0
    elif a == 0.0:
        c = 0.0
        s = 1.0
        a = b
        b = 1.0
    else:
        larger: R
        larger = a if abs(a) > abs(b) else b
        scale: R
        scale = fmin(fmax(abs(larger), SMALL), LARGE)
        r: R
        r = scale * sqrt(a / scale * (a / scale) + b / scale * (b / scale))
        r = -r if larger < 0.0 else r
        c = a / r
        s = b / r
        b = s if abs(a) > abs(b) else (1.0 / c if c != 0.0 else 1.0)
        a = r

def Trescaled(d: R, x: R, h: R, g: R):
    if d != 0.0:
        for k in seq(0, 1000):
            if abs(d) <= 1.0 / SQUARE:
                d *= SQUARE
                x /= GAMMA
                h /= GAMMA
                g /= GAMMA
        for k in seq(0, 1000):
            if abs(d) >= SQUARE:
                d /= SQUARE
                x *= GAMMA
                h *= GAMMA
                g *= GAMMA

def Trotmg(d1: R, d2: R, x: R, y: R, param: R[5]):
    if not d1 < 0.0 and d2 * y == 0.0:
        param[0] = -2.0
    else:
        flag: R = -1.0
        h11: R = 0.0
        h12: R = 0.0
        h21: R = 0.0
        h22: R = 0.0
        p1: R = d1 * x
        p2: R = d2 * y
        u: R
        if not d1 < 0.0:
            if abs(p1 * x) > abs(p2 * y):
                u = 1.0 + y / x * (p2 / p1)
                if u > 0.0:
                    flag = 0.0
                    h11 = 1.0
                    h12 = p2 / p1
                    h21 = -(y / x)
                    h22 = 1.0
                    d1 /= u
                    d2 /= u
                    x *= u
            elif not p2 * y < 0.0:
                flag = 1.0
                h11 = p1 / p2
                h12 = 1.0
                h21 = -1.0
                h22 = x / y
                u = 1.0 + h11 * h22
                p1 = d2 / u
                d2 = d1 / u
                d1 = p1
                x = y * u
        if flag < 0.0:
            d1 = 0.0
            d2 = 0.0
            x = 0.0
        else:
            u = abs(d1)
            p1 = abs(d2)
            if 0.0 < u and (u <= 1.0 / SQUARE or u >= SQUARE) or 0.0 < p1 and (p1 <= 1.0 / SQUARE or p1 >= SQUARE):
                flag = -1.0
                Trescaled(d1, x, h11, h12)
                u = 1.0
                Trescaled(d2, u, h21, h22)
        param[0] = flag
        if flag <= 0.0:
            param[2] = h21
            param[3] = h12
        if flag != 0.0:
            param[1] = h11
            param[4] = h22
"""
