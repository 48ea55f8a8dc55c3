"""`exo-strat auto`: what it says it did, and that the file which it writes makes the same program."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner, Result

from backends.settings import setting_here
from backends.targets import avx2, plain_c
from exo_strat import (
    Proc,
    at,
    divide_loop,
    moves,
    nav,
    on,
    plugins,
    proc_from_source,
    schedule,
    space,
    trace,
    unroll_loop,
)
from exo_strat.cli.commands import app
from exo_strat.cli.files import read as read_file
from exo_strat.cli.telling import told
from exo_strat.cli.thresholds import from_where
from exo_strat.cli.writing import steps
from exo_strat.ops.combinators import identity
from exo_strat.ops.strategy import Op
from exo_strat.tuning import Tried, Tuning
from exo_strat.tuning.keys import program_key
from exo_strat.tuning.records import append, read, recorded
from exo_strat.tuning.search import Status
from strategies.auto import auto

SOURCE = """
from __future__ import annotations
from exo_strat import *

@proc
def both(n: size, a: f32, x: f32[n], y: f32[n], z: f32[n, n], s: f32):
    for i in seq(0, n):
        y[i] += a * x[i]
    for i in seq(0, n):
        for j in seq(0, n):
            z[i, j] = a * z[i, j]
    s = 0.0

def tiled(machine: Machine) -> Proc:
    return direct.rename(direct.divide_loop(both, "i", 64, ["io", "ii"], tail="cut"), "tiled")
"""

WAITING = """
from __future__ import annotations
from exo_strat import *

@proc
def sums(n: size, x: f64[n + 1]):
    for i in seq(0, n):
        x[i + 1] += x[i]

@proc
def nothing(x: f64):
    x = 1.0
"""

PLAN = """
from exo_strat import *

@named
def auto(machine):
    return pick("how", {"planned": planned(), "as it is": identity})

@strategy
def planned(p, c: ProcCursor):
    for s in c.body():
        yield attempt(on(s, by_nest()))

@strategy
def by_nest(p, c: StmtCursor):
    yield unrolled() | strips(4)

@strategy
def unrolled(p, c: ForCursor):
    yield unroll_loop()

@strategy
def strips(p, c: ForCursor, least: int):
    yield divide_loop((yield hole("width", (least, 2 * least))), ("io", "ii"), tail="cut")
    yield simplify()
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of our own is the one that is installed."""
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "our_plan.py").write_text(PLAN)
    monkeypatch.syspath_prepend(tmp_path / "plans")
    known, ours = plugins._found, {plugins.PLANS: {"auto": EntryPoint("auto", "our_plan:auto", plugins.PLANS)}}
    monkeypatch.setattr(plugins, "_found", lambda group: known(group) | ours.get(group, {}))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("EXO_STRAT_DATA_DIR", str(tmp_path / "home"))
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    yield path
    sys.modules.pop("kernels", None)  # what is written imports it


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, [str(a) for a in args])


def test_auto_says_in_short_what_became_of_each_nest(file: Path) -> None:
    said = run("auto", f"{file}:both", "-t", "avx2", "--threads", "2")
    assert said.exit_code == 0, said.output
    assert said.stdout.splitlines() == [
        "both for avx2: 2 of 2 nests of loops made fast",
        "  for i in seq(0, n):",
        "    in vectors along the innermost loop",
        "  for i in seq(0, n):",
        "    each row in vectors",
        "  for ioo in seq(0, n / 32):",
        "    shared by threads from n = 58272 on",
        "  for i in seq(0, n):",
        "    shared by threads from n = 608 on",
    ]


STEPS = """
from __future__ import annotations
from exo_strat import *

@proc
def jacobi(n: size, t: size, x: f32[n, n], y: f32[n, n]):
    assert n > 2
    for s in seq(0, t):
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                y[i, j] = x[i, j - 1] + x[i - 1, j] + x[i, j + 1] + x[i + 1, j]
        for i in seq(1, n - 1):
            for j in seq(1, n - 1):
                x[i, j] = y[i, j - 1] + y[i - 1, j] + y[i, j + 1] + y[i + 1, j]

