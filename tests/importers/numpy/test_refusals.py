"""What isn't taken: each is reported where it stands, with the reason and what to do."""

# ruff: noqa: E501  (each program stands beside what is said of it)

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from importers.numpy import ImportRefusedError, context, from_file
from importers.numpy.convert import argument_types
from importers.numpy.source import of_function

HEAD = "import numpy as np\nimport math\nimport scipy\n"
FIRST = HEAD.count("\n") + 1
X = 'def f(x: "f64[n]", k: "i64[n]", h: "f32[n]", a: "f64[n, m]", s: "float", i: "int"): '

REFUSED = {
    # extents and indices from data
    "how many elements it has depends on data": X + "return x[x > 0]",
    "elements under a mask: how many elements it has depends on data": X + "return x[x > 0].std()",
    "elements under a mask: how many there are depends on data": X + "x[x > 0] = x[x > 0] + x[x > 1]",
    "x[x > 0]: how many elements it has depends on data": X + "x[x > 0] = x[x < 0]",
    "np.where: how many elements it has depends on data": X + "return np.where(x > 0)",
    "np.nonzero: how many elements it has depends on data": X + "return np.nonzero(x)",
    "np.unique: how many elements": X + "return np.unique(k)",
    "a shape: an extent is computed from data": X + "return np.zeros(int(x[0]))",
    "range: a bound is computed from data": X + "\n    for j in range(int(x[0])): x[j] = 1",
    # indices that may count from the end
    "j - 2 may be negative here, and NumPy would count it from the end": X + "\n    for j in range(4): x[j - 2] = 1",
    "the bound j - 1 may be negative here": X + "\n    for j in range(4): x[: j - 1] = 1",
    "j - 1 may be negative here": X + "\n    for j in range(len(x)): x[j] = x[j - 1]",
    "3 indices for 2 dimensions": X + "return a[0, 0, 0]",
    "its step is no number that is known now": X + "return x[::i] + 0",
    # what is no loop
    "np.linalg.solve: it solves or decomposes": X + "return np.linalg.solve(a, x)",
    "np.random.rand: its result isn't determined": X + "return np.random.rand(3)",
    "np.sort: the object language has no sorting": X + "return np.sort(x)",
    "np.fft.fft: it is a transform": X + "return np.fft.fft(x)",
    "np.spacing: the importer doesn't know this function": X + "return np.spacing(x)",
    "np.interp: it searches a sorted array": X + "return np.interp(x, x, x)",
    "np.median: the object language has no sorting": X + "return np.median(x)",
    "np.bincount: how many elements it has": X + "return np.bincount(k)",
    "np.eye(.., k=..): this argument isn't taken": X + "return np.eye(3, k=1)",
    "np.sum: more than the array and the axis are given by place": X + "return np.sum(a, 0, np.float32)",
    "np.pad: only borders of one number": X + "return np.pad(x, 1, mode='edge')",
    "its first argument is no text without `...`": X + "return np.einsum('...i->...', a)",
    "what is returned after the loop is no constant": X + "\n    for j in range(3):\n        if x[0] > j: return x\n    return a",
    "scipy.stats.norm(..): it belongs to scipy": X + "return scipy.stats.norm(x)",
    "unknown: it is no variable, number, function or module": X + "return unknown(x)",
    ".sort(..): the importer doesn't know this method": X + "x.sort()",
    # arguments that would be passed over
    "np.arange(.., step=..): what stands before it isn't given": X + "return np.arange(9, step=2)",
    "reversed: it is taken of a range": X + "\n    for v in reversed(np.ones(5)): x[0] += v",
    "np.sum(.., keepdims=..): it is neither True nor False": X + "return a.sum(axis=1, keepdims=s)",
    "np.sum(.., out=..): NumPy computes at the type of `out`, which is float64": X + "np.sum(h, keepdims=True, out=x)",
    "out=: the result is float64 and the array int64": X + "np.add(x, x, out=k)",
    "arrays of several shapes: they don't go together": X + "return np.concatenate([a, x])",
    "np.fmod: of integers": X + "return np.fmod(k, 3)",
    # statements
    "a comparison with i: it may lie beyond 64 bits": X + "return np.zeros(3, dtype=np.uint64) > i",
    "an index of this kind isn't taken": X + "return a[k, 'x']",
    "while: only loops that count to a bound": X + "\n    while x[0] > 1: x[0] /= 2",
    "try: the object language has no exceptions": X + "\n    try: x[0] = 1\n    except ValueError: pass",
    "raise: the object language has no exceptions": X + "\n    if s > 1: raise ValueError(s)",
    "a comprehension: it has an `if`": X + "return np.array([v for v in x if v > 0])",
    "a list comprehension": X + "return [v * 2 for v in x]",
    "of tuples and lists it is Python's own": X + "return (1, 2) * s",
    "math.sqrt: it is taken of single numbers": X + "return math.sqrt(x)",
    "a dict": X + "d = {1: 2}",
    "assert: it asks for data": X + "assert x[0] > 1",
    "range: its step is no number": X + "\n    for j in range(0, 9, i): x[0] = j",
    # types and shapes
    "the result is float64 and the array int64, which NumPy refuses to cast in place": X + "k += x",
    "which NumPy refuses to cast in place": X + "k[k > 0] += 1.5",
    "extents 3 and 4 don't go together": X + "return np.zeros(3) + np.ones(4)",
    "there is no axis 2": X + "return a.sum(axis=2)",
    "300: it does not fit uint8": X + "u = np.zeros(3, dtype=np.uint8)\n    return u + 300",
    "inf: the object language computes with numbers": X + "return np.minimum(x, np.inf)",
    "a constant of this type isn't taken": X + "return x * 1j",
    "a dtype: it is no type that is taken": X + "return x.astype('complex128')",
    "the truth of an array with several elements is ambiguous": X + "\n    if x > 0: x[0] = 1",
    "`**` of integers: the exponent is no number from 0 to 8": X + "return k ** k",
    "np.round: how many decimals isn't a number": X + "return x.round(decimals=i)",
    "there is no negative of bool": X + "return -(x > 0)",
    # variables
    "y: its value is not known here: it is set on one side of an if only": X + "\n    if s > 1: y = x * 2\n    return y",
    "y: its value is not known here: it is set in a loop, that may not run": X + "\n    for j in range(i): y = x * 2\n    return y",
    "j: its value is not known here: it is the variable of a loop that may not run": X + "\n    for j in range(i): x[j] = 1\n    return j",
    "it is float64 on one way through a loop or branch, and int64 on another": X + "\n    y = k * 2\n    if s > 1: y = x * 2\n    return y",
    "its number of dimensions changes": X + "\n    y = x * 1\n    if s > 1: y = a * 1\n    return y",
    "it may stand for the same array as": X + "\n    y = x\n    for j in range(3):\n        y[0] = 1\n        y = y + 1",
    "in NumPy it shares memory with another array, here it is a copy": 'def f(x: "f64[n, 4]"):\n    y = x.ravel()\n    y[0] = 1',
    "g(..): it writes to an array, and stands inside of an expression": 'def g(y):\n    y += 1\n    return y\ndef f(x: "f64[n]"):\n    return x * 2 + g(x)',
    "g(..): it calls itself": 'def f(x: "f64[n]", i: "int"): return g(x, i)\ndef g(x, k):\n    if k > 0: x = g(x, k - 1)\n    return x',
    "f(..): it is called by a function that it calls": 'def f(x: "f64[n]"): return g(x)\ndef g(x): return f(x)',
    "g8(..): functions call each other too deeply": 'def f(x: "f64[n]"): return g40(x)\ndef g0(x): return x'
    + "".join(f"\ndef g{k}(x): return g{k - 1}(x)" for k in range(1, 41)),
    "-j may be negative here, and NumPy would count it from the end": X + "\n    for j in range(i): x[j] = x[-j]",
    "its number of dimensions changes in a loop or branch": X + "\n    t = 0\n    for r in a: t = np.sum(t) + r\n    return t",
    "print: compiled code prints nothing": X + "print(x)",
    # arguments
    "the argument y: its type isn't known": 'def f(x: "f64[n]", y): x[:] = y',
    "the type f80[n] of x": 'def f(x: "f80[n]"): pass',
    "how many arguments there are isn't known": 'def f(x: "f64[n]", *more): pass',
}  # fmt: skip


