"""Faults of C compilers: one that is known, what keeps it from our code, and how others are found."""

from __future__ import annotations

import ctypes
import itertools
import shutil
from collections.abc import Callable

import numpy as np
import pytest

from backends import jit, toolchain
from backends.c import compile, inorder, program, statements
from backends.c.inorder import STATEMENT
from backends.cpu import features
from backends.crosscheck import COMPILERS, LEVELS, disagreements, ways
from backends.native import FLAGS
from backends.toolchain import build
from backends.x86_avx2 import AVX2, F32, I32
from exo_strat import Proc, proc_from_source
from exo_strat.direct import unroll_loop
from exo_strat.testing.choices import Choices

Code = Callable[..., Proc]

VECTORS = ("-mavx2",) if "avx2" in features() else ()
SHORT = {"ld": "loadu", "st": "storeu", "put": "mask_storeu", "all": "set1", "add": "reduce_add"}
INSTRUCTIONS = {
    precision: {x: p for x, name in SHORT.items() for p in family if p.name() == f"mm256_{name}_{ending}"}
    | {"AVX2": AVX2}
    for precision, family, ending in (("f32", F32, "ps"), ("i32", I32, "epi32"))
}


def diagonals(code: Code, n: int) -> Proc:
    return code(f"""
    def diagonals(a: f32[{n}, {n}], b: f32[{n}, {n}]):
        for i in seq(1, {n}):
            for j in seq(1, {n}):
                a[i, j] = a[i - 1, j - 1] + b[i, j]
    """)


def arrays(n: int) -> tuple[np.ndarray, np.ndarray]:
    return tuple(np.arange(k, n * n + k, dtype=np.float32).reshape(n, n) % 7 for k in (0, 3))  # type: ignore[return-value]


def expected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    want = a.copy()
    for i, j in itertools.product(range(1, len(a)), repeat=2):
        want[i, j] = want[i - 1, j - 1] + b[i, j]
    return want


def run(text: str, n: int, flags: tuple[str, ...]) -> np.ndarray:
    """What C text without an entry point for Python makes of the first array."""
    a, b = arrays(n)
    library = ctypes.CDLL(str(build("diagonals", text, flags)))
    library.diagonals(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data))
    return a


@pytest.mark.parametrize("n", [8, 12, 16])
@pytest.mark.parametrize("unrolled", [False, True], ids=["loops", "unrolled"])
def test_the_loop_that_gcc_12_compiles_to_something_else(code: Code, n: int, unrolled: bool) -> None:
    """`build` and `jit` keep it from that; without what does, and with this compiler, the result is wrong."""
    p = unroll_loop(diagonals(code, n), "j") if unrolled else diagonals(code, n)
    a, b = arrays(n)
    want, text, flags = expected(a, b), compile([p]).text, (*FLAGS, *VECTORS)
    assert np.array_equal(run(text, n, flags), want)
    jit(p, flags=VECTORS)(a, b)
    assert np.array_equal(a, want)
    assert STATEMENT in text
    if np.array_equal(run(text.replace(STATEMENT, ""), n, flags), want):
        pytest.skip("this compiler has not the fault")


def test_loops_whose_iterations_are_independent_are_as_they_were(code: Code) -> None:
    p = code("""
    def p(n: size, a: f32, x: f32[n + 2, n], y: f32[n, n], z: f32[n]):
        for i in seq(0, n):
            z[i] += a * x[i, 0]
        for i in seq(0, n):
            for j in seq(0, n):
                y[i, j] = x[i, j] + x[i + 1, j] + x[i + 2, j]
        for i in seq(0, n):
            t: f32[n]
            for j in seq(0, n):
                t[j] = y[i, j]
            for j in seq(0, n):
                z[j] += t[j]
        for i in seq(0, n):
            for j in seq(0, n):
                for k in seq(0, n):
                    y[i, j] += x[i, k] * x[k, j]
    """)
    assert STATEMENT not in compile([p]).text


def test_only_the_loop_that_carries_values(code: Code) -> None:
    p = code("""
    def p(y: f32[9, 9]):
        for i in seq(1, 9):
            for j in seq(1, 9):
                y[i, j] += y[i - 1, j - 1]
    """)
    lines = [line.strip() for line in compile([p]).source.splitlines()]
    assert lines.count(STATEMENT) == 1
    assert lines[lines.index(STATEMENT) - 1].startswith("for (int64_t i")


