"""What is printed goes through the front end, with all that C asked for beside it.

What must hold for the program to mean what C means (a dividend isn't negative, an unsigned difference doesn't wrap) is
printed in a second version, as calls of a procedure that asserts it; the front end proves these, or shows where it
fails. Where an access or such a need is only true for some sizes, an assertion is added, which the output states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exo_strat import CheckError, FrontendError, Proc, proc_from_source

from ..control import Poly, Symbol
from ..report import Problem
from .bounds import cases, highest, lowest, surely_least
from .context import Context
from .lookups import changing
from .pointers import dimensions
from .printing import Line, Printer
from .program import (
    Access,
    Allocate,
    Arithmetic,
    Branch,
    Chosen,
    Compare,
    Cond,
    Converted,
    Data,
    Extern,
    Invoke,
    Logic,
    Need,
    Negative,
    Not,
    Read,
    Stmt,
    Store,
    Window,
)
from .syntax import Variable

NEED = proc_from_source("def need(k: int):\n    assert k >= 0\n    pass\n")
ROUNDS = 40
"""How many assertions are tried before a function is given up."""


def verify(ctx: Context, env: Mapping[str, object]) -> Proc | None:
    """Check a translated procedure, adding assertions where they help; None after a problem."""
    tried: set[frozenset[Poly]] = set()
    for _ in range(ROUNDS):
        lines = Printer(ctx.procedure, probing=True).lines()
        error = _refusal(lines, env)
        if error is None:
            break
        if not _helped(ctx, lines, error, env, tried):
            ctx.report.add(_problem(ctx, lines, error))
            return None
    _drop_implied(ctx, env)
    text = "\n".join(x.text for x in Printer(ctx.procedure).lines())
    return proc_from_source(text, env)


def _drop_implied(ctx: Context, env: Mapping[str, object]) -> None:
    """Leave out assertions that others imply: `j <= n` beside `j <= n - 1`."""
    every = ctx.procedure.assertions
    kept: dict[Poly, str] = {}
    for p, why in every:
        strongest = min((q for q, _ in every if (p - q).constant is not None), key=lambda q: (q - p).constant or 0)
        kept.setdefault(strongest, why)
    if len(kept) < len(every):
        ctx.procedure.assertions = list(kept.items())
        if _refusal(Printer(ctx.procedure, probing=True).lines(), env) is not None:
            ctx.procedure.assertions = every


def _refusal(lines: list[Line], env: Mapping[str, object]) -> FrontendError | None:
    try:
        proc_from_source("\n".join(x.text for x in lines), {**env, "need": NEED})
    except FrontendError as e:
        return e
    return None


def _at(lines: list[Line], e: FrontendError) -> int:
    """The number of the line that is refused, from 0."""
    return e.place.line - 1 if e.place is not None and 0 < e.place.line <= len(lines) else 0


def _helped(
    ctx: Context, lines: list[Line], error: FrontendError, env: Mapping[str, object], tried: set[frozenset[Poly]]
) -> bool:
    """Whether an assertion was found after which the same line isn't refused for the same reason."""
    if not isinstance(error, CheckError):
        return False
    k = _at(lines, error)
    s = lines[k].of
    wanted = list(dict.fromkeys(_wanted(ctx, s)))
    for some in [*([p] for p in wanted), wanted]:
        if frozenset(some) in tried:
            continue
        tried.add(frozenset(some))
        ctx.procedure.assertions += [(p, _reason(s)) for p in some]
        again = Printer(ctx.procedure, probing=True).lines()
        later = _refusal(again, env)
        if later is None or _at(again, later) > k + len(some) or _reached(again, later, s) or _moved(error, later, s):
            return True
        del ctx.procedure.assertions[-len(some) :]
    return False


def _reached(lines: list[Line], e: FrontendError, s: Stmt | None) -> bool:
    """Whether the refusal is of another statement than s, and not of the assertions."""
    found = lines[_at(lines, e)].of
    return found is not None and found is not s


def _moved(before: FrontendError, after: FrontendError, s: Stmt | None) -> bool:
    """Whether something else is refused: in the head of the procedure, or another access or dimension."""
    outside = " may be out of bounds"
    if outside in before.message and outside in after.message:
        return before.message.split(";")[0] != after.message.split(";")[0]
    return s is None and before.message.split(" may be")[0] != after.message.split(" may be")[0]


