"""The ways of level 1: programs that call the loop of a routine on pieces of vectors.

A loop is scheduled for elements that are neighbours, for one thread. What else there is are calls of it. A long vector
is taken in parts, which threads share, after the elements before its first whole vector. One with increment 0 is one
element, which is taken again and again. Of complex numbers whose real and imaginary parts have nothing to do with each
other, both are vectors of reals. `scheduled` puts loops as they are scheduled in the place of the naive ones.
"""

from __future__ import annotations

from exo_strat import CallCursor, Proc, ProcCursor, Script, Tensor, call_eqv, on, proc_from_source, strategy

PARTS, UNIT = 32, 64
"""Parts of a long vector, and elements of which each is a multiple, so that all begin where the vector does beside a
line. They are the same for any number of threads, and so are sums."""

RESULT = "r"
"""What a sum is written to."""

ONE = "min(i, n{0} - 1):min(i, n{0} - 1) + 1"
"""An element in turn, of those that there are."""

SCAL, ASUM = map(proc_from_source, (
    "def scal(n: size, alpha: f32, x: [f32][n]):\n    for i in seq(0, n): x[i] = alpha * x[i]",
    "def asum(n: size, x: [f32][n], r: f32):\n    r = 0.0\n    for i in seq(0, n): r += abs(x[i])",
))  # fmt: skip
"""An update and a sum, for examples."""


def vectors(program: Proc) -> tuple[str, ...]:
    """The vectors of a program."""
    return tuple(a.name() for a in program.args() if isinstance(a.type(), Tensor))


def call(program: Proc, n: str, window: str, result: str = RESULT) -> str:
    """A call of a program on windows of n elements of its vectors, each for `{0}`.

    >>> call(SCAL, "8", "{0}[0:8]")
    'scal(8, alpha, x[0:8])'
    """
    given = {"n": n, RESULT: result} | {v: window.format(v) for v in vectors(program)}
    return f"{program.name()}({', '.join(given.get(a.name(), a.name()) for a in program.args())})"


def declared(program: Proc, extents: str) -> str:
    """The data arguments of a program, with its vectors as windows of these extents."""
    kinds = [(a.name(), a.type()) for a in program.args()[1:]]
    found = [f"[{k.base}][{extents.format(v)}]" if isinstance(k, Tensor) else str(k) for v, k in kinds]
    return ", ".join(f"{v}: {text}" for (v, _), text in zip(kinds, found, strict=True))


def sizes(program: Proc) -> str:
    """How many elements each vector has, as arguments."""
    return "".join(f", n{v}: size" for v in vectors(program))


def every_has_all(program: Proc) -> str:
    """That every vector has all elements."""
    return " and ".join(f"n{v} == n" for v in vectors(program))


def made(text: str, *called: Proc) -> Proc:
    """The procedure of a text that calls others."""
    return proc_from_source(text, {p.name(): p for p in called})


def apart(name: str, program: Proc) -> Proc:
    """What an update does to vectors of any increments, also 0: vector x has nx elements, n or one.

    >>> print(apart("apart", SCAL))
    def apart(n: size, nx: size, alpha: f32 @ DRAM, x: [f32][nx] @ DRAM):
        if nx == n:
            scal(n, alpha, x[0:n])
        else:
            for i in seq(0, n):
                scal(1, alpha, x[min(i, nx - 1):min(i, nx - 1) + 1])
    """
    every, one = (call(program, n, window) for n, window in (("n", "{0}[0:n]"), ("1", f"{{0}}[{ONE}]")))
    return made(f"""
def {name}(n: size{sizes(program)}, {declared(program, "n{0}")}):
    if {every_has_all(program)}:
        {every}
    else:
        for i in seq(0, n):
            {one}
""", program)  # fmt: skip


def apart_in_parts(name: str, program: Proc) -> Proc:
    """The same, of both parts of complex numbers.

    >>> print(apart_in_parts("parts", SCAL))
    def parts(n: size, nx: size, alpha: f32 @ DRAM, x: [f32][nx, 2] @ DRAM):
        for k in seq(0, 2):
            if nx == n:
                scal(n, alpha, x[0:n, k])
            else:
                for i in seq(0, n):
                    scal(1, alpha, x[min(i, nx - 1):min(i, nx - 1) + 1, k])
    """
    every, one = (call(program, n, window) for n, window in (("n", "{0}[0:n, k]"), ("1", f"{{0}}[{ONE}, k]")))
    return made(f"""
def {name}(n: size{sizes(program)}, {declared(program, "n{0}, 2")}):
    for k in seq(0, 2):
        if {every_has_all(program)}:
            {every}
        else:
            for i in seq(0, n):
                {one}
""", program)  # fmt: skip


