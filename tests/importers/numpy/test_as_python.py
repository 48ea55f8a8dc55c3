"""Names, arguments and the text of functions mean what Python says, or are refused."""

from __future__ import annotations

import copy
import functools
import importlib.util
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from importers.numpy import Compiled, CompiledWarning, ImportRefusedError, from_file
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


def of_a_comprehension(x, y):
    v = 0.0
    for i in range(3):
        v = v + x[i]
        y[i] = sum(v * 2.0 for v in x) + np.array([i + v for i, v in enumerate(y)]).sum()
    return v


def test_the_variables_of_a_comprehension_are_its_own() -> None:
    agrees(of_a_comprehension, X, Y)


# -- the text is that of what runs ----------------------------------------------------------------------


def twice(f: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(f)
    def g(x: Any, /) -> Any:
        return 2.0 * f(x)

    return g


@twice
def decorated(x):
    return x + 1.0


@functools.lru_cache
def cached(x):
    return x + 1.0


up, down = (lambda v: v + 1.0), (lambda v: (lambda w: w * 2.0)(v))


def exp(v):
    return v + 1.0


of_each = np.vectorize(exp)
outer = np.add.outer


def of_decorated(x):
    return decorated(x)


def of_lambdas(x):
    return down(x) + up(x)


def of_own(x):
    return exp(x)


@pytest.mark.parametrize("f", [of_decorated, decorated, of_lambdas, of_own])
def test_a_function_is_what_runs_and_not_what_it_wraps(f: Callable[..., Any]) -> None:
    agrees(f, X)


def of_cached(x):
    return cached(2.0) * x


def of_vectorize(x):
    return of_each(x)


def of_outer(x):
    return outer(x, x)


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (of_cached, "test_as_python.py:.*cached: a decorator put"),
        (of_vectorize, "of_each: it is no variable"),
        (of_outer, "outer: it is no variable"),
    ],
)
def test_what_has_the_name_of_a_function_of_numpy_is_none(f: Callable[..., Any], why: str) -> None:
    refused(f, why, X)


def test_arguments_are_those_of_the_wrapper() -> None:
    def f(x, y):
        return x - y

    @functools.wraps(f)
    def turned(y, x):
        return f(x, y)

    assert np.array_equal(Compiled(turned, tidy())(x=X, y=Y), X - Y)


PROGRAM = """GAIN = {}
def helper(x, by={}):
    return x * by + {}
def f(x):
    return helper(x) * GAIN
"""


