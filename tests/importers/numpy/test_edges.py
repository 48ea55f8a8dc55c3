"""Numbers and shapes at the edges: signs of zero, infinities, divisors of 0, loops that end, calls that NumPy refuses.

Each program is compiled as it was imported, and gives the same bits and types as Python, or is refused with the reason.
"""

# ruff: noqa: B007, B905, RUF007  (programs as people have them)

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from importers.numpy import Compiled, CompiledWarning, ImportRefusedError, from_file

INF = float("inf")
X = np.array([1.0, 2.0, 3.0, 4.0])
EDGES = np.array([-0.0, 0.0, -INF, INF, np.nan, 4.0])
ZEROS = np.array([-0.0, -0.0])
ROWS = np.arange(12.0).reshape(2, 6)


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What a function gives and leaves, or raises, with types and signs of zero."""
    given = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            found = f(*given)
    except Exception as e:
        return repr(e)
    return repr((found, given))


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """That a function is taken, and gives and leaves what Python does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = outcome(f, args)
        warnings.simplefilter("error", CompiledWarning)
        assert outcome(Compiled(f, plan=lambda p: p), args) == wanted


# -- signs of zero, infinities --------------------------------------------------------------------------


def root(s):
    return s**0.5


def root_of_element(x):
    return x[0] ** 0.5, pow(x[1], 0.5), np.power(x[0], 0.5)


def roots(x):
    return x**0.5, np.power(x, 0.5), np.float_power(x, 0.5), x ** np.full(6, 0.5)


def distance(x):
    return (x[0] * x[0] + x[1] ** 2) ** 0.5


def sums(x):
    return np.cumsum(x), np.cumprod(x), np.sum(x), sum(x), np.mean(x)


NUMBERS = (-0.0, -INF, 4.0, np.float64(-0.0), np.float32(-INF))
SIGNED = [
    *((root, s) for s in NUMBERS),
    *((root_of_element, x) for x in (ZEROS, EDGES[2:], X)),
    (roots, EDGES),
    (distance, X),
    (sums, ZEROS),
    (sums, ZEROS.astype(np.float32)),
]


@pytest.mark.parametrize(("f", "arg"), SIGNED)
def test_zeros_keep_their_signs_and_infinities_are_powers(f: Callable[..., Any], arg: Any) -> None:
    agrees(f, arg)


# -- how many elements a variance is of -----------------------------------------------------------------


def few(x):
    return x[2:].var(ddof=2), x[1:].std(ddof=1)


def by_row(a):
    return a[:, 3:].var(axis=1, ddof=4), a[:, 1:].std(ddof=1)


@pytest.mark.parametrize(("f", "arg"), [(few, X[:3]), (few, X), (by_row, ROWS[:, :5]), (by_row, ROWS)])
def test_a_variance_divides_by_no_less_than_0(f: Callable[..., Any], arg: Any) -> None:
    agrees(f, arg)


# -- loops ----------------------------------------------------------------------------------------------


def numbered_pairs(a, b):
    s = 0.0
    for i, (p, q) in enumerate(zip(a, b)):
        s = s + p * q * i
    return s


def pairs_from_1(a, b):
    for i, (p, q) in enumerate(zip(a, b), 1):
        a[i - 1] = p * q * i
    return a


def numbers_in_pairs(a, b):
    s = 0.0
    for (i, p), q, k in zip(enumerate(a), b, range(2, len(a) + 2)):
        s = s + p * q * i * k
    return s


def neighbours(a, b):
    s = 0.0
    for p, q in zip(a, a[1:]):
        s = s + p * q
    for k, j in enumerate(range(3, 0, -2)):
        s = s + a[j] * b[k]
    return s


def strictly(a, b):
    for i, (p, q) in enumerate(zip(a, b, strict=True), start=1):
        b[0] += p * q * i


@pytest.mark.parametrize("f", [numbered_pairs, pairs_from_1, numbers_in_pairs, neighbours, strictly])
def test_loops_over_several_things_end_with_the_shortest(f: Callable[..., Any]) -> None:
    agrees(f, X, X + 1.0)


def after_a_loop(x, n):
    for i in range(n):
        x[0] += i
    return i


def after_steps(x, n):
    for i in range(n, 0, -2):
        x[0] += i
        i = i + 3
    return i


def counted_along(x, n):
    k = 5
    for i, v in enumerate(x):
        k += 2
        j = k
        x[i] = j
    return i


def once_more(x, n):
    for i in range(3):
        x[0] += 1.0
    for k in range(4):
        x[k] += i
        for i in range(2):
            x[1] += i
    return i


def of_a_triangle(x, n):
    for i in range(len(x)):
        for j in range(i + 1):
            x[j] += i
        x[0] += 10 * j
    return i