def both_parts(name: str, program: Proc) -> Proc:
    """The sum of what a program gives of real parts and of imaginary ones.

    >>> print(both_parts("parts", ASUM))
    def parts(n: size, x: [f32][n, 2] @ DRAM, r: f32 @ DRAM):
        s: f32 @ DRAM
        asum(n, x[0:n, 0], s)
        asum(n, x[0:n, 1], r)
        r += s
    """
    return made(f"""
def {name}(n: size, {declared(program, "n, 2")}):
    s: {program.args()[-1].type()}
    {call(program, "n", "{0}[0:n, 0]", "s")}
    {call(program, "n", "{0}[0:n, 1]")}
    r += s
""", program)  # fmt: skip


def shared(program: Proc, n: str, start: str = "", part: str = RESULT, rest: str = RESULT) -> str:
    """Statements that call a program on parts of n elements from the start on, which threads share, and on the rest."""
    size, whole = f"{n} / {PARTS * UNIT} * {UNIT}", f"{n} / {PARTS * UNIT} * {PARTS * UNIT}"
    return f"""
        for p in par(0, {PARTS}):
            {call(program, size, f"{{0}}[{start}{size} * p:{start}{size} * (p + 1)]", part)}
        if 0 < {n} % {PARTS * UNIT}:
            {call(program, f"{n} % {PARTS * UNIT}", f"{{0}}[{start}{whole}:{start}{n}]", rest)}"""


def long_update(name: str, program: Proc, first: Proc) -> Proc:
    """What an update does to long vectors: what `first` does to the elements `before`, then the rest, in parts if there
    are as many elements as threads share.

    >>> print(long_update("long", SCAL, SCAL))
    def long(n: size, before: index, shared: size, alpha: f32 @ DRAM, x: [f32][n] @ DRAM):
        assert stride(x, 0) == 1
        assert 0 <= before and before < n and shared >= 2048
        if 0 < before:
            scal(before, alpha, x[0:before])
        if n - before < shared:
            scal(n - before, alpha, x[before:n])
        else:
            for p in par(0, 32):
                scal((n - before) / 2048 * 64, alpha, x[before + (n - before) / 2048 * 64 * p:before + (n - before) / 2048 * 64 * (p + 1)])
            if 0 < (n - before) % 2048:
                scal((n - before) % 2048, alpha, x[before + (n - before) / 2048 * 2048:before + (n - before)])
    """
    return made(f"""
def {name}(n: size, before: index, shared: size, {declared(program, "n")}):
    assert {" and ".join(f"stride({v}, 0) == 1" for v in vectors(program))}
    assert 0 <= before and before < n and shared >= {PARTS * UNIT}
    if 0 < before:
        {call(first, "before", "{0}[0:before]")}
    if n - before < shared:
        {call(program, "n - before", "{0}[before:n]")}
    else:{shared(program, "(n - before)", "before + ")}
""", program, first)  # fmt: skip


def long_sum(name: str, program: Proc) -> Proc:
    """The sum of parts' sums, which are added in their order.

    >>> print(long_sum("long", ASUM))
    def long(n: size, x: [f32][n] @ DRAM, r: f32 @ DRAM):
        assert stride(x, 0) == 1 and n >= 2048
        sums: f32[33] @ DRAM_STACK
        sums[32] = 0.0
        if 2048 <= n:
            for p in par(0, 32):
                asum(n / 2048 * 64, x[n / 2048 * 64 * p:n / 2048 * 64 * (p + 1)], sums[p])
            if 0 < n % 2048:
                asum(n % 2048, x[n / 2048 * 2048:n], sums[32])
        r = 0.0
        for p in seq(0, 33):
            r += sums[p]
    """
    return made(f"""
def {name}(n: size, {declared(program, "n")}):
    assert {" and ".join(f"stride({v}, 0) == 1" for v in vectors(program))} and n >= {PARTS * UNIT}
    sums: {program.args()[-1].type()}[{PARTS + 1}] @ DRAM_STACK
    sums[{PARTS}] = 0.0
    if {PARTS * UNIT} <= n:{shared(program, "n", part="sums[p]", rest=f"sums[{PARTS}]")}
    r = 0.0
    for p in seq(0, {PARTS + 1}):
        r += sums[p]
""", program)  # fmt: skip


@strategy
def scheduled(p: Proc, c: ProcCursor, versions: tuple[tuple[str, Proc], ...]) -> Script:
    """`f(..)  ~>  g(..)`, for all calls, with the versions of procedures by name. Focus: the procedure."""
    found = dict(versions)
    for s in p.find_all("_(_)"):
        if isinstance(s, CallCursor):
            yield on(s, call_eqv(found[s.subproc().name()]))
    return None
