"""Every Gemmini instruction does on the model what its body says; the compiler refuses what the hardware can't do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

import numpy as np
import pytest

from backends.c import AllocationError, InstructionError, MemoryAccessError, compile
from backends.gemmini import GEMMINI_MACHINE, INSTRUCTIONS, GemminiFault, operations, simulate
from backends.gemmini.build import ENV
from backends.gemmini.execute import KINDS as PRODUCTS
from backends.gemmini.loads import KINDS as LOADS
from backends.gemmini.stores import KINDS as STORES
from exo_strat import CallCursor, Proc, SchedulingError, direct, proc_from_source
from exo_strat.frontend.errors import CheckError
from exo_strat.interp import run
from exo_strat.testing import check_instructions


@cache
def operations_as_procs() -> dict[str, Proc]:
    """All operations, plain and with what configures them, by name."""
    found = [
        *(operations.load(n, i) for n in LOADS for i in range(3)),
        *(operations.product(n) for n in PRODUCTS),
        *(operations.store(n) for n in STORES),
    ]
    return {p.name(): p for o in found for p in (o.plain, o.configured)}


def program(text: str, **more: object) -> Proc:
    return proc_from_source(text, {**ENV, **INSTRUCTIONS, **operations_as_procs(), **more})


def inlined(p: Proc) -> Proc:
    """The procedure with all calls of configured operations inlined."""
    while True:
        calls = (c for c in p.root().descendants() if isinstance(c, CallCursor))
        call = next((c for c in calls if c.subproc().name().endswith("_configured")), None)
        if call is None:
            return p
        p = direct.inline(p, call)


def agree(p: Proc, *args: object) -> None:
    """The interpreter and the model leave the same in the last argument, an array."""
    names = [a.name() for a in p.args()]
    given = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in zip(names, args, strict=True)}
    outcome = run(p, given)
    assert outcome.trap is None, str(outcome.trap)
    q = inlined(p)
    out = args[-1]
    assert isinstance(out, np.ndarray)
    simulate(q)(*args)
    assert np.array_equal(out, np.array(outcome.outputs[names[-1]], np.int64))


def random(seed: object, shape: tuple[int, ...], dtype: type = np.int8, most: int = 128) -> np.ndarray:  # type: ignore[type-arg]
    rng = Random(str(seed))
    flat = [rng.randrange(-most, most) for _ in range(int(np.prod(shape)))]
    return np.array(flat, dtype).reshape(shape)


SHAPES = [(16, 16), (1, 1), (5, 16), (16, 3), (7, 11)]


@pytest.mark.parametrize("n, m", SHAPES)
@pytest.mark.parametrize("i", range(3))
def test_loads_into_the_scratchpad(i: int, n: int, m: int) -> None:
    p = program(f"""
        def foo(src: i8[{n}, 40], out: i8[{n}, {m}]):
            S: i8[16, 16] @ GEMM_SCRATCH
            ld_i8_id{i}_configured({n}, {m}, src[0:{n}, 2:{2 + m}], S[0:{n}, 0:{m}])
            st_i8_configured({n}, {m}, S[0:{n}, 0:{m}], out[0:{n}, 0:{m}])
    """)
    agree(p, random((n, m), (n, 40)), np.zeros((n, m), np.int8))


@pytest.mark.parametrize("scale", [0.5, 0.3, -1.5, 7.0, 1e-3])
def test_scaled_loads_round_to_even_and_clamp(scale: float) -> None:
    p = program("""
        def foo(scale: f32, src: i8[16, 16], out: i8[16, 16]):
            S: i8[16, 16] @ GEMM_SCRATCH
            ld_i8_scaled_id2_configured(16, 16, scale, src[0:16, 0:16], S[0:16, 0:16])
            st_i8_configured(16, 16, S[0:16, 0:16], out[0:16, 0:16])
    """)
    agree(p, float(np.float32(scale)), np.arange(-128, 128, dtype=np.int8).reshape(16, 16), np.zeros((16, 16), np.int8))


@pytest.mark.parametrize("tiles", [1, 2, 4])
@pytest.mark.parametrize("rows", [16, 5])
def test_blocks_of_tiles(tiles: int, rows: int) -> None:
    columns = 16 * tiles
    p = program(f"""
        def foo(src: i8[{rows}, 80], out: i8[{rows}, 80]):
            S: i8[2, {tiles}, 16, 16] @ GEMM_SCRATCH
            zero_i8_block_id0_configured({rows}, {tiles}, S[0, 0:{tiles}, 0:{rows}, 0:16])
            ld_i8_block_id1_configured({rows}, {tiles}, src[0:{rows}, 3:{3 + columns}], S[1, 0:{tiles}, 0:{rows}, 0:16])
            st_i8_block_configured({rows}, {tiles}, S[0, 0:{tiles}, 0:{rows}, 0:16], out[0:{rows}, 0:{columns}])
            st_i8_block_configured({rows}, {tiles}, S[1, 0:{tiles}, 0:{rows}, 0:16], out[0:{rows}, 1:{1 + columns}])
    """)
    agree(p, random(tiles, (rows, 80)), random(rows, (rows, 80)))


@pytest.mark.parametrize("apart", [16, 5, 40])
def test_blocks_of_tiles_further_apart(apart: int) -> None:
    rows = min(apart, 16)
    p = program(f"""
        def foo(src: i8[{rows}, 80], out: i8[{rows}, 80]):
            S: i8[4, {apart}, 16] @ GEMM_SCRATCH
            ld_i8_apart_id1_configured({rows}, 4, src[0:{rows}, 3:67], S[0:4, 0:{rows}, 0:16])
            for t in seq(0, 4):
                st_i8_configured({rows}, 16, S[t, 0:{rows}, 0:16], out[0:{rows}, 16 * t:16 * t + 16])
    """)
    agree(p, random(apart, (rows, 80)), random(rows, (rows, 80)))


ACCUM_LOADS = {
    "ld_acc_i32": ("i32", "src[0:n, 0:m]"),
    "add_acc_i32": ("i32", "src[0:n, 0:m]"),
    "ld_acc_i32_vector": ("i32", "src[1, 0:m]"),
    "ld_acc_i8": ("i8", "src[0:n, 0:m]"),
    "add_acc_i8": ("i8", "src[0:n, 0:m]"),
}


@pytest.mark.parametrize("n, m", SHAPES[:1] + SHAPES[-1:])
@pytest.mark.parametrize("name", sorted(ACCUM_LOADS))
def test_loads_into_the_accumulator(name: str, n: int, m: int) -> None:
    precision, window = ACCUM_LOADS[name]
    p = program(f"""
        def foo(src: {precision}[16, 20], first: i32[16, 16], out: i32[{n}, 24]):
            X: i32[16, 16] @ GEMM_ACCUM
            ld_acc_i32_id0_configured({n}, {m}, first[0:{n}, 0:{m}], X[0:{n}, 0:{m}])
            {name}_id1_configured({n}, {m}, {window.replace("n", str(n)).replace("m", str(m))}, X[0:{n}, 0:{m}])
            st_acc_i32_configured({n}, {m}, X[0:{n}, 0:{m}], out[0:{n}, 8:{8 + m}])
    """)
    dtype, most = (np.int32, 2**29) if precision == "i32" else (np.int8, 128)
    agree(p, random(name, (16, 20), dtype, most), random(n, (16, 16), np.int32, 2**29), np.zeros((n, 24), np.int32))


def test_a_vector_is_broadcast_to_the_scratchpad() -> None:
    p = program("""
        def foo(src: i8[16], out: i8[9, 16]):
            S: i8[16, 16] @ GEMM_SCRATCH
            ld_i8_vector_id0_configured(9, 16, src[0:16], S[0:9, 0:16])
            st_i8_configured(9, 16, S[0:9, 0:16], out[0:9, 0:16])
    """)
    agree(p, random(1, (16,)), np.zeros((9, 16), np.int8))


def product_program(name: str, n: int, m: int, k: int) -> Proc:
    d, out = f"D[0:{n}, 0:{m}], " if name == "matmul_bias_i8" else "", "i32"
    store = f"st_acc_i32_configured({n}, {m}, X[0:{n}, 0:{m}], out[0:{n}, 0:{m}])"
    target = f"X[0:{n}, 0:{m}]"
    act = ""
    if name == "matmul_to_i8":
        out, target, act = "i8", f"D[0:{n}, 0:{m}]", "act, "
        store = f"st_i8_configured({n}, {m}, D[0:{n}, 0:{m}], out[0:{n}, 0:{m}])"
    return program(f"""
        def foo(act: bool, a: i8[{n}, {k}], b: i8[{k}, {m}], d: i8[{n}, {m}], out: {out}[{n}, {m}]):
            A: i8[16, 16] @ GEMM_SCRATCH
            B: i8[16, 16] @ GEMM_SCRATCH
            D: i8[16, 16] @ GEMM_SCRATCH
            X: i32[16, 16] @ GEMM_ACCUM
            ld_i8_id0_configured({n}, {k}, a[0:{n}, 0:{k}], A[0:{n}, 0:{k}])
            ld_i8_id1_configured({k}, {m}, b[0:{k}, 0:{m}], B[0:{k}, 0:{m}])
            ld_i8_id2_configured({n}, {m}, d[0:{n}, 0:{m}], D[0:{n}, 0:{m}])
            ld_acc_i8_id1_configured({n}, {m}, d[0:{n}, 0:{m}], X[0:{n}, 0:{m}])
            {name}_configured({n}, {m}, {k}, A[0:{n}, 0:{k}], B[0:{k}, 0:{m}], {d}{act}{target})
            {store}
    """)


@pytest.mark.parametrize("n, m, k", [(16, 16, 16), (1, 1, 1), (5, 16, 7), (16, 3, 2)])
@pytest.mark.parametrize("name", sorted(PRODUCTS))
def test_products(name: str, n: int, m: int, k: int) -> None:
    p = product_program(name, n, m, k)
    most = 8 if name == "matmul_to_i8" else 128
    out = np.zeros((n, m), np.int8 if name == "matmul_to_i8" else np.int32)
    a, b, d = random(1, (n, k), most=most), random(2, (k, m), most=most), random(3, (n, m))
    for act in (False, True) if name == "matmul_to_i8" else (False,):
        agree(p, act, a, b, d, out.copy())


@pytest.mark.parametrize("act", [False, True])
@pytest.mark.parametrize("scale", [1.0, 0.5, 0.25, 0.1, 3.0, 1e-7])
def test_quantized_stores(scale: float, act: bool) -> None:
    """Ties go to the even neighbour, integers beyond 2**24 lose digits first, results are clamped."""
    p = program("""
        def foo(scale: f32, act: bool, src: i32[16, 32], out: i8[16, 40]):
            X: i32[2, 16, 16] @ GEMM_ACCUM
            ld_acc_i32_id0_configured(16, 16, src[0:16, 0:16], X[0, 0:16, 0:16])
            ld_acc_i32_id0_configured(16, 16, src[0:16, 16:32], X[1, 0:16, 0:16])
            st_acc_i8_block_configured(16, 2, scale, act, X[0:2, 0:16, 0:16], out[0:16, 0:32])
            st_acc_i8_configured(16, 7, scale, act, X[1, 0:16, 0:7], out[0:16, 33:40])
    """)
    values = np.arange(-256, 256, dtype=np.int32)
    values[::7] *= 2**22 + 1
    agree(p, float(np.float32(scale)), act, values.reshape(16, 32), np.zeros((16, 40), np.int8))


# -- every instruction --------------------------------------------------------------------------------

TILE, BLOCK, APART, SUM = "S[0:5, 0:11]", "B[0:2, 0:5, 0:16]", "T[0:2, 0:5, 0:16]", "X[0:5, 0:11]"
STEPS = {
    "ld_i8": ("x[0:5, 2:13]", TILE),
    "ld_i8_scaled": ("scale, x[0:5, 2:13]", TILE),
    "ld_i8_vector": ("x[1, 2:13]", TILE),
    "zero_i8": ("", TILE),
    "ld_i8_block": ("x[0:5, 3:35]", BLOCK),
    "ld_i8_apart": ("x[0:5, 3:35]", APART),
    "zero_i8_block": ("", BLOCK),
    "ld_acc_i32": ("w[0:5, 2:13]", SUM),
    "add_acc_i32": ("w[0:5, 3:14]", SUM),
    "ld_acc_i32_vector": ("w[1, 0:11]", SUM),
    "ld_acc_i8": ("x[0:5, 2:13]", SUM),
    "add_acc_i8": ("x[0:5, 5:16]", SUM),
    "zero_acc_i32": ("", SUM),
}
"""For each load what it takes and where it goes."""
RESULTS = {
    TILE: "st_i8_configured(5, 11, S[0:5, 0:11], y[{k}, 0:5, 1:12])",
    BLOCK: "st_i8_block_configured(5, 2, B[0:2, 0:5, 0:16], y[{k}, 0:5, 0:32])",
    APART: "st_i8_configured(5, 16, T[1, 0:5, 0:16], y[{k}, 0:5, 1:17])",
    SUM: "st_acc_i32_configured(5, 11, X[0:5, 0:11], z[{k}, 0:5, 1:12])",
}


def all_loads(i: int) -> Proc:
    """Every load by one register, and after each a store of what is there then."""
    lines = []
    for k, (name, (source, target)) in enumerate(STEPS.items()):
        m = 2 if target in (BLOCK, APART) else 11
        given = ", ".join(filter(None, ("5", str(m), source, target)))
        lines += [f"    {name}_id{i}_configured({given})", f"    {RESULTS[target].format(k=k)}"]
    n, body = len(STEPS), "\n".join(lines)
    return inlined(program(f"""