@proc
def product(m: size, n: size, k: size, a: f32[m, k], b: f32[k, n], c: f32[m, n]):
    for i in seq(0, m):
        for j in seq(0, n):
            for l in seq(0, k):
                c[i, j] += a[i, l] * b[l, j]
"""


def test_auto_names_the_loop_and_the_call_that_threads_share(file: Path) -> None:
    file.write_text(STEPS)
    said = run("auto", f"{file}:jacobi", "-t", "avx2", "--threads", "2")
    assert said.exit_code == 0, said.output
    # neither the `if` around it, nor the loop for so few rows that no threads would share it
    assert said.stdout.splitlines()[3:] == [
        "  for so in seq(0, (t + 15) / 16):",
        "    tiles along diagonals, shared by threads from n = 162 on",
    ]
    said = run("auto", f"{file}:product", "-t", "avx2", "--threads", "2")
    assert said.exit_code == 0, said.output
    called, how = said.stdout.splitlines()[-2:]
    assert called.startswith("  product") and how == "    shared by threads"


def test_what_is_said_of_several_sizes_and_of_none(file: Path) -> None:
    p = proc_from_source("""
    def foo(n: size, m: size, x: f32[n, m]):
        for i in seq(0, n):
            if i >= 4:
                x[i, 0] = 0.0
            if n - m >= 4 or m == 3:
                x[i, 0] = 0.0
            if n * 2 >= 100 and m / 4 >= 3:
                x[i, 0] = 0.0
    """)
    loop = p.body()[0]
    assert [from_where(c, c.cond().node) for c in loop.body()] == [
        "where there is enough to do",
        "where there is enough to do",
        "from m = n = 50 on, or where one of them is larger than the others",
    ]


def test_auto_says_where_nothing_could_be_made_fast_and_why(file: Path) -> None:
    file.write_text(WAITING)
    said = run("auto", f"{file}:sums", "-t", "avx2")
    assert said.exit_code == 0, said.output
    assert said.stdout.splitlines() == [
        "sums for avx2: nothing could be made fast",
        "  for i in seq(0, n):",
        "    left as it is: there is no proof that the second part does not touch what the first one does later",
        "    x[i]: another iteration of i may write it, as x[i + 1]",
    ]
    assert run("auto", f"{file}:nothing", "-t", "avx2").stdout == "nothing for avx2: there are no loops to make fast\n"


def test_auto_says_what_a_plan_without_remarks_did(file: Path, plan: None) -> None:
    said = run("auto", f"{file}:both", "-t", "c").stdout.splitlines()
    assert said[0] == "both for c: 2 of 2 nests of loops made fast"
    assert said[1:3] == ["  for i in seq(0, n):", "    strips(4)"]


def test_verbose_says_all_that_was_done_and_what_not_and_why(file: Path, plan: None) -> None:
    said = run("auto", f"{file}:both", "-t", "c", "--verbose")
    assert said.exit_code == 0, said.output
    assert said.stdout.splitlines()[:-1] == [
        "both for c, by auto(c)",
        "  for i in seq(0, n):",
        "    strips(4)",
        "  for i in seq(0, n):",
        "    strips(4)",
        "for i in seq(0, n):",
        "  strips(4)",
        "    strips.width = 4",
        "  not unrolled: the loop must run a constant number of times",
        "for i in seq(0, n):",
        "  strips(4)",
        "    strips.width = 4",
        "  not unrolled: the loop must run a constant number of times",
        "s = 0.0",
        "  stays as it is",
        "  not unrolled: this acts on a loop, but the focus is an assignment",
        "  not strips: this acts on a loop, but the focus is an assignment",
    ]


def test_the_file_that_it_writes_makes_the_same_program_by_steps(file: Path, plan: None, tmp_path: Path) -> None:
    out = tmp_path / "fast.py"
    assert run("auto", f"{file}:both", "-t", "c", "--emit", "strategy", "-o", out).exit_code == 0
    text = out.read_text()
    assert "from our_plan import strips" in text
    assert "yield on(p.body()[0], strips(4).fill({'strips.width': 4}))" in text
    wanted = run("auto", f"{file}:both", "-t", "c", "--emit", "proc").stdout
    assert run("show", f"{out}:both").stdout == wanted and "for io in" in wanted
    explained = run("explain", f"{out}:plan", f"{file}:both")
    assert explained.exit_code == 0 and "ok" in explained.stdout
    built = run("build", out, "-o", tmp_path / "c", "--target", "c")
    assert built.exit_code == 0, built.output
    assert "void both(" in (tmp_path / "c" / "fast.c").read_text()


def test_what_the_installed_plan_did_is_made_again(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "fast.py"
    made = run("auto", f"{file}:both", "-t", "avx2", "--emit", "strategy", "-o", out)
    assert made.exit_code == 0, made.output
    wanted = schedule(auto(avx2, "f32"), read_file(file).proc("both"))
    assert program_key(read_file(out).proc("both")) == program_key(wanted)


def test_a_file_in_another_folder_finds_the_program(file: Path, plan: None, tmp_path: Path) -> None:
    out = tmp_path / "plans" / "fast.py"
    assert run("auto", f"{file}:both", "-t", "c", "--emit", "strategy", "-o", out).exit_code == 0
    assert run("show", f"{out}:both").stdout == run("auto", f"{file}:both", "-t", "c", "--emit", "proc").stdout


def test_a_schedule_is_made_for_the_target_first(file: Path, plan: None, tmp_path: Path) -> None:
    out = tmp_path / "fast.py"
    made = run("auto", f"{file}:tiled", "-t", "avx2", "--emit", "strategy", "-o", out)
    assert made.exit_code == 0, made.output
    assert "_made(avx2)" in out.read_text()
    assert run("show", f"{out}:tiled").stdout == run("auto", f"{file}:tiled", "-t", "avx2", "--emit", "proc").stdout


def test_words_go_beside_what_is_printed(file: Path, plan: None) -> None:
    made = run("auto", f"{file}:both", "-t", "c", "--emit", "c")
    assert made.exit_code == 0, made.output
    assert "void both(" in made.stdout and "both for c" in made.stderr and "both for c" not in made.stdout


def test_a_search_fills_the_holes(file: Path, plan: None, tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    made = run(
        *("auto", f"{file}:both", "-t", "c", "--tune", "5s", "--sizes", "n=64", "-j", "1", "--records", records),
        *("--emit", "strategy"),
    )
    assert made.exit_code == 0, made.output
    assert len(read(records)) >= 1 and "unscheduled" in made.stderr
    assert "def plan" in made.stdout


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--tune", "5s"], "--tune needs --sizes"),
        (["--tune", "5s", "--sizes", "n=4", "--sizes", "n=8"], "give --sizes once"),
        (["--sizes", "n=4", "--records", "nowhere.jsonl"], "nowhere.jsonl does not exist"),
        (["--sizes", "n=0"], "n is a size, which is at least 1, not 0"),
        (["--sizes", ""], "both takes n, too: say with which number in --sizes"),
        (["--emit", "fortran"], "there are strategy, proc, c"),
        (["-o", "x.py"], "--out needs --emit"),
        (["-t", "riscv"], "there is no target 'riscv'"),
        (["--emit", "c", "-o", "nowhere/fast.c"], "there is no folder nowhere"),
        (["--emit", "c", "-o", "/"], "is a folder, and a file is needed there"),
        (["--tune", "0s", "--sizes", "n=4"], "'0s' leaves no time to search"),
        (["--tune", "5s", "--sizes", "n=0"], "n is a size, which is at least 1, not 0"),
        (["--tune", "5s", "--sizes", "n=x"], "'n=x' is no size"),
        (["--threads", "0"], "--threads"),
    ],
)
def test_bad_input_is_explained(more: list[str], words: str, file: Path) -> None:
    result = run("auto", f"{file}:both", *more)
    assert (result.exit_code, result.stdout) == (2, "") and words in result.stderr


P = proc_from_source("""
def foo(n: size, x: f32[n], y: f32[8]):
    for i in seq(0, n):
        x[i] = 0.0
    for j in seq(0, 8):
        y[j] = 1.0
