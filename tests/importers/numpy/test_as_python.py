"""Names, arguments and the text of functions mean what Python says, or are refused."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from importers.numpy import Compiled, CompiledWarning
from strategies.normal import tidy

X, Y = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])


def agrees(f: Callable[..., Any], *args: Any) -> None:
    """That a function is taken, and gives and leaves what Python does."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompiledWarning)
        here, there = copy.deepcopy(args), copy.deepcopy(args)
        found, wanted = Compiled(f, tidy())(*here), f(*there)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_equal(here, there)


def refused(f: Callable[..., Any], why: str, *args: Any) -> None:
    """That a function runs in Python, and the warning says why."""
    with pytest.warns(CompiledWarning, match=why):
        try:
            found: Any = Compiled(f, tidy())(*copy.deepcopy(args))
        except Exception as e:
            found = type(e)
    try:
        wanted: Any = f(*copy.deepcopy(args))
    except Exception as e:
        wanted = type(e)
    np.testing.assert_equal(found, wanted)


# -- a value is computed once ---------------------------------------------------------------------------


def one_array(x, y):
    u = v = x * 2.0
    u[0] = 50.0
    p = q = np.zeros(3)
    p += y
    return v, q


def stored_twice(x, y):
    x[:] = y[:] = x + y
    x[0] = x[1] = x[0] + x[1]
    return y


def a_name_after_a_store(x, y):
    x[:] = u = x + y
    return u


def tuples(x, y):
    u = v = (x * 2.0, [y + 1.0])
    u[0][0] = 50.0
    (p, _) = r = (x * 2.0, x + 1.0)
    p[0] = 60.0
    return v[0], v[1][0], r[0]


def repeated(x, y):
    u = [x * 2.0] * 2
    u[0][0] = 50.0
    v, w = (np.zeros(3),) * 2
    v += y
    return u[1], w


def tuple_in_a_tuple(x, y):
    x[:], (y[:], z) = x + 1.0, (x * 2.0, x * 3.0)
    return z


def in_a_loop(x, y):
    for i in range(3):
        u = v = x * y[i]
        u[i] = 0.0
        y[i] = v[0] + v[1] + v[2]
    return y


def numbers(x, y):
    a = b = x[0] + y[0]
    x[0] = c = y[1]
    y[1] = 7.0
    a += 1.0
    return a, b, c


@pytest.mark.parametrize(
    "f", [one_array, stored_twice, a_name_after_a_store, tuples, repeated, tuple_in_a_tuple, in_a_loop, numbers]
)
def test_the_right_side_is_computed_once_and_its_names_share_it(f: Callable[..., Any]) -> None:
    agrees(f, X, Y)


def list_that_grows(x):
    u = [x[0], 2.0]
    v = u
    u += [3.0]
    return len(v)


def test_a_list_that_changes_under_several_names_is_refused() -> None:
    refused(list_that_grows, "changes under all its names", X)