def loads{i}(scale: f32, x: i8[5, 40], w: i32[5, 40], y: i8[{n}, 5, 33], z: i32[{n}, 5, 13]):
    S: i8[16, 16] @ GEMM_SCRATCH
    B: i8[2, 16, 16] @ GEMM_SCRATCH
    T: i8[2, 8, 16] @ GEMM_SCRATCH
    X: i32[16, 16] @ GEMM_ACCUM
{body}
"""))


def all_stores() -> Proc:
    """The stores from the accumulator that round, and what has no result of its own."""
    return inlined(program("""
def stores(act: bool, w: i32[5, 32], y: i8[5, 40]):
    X: i32[2, 16, 16] @ GEMM_ACCUM
    ld_acc_i32_id0_configured(5, 16, w[0:5, 0:16], X[0, 0:5, 0:16])
    ld_acc_i32_id0_configured(5, 16, w[0:5, 16:32], X[1, 0:5, 0:16])
    st_acc_i8_block_configured(5, 2, 0.5, act, X[0:2, 0:5, 0:16], y[0:5, 0:32])
    st_acc_i8_configured(5, 7, 0.25, act, X[1, 0:5, 0:7], y[0:5, 33:40])
    gemmini_fence()
    gemmini_flush()
"""))


def test_every_instruction_does_on_the_model_what_its_body_says() -> None:
    """Each one is called; other sizes, and numbers at which roundings differ, have tests of their own above."""
    products = [inlined(product_program(name, 5, 16, 7)) for name in sorted(PRODUCTS)]
    compared = check_instructions(GEMMINI_MACHINE, [*map(all_loads, range(3)), *products, all_stores()], run=simulate)
    assert set(compared) == {"loads0", "loads1", "loads2", "foo", "stores"}


# -- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, message",
    [
        ("do_ld_i8_id0(17, 16, x[0:17, 0:16], S[0:17, 0:16])", "n <= 16"),
        ("do_ld_i8_id0(16, 15, x[0:16, 0:15], S[0:16, 1:16])", "ConfigLd0.scaled == False"),
        ("config_ld0(160, True, 16)\n    do_ld_acc_i32_id0(4, 4, w[0:4, 0:4], X[0:4, 0:4])", "shrunk == False"),
        ("config_ld0(41, False, 16)\n    do_ld_i8_id0(4, 4, x[0:4, 0:4], S[0:4, 0:4])", "stride == stride(src, 0)"),
        ("config_ld1(40, False, 16)\n    do_ld_i8_id0(4, 4, x[0:4, 0:4], S[0:4, 0:4])", "ConfigLd0.scaled == False"),
        ("config_ld0(40, False, 32)\n    do_ld_i8_id0(4, 4, x[0:4, 0:4], S[0:4, 0:4])", "ConfigLd0.block == 16"),
        ("config_ld0(40, False, 0)", "block >= 1"),
        (
            "config_ld0(40, False, 16)\n    do_ld_i8_apart_id0(4, 2, x[0:4, 0:32], T[0:2, 0:4, 0:16])",
            "ConfigLd0.block == stride(dst, 0) / 16",
        ),
        ("do_matmul_i8(4, 4, 4, S[0:4, 0:4], S[4:8, 0:4], X[0:4, 0:4])", "ConfigEx.weight_stationary == True"),
        ("do_st_acc_i32(4, 4, X[0:4, 0:4], w[0:4, 0:4])", "ConfigSt.stride == 4 * stride(dst, 0)"),
    ],
)
def test_what_the_hardware_does_not_do_is_no_call(call: str, message: str) -> None:
    text = f"""