""")


def test_steps_are_what_changed_something_with_the_lines_at_which_it_did() -> None:
    divided = at("for i in _: _", divide_loop(4, ("io", "ii"), tail="cut"))
    op = on(P.body()[1], unroll_loop()) >> nav(moves.root) >> divided
    done = steps(trace(op, P)[1])
    assert [(str(s.op), s.line) for s in done if s.op] == [(str(op), "")]  # it has no holes: one step
    assert next(told(done)) == "the whole procedure"
    q = P
    for s in done:
        if s.op is not None:
            q = schedule(on(s.place, s.op), q)
    assert q == schedule(op, P)


def test_threads_share_loops(tmp_path: Path) -> None:
    path = tmp_path / "scaling.py"
    path.write_text(SOURCE)
    said = run("auto", f"{path}:both", "-t", "c", "--threads", "2", "--emit", "proc")
    assert said.exit_code == 0, said.output
    assert "in par(" in said.stdout and "in par(" not in run("auto", f"{path}:both", "-t", "c", "--emit", "proc").stdout


IN_C = """
void scale(int n, float *x) {
    for (int i = 0; i < n; i++) x[i] = 2.0f * x[i];
}
"""


def test_a_function_in_c_is_imported_first(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path, out = tmp_path / "kernels.c", tmp_path / "fast.c"
    path.write_text(IN_C)
    said = run("auto", path, "-t", "avx2", "--emit", "c", "-o", out)
    assert said.exit_code == 0, said.output
    assert "scale for avx2: 1 of 1 nest of loops made fast" in said.stderr
    assert "* arguments do not overlap in memory;" in said.stderr
    assert re.search(rf"compile with: .* -mavx2 .*{out}", said.stderr)
    assert "_mm256_mul_ps" in out.read_text() and "void scale(int64_t n, float *x);" in out.read_text()


def test_the_strategy_of_a_function_in_c_stands_with_what_it_became(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path, out = tmp_path / "kernels.c", tmp_path / "fast.py"
    path.write_text('#include "width.h"\n#include <math.h>\n' + IN_C.replace("x[i];\n", "floorf(x[i]) * FACTOR;\n"))
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "width.h").write_text("")
    flags = ("-I", tmp_path / "headers", "-D", "FACTOR=3")
    assert run("auto", path, "--emit", "strategy").exit_code == 1
    said = run("auto", path, *flags, "-t", "avx2", "--emit", "strategy", "-o", out)
    assert said.exit_code == 0, said.output
    assert run("show", f"{out}:scale").stdout == run("auto", path, *flags, "-t", "avx2", "--emit", "proc").stdout
    assert "floor" in out.read_text() and "from fractions import Fraction" in out.read_text()


def test_all_functions_of_a_file_are_made_fast_or_those_that_are_named(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path, out = tmp_path / "kernels.c", tmp_path / "fast.c"
    path.write_text(IN_C + "".join(IN_C.replace("scale", name) for name in ("twice", "again")))
    said = run("auto", path, "-t", "avx2", "--emit", "c", "-o", out)
    assert said.exit_code == 0, said.output
    assert all(f"{name} for avx2: 1 of 1 nest" in said.stderr for name in ("scale", "twice", "again"))
    assert all(f"void {name}(int64_t n, float *x);" in out.read_text() for name in ("scale", "twice", "again"))
    two = run("auto", f"{path}:again,scale", "-t", "c", "--emit", "proc")
    assert re.findall(r"def (\w+)", two.stdout) == ["again", "scale"]
    assert run("auto", f"{path}:twice", "-t", "c").stdout.count(" for c:") == 1
    one = run("auto", path, "--emit", "strategy")
    assert one.exit_code == 2 and f"name one of scale, twice, again, as in {path}:NAME" in one.stderr
    assert re.findall(r"^\w+ for c:", run("auto", file, "-t", "c").stdout, re.MULTILINE) == [
        "both for c:",
        "tiled for c:",
    ]


def test_a_function_that_is_not_taken_does_not_keep_the_others(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / "kernels.c"
    path.write_text(IN_C + IN_C.replace("scale", "halves").replace("i++", "i *= 2"))
    said = run("auto", path, "-t", "avx2", "--emit", "c")
    assert said.exit_code == 1 and "void scale(" in said.stdout and f"{path}:7" in said.stderr


def test_one_that_c_refuses_does_not_keep_the_others(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / "kernels.c"
    path.write_text(IN_C.replace("scale", "clock") + IN_C)
    said = run("auto", path, "-t", "avx2", "--emit", "c")
    assert said.exit_code == 1 and "C or its library has the name clock" in said.stderr
    assert "void scale(" in said.stdout and "clock(" not in said.stdout
    assert run("auto", f"{path}:clock", "-t", "avx2", "--emit", "c").exit_code == 1


def test_a_function_may_have_a_name_of_object_code(tmp_path: Path) -> None:
    """Python has to call it otherwise; its C has its own name, if no library has it."""
    pytest.importorskip("pycparser")
    path, out = tmp_path / "kernels.c", tmp_path / "mine.py"
    path.write_text(IN_C.replace("scale", "choose") + IN_C.replace("scale", "relu") + IN_C)
    for name, asked in (("choose", f"{path}:choose"), ("scale", path), ("choose", path)):
        said = run("auto", asked, "-t", "avx2", "--emit", "c")
        assert said.exit_code == 0, said.output
        assert f"void {name}(int64_t n, float *x);" in said.stdout
    assert "choose for avx2: 1 of 1 nest of loops made fast" in said.stderr
    assert "* choose is called choose_1 in Python, as Python or object code has the name;" in said.stderr
    assert "void relu_1(" in said.stdout and "* relu is called relu_1, as Python or" in said.stderr
    made = run("auto", f"{path}:choose", "-t", "avx2", "--emit", "strategy", "-o", out)
    assert made.exit_code == 0 and read_file(out).proc("choose").name() == "choose"


def test_externs_are_no_procedures(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / "kernels.c"
    path.write_text("#include <math.h>\n" + IN_C.replace("2.0f * x[i]", "expf(x[i])"))
    said = run("auto", path, "-t", "avx2", "--emit", "proc")
    assert said.exit_code == 0 and "expf(x[i])" in said.stdout


def test_a_loop_that_is_left_inside_of_a_nest_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / "softmax.c"
    path.write_text("""#include <math.h>
