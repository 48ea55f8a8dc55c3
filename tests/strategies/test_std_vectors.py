from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from backends import c as backend
from backends.targets import avx2, avx512
from exo_strat import (
    CallCursor,
    ForCursor,
    Machine,
    Memory,
    Op,
    Proc,
    SchedulingError,
    at,
    cut_loop,
    moves,
    named,
    nav,
    proc_from_source,
    schedule,
    simplify,
)
from strategies import std
from strategies.std import NoInstructionWarning, abs_rule, broadcast_rule, fma_rule, negated_fma_rule
from strategies.std.compute import Rule
from strategies.std.instructions import by_shape

Same = Callable[..., None]
REGISTERS = Memory("REGISTERS")
TAILS = ("cut", "cut_and_predicate", "guard", "predicate")


def level_1(body: str) -> Proc:
    return proc_from_source(f"""
def foo(n: size, a: f32, b: f32, s: f32, r: f32, x: f32[n], y: f32[n], z: f32[n]):
    for i in seq(0, n):
        {body}
""")


KERNELS = {
    "axpy": level_1("y[i] += a * x[i]"),
    "dot": level_1("s += x[i] * y[i]"),
    "asum": level_1("s += abs(x[i])"),
    "scale": level_1("x[i] = a * x[i]"),
    "copy": level_1("y[i] = x[i]"),
    "zero": level_1("y[i] = 0.0"),
    "square": level_1("y[i] = x[i] * x[i] - 2.0"),
    "largest": level_1("y[i] = max(y[i], x[i])"),
    "swap": level_1("t: f32; t = x[i]; x[i] = y[i]; y[i] = t"),
    "rot": level_1("t: f32; t = a * x[i] + b * y[i]; y[i] = a * y[i] - b * x[i]; x[i] = t"),
    "two_sums": level_1("s += x[i] * y[i]; r += x[i] * z[i]"),
    "sum_and_update": level_1("y[i] += x[i]; s += y[i]"),
    "leaky": level_1("y[i] = x[i] if x[i] > 0.0 else 0.125 * x[i]"),
    "clipped": level_1("y[i] = z[i] if x[i] >= 1.0 and y[i] > 2.0 else 0.0 if x[i] < 0.0 else 1.0"),
}


@cache
def vectorized(kernel: str, machine: Machine, tail: str) -> Proc:
    return schedule(at("for i in _: _", std.vectorize_for(machine, "f32", tail=tail)), KERNELS[kernel])


def calls(p: Proc) -> list[str]:
    """The instructions of a program in order, without prefix and suffix."""
    found = [n for n in p.root().descendants() if isinstance(n, CallCursor)]
    return [c.subproc().name().removeprefix("mm256_").removesuffix("_ps") for c in found]


# -- vectorize ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_vectorized_loop_computes_the_same_for_any_length(kernel: str, tail: str, computes_the_same: Same) -> None:
    p = vectorized(kernel, avx2, tail)
    backend.compile([p], "k")
    for n in (1, 8, 9, 23):
        computes_the_same(KERNELS[kernel], p, n=n)


@pytest.mark.parametrize("kernel", ("axpy", "dot", "rot"))
def test_wider_vectors_do_too(kernel: str, computes_the_same: Same) -> None:
    p = vectorized(kernel, avx512, "cut_and_predicate")
    backend.compile([p], "k")
    for n in (1, 16, 37):
        computes_the_same(KERNELS[kernel], p, n=n)


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_masks_no_scalar_code_is_left(kernel: str) -> None:
    for tail in ("cut_and_predicate", "predicate"):
        p = vectorized(kernel, avx2, tail)
        assert not p.find_all("_[_] = _") + p.find_all("_[_] += _") + p.find_all("_ = _") + p.find_all("_ += _")


