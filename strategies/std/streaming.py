"""Stores that pass the caches."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from toolz import unique

from exo_strat import (
    CallCursor,
    Cursor,
    Proc,
    Script,
    fail,
    focus,
    inline,
    moves,
    nav,
    on,
    replace,
    strategy,
    try_else,
)

from ..inspect import statements, symbols_read, symbols_written
from .instructions import by_shape, memories, shape


@strategy
def stream_stores(p: Proc, c: Cursor, streams: Sequence[Proc]) -> Script:
    """`store(y[..], v)  ~>  stream(y[..], v)`, for buffers that the procedure writes and never reads.

    `streams` are instructions that do what the store does, and pass the caches: `machine.get_streams("f32")`. That
    pays if so much is written that it would not stay in a cache, or another core reads it. Elements that are read, too,
    come to a cache anyway. At and below the focus; fails if there is no such store; without `streams`, nothing
    changes. Returns the focus, or the procedure if that is gone.

    >>> from exo_strat import proc_from_source, schedule
    >>> source = '''
    ... @instr("{text}")
    ... def {name}(dst: [f32][8], src: [f32][8]):
    ...     for i in seq(0, 8):
    ...         dst[i] = src[i]
    ... '''
    >>> store = proc_from_source(source.format(name="store", text="*(V *)&{dst_data} = *(V *)&{src_data};"))
    >>> stream = proc_from_source(source.format(name="stream", text="exo_stream(&{dst_data}, &{src_data});"))
    >>> p = proc_from_source('''
    ... def foo(n: size, x: f32[n, 8], y: f32[n, 8]):
    ...     for i in seq(0, n):
    ...         store(y[i, 0:8], x[i, 0:8])
    ... ''', {"store": store})
    >>> print(schedule(stream_stores((stream,)), p))
    def foo(n: size, x: f32[n, 8] @ DRAM, y: f32[n, 8] @ DRAM):
        for i in seq(0, n):
            stream(y[i, 0:8], x[i, 0:8])
    """
    known = {key: found for _, table in by_shape(tuple(streams)) for key, found in table.items()}
    calls = [s for s in statements(c) if isinstance(s, CallCursor)]
    stores = [(s, known[key]) for s, key in zip(calls, map(_shape, calls), strict=True) if key in known]
    read = symbols_read(p.root())
    both = [sym for s, _ in stores for sym in symbols_written(s) if sym in read]
    chosen = [(s, found) for s, found in stores if not any(sym in both for sym in symbols_written(s))]
    if streams and not chosen:
        what = ", ".join(unique(map(str, both)))
        yield fail(f"what is stored is read, too: {what}" if both else "there are no vector stores here")
    for s, found in chosen:
        yield on(s, inline(), try_else(*map(replace, found)))
    yield try_else(focus(c), nav(moves.root))
    return None


def _shape(s: CallCursor) -> Hashable:
    """What a call does."""
    callee = s.subproc().tree
    return shape(callee.body, memories(callee))