def test_a_statement_that_goes_on_with_its_own_values(code: Code) -> None:
    p = code("""
    def p(y: f32[9, 9]):
        for i in seq(1, 9):
            for j in seq(0, 9):
                y[i, j] += y[i - 1, j]
    """)
    assert STATEMENT not in compile([p]).source
    assert disagreements(p, (arrays(9)[0],)) == ()


def test_calls_and_windows_that_may_carry_values(code: Code) -> None:
    row = code("""
    def row(n: size, x: [f32][n], y: [f32][n]):
        for j in seq(0, n):
            y[j] = x[j] + 1.0
    """)
    p = code(
        """
    def p(n: size, y: f32[n, 8]):
        for i in seq(1, n):
            row(8, y[i - 1, 0:8], y[i, 0:8])
        for i in seq(1, n):
            w = y[i - 1:i + 1, 0:8]
            for j in seq(0, 8):
                w[1, j] = y[i - 1, j]
    """,
        row=row,
    )
    assert compile([p]).source.count(STATEMENT) == 2


@pytest.mark.parametrize(
    "nest",
    [
        "if m == 4:\n    LOOPS",
        "if m > 3 and m < 5:\n    LOOPS",
        "for k in seq(4, 5):\n    if m == k:\n        LOOPS",
        "for k in seq(3, m):\n    for l in seq(m, 5):\n        LOOPS",
        "if m == 3:\n    LOOPS\nelse:\n    if m == 4:\n        LOOPS",
    ],
)
def test_a_length_that_the_code_around_tells(code: Code, nest: str) -> None:
    """A compiler unrolls the inner loop then. An attack found it by `specialize`."""
    loops = "for i in seq(1, n):\n    for j in seq(1, m):\n        a[i, j] = a[i - 1, j - 1] + b[i, j]"
    lines = []
    for line in nest.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        lines += [indent + inner for inner in (loops if line.strip() == "LOOPS" else line.strip()).splitlines()]
    p = code("def p(n: size, m: size, a: f32[n, m], b: f32[n, m]):\n" + "\n".join(f"    {line}" for line in lines))
    assert STATEMENT in compile([p]).source
    a = np.ones((20, 4), np.float32)
    jit(p, flags=VECTORS)(20, 4, a, np.ones_like(a))
    assert np.array_equal(a, np.minimum(*np.ogrid[1:21, 1:5]))
    assert disagreements(p, (20, 4, np.ones((20, 4), np.float32), np.ones((20, 4), np.float32))) == ()


def test_a_length_that_a_caller_knows(code: Code) -> None:
    """It is a constant once the compiler has made the callee a part of the caller, which may be none of ours."""
    p = code("""
    def p(n: size, y: f32[8, 8]):
        assert n <= 8
        for i in seq(1, 8):
            for j in seq(1, n):
                y[i, j] += y[i - 1, j - 1]
    """)
    assert STATEMENT in compile([p]).source


@pytest.mark.parametrize("given", ["[f32][1]", "f32"])
def test_what_a_call_writes_and_the_next_one_reads(code: Code, given: str) -> None:
    """clang 14 takes what is true of the arguments of one call for true of those of all, if the callee is a part of the
    loop: arguments in one buffer are not `restrict`, nor those that they are handed on to."""
    place, passed = ("a", "x[i + 4]") if given == "f32" else ("a[0]", "x[i + 4:i + 5]")
    add = code(f"""
    def add(a: {given}, b: [f32][4]):
        for k in seq(0, 4):
            {place} += b[k]
    """)
    on = code(f"def on(a: {given}, b: [f32][4]):\n    add({'a' if given == 'f32' else 'a[0:1]'}, b[0:4])\n", add=add)
    p = code(
        f"""
    def p(n: size, x: f32[n + 4], y: f32[4]):
        for i in seq(0, n):
            on({passed}, x[i:i + 4])
        for i in seq(0, n):
            other(x[i:i + 4], y[0:4])
    """,
        on=on,
        other=code("def other(a: [f32][4], b: [f32][4]):\n    for k in seq(0, 4):\n        a[k] += b[k]\n"),
    )
    text = compile([p]).source
    for name in ("add", "on"):
        declared = text[text.index(f"void {name}(") :].partition(")")[0]
        assert "restrict" not in declared
    assert text[text.index("void other(") :].partition(")")[0].count("restrict") == 2
    assert disagreements(p, (20, np.ones(24, np.float32), np.zeros(4, np.float32))) == ()