@pytest.mark.parametrize(
    ("kernel", "steps"),
    [
        ("axpy", ["loadu", "set1_value", "loadu", "fmadd_to", "storeu"]),
        ("dot", ["setzero", "loadu", "loadu", "fmadd", "reduce_add"]),
        ("asum", ["setzero", "loadu", "abs", "acc", "reduce_add"]),
        ("copy", ["loadu", "storeu"]),
        ("square", ["loadu", "set1_value", "fmsub_to", "storeu"]),
        ("largest", ["loadu", "loadu", "max", "storeu"]),
        ("leaky", ["setzero", "loadu", "set1_value", "mul", "select", "storeu"]),
    ],
)
def test_each_step_is_one_instruction(kernel: str, steps: list[str]) -> None:
    assert calls(vectorized(kernel, avx2, "cut")) == steps


def test_a_width_that_divides_needs_no_tail(computes_the_same: Same) -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n], s: f32):
    assert n % 8 == 0
    for i in seq(0, n):
        s += x[i]
""")
    q = schedule(at("for i in _: _", std.vectorize_for(avx2, "f32", tail="perfect")), p)
    assert calls(q) == ["setzero", "loadu", "acc", "reduce_add"] and len(q.find_all("for _ in _: _")) == 1
    computes_the_same(p, q, n=24)


def test_only_whole_vectors_are_perfect() -> None:
    failure = at("for i in _: _", std.vectorize_for(avx2, "f32", tail="perfect"))(KERNELS["copy"]).failure()
    assert failure.message == "8 divides the loop's number of iterations"


def test_iterations_that_depend_on_each_other_are_not_vectorized() -> None:
    p = proc_from_source("""
def prefix(n: size, x: f32[n + 1]):
    for i in seq(0, n):
        x[i + 1] += x[i]
""")
    failure = at("for i in _: _", std.vectorize_for(avx2, "f32"))(p).failure()
    assert type(failure).__name__ == "Unsafe"


def test_a_machine_without_masks_goes_one_by_one_at_the_end() -> None:
    bare = Machine("bare", avx2.vec_widths, avx2.mem_type, avx2.instructions)
    q = schedule(at("for i in _: _", std.vectorize_for(bare, "f32")), KERNELS["copy"])
    assert len(q.find_all("y[_] = x[_]")) == 1 and calls(q) == ["loadu", "storeu"]


# -- its steps ----------------------------------------------------------------------------------------


def lanes(body: str) -> Proc:
    return proc_from_source(f"""
def foo(a: f32, c: f32[8], x: f32[8], y: f32[8]):
    for l in seq(0, 8):
        {body}
""")


def staged(body: str, *rules: Rule) -> list[str]:
    """The statements of a loop over lanes after `stage_compute`, without allocations."""
    p = schedule(at("for l in _: _", std.stage_compute("f32", REGISTERS, rules)), lanes(body))
    (loop,) = p.body()
    assert isinstance(loop, ForCursor)
    lines = [line.strip() for line in str(p).splitlines()]
    return [line for line in lines if "=" in line]


@pytest.mark.parametrize(
    ("body", "rules", "steps"),
    [
        ("y[l] = -x[l]", (), ["v_1 = x[l]", "v = -v_1", "y[l] = v"]),
        ("y[l] = x[l] * x[l]", (), ["v_1 = x[l]", "v = v_1 * v_1", "y[l] = v"]),
        ("y[l] *= x[l]", (), ["v_1 = y[l]", "v_2 = x[l]", "v = v_1 * v_2", "y[l] = v"]),
        ("a += x[l]", (), ["v = 0.0", "v_1 = x[l]", "v += v_1", "a += v"]),
        ("y[l] = a - x[l] * 2.0", (fma_rule,), [
            "v_1 = a", "v_2 = x[l]", "v_3 = 2.0", "v = v_1 - v_2 * v_3", "y[l] = v",
        ]),
        ("a += -x[l] * y[l]", (fma_rule,), ["v = 0.0", "v_1 = x[l]", "v_2 = y[l]", "v += -v_1 * v_2", "a += v"]),
        ("y[l] -= x[l] * 2.0", (fma_rule, negated_fma_rule), [
            "v_1 = y[l]", "v_2 = x[l]", "v_3 = 2.0", "v = v_1 + -(v_2 * v_3)", "y[l] = v",
        ]),
        ("a -= x[l] * y[l]", (negated_fma_rule,), [
            "v = 0.0", "v_1 = x[l]", "v_2 = y[l]", "v += -(v_1 * v_2)", "a += v",
        ]),
        ("a += c[0] * y[l]", (broadcast_rule,), ["v = 0.0", "v_1 = y[l]", "v += c[0] * v_1", "a += v"]),
        ("y[l] = fmax(x[l], -x[l])", (abs_rule,), ["v_1 = x[l]", "v = fmax(v_1, -v_1)", "y[l] = v"]),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_each_operation_gets_registers(body: str, rules: tuple[Rule, ...], steps: list[str]) -> None:
    assert staged(body, *rules) == steps


def test_what_is_in_registers_stays_there() -> None:
    p = proc_from_source(
        """
