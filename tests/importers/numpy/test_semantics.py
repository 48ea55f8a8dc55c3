"""What is easily taken for something else: types of Python and of NumPy, views and copies, what a call returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from importers.numpy import Compiled, CompiledWarning, ImportRefusedError, compiled
from importers.numpy.convert import argument_types, imported
from importers.numpy.source import of_function

GIVEN = {"x": np.ones(4), "y": np.ones(4), "a": np.ones((2, 2)), "k": np.ones(4, np.int8), "h": np.ones(4, np.float32)}
GIVEN["mask"] = np.ones(4, bool)
I8 = np.array([100, 100, -3, 7], np.int8)


def alike(a: Any, b: Any) -> bool:
    """Whether two results are equal, and of one type."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(alike(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


def numbers(x):
    """Values of `and` and `or`, sums of Python, numbers that become arrays."""
    a = x[2] or x[0]
    b = (x[2] and x[3]) * 2
    return [a, b, sum(x), np.dot(x, 2), np.multiply.outer(x, 2), np.einsum("i,->i", x, 2)]


def truths(x, n):
    """Truth values of Python and of NumPy."""
    return not x[0], bool(x[0]), x[0] > 1, n > 2, (x[0] > 1) + 1, n > 2 and n < 9, np.allclose(x, x), x[0] > 1 > n


def of_narrow(a):
    """Sums that are wider than what they add."""
    return np.trace(a), np.einsum("ii->i", a).sum(), np.isclose(a, a + 1)


def of_arange(x):
    """The numbers of np.arange are NumPy's."""
    y = np.zeros(3)
    for i in np.arange(3):
        y[i] = x[1] * i
    return y


def names(run, args, dtype0, uint8, out0):
    return run * args + dtype0[uint8], out0


def kept(x):
    """Numbers in a tuple are those of when it was made."""
    t = (x[0], x[1] * 2, [x.max()])
    s = 0.0
    for v in (x[0], x[1]):
        x[1] = 7
        s += v
    return t, s


def twice(x):
    y = x * 2
    return y, y


def integers(x, k):
    """A scalar of NumPy as an index, a bound and a number."""
    s = 0.0
    for i in range(k):
        s = s + x[i]
    return x[k], s, k + 1, x[:3] * k


def on_some_ways(x):
    """A Python number on one way, and NumPy's on another, where both give the same."""
    m, s, f = 0, 0.0, 0.5
    if x[0] > 1000:
        f = x[0]
    y = np.zeros(4)
    for i in range(4):
        m = max(m, x[i])
        s = s + x[i]
        y[i] = min(max(x[i], 0), 1) + f * x[i]
    return s, s * x, y, m > 3 and x[0] > 0


def flags_as_numbers(a):
    """Flags that are given as 0 and 1."""
    return a / a.sum(axis=1, keepdims=1), np.linspace(0, 1, 5, endpoint=1), np.linspace(0, 1, 5, endpoint=0)


def weighted(x, k, w):
    """Means with weights of a narrower type than the numbers, or with narrow integers."""
    return np.average(x, weights=w), np.average(k, weights=w)


def close(x, y):
    """Infinity is close to itself only."""
    return np.isclose(x, y), np.allclose(x, y)