@pytest.mark.parametrize("what", ["add(a[i, 3], v)", "st(a[i, 0:8], v)", "put(1, a[i, 3:4], v)"])
def test_vectors_may_be_written_number_by_number(code: Code, what: str) -> None:
    """An attack found it by stores of one lane of whole numbers, which gcc 12 then takes several of at a time."""
    p = code(
        f"""
    def p(n: size, a: f32[n, 8]):
        for i in seq(1, n):
            v: f32[8] @ AVX2
            ld(v, a[i - 1, 0:8])
            {what}
    """,
        **INSTRUCTIONS["f32"],
    )
    assert STATEMENT in compile([p]).source


def test_what_is_written_to_registers_only_has_no_mark(code: Code) -> None:
    p = code(
        """
    def p(n: size, a: f32[n, 8], y: f32[8]):
        v: f32[2, 8] @ AVX2
        ld(v[1, 0:8], y[0:8])
        for i in seq(1, n):
            ld(v[0, 0:8], a[i - 1, 0:8])
            ld(v[1, 0:8], a[i, 0:8])
        st(y[0:8], v[1, 0:8])
    """,
        **INSTRUCTIONS["f32"],
    )
    assert STATEMENT not in compile([p]).source


@pytest.mark.parametrize("precision", ["f32", "i32"])
@pytest.mark.parametrize("columns", [4, 8])
def test_rows_in_which_numbers_depend_on_those_before(code: Code, precision: str, columns: int) -> None:
    """clang 14 takes several rows at a time for AVX-512, and then some numbers from before, if the procedure is not a
    part of its caller. An attack found it by exported functions."""
    p = code(f"""
    def p(n: size, a: {precision}[n, 8]):
        for i in seq(1, n):
            for j in seq(1, {columns}):
                a[i, j] += a[i, j - 1]
    """)
    assert STATEMENT in compile([p]).source
    numbers = np.arange(160).reshape(20, 8) % 7 % 3
    assert disagreements(p, (20, numbers.astype(np.int32 if precision == "i32" else np.float32))) == ()


ROWS = (
    ["for j in seq(0, 2):", "    a[i, j + 1] = a[i, 1 - j]", "a[i, 3] += a[i, 2]"],
    ["for j in seq(0, 4):", "    a[i, j] += 2.0 * b[i, j]", "for j in seq(0, 4):", "    b[i, j] = b[i, j] + a[i, j]"],
    ["for j in seq(0, 4):", "    a[i, j] += b[i, j] + b[i, j]", "for j in seq(0, 4):", "    b[i, j] += a[i, j]"],
)
"""Statements of a row, the last of which needs what the first one wrote."""


def statements_of_rows(lines: list[str]) -> Proc:
    loop = ["    for i in seq(0, n):", *(f"        {line}" for line in lines)]
    return proc_from_source("\n".join(["def p(n: size, a: f32[n, 4], b: f32[n, 4]):", *loop]))


def disagreeing_rows(p: Proc) -> tuple[str, ...]:
    return disagreements(p, (20, *(np.arange(k, 80 + k, dtype=np.float32).reshape(20, 4) % 7 for k in (0, 3))))


@pytest.mark.parametrize("lines", ROWS)
def test_rows_of_several_statements(lines: list[str]) -> None:
    """clang 14 takes several rows at a time for AVX-512, if it unrolls loops. An attack found it."""
    assert disagreeing_rows(statements_of_rows(lines)) == ()


def test_such_rows_tell_if_loops_are_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_precautions", lambda _: ())
    if not any(disagreeing_rows(statements_of_rows(lines)) for lines in ROWS):
        pytest.skip("no compiler here has the fault")