def foo(x: f32[8], y: f32[8]):
    v: f32[8] @ REGISTERS
    for l in seq(0, 8):
        v[l] = x[l]
    for l in seq(0, 8):
        v[l] += x[l]
    for l in seq(0, 8):
        y[l] = v[l]
""",
        {"REGISTERS": REGISTERS},
    )
    for name, writes in (("l", ["v[l] = x[l]"]), ("l #2", ["y[l] = v[l]"])):
        q = schedule(std.stage_compute("f32", REGISTERS), p, p.find_loop(name))  # type: ignore[arg-type]
        assert q == p, writes
    q = schedule(std.stage_compute("f32", REGISTERS), p, p.find_loop("l #1"))  # type: ignore[arg-type]
    assert "v[l] += v_1" in str(q)


def test_several_sums_are_made_in_parts() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, 4], s: f32, r: f32[2]):
    for i in seq(0, n):
        for l in seq(0, 4):
            s += x[i, l]
            r[1] *= x[i, l]
""")
    q = schedule(at("for i in _: _", std.parallelize_reductions(REGISTERS)), p)
    text = str(q)
    assert "acc[l] = 0.0" in text and "acc_1[l] = 1.0" in text
    assert "s += acc[l]" in text and "r[1] *= acc_1[l]" in text
    assert text.count("@ REGISTERS") == 2


def test_a_sum_that_is_read_in_between_is_not_made_in_parts() -> None:
    p = proc_from_source("""
def foo(n: size, x: f32[n, 4], s: f32):
    for i in seq(0, n):
        for l in seq(0, 4):
            s += x[i, l]
            x[i, l] = s
""")
    assert "Success" not in type(at("for i in _: _", std.parallelize_reductions())(p)).__name__


# -- instructions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", (avx2, avx512), ids=repr)
def test_few_instructions_are_of_one_shape(machine: Machine) -> None:
    for precision in ("f32", "f64"):
        table = by_shape(machine.get_instructions(precision))
        # the most are the loads into f32 registers: of seven precisions, of elements in reverse, of pairs exchanged
        # and of one pair
        assert max(len(known) for _, shapes in table for known in shapes.values()) <= 10


def test_an_instruction_of_several_statements_takes_them_all() -> None:
    two = proc_from_source("""
@instr("two({x_data}, {y_data});")
def two(x: [f32][4], y: [f32][4]):
    for i in seq(0, 4):
        x[i] = 0.0
    for i in seq(0, 4):
        y[i] = 0.0
""")
    one = proc_from_source("""
@instr("one({x_data});")
def one(x: [f32][4]):
    for i in seq(0, 4):
        x[i] = 0.0
""")
    p = proc_from_source("""
def foo(x: f32[4], y: f32[4], z: f32[4]):
    for j in seq(0, 4):
        x[j] = 0.0
    for k in seq(0, 4):
        y[k] = 0.0
    for l in seq(0, 4):
        z[l] = 0.0
""")
    assert calls(schedule(std.replace_all((one, two)), p)) == ["two", "one"]
    assert calls(schedule(std.replace_all((one,)), p)) == ["one", "one", "one"]


SHIFT = level_1("y[i] = x[i - 1] if i > 0 else 0.0")


