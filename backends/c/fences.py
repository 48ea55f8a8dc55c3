"""Instructions whose writes other threads may see late, and where that must end.

Such an instruction has a `c_fence`. A processor sees its own writes in order, so only a place where threads meet needs
the fence: the end of a function, the end of an iteration of a parallel loop, the start of such a loop, and a buffer's
release, as another thread may be given the same memory. So each piece of code that one thread runs (a function, or the
body of a parallel loop, without parallel loops in it and what it calls) fences what it wrote itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..kernel import Call, For, If, Node, Path, ProcDef, Stmt, declarators, get


def fences(stmts: Iterable[Stmt]) -> tuple[str, ...]:
    """What the instructions ask for that the thread of some statements runs itself, in the order of the text."""
    return tuple(dict.fromkeys(_asked(stmts)))


def _asked(stmts: Iterable[Stmt]) -> Iterator[str]:
    for s in stmts:
        match s:
            case Call(f=f) if f.tree.instr is not None and f.tree.instr.c_fence:
                yield f.tree.instr.c_fence
            case For(body=body, mode=mode) if mode != "par":
                yield from _asked(body)
            case If(body=body, orelse=orelse):
                yield from _asked(body)
                yield from _asked(orelse)
            case _:
                pass


def ends_thread(tree: ProcDef, path: Path) -> bool:
    """Whether the block below a path is all that a thread does: a procedure's, or a parallel loop's."""
    return not path or _is_parallel(get(tree, path))


def earlier(tree: ProcDef, path: Path) -> Iterator[Stmt]:
    """What the thread that runs a statement may have run before it."""
    threads = (n for n in reversed(range(len(path))) if _is_parallel(get(tree, path[:n])))
    first = next(threads, 0)
    for n in range(first, len(path)):
        node, (label, i) = get(tree, path[:n]), path[n]
        if n > first and isinstance(node, For):
            yield from node.body  # all of it, in an earlier iteration
            return
        yield from getattr(node, label)[:i]


def starts_threads(s: Stmt) -> bool:
    """Whether other threads begin to work in a statement: a parallel loop, or the call of a procedure with one."""
    seen: set[int] = set()
    stack: list[Node] = [s]
    while stack:
        n = stack.pop()
        if _is_parallel(n):
            return True
        if isinstance(n, Call) and n.f.tree.instr is None and id(n.f.tree) not in seen:
            seen.add(id(n.f.tree))
            stack += [m for m in declarators(n.f.tree) if isinstance(m, For | Call)]
    return False


def _is_parallel(n: Node) -> bool:
    return isinstance(n, For) and n.mode == "par"
