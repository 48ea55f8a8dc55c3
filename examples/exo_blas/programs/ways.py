"""The ways of level 1: programs that call the loop of a routine on pieces of vectors.

A loop is scheduled for elements that are neighbours, for one thread. What else there is are calls of it. A long vector
is taken in parts, which threads share, after the elements before its first whole vector. One with increment 0 is one
element, which is taken again and again. Of complex numbers whose real and imaginary parts have nothing to do with each
other, both are vectors of reals. `scheduled` puts loops as they are scheduled in the place of the naive ones.
"""

from __future__ import annotations

from collections.abc import Callable

from exo_strat import (
    CallCursor,
    ForCursor,
    Proc,
    ProcCursor,
    Script,
    Tensor,
    call_eqv,
    identity,
    inline,
    on,
    proc_from_source,
    reorder_loops,
    strategy,
    unroll_loop,
)

PARTS, UNIT = 32, 64
"""Parts of a long vector, and elements of which each is a multiple, so that all begin where the vector does beside a
line. They are the same for any number of threads, and so are sums."""

RESULT = "r"
"""What a sum is written to."""

SCAL, ASUM = map(proc_from_source, (
    "def scal(n: size, alpha: f32, x: [f32][n]):\n    for i in seq(0, n): x[i] = alpha * x[i]",
    "def asum(n: size, x: [f32][n], r: f32):\n    r = 0.0\n    for i in seq(0, n): r += abs(x[i])",
))  # fmt: skip
"""An update and a sum, for examples."""


def vectors(program: Proc) -> tuple[str, ...]:
    """The vectors of a program."""
    return tuple(a.name() for a in program.args() if isinstance(a.type(), Tensor))


def call(program: Proc, n: str, window: Callable[[str], str], result: str = RESULT) -> str:
    """A call of a program on windows of n elements of its vectors.

    >>> call(SCAL, "8", "{}[0:8]".format)
    'scal(8, alpha, x[0:8])'
    """
    given = {"n": n, RESULT: result} | {v: window(v) for v in vectors(program)}
    return f"{program.name()}({', '.join(given.get(a.name(), a.name()) for a in program.args())})"


def declared(program: Proc, extents: Callable[[str], str]) -> str:
    """The data arguments of a program, with its vectors as windows of these extents."""
    kinds = [(a.name(), a.type()) for a in program.args()[1:]]
    found = [f"[{k.base}][{extents(v)}]" if isinstance(k, Tensor) else str(k) for v, k in kinds]
    return ", ".join(f"{v}: {text}" for (v, _), text in zip(kinds, found, strict=True))


def near(program: Proc) -> str:
    """That the elements of its vectors are neighbours."""
    return "; ".join(f"assert stride({v}, 0) == 1" for v in vectors(program))


def made(text: str, *called: Proc) -> Proc:
    """The procedure of a text that calls others."""
    return proc_from_source(text, {p.name(): p for p in called})


def called(program: Proc) -> list[str]:
    """The names of the procedures that one calls."""
    return [c.subproc().name() for c in program.find_all("_(_)") if isinstance(c, CallCursor)]


def apart(name: str, program: Proc, reals: int = 1) -> Proc:
    """What an update does to vectors of any increments. One that is written may have increment 0: x has nx elements, n
    or one. Of complex numbers, both parts are vectors.

    >>> print(apart("apart", SCAL))
    def apart(n: size, nx: size, alpha: f32 @ DRAM, x: [f32][nx] @ DRAM):
        if nx == n:
            scal(n, alpha, x[0:n])
        else:
            for i in seq(0, n):
                scal(1, alpha, x[min(i, nx - 1):min(i, nx - 1) + 1])
    >>> print(apart("parts", SCAL, 2))
    def parts(n: size, nx: size, alpha: f32 @ DRAM, x: [f32][nx, 2] @ DRAM):
        assert stride(x, 1) == 1
        if nx == n:
            for k in seq(0, 2):
                scal(n, alpha, x[0:n, k])
        else:
            for i in seq(0, n):
                for k in seq(0, 2):
                    scal(1, alpha, x[min(i, nx - 1):min(i, nx - 1) + 1, k])
    """
    added = [v for v in vectors(program) if program.find_all(f"{v}[_] += _")]
    written = [v for v in vectors(program) if v in added or program.find_all(f"{v}[_] = _")]
    alone = len(written) < len(vectors(program))  # beside one that is only read
    part, parts = (", k", "for k in seq(0, 2): ") if reals == 2 else ("", "")

    def one(v: str) -> str:
        at = "i" if v not in written else "0" if alone else f"min(i, n{v} - 1)"
        return f"{v}[{at}:{at} + 1{part}]"

    def extents(v: str) -> str:
        return (f"n{v}" if v in written else "n") + ", 2" * (reals == 2)

    strides = "; ".join(f"assert stride({v}, 1) == 1" for v in vectors(program)) if reals == 2 else ""

    return made(f"""
def {name}(n: size, {", ".join(f"n{v}: size" for v in written)}, {declared(program, extents)}):
    {strides}
    if {" and ".join(f"n{v} == n" for v in written)}:
        {parts}{call(program, "n", lambda v: f"{v}[0:n{part}]")}
    else:
        for i in seq({"0" if added or not alone else "n - 1"}, n):
            {parts}{call(program, "1", one)}
""", program)  # fmt: skip