def test_a_side_that_is_not_there_is_loaded_in_no_vector(computes_the_same: Same) -> None:
    with pytest.warns(NoInstructionWarning, match=r"cut the loop where the condition of `a if c else b` changes"):
        schedule(at("for i in _: _", std.vectorize_for(avx2, "f32")), SHIFT)
    cut = at("for i in _: _", cut_loop(1)) >> nav(moves.root) >> simplify()
    p = schedule(cut >> at("for i in _: _ #1", std.vectorize_for(avx2, "f32", tail="cut", strict=True)), SHIFT)
    assert calls(p) == ["loadu", "storeu"]
    for n in (1, 2, 9, 23):
        computes_the_same(SHIFT, p, n=n)


@pytest.mark.parametrize(
    ("lines", "steps"),
    [
        ("if x[i] > a:\n            s += x[i]",
         ["setzero", "set1_value", "loadu", "setzero", "select", "acc", "reduce_add"]),
        ("if x[i] > a:\n            y[i] = x[i]", ["set1_value", "loadu", "loadu", "select", "storeu"]),
        ("if x[i] > a:\n            y[i] = x[i]\n        else:\n            y[i] = a",
         ["set1_value", "loadu", "larger", "storeu"]),
    ],
)  # fmt: skip
def test_branches_on_data_become_choices(lines: str, steps: list[str], computes_the_same: Same) -> None:
    p = level_1(lines)
    q = schedule(at("for i in _: _", std.vectorize_for(avx2, "f32", tail="cut", strict=True)), p)
    assert calls(q) == steps
    computes_the_same(p, q, n=9)


def test_a_branch_that_keeps_something_away_stays(computes_the_same: Same) -> None:
    p = level_1("if x[i] > a:\n            y[i] = sqrt(x[i])")
    assert schedule(std.branchless(), p) == p


def test_what_no_instruction_does_stays() -> None:
    p = lanes("y[l] = sin(x[l])")
    assert schedule(std.replace_all(avx2.get_instructions("f32")), p) is p


# -- BLAS level 1, as in the paper's appendix D.1 -----------------------------------------------------


@named
def optimize_level_1(machine: Machine, precision: str, factor: int) -> Op:
    memory, instructions = machine.mem_type, machine.get_instructions(precision)
    vectors = std.vectorize(machine.vec_width(precision), precision, memory, (), (fma_rule,))
    plan = std.cse() >> vectors >> std.licm() >> std.interleave_loop(factor)
    return at("for i in _: _", plan) >> std.cleanup() >> std.replace_all(instructions)


@pytest.mark.parametrize("kernel", ("axpy", "rot", "scale", "dot"))
def test_level_1_loads_what_all_vectors_share_once(kernel: str, computes_the_same: Same) -> None:
    p = KERNELS[kernel]
    q = schedule(optimize_level_1(avx2, "f32", 2), p)
    shared = [s for s in q.root().descendants() if isinstance(s, CallCursor) and "set1" in s.subproc().name()]
    assert bool(shared) == (kernel != "dot") and not any(isinstance(s.parent(), ForCursor) for s in shared)
    backend.compile([q], "k")
    for n in (7, 8, 23, 40):
        computes_the_same(p, q, n=n)


def test_a_machine_without_vectors_of_a_precision_is_named() -> None:
    p = proc_from_source("def foo(x: f16[32]):\n    for i in seq(0, 32):\n        x[i] = x[i] + x[i]")
    with pytest.raises(SchedulingError, match="avx2 has no vectors of f16; it has those of f32, f64"):
        schedule(at("for i in _: _", std.vectorize_for(avx2, "f16")), p)
    with pytest.raises(SchedulingError, match=r"a machine is needed, such as avx2 of backends.targets, not 'avx2'"):
        schedule(at("for i in _: _", std.vectorize_for("avx2", "f32")), p)


@pytest.mark.parametrize("k", (0, 3))
def test_a_row_is_changed_by_one_that_may_be_itself(k: int, computes_the_same: Same) -> None:
    p = proc_from_source("""
def foo(n: size, k: index, x: f32[4, n], a: f32):
    assert 0 <= k and k < 4
    for i in seq(0, n):
        x[3, i] += a * x[k, i]
""")
    q = schedule(at("for i in _: _", std.vectorize_for(avx2, "f32", strict=True)), p)
    computes_the_same(p, q, n=21, k=k)