def of_unsigned(x):
    return np.sign(x), x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (flags_as_numbers, (np.array([[1.0, 3.0], [2.0, 6.0]]),)),
        (weighted, (np.array([0.1, 7.0]), np.array([1, 2], np.int16), np.array([0.25, 0.75], np.float32))),
        (weighted, (np.array([0.1, 7.0]), np.array([1, 2], np.int16), np.array([0.3, 0.1], np.float32))),
        (close, (np.array([1.0, np.inf, 1.0, np.nan]), np.array([np.inf, np.inf, 1.0, np.nan]))),
        (of_unsigned, (np.array([0, 255], np.uint8),)),
        (on_some_ways, (np.array([1.5, -2.25, 0.5, 3.0], np.float32),)),
        (numbers, (I8,)),
        (truths, (np.array([0.5, 2.0]), 3)),
        (of_arange, (I8,)),
        (of_narrow, (np.array([[100, 3], [0, 100]], np.uint8),)),
        (names, (2, 3, np.arange(4.0), 1, 5)),
        (kept, (np.arange(1.0, 4.0),)),
        (integers, (np.arange(5.0), np.int32(2))),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_values_and_types_are_those_of_numpy(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error", CompiledWarning)
        found = Compiled(f)(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
        warnings.simplefilter("ignore", RuntimeWarning)
        assert alike(found, f(*args)), (found, f(*args))


def test_one_array_that_is_returned_twice_is_one() -> None:
    first, second = Compiled(twice)(np.ones(3))
    assert first is second


# -- what NumPy shares ----------------------------------------------------------------------------------


def raveled(x):
    y = x[::2].ravel()
    y[1] = 50


def made_contiguous(a):
    y = np.ascontiguousarray(a.T)
    y[0, 1] = 50


def diagonal_written(a):
    np.diagonal(a)[0] = 1


def rows_of_a_copy(x):
    for row in x.reshape(2, 2):
        row[0] = 1


def passed_on(x):
    def zero(y):
        y[:] = 0

    zero(x.reshape(2, 2))


def while_else(x):
    i = 0
    while i < len(x) and x[i] < 2:
        i += 1
    else:
        x[0] = 100


def integer_or_int8(k):
    y = 3
    if k[0] > 100:
        y = k[1]
    k[2:] = y * 100


def either_of_two(k):
    k[0] = (k[1] if k[0] > 0 else 1) + 100


def float_that_is_rounded(h):
    s = 0.1
    if h[0] > 100:
        s = h[0]
    h[0] = s * 3


def no_dimensions(x):
    y = np.zeros(())
    y += x[0]


def changed_in_place(x):
    y = np.where(x[0] > 0, 1, 2)
    y += 1
    x[0] = y


def same_object(x, y):
    return (x + y) is y


def enumerated(x):
    for i, v in enumerate(x, start=len(x)):
        x[0] = i * v


def rounded(x):
    return round(x[0], ndigits=1)


def under(x, mask):
    return x[mask]


def masks_of_one_name(x, y, mask):
    x[mask] = under(y, mask[::-1])


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (masks_of_one_name, "how many elements it has depends on data"),
        (raveled, "shares memory"),
        (made_contiguous, "shares memory"),
        (diagonal_written, "no array that a name stands for"),
        (rows_of_a_copy, "shares memory"),
        (passed_on, "shares memory"),
        (while_else, "`else` runs where"),
        (integer_or_int8, "int8 or a Python int"),
        (either_of_two, "int8 or a Python int"),
        (float_that_is_rounded, "which rounds it"),
        (no_dimensions, "without dimensions"),
        (changed_in_place, "without dimensions"),
        (same_object, "one object"),
        (enumerated, "start"),
        (rounded, "ndigits"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_would_be_something_else_is_refused(f: Callable[..., Any], why: str) -> None:
    source = of_function(f)
    given = [GIVEN[a.arg] for a in source.node.args.args]
    with pytest.raises(ImportRefusedError, match=why):
        imported(source, argument_types(source, given, {}))


OTHERS = {"masked": np.ma.array([1.0, 2.0], mask=[0, 1]), "0-d": np.array(2.0), "complex": np.ones(2, complex)}


def last(x):
    return len(x[2:]), x[2:].size, x[2:].shape, x[2:].mean()


def between(x, i, j):
    return len(x[i:j])


@pytest.mark.parametrize(("f", "args"), [(last, (np.ones(1),)), (last, (np.ones(2),)), (between, (np.ones(4), 3, 1))])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_slice_that_ends_before_it_begins_has_no_elements(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    made: Any = compiled(f, plan=lambda p: p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompiledWarning)
        assert str(made(*args)) == str(f(*args))


@pytest.mark.parametrize("x", OTHERS.values(), ids=OTHERS)
def test_arrays_of_other_classes_run_in_numpy(x: Any) -> None:
    @compiled
    def double(x):
        x *= 2
        return x.sum()

    before = x.copy()
    with pytest.warns(CompiledWarning, match="the type .* of x"):
        found = double(x)
    wanted = double.python(before)
    assert found == wanted and np.array_equal(x, before)


@pytest.mark.parametrize(("x", "wanted"), [(np.array([-1.0]), 1.0), (np.array([1.0]), 2)])
def test_a_float_or_an_integer_is_returned_by_numpy(x, wanted: object) -> None:
    @compiled
    def one_or_two(x):
        if x[0] < 0:
            return 1.0
        return 2

    with pytest.warns(CompiledWarning, match="a Python float or a Python int"):
        assert alike(one_or_two(x), wanted)


def test_a_part_of_an_argument_is_returned_by_numpy() -> None:
    @compiled
    def rest(x):
        return x[1:]

    x = np.arange(3.0)
    with pytest.warns(CompiledWarning, match="part of x"):
        rest(x)[0] = 5
    assert x.tolist() == [0.0, 5.0, 2.0]


def larger_of_python(x, y):
    """Python's `max` and `min`, which keep the first number unless the second is larger or smaller."""
    for i in range(x.shape[0]):
        x[i] = max(x[i], y[i])
        y[i] = min(y[i] * 2.0, x[i], 0.0)


def test_the_larger_number_of_python_is_told_by_bits() -> None:
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, 3.0])
    x, y = (a.ravel() for a in np.meshgrid(special, special))
    ours, pythons = (x.copy(), y.copy()), (x.copy(), y.copy())
    compiled(larger_of_python)(*ours)
    larger_of_python(*pythons)
    assert all((a.view(np.int64) == b.view(np.int64)).all() for a, b in zip(ours, pythons, strict=True))


def turned(n: int, a, b, x, y):
    """Pairs times a pair: sums and differences in turns, which gcc 12 would fuse."""
    for i in range(n):
        y[2 * i] = a * x[2 * i] - b * x[2 * i + 1]
        y[2 * i + 1] = a * x[2 * i + 1] + b * x[2 * i]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_product_is_rounded_in_pairs_too(dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal(200).astype(dtype)
    y, wanted = np.zeros(200, dtype), np.zeros(200, dtype)
    compiled(turned)(100, dtype(0.3), dtype(0.7), x, y)
    turned(100, dtype(0.3), dtype(0.7), x, wanted)
    assert np.array_equal(y, wanted)
