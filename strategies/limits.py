"""What a processor can do at most, as programs to measure: multiply-adds on registers, and copies through memory."""

from __future__ import annotations

from exo_strat import Machine, Proc, proc_from_source

SPARE = 6
"""Registers that are no sum: the operands, and what the C compiler wants."""


def multiply_adds(machine: Machine, precision: str = "f32") -> tuple[Proc, int] | None:
    """A procedure of a number n, a factor x and an array out that does n rounds of fused multiply-adds on vector
    registers and little else, and how many operations a round is; None if the machine has no such instructions.

    >>> from backends.targets import avx2
    >>> p, operations = multiply_adds(avx2)
    >>> p.name(), operations == 2 * 10 * 8
    ('multiply_adds', True)
    """
    width, sums = machine.vec_width(precision), machine.registers - SPARE
    known = {i.name(): i for i in machine.get_instructions(precision)}
    ending = {"f32": "ps", "f64": "pd"}.get(precision, "")
    prefix = {8 * 32: "mm256", 8 * 64: "mm512"}.get(machine.vec_bits(precision), "")
    names = {n: f"{prefix}_{n}_{ending}" for n in ("fmadd", "loadu", "set1_value", "storeu")}
    if any(name not in known for name in names.values()):
        return None
    body = "\n        ".join(f"fmadd(a, b, c[{i}, 0:{width}])" for i in range(sums))
    # the sums start with different values, or the C compiler would run one for all
    source = f"""
def multiply_adds(n: size, x: {precision}, out: {precision}[{sums}, {width}]):
    a: {precision}[{width}] @ {machine.mem_type.name}
    b: {precision}[{width}] @ {machine.mem_type.name}
    c: {precision}[{sums}, {width}] @ {machine.mem_type.name}
    set1_value(a[0:{width}], x)
    set1_value(b[0:{width}], x)
    {"; ".join(f"loadu(c[{i}, 0:{width}], out[{i}, 0:{width}])" for i in range(sums))}
    for k in seq(0, n):
        {body}
    {"; ".join(f"storeu(out[{i}, 0:{width}], c[{i}, 0:{width}])" for i in range(sums))}
"""
    scope = {**{short: known[name] for short, name in names.items()}, machine.mem_type.name: machine.mem_type}
    return proc_from_source(source, scope), 2 * sums * width


def copying(precision: str = "f32") -> Proc:
    """A procedure of a number n and two arrays that copies the one to the other."""
    return proc_from_source(f"""
def copying(n: size, x: {precision}[n], y: {precision}[n]):
    for i in seq(0, n):
        y[i] = x[i]
""")