@pytest.mark.parametrize("again", [("1.0", "2.0", "77.0"), ("1.0", "2.0", "-0.0")])
def test_a_file_that_was_written_anew_since_it_was_read_is_refused(again: tuple[str, ...], tmp_path: Path) -> None:
    """And what is taken is as it was read: constants, defaults."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format("1.0", "2.0", "0.0"))
    spec = importlib.util.spec_from_file_location("program", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.f(X)
    file.write_text(PROGRAM.format("5.0", "6.0", "0.0"))
    agrees(module.f, X)
    file.write_text(PROGRAM.format(*again))
    refused(module.f, "helper: the text of helper is not what runs: its file was changed", X)


# -- what changes after the first call ------------------------------------------------------------------


def test_what_changes_in_lists_and_functions_is_seen() -> None:
    nested, in_a_tuple = [[1.0, 2.0], [3.0, 4.0]], ([1.0, 2.0], 3.0)

    def scaled(x, by=2.0, *, to=1.0):
        return x * by + to

    def f(x, k=1.0, *, m=1.0):
        return scaled(x) * nested[0][1] + in_a_tuple[0][1] * k * m

    c = Compiled(f, tidy())
    for change in (
        lambda: nested[0].__setitem__(1, 9.0),
        lambda: in_a_tuple[0].__setitem__(1, 9.0),
        lambda: setattr(scaled, "__defaults__", (5.0,)),
        lambda: scaled.__kwdefaults__.__setitem__("to", 7.0),
        lambda: setattr(scaled, "__kwdefaults__", {"to": 8.0}),
        lambda: setattr(f, "__defaults__", (6.0,)),
        lambda: f.__kwdefaults__.__setitem__("m", 7.0),
    ):
        assert np.array_equal(c(X), f(X))
        change()
        assert np.array_equal(c(X), f(X))
        assert np.array_equal(c(X, 2.0), f(X, 2.0))


def test_code_that_changes_is_seen() -> None:
    def f(x):
        return x * 2.0

    def g(x):
        return x * 3.0

    def of_f(x):
        return f(x)

    c, d = Compiled(f, tidy()), Compiled(of_f, tidy())
    assert np.array_equal(c(X), f(X)) and np.array_equal(d(X), f(X))
    setattr(f, "__code__", g.__code__)  # noqa: B010
    assert np.array_equal(c(X), g(X)) and np.array_equal(d(X), g(X))


def test_a_name_that_gets_a_meaning_later_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x):
        return max(x) + np.exp(x[0])

    c = Compiled(f, tidy())
    assert c(X) == f(X)
    monkeypatch.setitem(globals(), "max", lambda x: x[0])
    with pytest.warns(CompiledWarning, match="the name of a function of Python"):
        assert c(X) == f(X)
    monkeypatch.delitem(globals(), "max")
    assert c(X) == f(X)
    monkeypatch.setitem(globals(), "np", math)
    assert c(X) == f(X)


# -- arguments of functions of the program --------------------------------------------------------------

GAIN = 2.0


def by_name(x, k=2.0, *, s=7.0, t=1.0):
    return x * k + s - t


def gained(x, k=GAIN, more=(1.0, [GAIN])):
    return x * k + more[1][0]


GAIN = 3.0


def only_by_name(x):
    return by_name(x, 1.0) + by_name(x, t=3.0) + by_name(k=4.0, s=1.0, x=x)


def of_then(x):
    GAIN = 10.0
    return gained(x) + 0.0 * GAIN


def nested_defaults(x):
    c, a = 1.0, x * 2.0

    def h(v, k=c, *, w=a):
        return v * k + w

    g = lambda v, k=c: v * k  # noqa: E731
    c = 5.0
    a[0] = 50.0
    a = x * 0.0
    for _ in range(2):
        c = c + 1.0
    return h(x) + g(x) + c + a


@pytest.mark.parametrize("f", [only_by_name, of_then, nested_defaults])
def test_arguments_that_are_not_given_are_as_where_the_function_is_defined(f: Callable[..., Any]) -> None:
    agrees(f, X)


ONES = np.ones(3)


def with_array(x, k=ONES):
    return x * k


def only_by_place(x, /):
    return x * 2.0


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda x: by_name(x, 1.0, 5.0), "too many positional arguments"),
        (lambda x: by_name(x, zz=5.0), "unexpected keyword argument 'zz'"),
        (lambda x: by_name(x, x=x), "multiple values for argument 'x'"),
        (lambda x: only_by_place(x=x), "positional"),
        (lambda x: by_name(), "missing a required argument: 'x'"),
        (lambda x: with_array(x), "k: of its default"),
    ],
    ids=range(6),
)
def test_a_call_that_python_refuses_is_refused(f: Callable[..., Any], why: str) -> None:
    def call(x):
        return f(x)

    refused(call, why, X)


def read_before(x):
    y = x + GAIN  # noqa: F823
    GAIN = 3.0
    return y * GAIN


def read_before_in_a_function(x):
    k = 2.0

    def h(v):
        w = v * k  # noqa: F823
        k = 3.0
        return w + k

    return h(x) * k


@pytest.mark.parametrize("f", [read_before, read_before_in_a_function])
def test_a_variable_that_is_read_before_it_is_set_is_refused(f: Callable[..., Any]) -> None:
    refused(f, "the function sets it later", X)


# -- max and min ----------------------------------------------------------------------------------------


def of_numbers(x, y):
    """Of numbers that are known, and of such and others."""
    a = x * max(1.0, 2.5) + min(3, 2.5, 7) * max(2, 2.0)
    b = x * max((GAIN, 4)) + min([-0.0, 0.0, 1.0]) + max(x[0], 2.5, 1.0)
    return a, b, max(3, 2.5) * np.ones(2, np.int32) + max(True, 0), max([x]) + min((y,)), max(y) - min(y)


def test_the_largest_of_numbers_that_are_known_is_one_of_them() -> None:
    for a, b in zip(Compiled(of_numbers, tidy())(X, Y), of_numbers(X, Y), strict=True):
        assert type(a) is type(b) and a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("call", ["max(a)", "min(a[0, 0])", "max(())", "max(a, a)"])
def test_the_largest_of_what_has_none_is_refused(call: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(f'def f(a: "f64[2, 3]"):\n    return {call}\n')
    with pytest.raises(ImportRefusedError, match=r"program.py:2:12: m.*(it is taken of several|it gives)"):
        from_file(file, "f")


# -- numbers of NumPy -----------------------------------------------------------------------------------


def shifts(a, n):
    return a << n, a >> n, a << 3, a >> 70, a << 70, a >> (n + n), (a + a) << (n - 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_shifts_by_more_bits_than_there_are_give_what_numpy_does(dtype: type) -> None:
    bits = np.dtype(dtype).itemsize * 8
    a, n = (x.ravel() for x in np.meshgrid([0, 1, -1, 5, -77, 127], [0, 1, bits - 1, bits, 100, -1, -128]))
    with np.errstate(all="ignore"):
        given = a.astype(dtype), n.astype(dtype)
        for found, wanted in zip(Compiled(shifts, tidy())(*given), shifts(*given), strict=True):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)


# -- a file that is read and not run --------------------------------------------------------------------

SEVERAL = "GAIN: it is set several times: in lines 3, "
SET_AGAIN = {
    "augmented": ("1.0", "GAIN *= 3.0", SEVERAL + "4"),
    "computed": ("1.0", "GAIN = float('5')", SEVERAL + "4"),
    "in a branch": ("1.0", "if True:\n    GAIN = 5.0", SEVERAL + "5"),
    "in a try": ("1.0", "try:\n    import os as GAIN\nexcept ImportError as GAIN:\n    pass", "in lines 3, 5, 6"),
    "of several": ("1.0", "GAIN, more = 5.0, 1.0", SEVERAL + "4"),
    "by a loop": ("1.0", "for GAIN in (5.0,):\n    pass", SEVERAL + "4"),
    "by with": ("1.0", "with open('a') as GAIN:\n    pass", SEVERAL + "4"),
    "deleted": ("1.0", "del GAIN", SEVERAL + "4"),
    "a walrus": ("1.0", "print(GAIN := 5.0)", SEVERAL + "4"),
    "a function": ("1.0", "def GAIN():\n    pass", SEVERAL + "4"),
    "global": ("1.0", "def g():\n    global GAIN\n    GAIN = 5.0\ng()", SEVERAL + "5"),
    "a match": ("1.0", "match 5.0:\n    case GAIN:\n        pass", SEVERAL + "5"),
    "all of a module": ("GAIN", "from os import *", "`import \\*` in line 4 may set it again"),
    "a helper": ("1.0", "def helper(v):\n    return v * 2.0", "helper: it is set several times: in lines 1, 4"),
    "a list": ("MORE", "GAIN += 1.0\nMORE = [1.0]\nMORE[0] = 2.0", "in line 5 it is no number, text or tuple of such"),
    "computed once": ("MORE", "MORE = float('5')", "in line 4 it is no number, text or tuple of such"),
    "a list in a tuple": ("MORE", "MORE = (1.0, [2.0])", "in line 4 it is no number, text or tuple of such"),
    "set in a branch": ("MORE", "if GAIN:\n    MORE = 1.0", "line 5, which sets it, is no plain statement"),
    "defined in a branch": (
        "more(x)",
        "if GAIN:\n    def more(v):\n        return v",
        "line 5, which sets it, is no plain",
    ),
    "imported in a branch": (
        "np.exp(x)",
        "if GAIN:\n    import numpy as np",
        "line 5, which sets it, is no plain statement",
    ),
    "unknown": ("max(x)", "from numpy import *", "max: `import \\*` in line 4 may set it"),
    "decorated": (
        "more(x)",
        "@twice\ndef more(v):\n    return v",
        "more: of the decorator twice in line 4: it may put something",
    ),
}
USED = """
def f(x: "f64[n]"):
    return {} * helper(x) * GAIN