def foo(x: i8[20, 40], w: i32[20, 40]):
    S: i8[32, 16] @ GEMM_SCRATCH
    T: i8[2, 8, 16] @ GEMM_SCRATCH
    X: i32[32, 16] @ GEMM_ACCUM
    {call}
"""
    with pytest.raises(CheckError, match="assert") as e:
        program(text)
    assert message in str(e.value)


def test_replace_asks_for_the_limits_too() -> None:
    p = program("""
        def foo(x: i8[17, 16]):
            S: i8[17, 16] @ GEMM_SCRATCH
            for i in seq(0, 17):
                for j in seq(0, 16):
                    S[i, j] = x[i, j]
    """)
    with pytest.raises(SchedulingError, match="n <= 16"):
        direct.replace(p, "for i in _: _", operations.load("ld_i8").plain)


@pytest.mark.parametrize(
    "lines, verb",
    [
        ("ConfigLd0.scaled = False", "set"),
        ("if ConfigLd0.shrunk == True:\n        x[0, 0] = 0.0", "read"),
        ("x[0, 0] = ConfigSt.scale", "read"),
    ],
)
def test_registers_are_the_hardware_s(lines: str, verb: str) -> None:
    """A plain write would satisfy what instructions assert, and change nothing in the accelerator."""
    p = program(f"""
