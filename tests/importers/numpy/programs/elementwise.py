# ruff: noqa
"""Operations element by element: promotion, broadcasting, places that overlap."""

import math

import numpy as np

HALF = 0.5


def axpy(a: "float", x: "f32[n]", y: "f32[n]"):
    y += a * x


def promotes(x: "f32[n]", k: "i64[n]", y: "f64[n]", s: "f64"):
    a = x + k
    b = x * 0.1
    c = k / 3
    d = x * s
    return a, b, c, d, y + x


def integers(k: "i64[n]", j: "i32[n]"):
    a = k // 3
    b = k % 4
    c = -k // 2
    d = j * 2 - k
    e = abs(j) ** 2
    return a, b, c, d, e


def unsigned(u: "u8[n]"):
    return u // 2, u.astype(np.int32) - 3, np.maximum(u, 3)


def broadcasts(a: "f64[n, m]", row: "f64[m]", col: "f64[n]"):
    return (a - row) * col[:, None] + row[np.newaxis, :]


def outer_sum(x: "f64[n]", y: "f64[m]"):
    return np.exp(x)[:, None] + np.sqrt(np.abs(y))[None, :]


def functions(x: "f64[n]"):
    y = np.abs(x) + 0.5
    return np.sqrt(y), np.log(y), np.exp(x), np.tanh(x), np.sin(x) + np.cos(x), np.log1p(y), np.arctan2(x, y)


def single(x: "f32[n]"):
    return np.tanh(x) * np.float32(0.5) + np.exp2(x) / 3.0


def clips(x: "f64[n]", k: "i32[n]"):
    return np.clip(x, -0.5, 1.0), np.maximum(x, 0), np.minimum(k, 3), np.rint(x * 3), np.floor(x), np.sign(x)


def powers(x: "f64[n]", p: "f64[n]"):
    y = np.abs(x)
    return x**2, (x + 1) ** 3, y**0.5, y**1.7, np.power(y, np.abs(p)), x**-1, 2.0**x


def float_remainders(x: "f64[n]", y: "f64[n]"):
    z = np.where(np.abs(y) < 0.1, 1.0, y)
    return x % 0.75, x // 0.5, x % z, np.fmod(x, 0.75)


def comparisons(x: "f64[n]", y: "f64[n]"):
    less = x < y
    both = (x > 0) & (y > 0) | ~less
    return less, both, np.where(both, x, y), np.logical_not(less), np.logical_and(x, less)


def chooses(x: "f32[n]", k: "i32[n]"):
    return np.where(k > 2, x, 0), np.where(x > 0, 1, -1), np.where(x <= 0.5, np.where(x < -0.5, -1.0, 0.0), x)


def truths(x: "f64[n]"):
    m = x > 0
    return m * 1.5, m.astype(np.float32), m + 0, ~m


def casts(x: "f64[n]", k: "i64[n]"):
    return (x * 10).astype(np.int32), k.astype("float32"), x.astype(np.float32), k.astype(np.float64) / 2


def stores_cut(x: "f64[n]", k: "i32[n]", h: "f32[n]"):
    k[:] = x * 3
    h[:] = x
    h += x
    k -= 1


def overlap(x: "f64[n]"):
    x[1:] = x[:-1] + 1.0


def reversed_in_place(x: "f64[n]"):
    x[:] = x[::-1]


def overlap_with_itself(a: "f64[n, n]"):
    a[:] = a + a.T


def swapped_halves(x: "f64[2*n]"):
    x[:1], x[1:2] = x[1:2] * 1.0, x[:1] * 1.0


def shifted_views(x: "f64[n]", y: "f64[n]"):
    inner = x[1:-1]
    left, right = x[:-2], x[2:]
    y[1:-1] = inner + left - right
    inner += 1.0
    y[0] = x[0]
    x[1:-1] -= left


def masks(x: "f64[n]", y: "f64[n]"):
    x[x < 0] = 0.0
    y[x > 0.5] += 1.0
    bad = (y > 1) | (y < -1)
    y[bad] = -7


def mask_of_rows(a: "f64[n, m]", x: "f64[n]"):
    a[x > 0] = 2.0
    a[x < 0, 0] *= 3.0


def masked_neighbour(x: "f64[n]"):
    x[1:][x[:-1] > 0] = 0.5


def out_arguments(x: "f64[n]", y: "f64[n]"):
    np.multiply(x, 2.0, out=y)
    np.add(y, x, y)
    np.sqrt(np.abs(y), out=x)


def scalars(a: "float", k: "int", x: "f64[n]"):
    t = math.sqrt(abs(a)) + math.pi
    u = t * k - HALF
    half = lambda v: v / 2
    return x * half(u), t, k * 2 + 1


def conditional_expression(a: "float", x: "f64[n]"):
    s = a if a > 0 else -a
    return x * s


def weak_beside_single(a: "float", b: "float", x: "f32[n]"):
    return (a * b) * x, x / a + b


def square_and_friends(x: "f64[n]"):
    return np.square(x), np.reciprocal(np.abs(x) + 1), np.positive(x), np.hypot(x, 1.0), -x, +x


def bits(k: "i32[n]", j: "i32[n]"):
    a = np.abs(k)
    b = np.abs(j)
    return a & b, a | 3, a ^ b, a >> 1, ~a


def truth_arguments(m: "bool[n]", x: "f64[n]"):
    x[m] = 0.0
    return ~m


def chosen(x: "f64[n]", y: "f64[n]", a: "f64[n, m]"):
    x[x > 0] = x[x > 0] ** -0.5
    y[y < 0] += x[y < 0]
    big = a[a > 0.5]
    a[:] = 7.0
    return big.sum(), np.sum(x[x > 0] * 2), (y[y > -9] - 1).mean()


def shifts(k: "i32[n]"):
    j = np.abs(k)
    return j << 2, (j >> 1) & 3, j % 5 * 2, (j | 8) - (j ^ 1), k % 3 << 1


def outer_functions(x: "f64[n]", y: "f64[m]", a: "f64[n, n]"):
    return (
        np.add.outer(x, y),
        np.minimum.outer(x, y),
        np.triu(a),
        np.tril(a, -1),
        np.cov(np.outer(x, np.array([1.0, 2.0, 4.0]))),
    )


def assumed_from_start(x: "f64[n]", i: "int", a: "f64[n, m]"):
    x[i] = 1.0
    x[: i + 1] += 2.0
    for j in range(1, i):
        x[j - 1] += a[j, :j].sum()


def literals_of_a_type(x: "f32[n]", y: "f64[n]"):
    z = np.where(x > 0, np.float32(0.1), np.float32(0.7)) * y
    for i in range(len(x)):
        y[i] *= np.float32(0.1)
        y[i] += np.float32(0.7) if x[i] > 1 else np.float32(0.3)
    return z, np.where(x > 0, 0.1, 0.7) == np.float32(0.1), np.where(x > 0, np.float32(0.1), np.float32(0.7)) == 0.1


def integers_of_a_choice(x: "f32[n]", k: "i64[n]"):
    return (
        np.where(x > 0, 300, 3).astype(np.uint8),
        np.where(x > 0, 16777217, 5) == 16777216,
        np.where(x > 0, 16777217, 5) + k,
    )
