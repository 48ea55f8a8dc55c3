"""Programs that are long, or nested deeply."""

from __future__ import annotations

import sys
import time


def test_sums_of_hundreds_of_terms_take_seconds(roundtrip) -> None:
    begun = time.process_time()
    for kind in ("double", "int"):
        terms = " + ".join(f"x[{k}]" for k in range(300))
        roundtrip(f"void f({kind} *x) {{ x[0] = {terms}; }}", "f", limit=1000)
    assert time.process_time() - begun < 60


def test_what_is_deeper_than_the_recursion_limit_is_taken_all_the_same(tmp_path) -> None:
    from importers.c import from_c

    depth = sys.getrecursionlimit() // 4
    file = tmp_path / "deep.c"
    file.write_text(f"void f(double *x) {{ x[1] = {'(' * depth}x[0]{' + 1)' * depth}; }}")
    assert from_c(file).count("+ 1.0") == depth