void softmax(int n, int m, float *x) {
    for (int r = 0; r < n; r++) {
        float sum = 0.0f;
        for (int i = 0; i < m; i++) { x[r * m + i] = expf(x[r * m + i]); sum += x[r * m + i]; }
        for (int j = 0; j < m; j++) x[r * m + j] /= sum;
    }
}""")
    said = "the loop over i inside stays as it is: no instruction computes expf (strategies.mathlib"
    assert said in run("auto", path, "-t", "avx2").stdout
    assert said in run("auto", path, "-t", "avx2", "--verbose").stdout


def test_what_comes_from_data_is_said_first(tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / "histogram.c"
    path.write_text("void histogram(int n, const unsigned char *p, int *h) { for (int i = 0; i < n; i++) h[p[i]]++; }")
    said = run("auto", path, "-t", "avx2").stdout
    assert "left as it is: h[p[i]]: which element that is comes from data\n    avx2 has no vectors for this" in said


def test_what_was_measured_of_a_function_in_c_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its sizes, and by `exo-strat tuned`."""
    pytest.importorskip("pycparser")
    monkeypatch.setenv("EXO_STRAT_DATA_DIR", str(tmp_path / "home"))
    path, records = tmp_path / "kernels.c", tmp_path / "records.jsonl"
    path.write_text(IN_C)
    records.write_text("")
    asked = ("auto", path, "-t", "c", "--records", records, "--sizes", "n=900")
    assert "nothing is known of scale for c, so numbers are the defaults: with --tune" in run(*asked).stdout
    assert run("tuned", path, "-t", "c", "--records", records).stdout.startswith("nothing is known of scale:")
    assert run(*asked, "--tune", "5s", "-j", "1").exit_code == 0
    again = run(*asked)
    assert again.exit_code == 0, again.output
    assert "numbers from a record: measured at n = 900: " in again.stdout
    known = run("tuned", f"{path}:scale", "-t", "c", "--records", records)
    assert known.exit_code == 0 and "n = 900" in known.stdout and "auto(c)" in known.stdout