@pytest.fixture
def refused(tmp_path: Path) -> Callable[[str], str]:
    """`refused(source)`: what is said of a program that isn't taken."""

    def run(source: str) -> str:
        file = tmp_path / "program.py"
        file.write_text(source)
        with pytest.raises(ImportRefusedError) as found:
            from_file(file, "f")
        return str(found.value).replace(str(file), "program.py")

    return run


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_taken_is_reported_with_its_place_and_reason(message: str, refused) -> None:
    source = REFUSED[message].replace('"int"): ', '"int"):\n    ').replace(":\n    \n", ":\n")
    found = refused(HEAD + source + "\n")
    assert message in found, found
    where = re.search(r"^program\.py:(\d+):\d+: .+: .+\n    (.+)", found, re.MULTILINE)
    assert where is not None, found
    assert int(where[1]) >= FIRST and where[2].strip() in source, found


def test_all_problems_are_reported_at_once_in_the_order_of_the_file(refused) -> None:
    found = refused(
        """import numpy as np
def f(x: "f64[n]", a: "f64[n, n]", i: "int"):
    b = np.linalg.inv(a)
    x[i - x.shape] = 1
    c = b @ x
    for j in range(3):
        if x[j] > 2: x[j] **= 2j
        x[j] = unknown(x[j])
    return np.sort(c)
"""
    )
    assert [int(n) for n in re.findall(r"^program\.py:(\d+):", found, re.MULTILINE)] == [3, 4, 7, 8]


