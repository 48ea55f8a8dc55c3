"""Statements as instructions of a target that has configuration registers.

An operation is a pair of procedures. The first asks for no configuration and is matched with code. The second is
derived from it: it sets registers, then calls the instruction, which asks for what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import (
    BlockCursor,
    CallCursor,
    Control,
    Cursor,
    ForCursor,
    NodeCursor,
    Proc,
    Script,
    StmtCursor,
    WriteConfigCursor,
    attempt,
    bind_config,
    call_eqv,
    children,
    delete_config,
    fail,
    focus,
    guard_first,
    inline,
    mentions,
    moves,
    nav,
    nodes,
    on,
    replace,
    seq,
    strategy,
    try_else,
    write_config,
)

from ..inspect import enclosing_loops, loops_inside, statements
from ..std import hoist

Pair = tuple[Proc, Proc]


@strategy
def replace_and_inline(p: Proc, c: StmtCursor | BlockCursor, plain: Proc, configured: Proc) -> Script:
    """`s  ~>  plain(..)  ~>  configured(..)  ~>  config(..); instr(..)`.

    Focus: a statement or block that does what `plain` does. Returns the block that `configured` is. Paper: appendix B.

    >>> from exo_strat import at, direct, proc_from_source, schedule
    >>> plain = proc_from_source('''
    ... def zero(x: [f32][4]):
    ...     for i in seq(0, 4):
    ...         x[i] = 0.0
    ... ''')
    >>> p = proc_from_source('''
    ... def foo(n: size, y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         for j in seq(0, 4):
    ...             y[i, j] = 0.0
    ... ''')
    >>> turned = direct.rename(plain, "zero_by_unit")
    >>> print(schedule(at("for j in _: _", replace_and_inline(plain, turned)), p))
    def foo(n: size, y: f32[n, 4] @ DRAM):
        for i in seq(0, n):
            for i_1 in seq(0, 4):
                y[i, i_1] = 0.0
    """
    p, c = yield seq(replace(plain), call_eqv(configured), inline())
    return c


@strategy
def map_to(p: Proc, c: StmtCursor, plain: Proc, configured: Proc) -> Script:
    """`replace_and_inline` of the outermost loop around a statement that does what `plain` does; the configuration is
    then hoisted.

    Focus: the statement. Returns the call that sets the configuration. Fails if there is no such loop.

    >>> from backends.gemmini import operations
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def load(x: i8[16, 16]):
    ...     S: i8[16, 16] @ GEMM_SCRATCH
    ...     for i in seq(0, 16):
    ...         for j in seq(0, 16):
    ...             S[i, j] = x[i, j]
    ... ''', ENV)
    >>> load = operations.load("ld_i8", 0)
    >>> print(schedule(at("S[_] = _", map_to(load.plain, load.configured)), p))
    def load(x: i8[16, 16] @ DRAM):
        config_ld0(stride(x, 0), False, 16)
        S: i8[16, 16] @ GEMM_SCRATCH
        do_ld_i8_id0(16, 16, x[0:16, 0:16], S[0:16, 0:16])
    """
    loops = enclosing_loops(c)
    if not loops:
        yield fail("no loop is around this")
    p, block = yield try_else(*(on(loop, replace_and_inline(plain, configured)) for loop in loops))
    p, c = yield on(block[0], hoist())
    return c


@strategy
def configure(p: Proc, c: StmtCursor, setting: Proc, *values: str) -> Script:
    """`s  ~>  config(..); s`: a config instruction in front of code that does not ask for what it sets.

    `values` are those of the fields, in the order in which `setting` writes them, as object code. After it,
    instructions can be used that need them (`map_again`). Focus: a statement, which stays.

    Fails if there are not as many values as fields.

    >>> from backends.gemmini import INSTRUCTIONS
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def load(x: i8[16, 16]):
    ...     S: i8[16, 16] @ GEMM_SCRATCH
    ...     for i in seq(0, 16):
    ...         for j in seq(0, 16):
    ...             S[i, j] = x[i, j]
    ... ''', ENV)
    >>> setting = configure(INSTRUCTIONS["config_ld1"], "16", "False", "False", "16")
    >>> print(schedule(at("for i in _: _", setting), p))
    def load(x: i8[16, 16] @ DRAM):
        S: i8[16, 16] @ GEMM_SCRATCH
        config_ld1(16, False, 16)
        for i in seq(0, 16):
            for j in seq(0, 16):
                S[i, j] = x[i, j]
    """
    writes = [s for s in setting.body() if isinstance(s, WriteConfigCursor)]
    if len(writes) != len(values):
        yield fail(f"{setting.name()} sets {len(writes)} fields, not {len(values)}")
    for s, value in zip(writes, values, strict=True):
        yield on(c.before(), write_config(s.config(), s.field(), value))
    yield on(c, nav(moves.expand(len(writes), -1)), replace(setting))
    yield focus(c)
    return c


@strategy
def read_registers(p: Proc, c: StmtCursor, setting: Proc, *values: str) -> Script:
    """`config(x); s[x]  ~>  config(x); s[Cfg.f]`: where a register holds an argument, code reads it there.

    As instructions do, whose meaning depends on data in a register. `values` are those that `configure` gave to
    `setting` in front of s; those that are names of data or conditions count. Focus: s, which stays.

    Fails if the register does not hold the value.

    >>> from backends.gemmini import INSTRUCTIONS
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def fill(act: bool, scale: f32, x: f32[4]):
    ...     for i in seq(0, 4):
    ...         x[i] = scale
    ... ''', ENV)
    >>> setting, values = INSTRUCTIONS["config_st"], ("0", "act", "scale")
    >>> once = at("for i in _: _", configure(setting, *values))
    >>> print(schedule(once >> at("for i in _: _", read_registers(setting, *values)), p))
    def fill(act: bool, scale: f32 @ DRAM, x: f32[4] @ DRAM):
        config_st(0, act, scale)
        for i in seq(0, 4):
            x[i] = ConfigSt.scale
    """
    writes = [s for s in setting.body() if isinstance(s, WriteConfigCursor)]
    for s, value in zip(writes, values, strict=True):
        for e in reads(c, value) if s.config().fields[s.field()] != Control("index") else ():
            # the write that this adds repeats the one in front
            yield on(e, bind_config(s.config(), s.field()), delete_config())
    yield focus(c)
    return c


def reads(c: StmtCursor, name: str) -> list[NodeCursor]:
    """The expressions below a cursor that are the value of this variable."""
    return [x for x in c.descendants() if isinstance(x.node, nodes.Read | nodes.Var) and x.node.sym.name == name]


@strategy
def map_every(p: Proc, c: Cursor, instruction: Proc) -> Script:
    """Every nest of loops that does what an instruction does becomes its call, where its register holds what it asks
    for already.

    Of nests at and below the focus, those that are as deep as the instruction's. Returns the procedure. Fails if there
    is none, for the reason that the last one is refused.

    >>> from backends.gemmini import INSTRUCTIONS
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def load(x: i8[16, 16]):
    ...     S: i8[16, 16] @ GEMM_SCRATCH
    ...     for i in seq(0, 16):
    ...         for j in seq(0, 16):
    ...             S[i, j] = x[i, j]
    ... ''', ENV)
    >>> setting = configure(INSTRUCTIONS["config_ld1"], "16", "False", "False", "16")
    >>> print(schedule(at("for i in _: _", setting) >> map_every(INSTRUCTIONS["do_ld_i8_id1"]), p))
    def load(x: i8[16, 16] @ DRAM):
        S: i8[16, 16] @ GEMM_SCRATCH
        config_ld1(16, False, 16)
        do_ld_i8_id1(16, 16, x[0:16, 0:16], S[0:16, 0:16])
    """
    depth = max(height(s) for s in instruction.tree.body)
    loops = [x for x in (c, *loops_inside(c)) if isinstance(x, ForCursor) and height(x.node) == depth]
    start = p
    for loop in loops:
        p, _ = yield attempt(on(loop, replace(instruction)))
    if p is start:
        yield on(loops[-1], replace(instruction)) if loops else fail(f"no nest of {depth} loops is here")
    p, root = yield nav(moves.root)
    return root


def height(node: nodes.Node) -> int:
    """How many loops are in each other here."""
    return max((height(child) for _, child in children(node)), default=0) + isinstance(node, nodes.For)


@strategy
def map_again(p: Proc, c: StmtCursor, instruction: Proc) -> Script:
    """The outermost loop around a statement that does what an instruction does becomes its call, where its register
    holds what it asks for already.

    Focus: the statement. Returns the call. Fails if there is no such loop.

    >>> from backends.gemmini import INSTRUCTIONS
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def load(x: i8[16, 16]):
    ...     S: i8[16, 16] @ GEMM_SCRATCH
    ...     for i in seq(0, 16):
    ...         for j in seq(0, 16):
    ...             S[i, j] = x[i, j]
    ... ''', ENV)
    >>> setting = configure(INSTRUCTIONS["config_ld1"], "16", "False", "False", "16")
    >>> load = at("S[_] = _", map_again(INSTRUCTIONS["do_ld_i8_id1"]))
    >>> print(schedule(at("for i in _: _", setting) >> load, p))
    def load(x: i8[16, 16] @ DRAM):
        S: i8[16, 16] @ GEMM_SCRATCH
        config_ld1(16, False, 16)
        do_ld_i8_id1(16, 16, x[0:16, 0:16], S[0:16, 0:16])
    """
    loops = enclosing_loops(c)
    if not loops:
        yield fail("no loop is around this")
    p, c = yield try_else(*(on(loop, replace(instruction)) for loop in loops))
    return c


@strategy
def map_all(p: Proc, c: Cursor, operations: Sequence[Pair]) -> Script:
    """`replace_and_inline` with each operation in turn, wherever a statement does what it does.

    Once an operation is mapped, its configuration is hoisted; so put last what shares a register with another one.
    Of operations that do the same by different registers, the first is taken: choose by place, with `map_to`.
    At and below the focus, what is outside before what is inside. Never fails. Returns the procedure.

    >>> from backends.gemmini import operations
    >>> from backends.gemmini.build import ENV
    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def load(x: i8[16, 16]):
    ...     S: i8[16, 16] @ GEMM_SCRATCH
    ...     for i in seq(0, 16):
    ...         for j in seq(0, 16):
    ...             S[i, j] = x[i, j]
    ... ''', ENV)
    >>> load = operations.load("ld_i8", 0)
    >>> print(schedule(map_all([(load.plain, load.configured)]), p))
    def load(x: i8[16, 16] @ DRAM):
        config_ld0(stride(x, 0), False, 16)
        S: i8[16, 16] @ GEMM_SCRATCH
        do_ld_i8_id0(16, 16, x[0:16, 0:16], S[0:16, 0:16])
    """
    for plain, configured in operations:
        calls: list[StmtCursor] = []
        for s in statements(c):
            if p.forward(s).is_valid:
                start = p
                p, block = yield attempt(on(s, replace_and_inline(plain, configured)))
                if p is not start:
                    calls.append(block[0])
        for call in calls:
            p, _ = yield on(call, hoist())
        c = p.root()
    p, root = yield nav(moves.root)
    return root


def is_config_call(c: Cursor) -> bool:
    """Whether a statement is a call that does nothing but set config fields.

    >>> from backends.gemmini import INSTRUCTIONS
    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source("def foo(): config_ld1(16, False, 16)", {"config_ld1": INSTRUCTIONS["config_ld1"]})
    >>> is_config_call(p.body()[0])
    True
    """
    return isinstance(c, CallCursor) and all(isinstance(s.node, nodes.WriteConfig) for s in c.subproc().body())


@strategy
def hoist_configs(p: Proc, c: Cursor) -> Script:
    """`for i: config(..); instr(..)  ~>  config(..); for i: instr(..)`: every config call as far up and out as it goes.

    Never fails. Returns the procedure. Paper: Figure 5.

    >>> from exo_strat import config, index, proc_from_source, schedule
    >>> from pyrsistent import pmap
    >>> from exo_strat import Config, Control
    >>> env = {"Unit": Config("Unit", pmap({"step": Control("index")}))}
    >>> env["set_step"] = proc_from_source('''
    ... @instr("set_step({n});")
    ... def set_step(n: index):
    ...     Unit.step = n
    ... ''', env)
    >>> env["zero"] = proc_from_source('''
    ... @instr("zero({x_data});")
    ... def zero(x: [f32][4]):
    ...     assert Unit.step == 1
    ...     for i in seq(0, 4):
    ...         x[i] = 0.0
    ... ''', env)
    >>> p = proc_from_source('''
    ... def foo(n: size, y: f32[n, 4]):
    ...     for i in seq(0, n):
    ...         set_step(1)
    ...         zero(y[i, 0:4])
    ... ''', env)
    >>> print(schedule(hoist_configs(), p))
    def foo(n: size, y: f32[n, 4] @ DRAM):
        set_step(1)
        for i in seq(0, n):
            zero(y[i, 0:4])
    """
    for s in [s for s in statements(c) if is_config_call(s)]:
        yield on(s, hoist())
    p, root = yield nav(moves.root)
    return root


@strategy
def load_once(p: Proc, c: StmtCursor) -> Script:
    """`for i: for j: s[j]  ~>  for i: for j: if i == 0: s[j]`, for every loop around on which s does not depend.

    So a tile that stays in local memory is loaded in the first iteration only. A loop is passed over if s must run
    again in it. Focus: s, which is returned. Never fails.

    >>> from exo_strat import at, proc_from_source, schedule
    >>> p = proc_from_source('''
    ... def foo(m: size, n: size, x: f32[n], y: f32[m, n]):
    ...     t: f32[n]
    ...     for i in seq(0, m):
    ...         for j in seq(0, n):
    ...             t[j] = x[j]
    ...             y[i, j] = t[j]
    ... ''')
    >>> print(schedule(at("t[_] = _", load_once()), p))
    def foo(m: size, n: size, x: f32[n] @ DRAM, y: f32[m, n] @ DRAM):
        t: f32[n] @ DRAM
        for i in seq(0, m):
            for j in seq(0, n):
                if i == 0:
                    t[j] = x[j]
                y[i, j] = t[j]
    """
    used = mentions(c.node)
    for loop in reversed(enclosing_loops(c)):
        if loop.sym not in used:
            yield on(c, attempt(guard_first(loop)))
    yield focus(c)
    return c