def test_what_records_know_is_taken(file: Path, plan: None, tmp_path: Path) -> None:
    """Numbers, or nothing, where the program as it was is faster."""
    records, source = tmp_path / "records.jsonl", read_file(file)
    op = cast(Callable[..., Op], plugins.load(plugins.PLANS, "auto"))(plain_c)
    p, where = source.proc("both"), setting_here(plain_c)
    values = {"auto.how": "planned", "auto.planned.by_nest.strips.width": 8}
    fast = Tried({}, values, "measured", 1e-6, 0.0)
    append(recorded(op, p, [fast], where, {"n": 64}, "2026-11-27"), records)
    asked = ("auto", f"{file}:both", "-t", "c", "--sizes", "n=60", "--records", records, "--verbose")
    told = run(*asked)
    assert told.exit_code == 0, told.output
    assert "numbers from a record: measured at n = 64: 1 us, 2026-11-27" in told.stdout
    assert "strips.width = 8" in told.stdout
    plain = Tried({}, {}, "measured", 5e-7, 0.0)
    append(recorded(identity, p, [plain], where, {"n": 64}, "2026-11-27"), records)
    left = run(*asked)
    assert left.exit_code == 0 and "the procedure as it was took 500 ns, so it stays as it is" in left.stdout
    assert "strips.width" not in left.stdout and left.stderr == ""
    assert "both for c: left as it was\n" in run(*asked[:-1]).stdout