def test_a_refused_program_writes_nothing_and_says_what_to_do(refused) -> None:
    found = refused('def f(x: "f64[n]"):\n    for i in range(3):\n        x[i - 1] = 1\n')
    assert found.splitlines()[-1] == "    test it with an if, or write the index from the end"


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("x = 1\n", None, "has no function"),
        ("def f(): pass\ndef g(): pass\n", None, "has several functions: name one of f, g"),
        ("def f(): pass\n", "h", "has no function h; it has f"),
        ("def f(:\n", None, "Python can't read this"),
    ],
)
def test_a_file_without_a_program_says_so(text: str, name: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(text)
    with pytest.raises(ImportRefusedError, match=re.escape(message)):
        from_file(file, name)


def nested(k: int) -> str:
    """A function of k branches in each other, each on data."""
    lines = ['def f(x: "f64[9]"):', *(f"{'    ' * (d + 1)}if x[{d % 9}] > {d}:" for d in range(k))]
    return "\n".join([*lines, f"{'    ' * (k + 1)}x[0] += 1", ""])


def test_programs_that_would_take_too_long_are_refused_with_the_place(
    refused, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Branches in each other are translated in squares of their depth, and not in powers of 2. Calls that multiply end."""
    monkeypatch.setattr(context, "MOST", 300)
    file = tmp_path / "nested.py"
    file.write_text(nested(12))
    assert "x[0] += 1" in from_file(file)
    calls = "".join(f"def g{k}(x): return g{k - 1}(x) + g{k - 1}(x + 1)\n" for k in range(1, 9))
    found = refused('def f(x: "f64[n]"): return g8(x)\ndef g0(x): return x * 2\n' + calls)
    assert (
        "branches in each other, or calls that multiply: more than 300 statements" in found and "program.py:" in found
    )


def test_a_loop_that_is_left_early_hides_nothing_of_sizes(tmp_path: Path) -> None:
    """What is asked after a `break` is proved as before it: an array of at least one element has a largest one."""
    file = tmp_path / "program.py"
    file.write_text("""import numpy as np
def f(a: "f64[n, n]", x: "f64[n]", tol: "float"):
    old, large = 0.0, 0.0
    for it in range(100):
        x = a @ x
        large = np.max(np.abs(x))
        if abs(large - old) < tol: break
        old = large
    return large, x
""")
    assert "assert n" not in from_file(file)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        (np.ones(2) * 1j, "pass real and imaginary parts"),
        (np.ones(2, np.float16), "convert it: x.astype(np.float32)"),
        (np.ma.masked_array([1.0]), "pass a plain array: np.asarray(x)"),
        ([1.0], "make an array of it before: np.array(x)"),
        ({"a": 1}, "pass the arrays and numbers in it"),
        (np.array("a"), "index its element: x[()]"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_an_argument_of_another_type_is_told_what_to_pass(given: object, remedy: str) -> None:
    with pytest.raises(ImportRefusedError, match=re.escape(remedy)):
        argument_types(of_function(anything), [given], {})


def anything(x):
    return x