@pytest.mark.parametrize(
    ("f", "n"),
    [(after_a_loop, 3), (after_steps, 5), (after_steps, 4), (counted_along, 1), (once_more, 1), (of_a_triangle, 1)],
)
def test_the_variable_of_a_loop_is_what_its_last_iteration_left(f: Callable[..., Any], n: int) -> None:
    agrees(f, X, n)


def may_not_run(x, n):
    i = 7
    for i in range(n):
        x[0] += i
    return i


def left_early(x, n):
    for i in range(len(x)):
        if x[i] > 2.0:
            break
    return i


def of_data(x, n):
    for v in x:
        x[3] = 1.0
    return v


def too_late(x, n):
    i = 0
    while x[i] > 0 and i < len(x):
        i += 1
    return i


def too_late_by_a_function(x, n):
    i = 0
    while positive(x, i) and i < len(x):
        i += 1
    return i


def positive(x, i):
    return x[i] > 0


def bound_first(x, n):
    i = 0
    while i < len(x) and x[i] > 0:
        i += 1
    k = 0
    while abs(x[0]) > 1.5 and k < n:
        x[0] /= 2.0
        k += 1
    return i, k


def test_a_condition_that_the_counter_guards_is_taken() -> None:
    agrees(bound_first, X, 3)
    agrees(bound_first, X + 8.0, 3)


RUN_IN_NUMPY = {
    "the variable of a loop that may not run": (may_not_run, X, 0),
    "the variable of a loop that may be left by a break": (left_early, X, 1),
    "the variable of a loop that has ended, and no integer": (of_data, X, 1),
    "x[i]: it is also computed where the loop ends": (too_late, X, 1),
    "positive(x, i): it is also computed where the loop ends": (too_late_by_a_function, X, 1),
}


# -- calls that NumPy refuses, or means otherwise -------------------------------------------------------


def elements_as_a_condition(a, mask):
    return 1.0 if a[mask] else 0.0


def rows_under_a_mask(a, mask):
    return a[mask].sum(0), np.sum(a[mask], 0)


def stacked(a, b):
    return np.stack([a, b])


def listed(a, b):
    return np.array([a, b])


def no_fill(a, b):
    return np.full_like(a)


def nothing_zipped(a, b):
    for _ in zip():
        a[0] = 1.0
    return a


def valid_only(a, b):
    return np.convolve(a, b, mode="valid")


def differences(a, b):
    return np.diff(a)


RUN_IN_NUMPY |= {
    "a condition: elements under a mask": (elements_as_a_condition, X[:2], np.array([True, False])),
    "elements under a mask: how many": (rows_under_a_mask, ROWS, np.array([True, False])),
    "arrays of several shapes: they don't go together": (stacked, X[:1], X),
    "arrays of several shapes: they don't": (listed, X[:1], X),
    "np.full_like: it gets too few arguments": (no_fill, X, X),
    "strictly: argument values break the assertion a_0 == b_0": (strictly, X, X[:3]),
    "zip(..): it isn't taken here": (nothing_zipped, X, X),
    "of its sizes not all of this holds: b_0 <= a_0 (so that the second vector is no longer)": (valid_only, X[:2], X),
    "what is returned: it has no elements": (differences, X[:1], X),
}


@pytest.mark.parametrize("why", RUN_IN_NUMPY)
def test_what_is_not_the_same_runs_in_numpy_with_the_reason(why: str) -> None:
    f, *args = RUN_IN_NUMPY[why]
    with pytest.warns(CompiledWarning, match=re.escape(why)):
        found = outcome(Compiled(f, plan=lambda p: p), tuple(args))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found == outcome(f, tuple(args))


@pytest.mark.parametrize(
    "call",
    [
        "np.add.accumulate()", "np.all([])", "np.allclose(x)", "np.array_equal(x)", "np.broadcast_to(x)",
        "np.convolve(x)", "np.copyto(x)", "np.cross(x)", "np.diff(3)", "np.dot(x)", "np.fill_diagonal(a)", "np.full(3)",
        "np.linspace(x)", "np.matmul(x)", "np.moveaxis(a, 1)", "np.pad(x)", "np.repeat(x)", "np.reshape(x)",
        "np.roll(x)", "a.swapaxes(1)", "np.tensordot(x)", "np.tensordot(x, x)", "np.tile(x)", "a.transpose(1)",
    ],
)  # fmt: skip
def test_a_call_that_numpy_refuses_is_refused(call: str, tmp_path: Path) -> None:
    scope = {"np": np, "x": X, "a": ROWS}
    if call != "np.all([])":  # there is no array of no elements here
        with pytest.raises((TypeError, ValueError, IndexError)):
            eval(call, scope)
    file = tmp_path / "program.py"
    file.write_text(f'import numpy as np\ndef f(x: "f64[n]", a: "f64[n, m]"):\n    return {call}\n')
    with pytest.raises(ImportRefusedError, match=r"program.py:3:\d+: .+: .+"):
        from_file(file, "f")