def foo(x: f32[1, 1]):
    config_ld0(16, False, 16)
    config_st(16, False, 1.0)
    {lines}
""")
    with pytest.raises(MemoryAccessError, match=f"register of the hardware, so it can be {verb} by instructions only"):
        compile([p])


LOAD = "ld_i8_id0_configured(16, 16, x[0:16, 0:16], {0}[0, 0:16, 0:16])"


def test_capacity_counts_what_is_alive_together() -> None:
    def two(first: int, second: int) -> Proc:
        return inlined(program(f"""
            def foo(x: i8[16, 16]):
                S: i8[{first}, 16, 16] @ GEMM_SCRATCH
                {LOAD.format("S")}
                for i in seq(0, 2):
                    T: i8[{second}, 16, 16] @ GEMM_SCRATCH
                    {LOAD.format("T")}
                for i in seq(0, 2):
                    U: i8[{second}, 16, 16] @ GEMM_SCRATCH
                    {LOAD.format("U")}
        """))

    text = compile([two(1000, 24)]).source
    assert "const uint32_t S = 0x0u;" in text and text.count(f"= {16000:#x}u;") == 2
    with pytest.raises(AllocationError, match="T takes 400 rows of GEMM_SCRATCH, and 384 of 16384 are free"):
        compile([two(1000, 25)])


def test_callees_begin_above_their_callers() -> None:
    inner = inlined(program(f"""
        def inner(x: i8[16, 16]):
            S: i8[2, 16, 16] @ GEMM_SCRATCH
            {LOAD.format("S")}
    """))
    outer = inlined(program(f"""
        def outer(x: i8[16, 16]):
            inner(x)
            T: i8[3, 16, 16] @ GEMM_SCRATCH
            {LOAD.format("T")}
            inner(x)
    """, inner=inner))
    text = compile([outer]).source
    assert "const uint32_t S = 0x30u;" in text and "const uint32_t T = 0x0u;" in text
    assert text.count("exo_gemmini_fence();") == 2


@pytest.mark.parametrize(
    "declaration, message",
    [
        ("S: i8[16, 8] @ GEMM_SCRATCH", "innermost extent in GEMM_SCRATCH must be 16, a row; it is 8"),
        ("S: i32[16, 16] @ GEMM_SCRATCH", "GEMM_SCRATCH holds i8, not i32"),
        ("S: i8[16, 16] @ GEMM_ACCUM", "GEMM_ACCUM holds i32, not i8"),
        ("S: i32 @ GEMM_ACCUM", "that of a single value"),
        ("S: i8[n, 16] @ GEMM_SCRATCH", "constant extents"),
        ("S: i32[1025, 16] @ GEMM_ACCUM", "1025 rows of GEMM_ACCUM, and 1024 of 1024"),
    ],
)
def test_buffers_that_cannot_be(declaration: str, message: str) -> None:
    with pytest.raises(AllocationError) as e:
        compile([program(f"def foo(n: size):\n    {declaration}\n    pass")])
    assert message in str(e.value)


def test_only_instructions_touch_local_memory() -> None:
    with pytest.raises(MemoryAccessError, match="instructions only"):
        compile([program("def foo():\n    S: i8[1, 16] @ GEMM_SCRATCH\n    S[0, 0] = 0.0")])


def test_windows_begin_at_column_0() -> None:
    p = inlined(program("""
        def foo(x: i8[16, 8]):
            S: i8[16, 16] @ GEMM_SCRATCH
            ld_i8_id0_configured(16, 8, x[0:16, 0:8], S[0:16, 8:16])
    """))
    with pytest.raises(InstructionError, match="from column 0 on"):
        compile([p])


def test_threads_cannot_share_the_accelerator() -> None:
    p = program("""
        def foo(x: i8[4, 16, 16]):
            for i in par(0, 4):
                S: i8[16, 16] @ GEMM_SCRATCH
                pass
    """)
    with pytest.raises(MemoryAccessError, match="threads of a parallel loop would share GEMM_SCRATCH"):
        compile([p])


def test_the_model_sees_what_object_code_cannot_say() -> None:
    """ReLU with a negative scale, which the hardware applies in another order; loads of what was just stored."""
    p = inlined(program("""
        def foo(scale: f32, x: i32[16, 16], y: i8[16, 16]):
            X: i32[16, 16] @ GEMM_ACCUM
            ld_acc_i32_id0_configured(16, 16, x[0:16, 0:16], X[0:16, 0:16])
            st_acc_i8_configured(16, 16, scale, True, X[0:16, 0:16], y[0:16, 0:16])
    """))
    x, y = np.zeros((16, 16), np.int32), np.zeros((16, 16), np.int8)
    simulate(p)(1.0, x, y)
    with pytest.raises(GemminiFault, match="ReLU with a negative scale"):
        simulate(p)(-1.0, x, y)


LOAD_Y = "ld_i8_id1_configured(16, 16, y[0:16, 0:16], S[0:16, 0:16])"
LOAD_X = "ld_i8_id0_configured(16, 16, x[0:16, 0:16], S[0:16, 0:16])"
STORE_Y = "st_i8_configured(16, 16, S[0:16, 0:16], y[0:16, 0:16])"
LOAD_Y_BESIDE = "ld_i8_id1_configured(16, 16, y[0:16, 0:16], U[0:16, 0:16])"
BESIDE = {
    "a store to what another load may read": (LOAD_Y_BESIDE, STORE_Y, "this writes y"),
    "a load of what was stored": (STORE_Y, LOAD_Y, "this reads y"),
    "the processor reads what was stored": (STORE_Y, "x[0, 0] = y[0, 0]", "the processor reads y"),
    "a condition on what was stored": (STORE_Y, "if y[0, 0] < 1.0:\n        z = 0.0", "the processor reads y"),
    "the processor overwrites what was stored": (STORE_Y, "y[0, 0] = 0.0", "the processor writes y"),
    "the processor overwrites what is loaded": (LOAD_X, "x[0, 0] = 0.0", "the processor writes x"),
    "through a window": (STORE_Y, "w = y[0, 0:16]\n    w[0] += 1.0", "the processor writes y"),
    "a callee reads what was stored": (STORE_Y, "look(y, z)", "the processor reads y"),
}


@pytest.mark.parametrize("what", sorted(BESIDE))
def test_who_meets_the_accelerator_at_work_must_wait(what: str) -> None:
    first, then, message = BESIDE[what]
    look = program("def look(y: i8[16, 16], z: i8):\n    z = y[0, 0]")

    def between(line: str) -> Proc:
        text = "def foo(x: i8[16, 16], y: i8[16, 16], z: i8):\n    S: i8[16, 16] @ GEMM_SCRATCH\n"
        text += f"    U: i8[16, 16] @ GEMM_SCRATCH\n    {LOAD_X}\n    "
        return inlined(program(f"{text}{first}\n    {line}\n    {then}", look=look))

    with pytest.raises(MemoryAccessError) as e:
        compile([between("pass")])
    assert message in str(e.value) and "exo_gemmini_fence();" in str(e.value)
    assert compile([between("gemmini_fence()")]).source.count("exo_gemmini_fence();") == 2


def test_a_loop_meets_its_own_stores() -> None:
    def loop(last: str) -> Proc:
        return inlined(program(f"""
            def foo(x: i8[16, 16]):
                S: i8[16, 16] @ GEMM_SCRATCH
                for i in seq(0, 4):
                    ld_i8_id0_configured(16, 16, x[0:16, 0:16], S[0:16, 0:16])
                    st_i8_configured(16, 16, S[0:16, 0:16], x[0:16, 0:16])
                    {last}
        """))

    with pytest.raises(MemoryAccessError, match="this reads x"):
        compile([loop("pass")])
    assert simulate(loop("gemmini_fence()"))(np.zeros((16, 16), np.int8)).fence == 5


def test_a_store_waits_for_the_load_of_what_it_stores_and_for_no_other() -> None:
    def loads(rows: str, stored: str) -> Proc:
        return inlined(program(f"""
            def foo(x: i8[16, 16]):
                S: i8[64, 16] @ GEMM_SCRATCH
                for i in seq(0, 4):
                    ld_i8_id0_configured(16, 16, x[0:16, 0:16], S[{rows}, 0:16])
                st_i8_configured(16, 16, S[{stored}, 0:16], x[0:16, 0:16])
        """))

    for rows, stored in (("16 * i:16 * i + 16", "0:16"), ("0:16", "16:32")):
        with pytest.raises(MemoryAccessError, match="this writes x"):
            compile([loads(rows, stored)])
    assert compile([loads("0:16", "0:16")])


def test_host_buffers_outlive_the_instructions_on_them() -> None:
    text = compile([inlined(program("""
        def foo(x: i8[16, 16]):
            S: i8[16, 16] @ GEMM_SCRATCH
            for i in seq(0, 4):
                t: i8[16, 16]
                for r in seq(0, 16):
                    for c in seq(0, 16):
                        t[r, c] = 1.0
                ld_i8_id0_configured(16, 16, t[0:16, 0:16], S[0:16, 0:16])
            st_i8_configured(16, 16, S[0:16, 0:16], x[0:16, 0:16])
    """))]).source
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("exo_free(t);") - 1] == "exo_gemmini_fence();" and lines[-2] == "exo_gemmini_fence();"


@pytest.mark.parametrize("make", [operations.load, operations.product, operations.store])
def test_an_instruction_that_there_is_not(make: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match=r"has no [a-z]+ 'nope'; there are [a-z]+_"):
        make("nope")
