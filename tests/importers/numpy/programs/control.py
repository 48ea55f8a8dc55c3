# ruff: noqa

import numpy as np

STEPS = 3


def jacobi(steps: "int", a: "f64[n, n]", b: "f64[n, n]"):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])


def seidel(a: "f64[n, n]"):
    n = a.shape[0]
    for i in range(1, n - 1):
        a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i + 1, 2:]
        for j in range(1, n - 1):
            a[i, j] += a[i, j - 1]
            a[i, j] /= 2.0


def elements(a: "f64[n, m]"):
    n, m = a.shape
    total = 0.0
    count = 0
    for i in range(n):
        for j in range(m):
            if a[i, j] > 0:
                total += a[i, j]
                count += 1
            elif a[i, j] < -1:
                total -= 1
    return total, count


def steps(x: "f64[n]", y: "f64[n]"):
    for i in range(len(x) - 1, -1, -2):
        y[i] = x[i]
    for i in range(0, len(x), 3):
        y[i] += 1
    for i in range(len(x)):
        y[-i - 1] *= 2.0


def over_rows(a: "f64[n, m]", v: "f64[n]"):
    out = np.zeros(a.shape[0])
    for i, row in enumerate(a):
        out[i] = row.sum() + v[i]
    for x, row in zip(v, a):
        row += x
    return out


def counters(x: "f64[2*n]"):
    k = 0
    j = x.shape[0] - 1
    for i in range(x.shape[0] // 2):
        x[k] += i
        x[j] -= 1.0
        k += 2
        j -= 1
    return k, j


def whiles(x: "f64[n]"):
    i = 0
    while i < x.shape[0]:
        x[i] += i
        i += 2
    k = x.shape[0] - 1
    while k >= 0:
        x[k] *= 2
        k -= 1
    return i


def lower_solve(a: "f64[n, n]", b: "f64[n]"):
    x = np.zeros_like(b)
    for i in range(a.shape[0]):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / (np.abs(a[i, i]) + 1.0)
    return x


def cholesky(a: "f64[n, n]"):
    n = a.shape[0]
    for i in range(n):
        a[i, i] = np.abs(a[i, i]) + n * 5
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(np.abs(a[i, i]) + 1.0)


def lu(a: "f64[n, n]"):
    for i in range(a.shape[0]):
        a[i, i] += 30.0
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, a.shape[0]):
            a[i, j] -= a[i, :i] @ a[:i, j]


def power_iteration(a: "f64[n, n]"):
    x = np.ones(a.shape[0])
    for _ in range(STEPS):
        x = a @ x
        x = x / (np.linalg.norm(x) + 1.0)
    return x


def rebinds(x: "f64[n]", steps: "int"):
    before = x
    for _ in range(steps):
        after = 0.5 * before + 1.0
        before = after
    return before


def double_buffer(n: "int", start: "f64[m]"):
    a = start.copy()
    b = np.zeros_like(a)
    for _ in range(n):
        b[1:] = a[:-1] + 1.0
        b[0] = a[-1]
        a, b = b, a
    return a


def fibonacci(n: "int"):
    a, b = 0.0, 1.0
    for _ in range(n):
        a, b = b, a + b
    return a


def branches(x: "f64[n]", s: "float", flag: "bool"):
    if flag:
        y = x * 2
    else:
        y = x + 1
    if s > 1:
        t = 1
    elif s > 0:
        t = 2.5
    else:
        t = 3
    if flag and s < 1:
        y = y - 1
    return y * t


def early_return(x: "f64[n]", s: "float"):
    if s < 0:
        return x.sum()
    t = x * s
    if s > 1:
        return t.max()
    return t.min()


def known_now(x: "f64[n]", axis: "None" = None, scale=2.0):
    if axis is None and x.ndim == 1:
        x *= scale
    else:
        x[0] = np.linalg.solve(x, x)


def continues(x: "f64[n]", y: "f64[n]"):
    for i in range(x.shape[0]):
        if x[i] < 0:
            y[i] = 0.0
            continue
        y[i] = np.sqrt(x[i])


def relu(x):
    return np.maximum(x, 0)


def linear(x, w, b):
    return x @ w + b


def layers(x: "f32[n, k]", w: "f32[k, m]", b: "f32[m]", v: "f32[m, h]"):
    def last(y):
        return y @ v

    return last(relu(linear(x, w, b)))


def scale_rows(a, by):
    for i in range(a.shape[0]):
        a[i] *= by


def helpers_write(a: "f64[n, m]"):
    scale_rows(a, 2.0)
    scale_rows(a[:, 1:], by=0.5)


def unrolled(x: "f64[n]"):
    for f in (1.0, 2.0):
        x += f
    for k in [0]:
        x[k] = 3.0


def clamped_windows(x: "f64[n]", y: "f64[n]"):
    n = x.shape[0]
    for i in range(n):
        lo = max(0, i - 1)
        hi = min(n, i + 2)
        y[i] = np.sum(x[lo:hi])
    for i in range(n):
        x[i] = np.sum(y[i : i + 3])


def conditions_on_indices(a: "f64[n, n]"):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            if i == j:
                a[i, j] = 1.0
            elif 0 < i < n - 1 and not j == 0:
                a[i, j] = a[i - 1, j] + i
            else:
                a[i, j] = i * j / n


def tail_sums(x: "f64[n]"):
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        t = x[i:] * 2.0
        y[i] = t.sum()
    return y


def scalar_copy(x: "f64[n]"):
    first = x[0]
    x[0] = 5.0
    x += first
    return first


def kept_argument(x: "f64[n]"):
    x += 1
    return x


def nested_values(x: "f64[n]"):
    best = x[0]
    where = 0
    for i in range(1, x.shape[0]):
        if x[i] > best:
            best = x[i]
            where = i
    return best, where


def guarded_neighbours(x: "f64[n]", y: "f64[n]"):
    n = x.shape[0]
    for i in range(n):
        if i > 0 and x[i - 1] > 0:
            y[i] = 1.0
        left = x[i - 1] if i > 0 else 0.0
        y[i] += left


def late_binding(x: "f64[n]"):
    def scaled():
        return x * s

    s = 1.0
    a = scaled()
    s = 2.0
    return a + scaled()


def begun_with_numbers(a: "f64[n, m]", k: "i32[n, m]", c: "f64[4]"):
    total, product, horner = 0, 1, 0.0
    for i in range(a.shape[0]):
        for row in k:
            total += row
        product = product * a[i]
    for j in range(4):
        horner = horner * a[0] + c[j]
    return total, product, horner


def checked(x: "f64[n]", y: "f64[m]", k: "int"):
    if x.shape != y.shape:
        raise ValueError("shapes")
    if k < 0 or k >= len(x):
        raise IndexError(k)
    return x[: k + 1] * y[: k + 1]


def numbered_pairs(x: "f64[n]", y: "f64[n]"):
    for i, (p, q) in enumerate(zip(x, y)):
        x[i] = p * q + i
    return i


def neighbours(x: "f64[n]"):
    s = 0.0
    for p, q in zip(x[1:], x):
        s = s + p * q
    return s
