"""Which way a product goes that isn't small, and in which blocks: decided by sizes, strides and numbers of the machine.

`rows` are those of all threads, and m those of one: what is decided doesn't depend on how many share a product. `ta`
and `tb` are a and b turned: a caller hands both over either way, as object code turns no window. At least a cache line
has `line` elements. The kernels for long rows have vectors of more bytes than `VECTOR`, if `longer` says so. Other
numbers are those of `choices.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from exo_strat import Machine, Op, Proc, ProcCursor, Scalar, Script, analysis, call_eqv, inline, on, schedule, strategy
from strategies.blas.calls import calls, reached
from strategies.blas.level3 import DEPTH, ROWS

from .kernel import Kernel
from .level1 import in_precision, written
from .skinny import LANES
from .storage import NEAR

PAGE = 4096
"""Bytes of a page, within which a processor reads ahead."""
ALL = "alpha, a[0:m, 0:k], b[0:k, 0:n], beta, c[0:m, 0:n]"
TURNED = "alpha, ta[0:k, 0:m], tb[0:n, 0:k], beta, c[0:m, 0:n]"
"""What each way is handed over of the matrices."""


# In which blocks a b that is read where it is stays near, of a product of so many `rows` and `columns`. Of one that
# isn't near yet, few rows are taken at a time: a tile goes down them, and the processor reads ahead in that many only.
# Seven rows are four and three: after six, a sum would have to wait. Few rows of c are taken at a time if it is scaled,
# so that it is passed over `once`.

IN_BLOCKS = """
def T{way}_passed(
    {sizes}: size, rows: size, columns: size, deep: size, once: bool, line: size, cached: index, passed: size,
    alpha: R, {matrices}, beta: R, c: [R][m, n]
):
    assert stride({b}, 1) == 1 and stride(c, 1) == 1
    assert cached >= 0
    passes = (rows + ROWS - 1) / ROWS
    even = (rows + passes - 1) / passes
    wide = (cached / (BYTES * deep) / passed + 1) * passed
    if rows <= ROWS:
        T{way}({given}, deep, columns, rows, {all})
    elif even < ROWS:
        T{way}({given}, deep, wide, even, {all})
    elif once:
        T{way}({given}, deep, wide, min(rows, line), {all})
    else:
        T{way}({given}, deep, wide, rows, {all})

def T{way}_in_blocks(
    {sizes}: size, rows: size, columns: size, once: bool, line: size, longer: bool, near: index, shallow: size,
    ahead: size, ahead_narrow: size, cached: index, passed: size, alpha: R, {matrices}, beta: R, c: [R][m, n]
):
    assert stride({b}, 1) == 1 and stride(c, 1) == 1
    assert cached >= 0
    small = columns * k <= SMALL
    if small and (rows == ROWS + 1 or rows == ROWS + 2):
        T{way}({given}, k, columns, ROWS / 2 + 1, {all})
    elif small and once:
        T{way}({given}, k, columns, min(rows, line), {all})
    elif small:
        T{way}({given}, k, columns, rows, {all})
    elif BYTES * columns * k <= near:
        T{way}_passed({given}, rows, columns, k, once, line, cached, passed, {all})
    elif BYTES * stride({b}, 0) > PAGE:
        T{way}_passed({given}, rows, columns, min(k, shallow), once, line, cached, passed, {all})
    elif longer and BYTES * columns <= 4 * VECTOR and BYTES * (columns - 1) % (2 * VECTOR) < VECTOR:
        T{way}_passed({given}, rows, columns, min(k, ahead_narrow), once, line, cached, passed, {all})
    else:
        T{way}_passed({given}, rows, columns, min(k, ahead), once, line, cached, passed, {all})
