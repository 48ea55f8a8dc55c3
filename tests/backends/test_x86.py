"""Every vector instruction computes what its body says.

One driver a register type applies each instruction to registers filled from `inp` and stores all
operands to `out`; it is compiled twice, with the instructions and with ordinary procedures of the
same bodies.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from backends import available, jit
from backends.targets import avx2, avx512
from exo_strat import Machine, Proc, proc_from_source

MACHINES = {"avx2": avx2, "avx512": avx512}


def twin(p: Proc, memory: str) -> Proc:
    """The instruction's body as an ordinary procedure."""
    text = re.sub(r"^@instr.*\n", "", str(p)).replace(f"@ {memory}", "@ DRAM")
    return proc_from_source(text)


def operands(p: Proc) -> list[tuple[str, str]]:
    """Name and kind of the data operands: V register, M memory, H memory of f32, E one element, S a value."""
    found = []
    for a in p.tree.args:
        if a.mem is None:
            continue
        declared = next(line for line in str(p).splitlines() if line.startswith("def "))
        text = re.search(rf"\b{a.sym}: (\[?\w+\]?(?:\[\w+\])?) @ (\w+)", declared)
        assert text is not None
        kind = "V" if text[2] != "DRAM" else "E" if text[1].endswith("[1]") else "M" if "[" in text[1] else "S"
        found.append((a.sym.name, kind))
    return found


def driver(machine: Machine, precision: str, procs: tuple[Proc, ...], memory: str) -> str:
    """The driver's text, for registers that live in `memory`."""
    w, pre = machine.vec_width(precision), "mm256" if machine.name == "avx2" else "mm512"
    suffix = "ps" if precision == "f32" else "pd"
    rows = len(procs)
    lines = [
        f"def driver(n: size, inp: {precision}[5, {w}], out: {precision}[{rows}, 5, {w}], half: f32[{rows}, {w}]):",
        f"    assert n <= {w}",
    ]
    for k, p in enumerate(procs):
        stores, args = [], ["n"] if "n: size" in str(p) else []
        extent = "n" if args else str(w)
        for j, (name, kind) in enumerate(operands(p)):
            reg = f"{name}{k}"
            if kind == "V":
                lines.append(f"    {reg}: {precision}[{w}] @ {memory}")
                lines.append(f"    {pre}_loadu_{suffix}({reg}[0:{w}], inp[{j}, 0:{w}])")
                stores.append(f"    {pre}_storeu_{suffix}(out[{k}, {j}, 0:{w}], {reg}[0:{w}])")
                args.append(f"{reg}[0:{w}]")
                continue
            buffer = f"half[{k}" if "cvtps" in p.name() else f"out[{k}, {j}"
            lines.append(f"    for i in seq(0, {w}):\n        {buffer}, i] = inp[{j}, i]")
            args.append({"M": f"{buffer}, 0:{extent}]", "E": f"{buffer}, 0:1]", "S": f"{buffer}, 0]"}[kind])
        lines += [f"    {p.name()}({', '.join(args)})", *stores]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("precision", ["f32", "f64"])
@pytest.mark.parametrize("name", MACHINES)
def test_instructions_mean_what_their_bodies_say(name: str, precision: str) -> None:
    machine = MACHINES[name]
    if not available(machine):
        pytest.skip(f"this processor has no {name}")
    procs = (*machine.get_instructions(precision), *machine.get_streams(precision))
    memory = machine.mem_type.name
    text = driver(machine, precision, procs, memory)
    env: dict[str, object] = {p.name(): p for p in procs}
    twins: dict[str, object] = {p.name(): twin(p, memory) for p in procs}
    fast = jit(proc_from_source(text, {**env, memory: machine.mem_type}), machine)
    plain = jit(proc_from_source(text.replace(f"@ {memory}", "@ DRAM"), twins), flags=["-O1"])
    w, dtype = machine.vec_width(precision), np.float32 if precision == "f32" else np.float64
    rng = np.random.default_rng(5)
    for n in (1, w // 2 + 1, w):
        inp = rng.uniform(-2, 2, (5, w)).astype(dtype)
        out, half = np.zeros((len(procs), 5, w), dtype), np.zeros((len(procs), w), np.float32)
        want, want_half = out.copy(), half.copy()
        with np.errstate(all="ignore"):
            fast(n, inp, out, half)
            plain(n, inp, want, want_half)
        for k, p in enumerate(procs):
            assert np.allclose(out[k], want[k], rtol=1e-5, equal_nan=True), (p.name(), n)
            assert np.allclose(half[k], want_half[k], rtol=1e-5, equal_nan=True), (p.name(), n)


@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_transpositions_copy_columns_to_rows(precision: str) -> None:
    if not available(avx2):
        pytest.skip("this processor has no avx2")
    (move,) = avx2.get_transposes(precision)
    n, dtype = (8, np.float32) if precision == "f32" else (4, np.float64)
    run = jit(
        proc_from_source(
            f"""
            def driver(src: [{precision}][4, {n}], dst: [{precision}][4, {n}]):
                assert stride(src, 0) == 1
                assert stride(dst, 1) == 1
                {move.name()}(dst[0:4, 0:{n}], src[0:4, 0:{n}])
            """,
            {move.name(): move},
        ),
        avx2,
    )
    room = np.arange(7.0 * (n + 1), dtype=dtype).reshape(n + 1, 7)
    src, dst = room[:n, 2:6].T, np.zeros((4, n + 3), dtype)
    run(src, dst[:, 1 : n + 1])
    assert np.array_equal(dst[:, 1 : n + 1], src) and not dst[:, 0].any() and not dst[:, n + 1 :].any()


@pytest.mark.parametrize("name", MACHINES)
def test_machines_know_their_instructions(name: str) -> None:
    machine = MACHINES[name]
    prefix = "mm256" if name == "avx2" else "mm512"
    assert machine.instruction(f"{prefix}_fmadd_ps").is_instr()
    assert machine.vec_width("f32") == 2 * machine.vec_width("f64")
    names = [p.name() for precision in ("f32", "f64") for p in machine.get_instructions(precision)]
    assert len(set(names)) == len(names)


def test_an_unknown_instruction_is_named() -> None:
    from backends import x86_avx2

    with pytest.raises(AttributeError, match="mm256_frobnicate_ps"):
        _ = x86_avx2.mm256_frobnicate_ps
