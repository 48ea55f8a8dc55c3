"""Stores that pass the caches: what becomes one, and what does not."""

from __future__ import annotations

import pytest

from backends.targets import PLAIN_C, avx2
from exo_strat import Machine, Op, Proc, at, proc_from_source, schedule
from strategies.halide import H_split, H_stream
from strategies.std import stream_stores, vectorize_for

STREAMS = avx2.get_streams("f32")


def program(text: str) -> Proc:
    return proc_from_source(f"def foo(n: size, x: f32[n], y: f32[n], z: f32[n]):\n    for i in seq(0, n):\n{text}")


def vectors(text: str) -> Proc:
    """A loop as AVX2 code, its last iterations masked."""
    return schedule(at("for i in _: _", vectorize_for(avx2, "f32")), program(text))


def failure(op: Op, p: Proc) -> str:
    return op(p).failure().reason()


def test_what_is_only_written_passes_the_caches() -> None:
    p = vectors("        y[i] = x[i] + z[i]\n        z[i] = x[i]")
    text = str(schedule(stream_stores(STREAMS), p))
    assert "mm256_stream_ps(y[8 * io" in text and "mm256_storeu_ps(z[8 * io" in text


def test_the_precision_chooses_the_instruction() -> None:
    both = (*avx2.get_streams("f64"), *STREAMS)
    assert "mm256_stream_ps(y" in str(schedule(stream_stores(both), vectors("        y[i] = x[i]")))


def test_masked_stores_stay() -> None:
    text = str(schedule(stream_stores(STREAMS), vectors("        y[i] = x[i]")))
    assert text.count("mm256_stream_ps") == 1 and text.count("mm256_mask_storeu_ps") == 1


def test_what_is_read_stays_in_the_caches() -> None:
    assert failure(stream_stores(STREAMS), vectors("        y[i] = 2.0 * y[i]")) == "what is stored is read, too: y"


def test_there_must_be_a_store() -> None:
    assert failure(stream_stores(STREAMS), program("        y[i] = x[i]")) == "there are no vector stores here"


def test_a_stage_that_is_read_again_stays() -> None:
    p = proc_from_source("""
    def foo(W: size, x: f32[W], a: f32[W], b: f32[W]):
        for i in seq(0, W):
            a[i] = x[i]
        for i in seq(0, W):
            b[i] = a[i]
    """)
    assert failure(H_stream("a", "i", avx2), p) == "a is read again, so it had better stay in the caches"
    assert "mm256_stream_ps(b[" in str(schedule(H_stream("b", "i", avx2), p))


def test_a_machine_without_such_stores_is_refused() -> None:
    machine: Machine = PLAIN_C
    assert failure(H_stream("y", "i", machine), program("        y[i] = x[i]")) == (
        "c has no stores of f32 that pass the caches"
    )


def test_stores_to_several_places_are_of_whole_cache_lines() -> None:
    two = schedule(H_stream("y", "i", avx2), program("        y[i] = x[i]\n        z[i] = 2.0 * x[i]"))
    stores = [line.split("(")[1].split(",")[0] for line in str(two).splitlines() if "mm256_stream_ps" in line]
    pair = [f"{name}[{first}" for name in "yz" for first in ("16 * ioo:16 * ioo + 8]", "16 * ioo + 8:16 * ioo + 16]")]
    assert stores[:4] == pair
    one = schedule(H_stream("y", "i", avx2), program("        y[i] = x[i]"))
    assert str(one).count("mm256_stream_ps") == 1


def test_loops_with_branches_are_left_to_the_compiler() -> None:
    p = schedule(H_split("y", "i", "i", "ii", 32) >> H_stream("y", "ii", avx2), program("        y[i] = x[i]"))
    assert "for ii in vec(0, 32):" in str(p) and "stream" not in str(p)


def test_iterations_must_be_independent() -> None:
    p = program("        y[0] = x[i]")
    assert "mm256_stream_ps" not in str(H_stream("y", "i", avx2)(p).value_or(p))


@pytest.mark.parametrize("n", (5, 8, 21, 43))
def test_the_meaning_stays(n: int) -> None:
    from exo_strat.interp import run
    from exo_strat.interp.values import blank

    p = program("        y[i] = x[i] + 1.0\n        z[i] = x[i] * 2.0")
    given = {"n": n} | {name: blank((n,))._replace(cells=list(range(n))) for name in "xyz"}
    streamed = schedule(H_stream("y", "i", avx2, 8), p)
    assert run(streamed, given).outputs == run(p, given).outputs