"""


# The transposed product has n rows, and as columns at most so many rows of c that its blocks stay near.

WAYS = """
def Tproduct_large(
    m: size, n: size, k: size, rows: size, line: size, longer: bool, near: index, shallow: size, ahead: size,
    ahead_narrow: size, cached: index, passed: size, slim: index, dots: index, dots_turned: index, large: index,
    few_products: index, few_bytes: index, few_rows: index, few_rows_short: index, reach: index, far: index,
    many_columns: index, alpha: R, a: [R][m, k], ta: [R][k, m], b: [R][k, n], tb: [R][n, k], beta: R, c: [R][m, n]
):
    assert stride(a, 0) == 1 or stride(a, 1) == 1
    assert stride(b, 0) == 1 or stride(b, 1) == 1
    assert stride(c, 1) == 1
    assert cached >= 0
    small = n * k <= SMALL
    slender = rows <= slim and n <= slim
    if stride(b, 1) != 1 and k >= dots and stride(a, 1) == 1 and (rows <= slim or n <= slim):
        Tproduct_dots(m, n, k, SMALL / BYTES, n, rows, {all})
    elif stride(b, 1) != 1 and k >= dots and stride(a, 1) != 1 and rows <= dots_turned:
        Tproduct_dots(m, n, k, max(SMALL / rows / line * line, line), n, rows, {all})
    elif stride(b, 1) != 1 and not small and k <= shallow and BYTES * rows * n > large:
        passes = (rows + ROWS - 1) / ROWS
        even = (rows + passes - 1) / passes
        wide = max(cached / (BYTES * k), 1)
        if even < ROWS:
            Tproduct_long_rows(m, n, k, k, wide, even, {all})
        elif beta != 0.0 and beta != 1.0:
            Tproduct_long_rows(m, n, k, k, wide, min(rows, line), {all})
        else:
            Tproduct_long_rows(m, n, k, k, wide, rows, {all})
    elif (
        (k > few_products or beta == 0.0 and BYTES * n <= few_bytes)
        and stride(ta, 1) == 1 and stride(a, 1) != 1 and rows * k > SMALL and n <= slim and 4 * n <= rows
        and (stride(b, 1) == 1 or small or not slender)
    ):
        if k > DEPTH:
            Tproduct_transposed_in_blocks(
                m, n, k, rows, n, rows, False, line, longer, near, shallow, ahead, ahead_narrow, cached, passed,
                {turned}
            )
        else:
            most = max(SMALL / n / line * line, line)
            Tproduct_transposed_in_blocks(
                m, n, k, most, n, min(rows, most), False, line, longer, near, shallow, ahead, ahead_narrow, cached,
                passed, {turned}
            )
    elif stride(b, 1) != 1 and (small or slender):
        deep = max(SMALL / n, 1)
        if rows == ROWS + 1 or rows == ROWS + 2:
            Tproduct_turns(m, n, k, deep, n, ROWS / 2 + 1, {all})
        elif small and k <= shallow and beta != 0.0 and beta != 1.0:
            Tproduct_turns(m, n, k, deep, n, min(rows, line), {all})
        else:
            Tproduct_turns(m, n, k, deep, n, rows, {all})
    elif stride(b, 1) != 1 and BYTES * rows * k > far:
        Tproduct_across(m, n, k, k, max(slim, 1), rows, {all})
    elif stride(b, 1) != 1:
        Tproduct_across(m, n, k, k, max(many_columns, 1), rows, {all})
    elif (
        k <= shallow
        or BYTES * n * k > near and BYTES * stride(b, 0) > PAGE and rows <= few_rows
        or BYTES * n * k > near and BYTES * stride(b, 0) <= PAGE and rows <= few_rows_short
        or BYTES * n * k <= near and (k <= reach or rows <= line or small)
    ):
        Tproduct_near_in_blocks(
            m, n, k, rows, n, k <= shallow and beta != 0.0 and beta != 1.0, line, longer, near, shallow, ahead,
            ahead_narrow, cached, passed, {all}
        )
    elif BYTES * rows * k > far:
        Tproduct_packed(m, n, k, k, max(slim, 1), rows, {all})
    else:
        Tproduct_packed(m, n, k, k, max(many_columns, 1), rows, {all})
"""


def texts() -> str:
    """The programs, of which the last one is called by the wrapper."""
    near = IN_BLOCKS.format(
        way="product_near", sizes="m: size, n: size, k", given="m, n, k", matrices="a: [R][m, k], b: [R][k, n]", b="b",
        all=ALL,
    )  # fmt: skip
    transposed = IN_BLOCKS.format(
        way="product_transposed", sizes="m: size, n: size, k: size, most", given="m, n, k, most",
        matrices="ta: [R][k, m], tb: [R][n, k]", b="ta", all=TURNED,
    )  # fmt: skip
    return near + transposed + WAYS.format(all=ALL, turned=TURNED)


def chosen(precision: str, ways: Sequence[Kernel]) -> Kernel:
    """The kernel of products that go one of these ways, which it chooses."""
    size = analysis.size_of(Scalar(precision))
    numbers = {"BYTES": size, "VECTOR": size * LANES[precision], "PAGE": PAGE, "SMALL": NEAR.few}
    source = in_precision(texts(), precision)
    *_, made = written(source, {k.name: k for k in ways}, ROWS=ROWS, DEPTH=DEPTH, **numbers)
    names = {p.name() for p in reached(made.program)}
    return Kernel(made.name, precision, made.program, plan, tuple(k for k in ways if k.name in names), alike=True)


def plan(machine: Machine) -> Op:
    """What the choice is scheduled by."""
    return steps_inside()


@strategy
def steps_inside(p: Proc, c: ProcCursor) -> Script:
    """`f(..)  ~>  s`, where s is what f does, if it calls others itself; so, too, within s. Focus: the procedure.

    >>> from exo_strat import proc_from_source
    >>> zero = proc_from_source("def zero(x: f32): x = 0.0")
    >>> some = proc_from_source("def some(n: size, x: f32):\\n    if n < 8: zero(x)", {"zero": zero})
    >>> many = proc_from_source("def many(n: size, x: f32): some(2 * n, x)", {"some": some})
    >>> print(schedule(steps_inside(), many))
    def many(n: size, x: f32 @ DRAM):
        if 2 * n < 8:
            zero(x)
    """
    for call in calls(p):
        if calls(call.subproc()):
            yield on(call, call_eqv(schedule(steps_inside(), call.subproc())), inline())
    return None
