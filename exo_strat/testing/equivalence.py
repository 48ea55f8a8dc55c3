"""Whether two procedures compute the same, and whether a rewrite is well-behaved.

A rewrite keeps the meaning if on every input that the original admits, and on which it does not trap,
the new procedure does not trap and leaves equal arguments and config fields, in whatever order parallel
loops run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

from .. import interp
from ..cursors.cursor import BlockCursor, Cursor, ExprCursor, GapCursor, StmtCursor
from ..cursors.kinds import AssignCursor, PassCursor, ReduceCursor
from ..cursors.proc import Proc
from ..frontend.checks import check
from ..frontend.decorators import proc_from_source, reparse_env
from ..frontend.errors import CheckError, FrontendError
from ..interp import Outcome, Value
from ..ir.memo import memo_by_identity
from ..ir.names import Sym
from ..ir.nodes import Call, For, ProcDef, ReadConfig
from ..ir.printing import names_at
from ..ir.walk import binders, declarators, rename, walk, with_child
from ..logic.questions import races
from .bounded import is_bounded, is_mixed, run_bounded
from .inputs import Inputs, config_fields, samples
from .roundings import is_of_several_precisions, roundings
from .signatures import Step, back, forth, signature_steps
from .sparse import more_needed, sparsest

ORDERS = (None, 1, 2)
"""The seeds with which procedures with parallel loops are run."""


class Miscompiled(AssertionError):
    """A rewrite that changes what a procedure computes, with an input that shows it."""


class Malformed(AssertionError):
    """A rewrite whose result breaks a law that all results obey."""


def assert_equivalent(
    p: Proc, q: Proc, given: Inputs | Iterable[Inputs] | None = None, how: object = None, narrower: bool = False
) -> int:
    """Asserts that `q` computes what `p` does on the given inputs, or on some samples.

    Inputs on which `p` traps, or gives different results in different orders of its parallel loops, have no
    meaning and are passed over; returns how many had one. `how` is shown in the message as what made `q` of `p`.
    With `narrower`, `q` may admit fewer inputs (dense arguments only, say): only those that it admits count.

    If `q` was made from `p` by rewrites that change its arguments, the inputs are `q`'s; if by some that may leave
    other values in some config fields, these are not compared. Half of the samples leave out each element that `p`
    does not need, but for arguments of which `q` may read more (see `sparse`); what `p` leaves unwritten is not
    compared.

    Of integers, what is computed must also fit its precision, if in `p` all does; see `bounded`. Results must be
    rounded at the same floating-point precisions; see `roundings`.

    Raises `Miscompiled` (an `AssertionError`) with both procedures, the input and what differs.

    >>> from exo_strat import proc_from_source
    >>> p = proc_from_source('''
    ... def foo(x: f32[2]):
    ...     x[0] = 1.0
    ...     x[1] = x[0]
    ... ''')
    >>> from exo_strat.direct import commute_expr
    >>> assert_equivalent(p, p) > 0
    True
    """
    steps = signature_steps(p, q)
    meaningful = 0
    for values, meant in _cases(p, q, steps, given):
        if narrower and not interp.admits(q, values.args, values.configs):
            continue
        meaningful += 1
        difference = _differs(p, q, meant, values, forth(steps, meant.left))
        if difference:
            raise Miscompiled(_about(p, q, f"with {values}\n{difference}", how))
    return meaningful


@dataclass(frozen=True)
class _Meant:
    """Inputs on which a procedure has a meaning, and what it leaves there."""

    tree: ProcDef
    inputs: Inputs
    left: Outcome

    @cached_property
    def fits(self) -> bool:
        """Whether all its integers fit."""
        return run_bounded(self.tree, self.inputs, strict=True).trap is None

    @cached_property
    def rounded(self) -> Callable[[tuple[ReadConfig, ...]], Outcome]:
        """The precisions at which what it leaves was rounded, for the config fields that are looked at."""
        return cache(partial(roundings, self.tree, self.inputs))


def _cases(
    p: Proc, q: Proc, steps: tuple[Step, ...], given: Inputs | Iterable[Inputs] | None
) -> Iterator[tuple[Inputs, _Meant]]:
    """Inputs of `q`, with what they mean for `p`."""
    if given is None and not steps:
        yield from ((m.inputs, m) for m in _sampled(p.tree, more_needed(p, q)))
        return
    for k, values in enumerate(samples(q) if given is None else [given] if isinstance(given, Inputs) else given):
        if given is None and k % 2:
            values = sparsest(p.tree, values, more_needed(p, q), partial(back, steps)) or values
        meant = _meant(p.tree, back(steps, values))
        if meant is not None:
            yield values, meant


@memo_by_identity
def _sampled(tree: ProcDef, whole: frozenset[str]) -> Sequence[_Meant]:
    """What a procedure means on its samples: of many rewrites of one, each is compared with this. The arguments `whole`
    stay so."""
    values = [sparsest(tree, v, whole) or v if k % 2 else v for k, v in enumerate(samples(tree))]
    return [m for m in (_meant(tree, v) for v in values) if m is not None]


def _meant(tree: ProcDef, values: Inputs) -> _Meant | None:
    """What a procedure leaves, if it may be called so, ends, and does not depend on the order of parallel loops."""
    if not interp.admits(tree, values.args, values.configs):
        return None
    left: Outcome | None = None
    for outcome in _runs(tree, values):
        if outcome.trap is not None or (left is not None and outcome != left):
            return None
        left = outcome
    return None if left is None else _Meant(tree, values, left)


def _differs(p: Proc, q: Proc, meant: _Meant, values: Inputs, want: Outcome) -> str:
    """What of runs of `q` differs from what `p` leaves; an empty text if nothing does."""
    loose = _loose(p, q)
    for got in _runs(q.tree, values):
        difference = _difference(want, got, loose)
        if difference:
            return difference
    difference = _reduced(p, q, meant, values, want, loose)
    if difference:
        return f"as its integers overflow: {difference}"
    difference = _at_others(p, q, meant, values, loose)
    return difference and f"where these are the precisions at which values are rounded: {difference}"


def _reduced(p: Proc, q: Proc, meant: _Meant, values: Inputs, want: Outcome, loose: frozenset[str]) -> str:
    """What differs if integers have only the bits that they are declared with, though in `p` all fit. Nothing if
    another precision was chosen since, or a backend would refuse one of the two."""
    if not (is_bounded(p.tree) or is_bounded(q.tree)) or q.origin is not p.origin or is_mixed(p.tree):
        return ""
    if is_mixed(q.tree) or not meant.fits:
        return ""
    return _difference(want, run_bounded(q.tree, values, strict=False), loose)


def _at_others(p: Proc, q: Proc, meant: _Meant, values: Inputs, loose: frozenset[str]) -> str:
    """What is rounded at other precisions; see `roundings`. Nothing if another precision was chosen since, if a backend
    would refuse the original, or if it traps on rounded numbers."""
    if not (is_of_several_precisions(p.tree) or is_of_several_precisions(q.tree)) or q.origin is not p.origin:
        return ""
    if is_mixed(p.tree):
        return ""
    if is_mixed(q.tree):
        return "it computes at two precisions at once"
    fields = (*config_fields(p.tree), *config_fields(q.tree))
    before = forth(signature_steps(p, q), meant.rounded(fields))
    if before.trap is not None:
        return ""
    return _difference(before, roundings(q.tree, values, fields), loose)


def _runs(tree: ProcDef, values: Inputs) -> Iterator[Outcome]:
    for order in ORDERS if has_parallel(tree) else ORDERS[:1]:
        yield interp.run(tree, values.args, values.configs, shuffle=order)


@memo_by_identity
def has_parallel(tree: ProcDef) -> bool:
    """Whether a procedure, or what it calls, has a loop that may run in any order."""
    return any(
        (isinstance(n, For) and n.mode != "seq") or (isinstance(n, Call) and has_parallel(n.f.tree))
        for _, n in walk(tree)
    )


def _loose(p: Proc, q: Proc) -> frozenset[str]:
    """The config fields in which a later version of `p` may leave other values."""
    later = any(p is v for v in q.versions())
    return frozenset(f"{f.config.name}.{f.field}" for f in q.leaves_since(p)) if later else frozenset()


def _difference(want: Outcome, got: Outcome, loose: frozenset[str]) -> str:
    if got.trap is not None:
        return f"the new procedure traps: {got.trap}"
    before, after = {**want.outputs, **want.configs}, {**got.outputs, **got.configs}
    same = {n for n in want.outputs if _is_kept(want.outputs[n], got.outputs.get(n))}
    same |= {n for n in (*want.configs, *got.configs) if before.get(n) == after.get(n)}
    lines = [
        f"{name} should be {before.get(name)}, is {after.get(name)}"
        for name in sorted({*before, *after} - loose - same)
    ]
    return "\n".join(lines)


def _is_kept(want: Value, got: Value) -> bool:
    """Whether all is there that was. What was never written has no value, so there may be any."""
    if isinstance(want, tuple) and isinstance(got, tuple):
        return len(want) == len(got) and all(map(_is_kept, want, got))
    return want is None or want == got


# -- laws of every rewrite ----------------------------------------------------------------------------


def assert_lawful(p: Proc, q: Proc, text: str, how: object = None) -> None:
    """Asserts what holds of every rewrite: `q` and what it calls pass the checks, it prints as text that means `q`,
    has parallel loops with races only if `p` has, cursors of `p` are valid in `q` or gone, and `p`, which printed
    as `text`, did not change.

    Raises `Malformed`.
    """
    demand(str(p) == text, p, q, "the original changed", how)
    try:
        check(q.tree)
        for s in declarators(q.tree):
            if isinstance(s, Call):
                check(s.f.tree)
    except CheckError as e:
        raise Malformed(_about(p, q, f"the result is not well-formed: {e}", how)) from e
    try:
        again = proc_from_source(str(q), reparse_env(q.tree))
    except FrontendError as e:
        raise Malformed(_about(p, q, f"the new text is no object code: {e}", how)) from e
    demand(_as_printed(again.tree) == _as_printed(q.tree), p, q, "the new text, read again, is another procedure", how)
    # In a run each iteration is one step, so that not every race shows there.
    demand(not races(q.tree) or bool(races(p.tree)), p, q, "a parallel loop has a race", how)
    for c in all_cursors(p):
        demand(_forwards(c, q), p, q, f"a cursor forwards to nothing of its kind: {c!r}", how)


def _as_printed(tree: ProcDef) -> ProcDef:
    """The procedure with each variable named as it is printed, and numbered in textual order."""
    names = names_at(tree)
    env = {s: Sym(names.get(s, s.name), k) for k, s in enumerate(binders(tree))}
    return with_child(rename(tree, env), "next_id", len(env))


def _forwards(c: Cursor, q: Proc) -> bool:
    """Whether a cursor leads, in a later version, to a place of the same kind or to nowhere."""
    try:
        there = q.forward(c)
    except (AttributeError, LookupError, AssertionError):  # no node stands where it leads
        return False
    if not there.is_valid:
        return True
    match there:
        case BlockCursor():
            return isinstance(c, BlockCursor) and 0 < len(there) == len(there.stmts)
        case GapCursor():
            return isinstance(c, GapCursor) and there.anchor().is_valid
        case PassCursor():
            return isinstance(c, StmtCursor)
        case _:
            return _kind(there) is _kind(c)


def _kind(c: Cursor) -> type[Cursor]:
    """What stays the same of a cursor to a node: an expression may be rewritten, and an assignment become a
    reduction; a loop stays a loop (or leaves a `pass`)."""
    if isinstance(c, ExprCursor):
        return ExprCursor
    return AssignCursor if isinstance(c, ReduceCursor) else type(c)


def all_cursors(p: Proc) -> Iterator[Cursor]:
    """Cursors to every node, to every gap, and to every block of two."""
    for c in p.root().descendants():
        yield c
        if isinstance(c, StmtCursor):
            yield c.before()
            yield c.after()
            if c._sibling(1) is not None:
                yield c.expand(0, 1)


def demand(condition: bool, p: Proc, q: Proc, message: str, how: object) -> None:
    """Raises `Malformed` unless what a law says of two versions is so."""
    if not condition:
        raise Malformed(_about(p, q, message, how))


def _about(p: Proc, q: Proc, message: str, how: object) -> str:
    made = f" by {how}" if how is not None else ""
    return f"{message}\n\nthe original:\n{p}\n\nwhat was made of it{made}:\n{q}"
