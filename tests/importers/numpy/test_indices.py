"""Integers that are read from arguments as indices and bounds, beside Python."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from importers.numpy import Compiled, CompiledWarning
from importers.numpy.convert import argument_types, imported
from importers.numpy.source import of_function

# ruff: noqa: UP037  (annotations are shapes)


def spmv(row: "i32[n + 1]", col: "i32[z]", val: "f64[z]", x: "f64[m]"):
    y = np.empty(row.size - 1)
    for i in range(row.size - 1):
        cols = col[row[i] : row[i + 1]]
        vals = val[row[i] : row[i + 1]]
        y[i] = vals @ x[cols]
    return y


def gathered(idx: "i64[n]", x: "f64[m]", a: "f64[m, k]"):
    return x[idx] * 2 + x[0], x[idx[0]], a[idx].sum(axis=1), a[:, 0] + x


def scaled_rows(row: "i32[n + 1]", val: "f64[z]"):
    for i in range(row.shape[0] - 1):
        lo = row[i]
        for k in range(lo, row[i + 1]):
            val[k] *= i


def histogram(k: "i32[n]", h: "f64[m]"):
    for i in range(len(k)):
        h[k[i]] += 1
    for j in k:
        h[j] *= 2


def moved(k: "u8[n]", h: "f64[m]"):
    for i in range(1, len(k)):
        h[k[i]] = h[k[i - 1]] + h[-1]


ROW, COL = np.array([0, 2, 2, 5], np.int32), np.array([3, 0, 1, 1, 2], np.int32)
VAL, X = np.arange(1.0, 6.0), np.array([1.0, 10.0, 100.0, 1000.0])
CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (spmv, [ROW, COL, VAL, X]),
    (gathered, [COL.astype(np.int64), X, np.arange(8.0).reshape(4, 2)]),
    (scaled_rows, [ROW, VAL]),
    (histogram, [COL, np.zeros(4)]),
    (moved, [COL.astype(np.uint8), X]),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_does_what_it_does_in_python(f: Callable[..., Any], args: list[Any]) -> None:
    made: Compiled = Compiled(f, plan=lambda p: p)
    here, there = copy.deepcopy(args), copy.deepcopy(args)
    found, wanted = made(*here), f(*there)
    for x, y in zip((*_flat(found), *here), (*_flat(wanted), *there), strict=True):
        np.testing.assert_array_equal(x, y)


def _flat(v: Any) -> tuple[Any, ...]:
    return v if isinstance(v, tuple) else () if v is None else (v,)


@pytest.mark.parametrize("wrong", [-1, 4])
def test_an_index_outside_is_left_to_numpy(wrong: int) -> None:
    made: Compiled = Compiled(histogram, plan=lambda p: p)
    k = np.array([0, wrong], np.int32)
    with pytest.warns(CompiledWarning, match="within"):
        if wrong < 0:
            h = np.zeros(4)
            made(k, h)
            assert h.tolist() == [2.0, 0.0, 0.0, 2.0], "counted from the end"
        else:
            with pytest.raises(IndexError):
                made(k, np.zeros(4))


def test_what_is_asserted_is_stated() -> None:
    source = of_function(spmv)
    text = imported(source, argument_types(source, (), {})).text
    assert "* `within(row, 0, z + 1)`, so that indices are inside, and count from the start;" in text
    assert "y[i] += val[row[i] + j] * x[col[row[i] + j]]" in text
    assert list(inspect.signature(spmv).parameters) == ["row", "col", "val", "x"]