def both_parts(name: str, program: Proc) -> Proc:
    """The sum of what a program gives of real parts and of imaginary ones.

    >>> print(both_parts("parts", ASUM))
    def parts(n: size, x: [f32][n, 2] @ DRAM, r: f32 @ DRAM):
        assert stride(x, 1) == 1
        s: f32 @ DRAM
        asum(n, x[0:n, 0], s)
        asum(n, x[0:n, 1], r)
        r += s
    """
    return made(f"""
def {name}(n: size, {declared(program, lambda _: "n, 2")}):
    {"; ".join(f"assert stride({v}, 1) == 1" for v in vectors(program))}
    s: {program.args()[-1].type()}
    {call(program, "n", "{}[0:n, 0]".format, "s")}
    {call(program, "n", "{}[0:n, 1]".format)}
    r += s
""", program)  # fmt: skip


def shared(program: Proc, n: str, start: str = "", part: str = RESULT, rest: str = RESULT) -> str:
    """Statements that call a program on parts of n elements from the start on, which threads share, and on the rest."""
    size, whole = f"{n} / {PARTS * UNIT} * {UNIT}", f"{n} / {PARTS * UNIT} * {PARTS * UNIT}"
    return f"""
        for p in par(0, {PARTS}):
            {call(program, size, lambda v: f"{v}[{start}{size} * p:{start}{size} * (p + 1)]", part)}
        if 0 < {n} % {PARTS * UNIT}:
            {call(program, f"{n} % {PARTS * UNIT}", lambda v: f"{v}[{start}{whole}:{start}{n}]", rest)}"""


def long_update(name: str, program: Proc, first: Proc) -> Proc:
    """What an update does to long vectors: what `first` does to the elements `before`, then the rest, in parts if there
    are as many elements as threads share.

    >>> for line in str(long_update("long", SCAL, SCAL)).splitlines():
    ...     print(line[:96])
    def long(n: size, before: index, shared: size, alpha: f32 @ DRAM, x: [f32][n] @ DRAM):
        assert stride(x, 0) == 1
        assert 0 <= before and before < n and shared >= 2048
        if 0 < before:
            scal(before, alpha, x[0:before])
        if n - before < shared:
            scal(n - before, alpha, x[before:n])
        else:
            for p in par(0, 32):
                scal((n - before) / 2048 * 64, alpha, x[before + (n - before) / 2048 * 64 * p:before
            if 0 < (n - before) % 2048:
                scal((n - before) % 2048, alpha, x[before + (n - before) / 2048 * 2048:before + (n -
    """
    return made(f"""
def {name}(n: size, before: index, shared: size, {declared(program, lambda _: "n")}):
    {near(program)}
    assert 0 <= before and before < n and shared >= {PARTS * UNIT}
    if 0 < before:
        {call(first, "before", "{}[0:before]".format)}
    if n - before < shared:
        {call(program, "n - before", "{}[before:n]".format)}
    else:{shared(program, "(n - before)", "before + ")}
""", program, first)  # fmt: skip


def long_sum(name: str, program: Proc) -> Proc:
    """The sum of parts' sums, which are added in their order.

    >>> print(long_sum("long", ASUM))
    def long(n: size, x: [f32][n] @ DRAM, r: f32 @ DRAM):
        assert stride(x, 0) == 1
        assert n >= 2048
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
def {name}(n: size, {declared(program, lambda _: "n")}):
    {near(program)}
    assert n >= {PARTS * UNIT}
    sums: {program.args()[-1].type()}[{PARTS + 1}] @ DRAM_STACK
    sums[{PARTS}] = 0.0
    if {PARTS * UNIT} <= n:{shared(program, "n", part="sums[p]", rest=f"sums[{PARTS}]")}
    r = 0.0
    for p in seq(0, {PARTS + 1}):
        r += sums[p]
""", program)  # fmt: skip


@strategy
def pairwise(p: Proc, c: ProcCursor) -> Script:
    """`for k in (0, 2): f(.. k ..)  ~>  for i: s[k -> 0]; s[k -> 1]`, where f is `for i: s`. Focus: the procedure."""
    loop = p.find_loop("k")
    assert isinstance(loop, ForCursor)
    p, _ = yield on(loop.body()[0], inline())
    yield on(loop, reorder_loops())
    yield on(loop, unroll_loop())
    return None


@strategy
def scheduled(p: Proc, c: ProcCursor, versions: tuple[tuple[str, Proc], ...]) -> Script:
    """`f(..)  ~>  g(..)`, for all calls, with the versions of procedures by name; of those that are to be parts of it,
    `~>  s`, what they do: gcc knows of vectors that are apart in one function, not in three. Focus: the procedure."""
    found = dict(versions)
    for s in p.find_all("_(_)"):
        if isinstance(s, CallCursor):
            name = s.subproc().name()
            first, second = (s.args()[i].text() for i in (0, 1))
            is_loop = name.endswith("_strided") and name[0] not in "cz" and first != "1"
            is_part = is_loop or name.endswith(("_at", "rotm_apart")) or (name.endswith("_from") and second == "0")
            yield on(s, call_eqv(found[name]), inline() if is_part else identity)
    return None