@pytest.mark.parametrize(
    ("rows", "columns", "body"),
    [
        (range(1, 15), 4, ("a[i - 1, j] += b[i + 1, j - 1]", "a[i, j + 1] += b[i - 1, j - 1]")),
        (range(1, 7), 4, ("a[i, j] = b[i - 1, j - 1] + b[i, j - 1]", "a[i + 1, j + 1] = b[i + 1, j + 1]")),
    ],
    ids=["sums", "writes only"],
)
def test_other_loops_that_gcc_12_compiles_to_something_else(
    code: Code, rows: range, columns: int, body: tuple[str, str]
) -> None:
    """On a processor with AVX2; they were found by random programs."""
    p = code(f"""
    def p(a: i32[16, 16], b: i32[16, 16]):
        for i in seq({rows.start}, {rows.stop}):
            for j in seq(1, {columns}):
                {body[0]}
                {body[1]}
    """)
    assert STATEMENT in compile([p]).text
    numbers = tuple(np.arange(k, 256 + k, dtype=np.int32).reshape(16, 16) % 5 for k in (0, 3))
    assert disagreements(p, numbers) == ()


# -- all compilers --------------------------------------------------------------------------------------


def test_compilers_agree(code: Code) -> None:
    p = diagonals(code, 8)
    assert disagreements(p, arrays(8)) == ()
    assert set(ways(p)) == {f"{c} {' '.join(o)}" for c in COMPILERS if shutil.which(c) for o in LEVELS}


@pytest.mark.parametrize("where", ["__clang__", "__OPTIMIZE_SIZE__", "EXO_NOWHERE"])
def test_a_disagreement_is_found(code: Code, where: str) -> None:
    """Of an instruction that is another one for one of them."""
    if where == "__clang__" and not all(map(shutil.which, COMPILERS)):
        pytest.skip("there is one compiler only")
    own = f"#ifdef {where}\n#define STEP 2\n#else\n#define STEP 1\n#endif"
    step = code(
        f"""
    @instr("{{x_data}} += STEP;", {own!r})
    def step(x: [f32][1]):
        x[0] += 1.0
    """
    )
    p = code("def p(x: f32[1]):\n    step(x[0:1])\n", step=step)
    found = disagreements(p, (np.zeros(1, np.float32),))
    assert bool(found) == (where == "__clang__")
    assert all("p: x is [2.] by clang" in line and "[1.] by gcc -O3" in line for line in found)


# -- random loops that carry values -------------------------------------------------------------------


def random_loops(seed: int) -> Proc:
    """Loops an iteration of which reads what an earlier one wrote, in a nest of which the code around may tell the
    length, or by calls that get parts of one buffer."""
    ch = Choices.seeded(seed)
    size, far = ch.pick([2, 3, 4, 8]), ch.pick([1, 2, 4])
    if ch.chance(50):
        place, passed = ch.pick([("a", "x[i + 4]"), ("a[0]", "x[i + 4:i + 5]"), ("a[k]", "x[i + 4:i + 8]")])
        given = "f32" if place == "a" else f"[f32][{1 if place == 'a[0]' else 4}]"
        update = ch.pick(["+= b[k]", "= b[k] + c[k]", "+= b[k] * c[k]"])
        source = f"def f(a: {given}, b: [f32][4], c: [f32][4]):\n    for k in seq(0, 4):\n        {place} {update}"
        f = proc_from_source(source)
        around = ch.pick(["", f"if n == {4 * size}:", f"if n > {4 * size - 1} and n < {4 * size + 1}:"])
        loop = f"for i in seq(0, n):\n    f({passed}, x[i:i + 4], y[0:4])"
        head = "def p(n: size, x: f32[n + 8], y: f32[4]):"
        env = {"f": f}
    else:
        around = ch.pick(["", f"if m == {size}:", f"if m > {size - 1} and m < {size + 1}:", f"if m < {size + 1}:"])
        updates = ["= a[i - F, j - 1] + b[i, j]", "+= a[i - F, j - 1]", "+= a[i - F, j] * b[i, j - 1]"]
        update = ch.pick([*updates, "+= a[i, j - 1]"])
        loop = f"for i in seq(F, n):\n    for j in seq(1, m):\n        a[i, j] {update}".replace("F", str(far))
        head = "def p(n: size, m: size, a: f32[n, m], b: f32[n, m]):"
        env = {}
    lines = [around, *(f"    {line}" for line in loop.splitlines())] if around else loop.splitlines()
    return proc_from_source("\n".join([head, *(f"    {line}" for line in lines)]), env)


