"""`@compiled`: a NumPy function that is imported and compiled when it is called, or runs as it is."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from backends.targets import best_machine
from exo_strat import rename
from importers.numpy import Compiled, CompiledWarning, compiled, decorator, kept
from importers.numpy.decorator import _Runner
from strategies.normal import tidy


@compiled(plan=tidy())  # the usual plan takes longer
def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


@compiled(plan=tidy())
def update(x, y, by=2.0, twice=False):
    """Changes x."""
    x += by * y
    if twice:
        x *= 2.0
    return x, x.sum(), len(x), x > 1


def tidied(f: Callable[..., object]) -> Compiled:
    """With a plan that takes less time than the usual one."""
    return Compiled(f, tidy())


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompiledWarning)
        yield


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("to", "term", "shown"), [(Terminal, "xterm", True), (Terminal, "dumb", False), (StringIO, "xterm", False)]
)
def test_a_terminal_shows_that_it_compiles_until_it_has(
    to: type[StringIO], term: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("FORCE_COLOR", "1")  # colours are no terminal
    err, out = to(), StringIO()
    monkeypatch.setattr("sys.stderr", err)
    monkeypatch.setattr("sys.stdout", out)

    @compiled(plan=tidy())
    def plus(x):
        return x + 1.0

    assert plus(np.zeros(3)).tolist() == [1.0] * 3
    first = err.getvalue()
    assert ("scheduling and compiling plus" in first) == shown and bool(first) == shown and not out.getvalue()
    if shown:  # the last that is written takes the line away
        assert first.rindex(ERASED) > first.rindex("plus")
    plus(np.ones(3))
    assert err.getvalue() == first


ERASED = "\x1b[2K"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is compiled in the test."""
    found: list[object] = []
    usual = _Runner.__init__

    def init(self, *args) -> None:  # type: ignore[no-untyped-def]
        found.append(args)
        usual(self, *args)

    monkeypatch.setattr(_Runner, "__init__", init)
    return found


def test_it_computes_what_numpy_does_and_compiles_once_for_all_sizes(made: list[object]) -> None:
    f: Compiled = tidied(softmax.python)
    rng = np.random.default_rng(1)
    for shape in ((3, 5), (2, 9), (40, 33)):
        x = rng.normal(size=shape)
        np.testing.assert_allclose(f(x), f.python(x), rtol=1e-12)
    assert len(made) == 1
    x = rng.normal(size=(3, 5)).astype(np.float32)
    assert f(x).dtype == np.float32 and len(made) == 2, "another type is compiled anew"
    assert f(x[:, :1].copy()).shape == (3, 1) and len(made) == 3, "an extent of 1 would be broadcast"
    f(np.ones((1, 4))), f(np.ones((4, 1))), f(np.ones((1, 1)))
    assert len(made) == 6


def test_arguments_are_changed_and_results_are_of_numpys_types() -> None:
    a, b = np.arange(4.0), np.ones(4)
    c = a.copy()
    found, wanted = update(a, b), update.python(c, b)
    assert found[0] is a and np.array_equal(a, c)
    assert isinstance(found[1], np.float64) and found[1] == wanted[1]
    assert found[2] == 4 and type(found[2]) is int
    assert found[3].dtype == bool and np.array_equal(found[3], wanted[3])


def test_arguments_by_name_defaults_and_flags() -> None:
    a, b = np.ones(3), np.ones(3)
    update(y=b, x=a, twice=True)
    assert a.tolist() == [6.0, 6.0, 6.0]
    update(a, b, 1.0)
    assert a.tolist() == [7.0, 7.0, 7.0]
    assert update.__name__ == "update" and update.__doc__ == "Changes x."


def test_arguments_that_are_given_by_name_only() -> None:
    @compiled(plan=tidy())
    def total(a, *, axis=0, by=2.0):
        return a.sum(axis=axis) * by

    a = np.arange(6.0).reshape(2, 3)
    for named in ({"by": 5.0}, {"axis": 1}, {}, {"by": 3.0, "axis": 0}):
        assert np.array_equal(total(a, **named), total.python(a, **named))
    assert total.text(a, axis=1) != total.text(a, axis=0) == total.text(a)
    with pytest.raises(TypeError):
        total(a, 1)