@pytest.mark.parametrize(
    ("schedules", "words"),
    [
        ([("measured", 2e-6), ("measured", 3e-6)], "left as it was, which took 1 us where the best schedule took 2 us"),
        ([("refused", None)], "left as it was, which took 1 us: no schedule could be measured"),
        ([("same", 1e-6)], "2 of 2 nests of loops made fast"),  # its steps are told
    ],
)
def test_where_no_schedule_is_faster_it_is_said_how_fast_both_are(
    schedules: list[tuple[Status, float | None]],
    words: str,
    file: Path,
    plan: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def found(op: Op, p: Proc, *_: object) -> tuple[Tuning, ...]:
        tried = tuple(Tried({}, {}, status, seconds) for status, seconds in schedules)
        return (Tuning(op, p, None, space(op), tried, Tried({}, {}, "measured", 1e-6), "nothing is left to try"),)

    monkeypatch.setattr("exo_strat.cli.automatic.run_tune", found)
    made = run("auto", f"{file}:both", "-t", "c", "--tune", "5s", "--sizes", "n=64")
    assert made.exit_code == 0 and f"both for c: {words}\n" in made.stdout, made.output


def test_after_ctrl_c_no_c_is_written(file: Path, plan: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["exo_strat.tuning.tune"]._Run, "_measured", pressed)
    out = tmp_path / "fast.c"
    asked = ("--tune", "5s", "--sizes", "n=64", "--records", tmp_path / "r.jsonl", "--emit", "c", "-o", out)
    stopped = run("auto", f"{file}:both", "-t", "c", *asked)
    assert stopped.exit_code == 130 and not out.exists()
    assert "interrupted: 0 tried, 0 records were added to" in stopped.stderr
    assert "nothing else is written; without --tune, the same --sizes take what is known" in stopped.stderr


@pytest.mark.parametrize(
    ("name", "text", "code", "words"),
    [
        ("bad.c", "void f(int n, float *x) { for (;; }", 1, "the C compiler refuses this"),
        ("bad.c", "", 1, "no function with a body"),
        ("bad.py", "def f(:", 2, "SyntaxError"),
        ("numbers.py", "def smooth(x):\n    return x * 2", 2, "functions of NumPy arrays are imported first"),
        ("kernels.cpp", "", 2, "its name must end in .c or .py. A function that is C, too, may go into a file"),
        ("missing.c", None, 2, "does not exist: expected a file in Python or C"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, text: str | None, code: int, words: str, tmp_path: Path) -> None:
    pytest.importorskip("pycparser")
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    said = run("auto", path)
    assert said.exit_code == code and words in said.stderr and "Traceback" not in said.stderr


def test_the_program_is_not_overwritten(file: Path) -> None:
    said = run("auto", f"{file}:both", "--emit", "strategy", "-o", file)
    assert said.exit_code == 2 and "the program itself is there" in said.stderr and file.read_text() == SOURCE
