"""The kernels: how long their schedules take, and what the model counts. Run as `python -m examples.gemmini`."""

from __future__ import annotations

from . import appendix_b, convolution, matmul
from .kernels import Case, measure

CASES: tuple[Case, ...] = (*appendix_b.CASES, *matmul.CASES, *convolution.CASES)

COLUMNS = "{:<34}{:>6}{:>9}{:>8}{:>13}{:>8}{:>8}{:>8}{:>9}{:>8}{:>10}{:>10}{:>10}{:>7}  {}"
TITLES = (
    *("kernel", "lines", "rewrites", "seconds", "instructions", "naive", "config", "loads", "products", "stores"),
    *("bytes in", "least", "bytes out", "use", "equal"),
)


def main() -> None:
    """A row for each case."""
    for case in CASES[:1]:
        measure(case)  # the target's own derivations are no part of a schedule's time
    print(COLUMNS.format(*TITLES))
    for case in CASES:
        m = measure(case)
        c = m.counts
        sizes = (case.lines, m.rewrites, f"{m.seconds:.2f}", c.instructions, case.naive_instructions)
        kinds = (c.configs, c.loads, c.compute, c.mvout, c.bytes_in, case.least_in, c.bytes_out)
        print(COLUMNS.format(case.name, *sizes, *kinds, f"{c.utilisation:.0%}", "yes" if m.equal else "NO"))
    print("naive: computed, as if each product of tiles loads its operands, each tile of sums is stored by itself")
    print("least: each byte of the inputs once; use: of the array, by the model's uncalibrated estimate of cycles")


if __name__ == "__main__":
    main()