def _reason(s: Stmt | None) -> str:
    if isinstance(s, Need):
        return "so that nothing wraps around or is cut"
    return "so that arrays have elements" if s is None else "so that all accesses are inside"


# -- assertions -----------------------------------------------------------------------------------------


def _wanted(ctx: Context, s: Stmt | None) -> Iterator[Poly]:
    """What might be assumed of the arguments so that a statement is accepted."""
    arguments = frozenset(a.symbol for a in ctx.procedure.args if a.symbol is not None)
    sizes = frozenset(a.symbol for a in ctx.procedure.args if a.symbol is not None and a.size)
    for p in _conditions(ctx, s):
        if p is None or not p.symbols() or not p.symbols() <= arguments:
            continue
        if not changing(p) and not surely_least(p, 0, sizes) and not _hopeless(p, sizes):
            yield p


def _hopeless(p: Poly, sizes: frozenset[Symbol]) -> bool:
    """Whether no sizes make it true: it would forbid all calls."""
    return surely_least(-p, 1, sizes)


def _conditions(ctx: Context, s: Stmt | None) -> Iterator[Poly | None]:
    if isinstance(s, Need):
        yield _over(s)
        return
    if s is None:
        yield from (e - 1 for a in ctx.procedure.args for e in a.shape)
    if isinstance(s, Allocate):
        yield from (e - 1 for e in s.shape)
    for a in _accesses(s):
        indices = ctx.procedure.indices.get(a, a.indices)
        for index, extent in zip(indices, _extents(ctx, a.var), strict=False):
            for high in (highest(c, a.frames, a.facts) for c in cases(index, True)):
                yield None if high is None else extent - high - 1
            yield from (lowest(c, a.frames, a.facts) for c in cases(index, False))


def _over(s: Need) -> Poly | None:
    """A need as a condition of arguments only."""
    return lowest(s.value, s.frames)


def _extents(ctx: Context, v: Variable) -> tuple[Poly, ...]:
    for a in ctx.procedure.args:
        if a.var is v:
            return a.shape
    return tuple(d for d in dimensions(ctx, v) if d is not None)


def _accesses(s: Stmt | None) -> Iterator[Access]:
    match s:
        case Store(target=target, value=value):
            if isinstance(target, Access):
                yield target
            yield from _read(value)
        case Branch(cond=cond):
            yield from _asked(cond)
        case Invoke(args=args):
            yield from (a.access for a in args if isinstance(a, Window))
        case _:
            return


def _asked(c: Cond) -> Iterator[Access]:
    match c:
        case Compare(lhs=a, rhs=b):
            for x in (a, b):
                if not isinstance(x, Poly):
                    yield from _read(x)
        case Logic(lhs=a, rhs=b):
            yield from _asked(a)
            yield from _asked(b)
        case Not(arg=arg):
            yield from _asked(arg)
        case _:
            return


def _read(e: Data) -> Iterator[Access]:
    match e:
        case Read(access=a):
            yield a
        case Negative(arg=arg) | Converted(arg=arg):
            yield from _read(arg)
        case Arithmetic(lhs=a, rhs=b):
            yield from _read(a)
            yield from _read(b)
        case Extern(args=args):
            for x in args:
                yield from _read(x)
        case Chosen(cond=cond, yes=yes, no=no):
            yield from _asked(cond)
            yield from _read(yes)
            yield from _read(no)
        case _:
            return


# -- what is reported -----------------------------------------------------------------------------------


def _problem(ctx: Context, lines: list[Line], e: FrontendError) -> Problem:
    line = lines[_at(lines, e)]
    if isinstance(line.of, Need):
        numbers = e.message.partition("for example ")[2]
        example = f"; not so for {numbers}" if numbers else ""
        return Problem(line.of.place, "a value that may be out of range", f"{line.of.why}{example}", line.of.remedy)
    place = line.of.place if line.of is not None else ctx.function.place
    remedy = f"it reads as `{line.text.strip()}`"
    if "may be out of bounds" in e.message:
        remedy += "; test what is missing with an if, or declare the array larger"
    elif "as indices" in e.message:
        remedy += "; write another array, or pass a copy"
    return Problem(place, "the object language refuses this", e.message.splitlines()[0], remedy)