"""


@pytest.mark.parametrize("name", SET_AGAIN)
def test_a_name_of_a_file_that_may_mean_something_else_is_refused(name: str, tmp_path: Path) -> None:
    used, text, why = SET_AGAIN[name]
    file = tmp_path / "program.py"
    file.write_text("def helper(v):\n    return v + 1.0\nGAIN = 2.0\n" + text + USED.format(used))
    with pytest.raises(ImportRefusedError, match=why):
        from_file(file, "f")


def test_names_of_a_file_that_are_set_once_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("""from importers.numpy import compiled
import numpy as np
import numpy
import numpy.linalg
A = B = -2.0
TABLE: tuple[float, ...] = (1.5, 2.5)
@compiled(plan=None)
def helper(v, by=A):
    return v * by * TABLE[1]
@compiled
def f(x: "f64[n]"):
    A = 4.0
    return helper(x) + numpy.exp(B) * np.abs(x) * A
if __name__ == "__main__":
    x = [f(x) for x in (1.0, 2.0)]
""")
    text = from_file(file, "f")
    assert "x[i] * -2.0 * 2.5" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('import numba\n@numba.njit\ndef f(x: "f64[n]"): x[:] = 1.0\n', "program.py:2:2: the decorator numba.njit"),
        ('def f(x: "f64[n]"): x[:] = 1.0\nf = print\n', "program.py:1:1: f: it is set several times: in lines 1, 2"),
    ],
)
def test_a_function_of_a_file_that_may_be_another_is_refused(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(text)
    with pytest.raises(ImportRefusedError, match=why):
        from_file(file, "f")


@pytest.mark.parametrize("text", ["from .numpy import exp\n", "from . import numpy\nexp = 1\n"])
def test_a_module_beside_the_file_is_not_numpy(text: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    call = "numpy.exp(x)" if "exp =" in text else "exp(x)"
    file.write_text(text + f'def f(x: "f64[n]"):\n    return {call}\n')
    with pytest.raises(ImportRefusedError, match="of which only NumPy and math are known"):
        from_file(file, "f")