def test_what_is_not_taken_runs_in_numpy_with_a_warning_that_names_line_and_reason() -> None:
    @compiled
    def middle(x):
        return np.sort(x)[len(x) // 2]

    with pytest.warns(CompiledWarning) as said:
        assert middle(np.array([3.0, 1.0, 2.0])) == 2.0
    text = str(said[0].message)
    assert "middle runs in NumPy: " in text and "test_decorator.py:" in text and "no sorting" in text
    assert said[0].filename == __file__
    assert middle(np.array([5.0])) == 5.0, "said once for each reason"


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        (np.arange(6.0)[::2], np.ones(3), "C-contiguous"),
        (np.ones(3), np.ones(4)[:3].view(), ""),
        (np.zeros(0), np.ones(0), "at least 1"),
    ],
)
def test_a_call_that_the_c_is_not_for_runs_in_numpy(x, y, why: str) -> None:
    f: Compiled = tidied(update.python)
    wanted = update.python(x.copy(), y)
    if not why:
        assert f(x, y)[1] == wanted[1]
        return
    with pytest.warns(CompiledWarning, match=why):
        assert f(x, y)[1] == wanted[1]


def test_arguments_that_share_memory_are_right() -> None:
    f: Compiled = tidied(update.python)
    x = np.ones(5)
    with pytest.warns(CompiledWarning, match="shares memory"):
        f(x[1:], x[:-1])
    assert x.tolist() == [1.0, 3.0, 3.0, 3.0, 3.0]


def test_an_error_of_numpy_is_raised_by_numpy() -> None:
    f: Compiled = tidied(update.python)
    with pytest.warns(CompiledWarning), pytest.raises(ValueError, match="broadcast"):
        f(np.ones(3), np.ones(4))


def test_the_plan_of_an_installed_package_is_taken(
    monkeypatch: pytest.MonkeyPatch, made: list[object], planned: list[str]
) -> None:
    """It gets the machine."""
    ours = EntryPoint("numpy", "strategies.models:partial_sums", "exo_strat.plans")
    found = lambda group, name: [ours] if group == ours.group else entry_points(group=group, name=name)  # noqa: E731
    monkeypatch.setattr("importers.numpy.decorator.entry_points", found)
    monkeypatch.setattr("strategies.models.partial_sums", lambda machine: rename(f"for_{machine}"))
    f: Compiled = Compiled(softmax.python)
    f(np.ones((3, 4)))
    ((_, run, *_),) = made
    assert planned == ["softmax"] and run.proc.name() == f"for_{best_machine()}"


def test_the_imported_text_can_be_looked_at() -> None:
    assert "def softmax(" in softmax.text(np.ones((3, 4)))


