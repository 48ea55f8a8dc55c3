"""Room for deep programs.

Trees are walked by recursive functions, a few Python frames a level. A sum of 900 terms is 900 levels deep, a chain of
1200 calls has 1200 trees inside each other: Python's recursion limit ends both. A function `with_room` that met the
limit is run again on a thread of its own, whose stack has room for `FRAMES` frames. So it must be pure, but for memos:
what its first run had begun is lost. Programs of ordinary depth pay nothing.

While such a thread runs, the recursion limit of the process is higher; it is put back when the last one ends.
"""

from __future__ import annotations

import sys
import threading
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

FRAMES: Final = 100_000
"""How deep functions may call each other on a thread with room."""
STACK: Final = 256 << 20
"""The bytes of such a thread's stack. A frame takes less than a KiB of it; what is not used is not there."""


class TooDeep(RecursionError):
    """What even a thread with room has none for."""


_rooms: Final[set[int]] = set()  # the threads with room
_usual: Final[list[int]] = []  # the recursion limit as it was before there were any
_lock: Final = allocate_lock()


def with_room(f: Callable[P, T]) -> Callable[P, T]:
    """`f`, run again with room for deep recursion if there was too little. Raises `TooDeep` if there still is.

    >>> @with_room
    ... def height(x):
    ...     return 1 + height(x[0]) if x else 0
    >>> deep = ()
    >>> for _ in range(5000):
    ...     deep = (deep,)
    >>> height(deep)
    5000
    """

    @wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return f(*args, **kwargs)
        except RecursionError as e:
            error = e
        return run_again(error, f, *args, **kwargs)

    return run


def run_again(error: RecursionError, f: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """The value of a pure function that ended with `error`, from a thread with room."""
    _take_frames(20)
    if isinstance(error, TooDeep):
        raise error
    if get_ident() in _rooms:
        raise TooDeep(f"the program, or the Op, is nested too deeply: {FRAMES} calls are under way") from None
    outcome: list[Any] = []
    done = allocate_lock()
    done.acquire()
    with _lock:
        size = threading.stack_size(STACK)
        try:
            start_new_thread(_work, (done, outcome, copy_context().run, f, args, kwargs))
        finally:
            threading.stack_size(size)
    done.acquire()
    value: T = outcome[0]
    if outcome[1] is not None:
        raise outcome[1] from None
    return value


def _take_frames(n: int) -> None:
    """Raises `RecursionError` where there are fewer frames left, so that nothing ends half-way with a lock held."""
    if n:
        _take_frames(n - 1)


def _work(done: Any, outcome: list[Any], run: Any, f: Callable[..., Any], args: Any, kwargs: Any) -> None:
    me = get_ident()
    with _lock:
        if not _rooms:
            _usual.append(sys.getrecursionlimit())
            sys.setrecursionlimit(max(FRAMES, _usual[0]))
        _rooms.add(me)
    try:
        outcome += [run(f, *args, **kwargs), None]
    except BaseException as e:  # whatever it is, it is raised where the function was called
        outcome += [None, e]
    with _lock:
        _rooms.remove(me)
        if not _rooms:
            sys.setrecursionlimit(_usual.pop())
    done.release()