def disagreeing(p: Proc) -> tuple[str, ...]:
    """What compilers say differently of small whole numbers, with the sizes that conditions of it may ask for."""
    found: list[str] = []
    for size in (2, 3, 4, 8):
        if len(p.args()) == 3:
            found += disagreements(p, (4 * size, np.arange(4 * size + 8, dtype=np.float32) % 3, np.ones(4, np.float32)))
        else:
            a = np.arange(20 * size, dtype=np.float32).reshape(20, size) % 3
            found += disagreements(p, (20, size, a, a.copy()))
    return tuple(found)


def random_loops_with_vectors(seed: int) -> Proc:
    """Loops that carry numbers from one iteration to the next, beside a vector, which may be for nothing, or by a lane
    of it."""
    ch = Choices.seeded(seed)
    precision = ch.pick(["f32", "i32"])
    vector = [f"v: {precision}[8] @ AVX2", f"ld(v, {ch.pick(['y[i, 0:8]', 'a[i - 1, 0:8]'])})"]
    moves = vector + ch.pick([[], ["st(z[i, 0:8], v)"], ["st(z[i - 1, 0:8], v)"]])
    if precision == "f32":
        moves += [f"add({ch.pick('ac')}[i, {ch.upto(7)}], v)" for _ in range(ch.pick([0, 0, 3]))]
    sums = ["a[i, j] = a[i - 1, j - 1] + b[i, j]", *["c[i, j] = a[i - 1, j] - b[i, j]"] * ch.chance(60)]
    sums += ["a[i, j] += a[i, j - 1]"] * ch.chance(20)
    lane = ["all(v, a[i - 1, j - 1:j])", "put(1, a[i, j:j + 1], v)"]
    numbers = [f"for j in seq(1, {ch.pick([3, 4, 8])}):", *(f"    {line}" for line in ch.pick([sums, sums, lane]))]
    body = moves if ch.chance(10) else [*moves, *numbers] if ch.chance(60) else [*vector, *numbers, *moves[2:]]
    arguments = ", ".join(f"{x}: {precision}[n, 8]" for x in "abcyz")
    lines = [f"def p(n: size, {arguments}):", "    for i in seq(1, n):", *(f"        {line}" for line in body)]
    return proc_from_source("\n".join(lines), INSTRUCTIONS[precision])


def disagreeing_with_vectors(p: Proc) -> tuple[str, ...]:
    kind = np.int32 if "i32" in str(p) else np.float32
    return disagreements(p, (20, *(np.arange(k, 160 + k).reshape(20, 8).astype(kind) % 7 for k in range(5))))


@pytest.mark.parametrize("seed", range(12))
def test_compilers_agree_on_loops_that_carry_values(seed: int) -> None:
    assert disagreeing(random_loops(seed)) == ()


@pytest.mark.skipif(not VECTORS, reason="the processor has not AVX2")
@pytest.mark.parametrize("seed", range(12))
def test_compilers_agree_on_loops_that_carry_values_beside_vectors(seed: int) -> None:
    assert disagreeing_with_vectors(random_loops_with_vectors(seed)) == ()


@pytest.mark.skipif(not VECTORS, reason="the processor has not AVX2")
def test_such_loops_tell_if_what_instructions_write_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_loops_with_vectors(seed) for seed in range(12)]
    monkeypatch.setattr(inorder, "_writes_memory", lambda *_: False)
    if not any(map(disagreeing_with_vectors, programs)):
        pytest.skip("no compiler here has the fault")


@pytest.mark.parametrize("knocked_out", ["in_order", "_overlapping"])
def test_such_loops_tell_if_a_precaution_is_forgotten(knocked_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = [random_loops(seed) for seed in range(12)]
    if knocked_out == "in_order":
        monkeypatch.setattr(statements, "in_order", lambda *_: False)
    else:  # it is clang that needs this one, and a mark keeps it from the fault, too
        programs = [p for p in programs if "f(" in str(p)]
        marks_of_gcc = inorder.PRELUDE.replace("#ifdef __GNUC__", "#if defined(__GNUC__) && !defined(__clang__)")
        monkeypatch.setattr(statements, "PRELUDE", marks_of_gcc)
        monkeypatch.setattr(program, "_overlapping", lambda functions, _: {f.name: frozenset() for f in functions})
    if not any(map(disagreeing, programs)):
        pytest.skip("no compiler here has the fault")
