"""What surrounds compiled code: processes that are forked. Faults and stacks are in `test_jit_faults.py`."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from backends import jit
from exo_strat import Proc

Code = Callable[..., Proc]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems don't fork safely")
def test_a_parallel_loop_runs_in_a_process_forked_after_it_ran(code: Code) -> None:
    f = jit(
        code("""
    def double(n: size, x: f32[n], y: f32[n]):
        for i in par(0, n):
            y[i] = 2.0 * x[i]
    """)
    )

    def call() -> None:
        y = np.zeros(9, np.float32)
        f(9, np.ones(9, np.float32), y)
        assert (y == 2).all()

    def calls() -> None:
        call()
        inside = threading.Thread(target=call)  # has its own number of threads
        inside.start()
        inside.join()

    calls()
    child = multiprocessing.get_context("fork").Process(target=calls)
    child.start()
    child.join(30)
    ended = child.exitcode
    child.kill()
    assert ended == 0