# -- schedules that are kept ----------------------------------------------------------------------------


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The procedures that are scheduled, with an empty folder for what is kept."""
    names: list[str] = []
    usual = decorator.schedule

    def schedule(op, p):  # type: ignore[no-untyped-def]
        names.append(p.name())
        return usual(op, p)

    monkeypatch.setattr(kept, "folder", lambda: tmp_path / "schedules")
    monkeypatch.setattr(decorator, "schedule", schedule)
    return names


def test_a_schedule_is_found_once_for_all_processes(planned: list[str]) -> None:
    x = np.arange(6.0).reshape(2, 3)
    first = Compiled(softmax.python)(x)
    assert (Compiled(softmax.python)(x) == first).all() and planned == ["softmax"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("x[i]", "x[0]"),
        lambda text: json.dumps(json.loads(text) | {"parts": {}}),
        lambda text: "[]",
    ],
)
def test_a_file_that_is_damaged_or_of_other_code_is_made_anew(damage, planned: list[str], tmp_path: Path) -> None:
    def doubled(x):
        return x + x

    x = np.arange(6.0)
    assert (Compiled(doubled)(x) == 2 * x).all()
    (file,) = (tmp_path / "schedules").iterdir()
    good = file.read_text()
    assert damage(good) != good
    file.write_text(damage(good))
    assert (Compiled(doubled)(x) == 2 * x).all() and planned == ["doubled", "doubled"]
    assert file.read_text() == good


def test_without_a_place_to_keep_it_a_schedule_is_made(planned: list[str], tmp_path: Path) -> None:
    (tmp_path / "schedules").write_text("no folder")
    assert Compiled(softmax.python)(np.ones((1, 2))).tolist() == [[0.5, 0.5]]


# -- calls like the last one ----------------------------------------------------------------------------

F32 = np.ones(3, np.float32)


@pytest.mark.parametrize(
    "calls",
    [
        [
            (np.ones(3, np.float32), np.float64(2)),
            (np.ones(3, np.float32), 2.0),
            (np.ones(3, np.float32), np.float64(2)),
        ],
        [(np.ones(3), 2.0), (np.ones(3), 2), (np.ones(4), 2.0), (np.ones(1), 2.0), (np.ones((3, 1)), 2.0)],
        [(np.ones(3), True), (np.ones(3), False), (np.ones(3), 1), (np.ones(3), True)],
        [(np.array([True, False]), 1), (np.array([True, False]).view(np.uint8), 1), (np.array([2, 3], np.uint8), 1)],
        [(np.ones(3), None), (np.ones(3), np.ones(3)), (np.ones(3), None)],
        [
            (np.ones(4), 2.0),
            (np.ones(8)[::2], 2.0),
            (np.ones(4)[::-1], 2.0),
            (np.ones(4, ">f8"), 2.0),
            ([1.0] * 4, 2.0),
        ],
    ],
    ids=["scalars", "extents", "flags", "truths", "none", "layouts"],
)
def test_a_call_that_only_looks_like_the_last_one_is_another(calls: list[tuple[object, object]]) -> None:
    def product(x, y):
        return x + 0 if y is None else x + y if y is True else x * y

    f: Compiled = tidied(product)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompiledWarning)
        for x, y in [c for c in calls for _ in range(2)]:
            try:
                wanted = product(x, y)
            except TypeError:
                continue
            found = f(x, y)
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted), (x, y)


def test_a_call_like_the_last_one_gives_another_result() -> None:
    x = np.ones(3)
    first, second = softmax(x), softmax(x)
    assert first is not second and not np.shares_memory(first, second)


@pytest.mark.parametrize("x", [None, True, 2.0])
def test_a_function_that_uses_none_of_its_arguments(x: object) -> None:
    def nothing(x):
        return None

    f: Compiled = tidied(nothing)
    assert [f(x), f(x)] == [None, None]


def test_an_index_outside_is_an_error_each_time() -> None:
    def pick(x, i):
        return x[int(x[i])]

    f: Compiled = tidied(pick)
    x = np.array([1.0, 2.0, 7.0, -1.0])
    for _ in range(2):
        assert f(x, 0) == 2.0 and f(x, 3) == -1.0
        with pytest.raises(IndexError, match="outside"):
            f(x, 2)


class Filter:
    """A method that is compiled: of an object, so NumPy runs it."""

    by = 3.0

    @compiled
    def run(self, x):
        return x * self.by


def test_a_method_runs_in_numpy_with_a_warning() -> None:
    with pytest.warns(CompiledWarning, match="the type Filter of self"):
        found = Filter().run(np.ones(2))
    assert found.tolist() == [3.0, 3.0] and isinstance(Filter.run, Compiled)


def test_quotients_remainders_and_signs_are_those_of_numpy_for_special_values() -> None:
    def parts(x, y):
        return x // y, x % y, np.fmod(x, y), np.sign(x), np.hypot(x, y)

    f: Compiled = Compiled(parts)
    tiny, large = 1e-30, 1e30
    some = [0.0, 0.5, 1.0, 2.5, 3.0, 7.25, 0.1, 0.3, tiny, large, np.inf, np.nan]
    for dtype in (np.float64, np.float32):
        values = np.array([*some, *(-v for v in some)]).astype(dtype)
        x, y = (a.ravel().copy() for a in np.meshgrid(values, values))
        with np.errstate(all="ignore"):
            wanted = parts(x, y)
        for found, of in zip(f(x, y), wanted, strict=True):
            np.testing.assert_array_equal(found, of)
            zero = found == 0
            assert np.array_equal(np.signbit(found[zero]), np.signbit(of[zero]))


GAIN = 3.0


def test_numbers_outside_of_a_function_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    shift, weights = 1.0, [1.0, 2.0]

    def weighted(x: Any) -> Any:
        return x * weights[1]

    @compiled(plan=tidy())
    def f(x: Any) -> Any:
        return weighted(x) * GAIN + shift

    x = np.arange(4.0)
    assert np.array_equal(f(x), 6.0 * x + 1.0)
    monkeypatch.setitem(globals(), "GAIN", 5.0)
    assert np.array_equal(f(x), 10.0 * x + 1.0)
    weights[1] = 7.0
    assert np.array_equal(f(x), 35.0 * x + 1.0)
    shift = 2.0
    assert np.array_equal(f(x), 35.0 * x + 2.0)


def test_products_and_sums_run_along_rows() -> None:
    """The innermost loop is over elements that stand side by side; a transposed operand is copied for that."""

    def products(a, b):
        return a @ b, a @ b.T, a.sum(axis=0)

    a = np.ones((2, 2))
    text = Compiled(products).text(a, a)
    assert "result_0[i, k] += a[i, j] * b[j, k]" in text
    assert "t[i, j] = b[j, i]" in text and "result_1[i, k] += a[i, j] * t[j, k]" in text
    assert "result_2[j] += a[i, j]" in text


def test_what_is_taken_of_single_integers_only_is_compiled_for_each_of_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """An axis must be known. Numbers that needn't be known stay arguments."""
    monkeypatch.setattr(decorator, "MOST", 2)

    @compiled(plan=tidy())
    def sums(x, axis, times):
        return x.sum(axis=axis) * times

    x = np.arange(6.0).reshape(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for axis, times in ((0, 2.0), (1, 2.0), (0, 3.0), (1, 4.0)):
            assert np.array_equal(sums(x, axis, times), sums.python(x, axis, times))
            assert np.array_equal(sums(x, axis, times), sums.python(x, axis, times))
    with pytest.warns(CompiledWarning, match="it is compiled for single values of its integers, and was for 2 of them"):
        assert np.array_equal(sums(x, -1, 2.0), sums.python(x, -1, 2.0))


@compiled
def apart(x, y):
    return x * x - y * y, 0.1 * x + y * x


@compiled
def steps(x, y, a):
    """A step that changes its arguments, and what is left of them."""
    x[:] = x + y + a
    y /= 3.0
    x += a * y
    return np.sqrt(np.abs(x - a * y)) / x, np.maximum(x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_elements_are_rounded_as_numpy_rounds_them(dtype: type) -> None:
    """In vectors and beside them, and of numbers that are none."""
    x = np.random.default_rng(0).random(67).astype(dtype)
    assert not apart(x, x.copy())[0].any()
    y = x[::-1].copy()
    x[3], x[64], x[5], y[6], y[65] = np.nan, np.nan, -0.0, np.inf, -np.inf
    np.testing.assert_array_equal(apart(x, y), apart.python(x, y))
    left = x.copy(), y.copy()
    with np.errstate(all="ignore"):
        wanted = steps.python(*left, 0.3)
    np.testing.assert_array_equal(steps(x, y, 0.3), wanted)
    np.testing.assert_array_equal((x, y), left)


def test_integers_are_those_of_numpy() -> None:
    @compiled
    def sums(a, b):
        return a @ b, a.sum(axis=1), a * b - a, (a * a).max()

    a = np.random.default_rng(0).integers(-99, 99, (19, 19))
    for dtype in (np.int64, np.int32, np.int8):
        of = a.astype(dtype), a[::-1].astype(dtype)
        for found, wanted in zip(sums(*of), sums.python(*of), strict=True):
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_in_another_order_and_nothing_is_lost(dtype: type) -> None:
    @compiled
    def sums(x, y):
        return x.sum(axis=1), x.sum(axis=0), (x * y).sum(), x.mean()

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 37, 203)).astype(dtype)
    most = 203 * 37 * np.finfo(dtype).eps
    for found, wanted, size in zip(
        sums(x, y), sums.python(x.astype(float), y.astype(float)), sums.python(abs(x), abs(y)), strict=True
    ):
        assert (abs(found - wanted) <= most * size).all()
    x[3, 5], x[4, 7], x[5, 0], x[5, 9] = np.nan, np.inf, np.inf, -np.inf
    found, *_ = sums(x, y)
    assert np.isnan(found[[3, 5]]).all() and found[4] == np.inf and np.isfinite(found[6:]).all()


@compiled
def product(a, b):
    return a @ b


def test_a_product_is_a_call_of_one_in_blocks_and_its_schedule_is_kept(made: list[object], planned: list[str]) -> None:
    """With all that it calls, and the instructions."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(67, 530)), rng.normal(size=(530, 41))
    for _ in range(2):
        found = Compiled(product.python)(a, b)
        np.testing.assert_allclose(found, a @ b, rtol=0, atol=1e-12 * 530)
    first, second = (run for _, run, *_ in made)
    assert planned == ["product"] and first.module.text == second.module.text
    calls = [call.subproc().name() for call in first.proc.find_all("_(_)") if not call.subproc().is_instr()]
    assert calls == ["product"]
