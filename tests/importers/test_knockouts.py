"""An importer with a fault put into it: the round trip sees each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from importers.c import (
    calls,
    choices,
    conditions,
    conversions,
    expressions,
    integers,
    jumps,
    lookups,
    loops,
    order,
    rotations,
    statements,
)
from importers.c.program import Converted, Frame, Lit
from importers.c.syntax import Block
from importers.c.types import F32, F64, I32
from importers.c.values import Known, Lost
from importers.control import Poly, number, of

N = [{"n": n, "x_size": 99} for n in (1, 2, 5, 9)]
Break = Callable[[pytest.MonkeyPatch], None]


def bound_off_by_one(m: pytest.MonkeyPatch) -> None:
    """The last iteration is left out."""
    usual = loops._frame

    def frame(*args: object) -> tuple[tuple[Frame, ...], Poly]:
        frames, at = usual(*args)  # type: ignore[arg-type]
        return tuple(replace(f, hi=f.hi - 1) for f in frames), at

    m.setattr(loops, "_frame", frame)


def widened_unasked(m: pytest.MonkeyPatch) -> None:
    """An unsigned counter gets more bits, as if it had not wrapped."""
    m.setattr(integers, "converted", lambda ctx, value, source, t, place: value)


def unsigned_unwrapped(m: pytest.MonkeyPatch) -> None:
    """A number of an unsigned type is stored as if it always were one."""
    m.setattr(expressions, "fits_surely", lambda ctx, value, t: True)


def promotion_dropped(m: pytest.MonkeyPatch) -> None:
    """What is computed in double is computed in float."""
    usual = conversions.convert

    def convert(e, to, place):  # type: ignore[no-untyped-def]
        return e if to == F64 and e.type == F32 and not isinstance(e, Lit) else usual(e, to, place)

    m.setattr(conversions, "convert", convert)


def literal_narrowed(m: pytest.MonkeyPatch) -> None:
    """A double literal in float code is a float literal, as if nothing were lost."""
    m.setattr(conversions, "fits_single", lambda value: True)


def two_roundings_dropped(m: pytest.MonkeyPatch) -> None:
    """Of two operations in double, both are done in float."""
    usual = conversions._as_single

    def as_single(e):  # type: ignore[no-untyped-def]
        return usual(e) or conversions.single(e)

    m.setattr(conversions, "_as_single", as_single)


def conversion_late(m: pytest.MonkeyPatch) -> None:
    """A product of floats is computed in double, where its sum is."""
    usual = conversions.convert

    def convert(e, to, place):  # type: ignore[no-untyped-def]
        if to == F64 and e.type == F32 and hasattr(e, "lhs"):
            return replace(e, lhs=Converted(e.lhs, F64), rhs=Converted(e.rhs, F64), type=F64)
        return usual(e, to, place)

    m.setattr(conversions, "convert", convert)


def carried_copied(m: pytest.MonkeyPatch) -> None:
    """A variable that is carried from one iteration to the next keeps the value from before the loop."""
    m.setattr(loops.Moves, "at_top", lambda self, v, k: self.start[v])


def falling_turned(m: pytest.MonkeyPatch) -> None:
    """A falling loop runs upwards."""
    usual = loops._frame

    def frame(ctx, s, top, start, trips, count, movers):  # type: ignore[no-untyped-def]
        frames, at = usual(ctx, s, top, start, trips, count, movers)
        if any(isinstance(v, Known) and (v.value.coefficient(count) or number(0)).constant == -1 for v in top.values()):
            return frames, trips - 1 - at
        return frames, at

    m.setattr(loops, "_frame", frame)


def step_lost(m: pytest.MonkeyPatch) -> None:
    """`x++` inside of an expression has the value after the step."""
    usual = integers.effect

    def effect(ctx, e):  # type: ignore[no-untyped-def]
        return usual(ctx, replace(e, after=False) if hasattr(e, "after") else e)

    m.setattr(integers, "effect", effect)


def after_the_loop(m: pytest.MonkeyPatch) -> None:
    """After a loop its variable has the value of the last iteration."""
    usual = loops.Moves.at_end
    m.setattr(loops.Moves, "at_end", lambda self, v, trips: usual(self, v, trips - 1))


def truncation_ignored(m: pytest.MonkeyPatch) -> None:
    """A quotient that C cuts towards zero is taken for the floor."""
    m.setattr("importers.c.context.Context.need", lambda self, *args, **named: None)


def order_ignored(m: pytest.MonkeyPatch) -> None:
    """What C leaves open is taken as from left to right."""
    for module in (statements, loops, order):
        m.setattr(module, "check_order", lambda e: None)


def branches_forgotten(m: pytest.MonkeyPatch) -> None:
    """After an if, a variable has the value of its first side."""
    m.setattr(statements, "joined", lambda a, b, name: b if isinstance(a, Lost) else a)


def store_too_early(m: pytest.MonkeyPatch) -> None:
    """The step of a loop comes before its body."""
    usual = statements.block

    def block(ctx, s):  # type: ignore[no-untyped-def]
        if len(s.parts) == 2 and hasattr(s.parts[0], "value"):
            s = replace(s, parts=(s.parts[1], s.parts[0]))
        usual(ctx, s)

    m.setattr(statements, "block", block)


def flag_not_set(m: pytest.MonkeyPatch) -> None:
    """A loop goes on after a break."""
    usual = jumps._set
    m.setattr(jumps, "_set", lambda v, n, place: usual(v, 0, place))


def return_asked_for_as_break(m: pytest.MonkeyPatch) -> None:
    """After a loop that was left by a return, the function goes on."""
    m.setattr(jumps, "_jump", lambda target, place: Block((), place))


def minimum_turned(m: pytest.MonkeyPatch) -> None:
    """A smaller one of two is taken for the larger one."""
    m.setattr(choices, "least", choices.most)


def end_not_kept(m: pytest.MonkeyPatch) -> None:
    """What a counter is where a loop is left is taken from the loop's end."""
    usual_stmt = jumps._Marker.stmt

    def stmt(self, s):  # type: ignore[no-untyped-def]
        return usual_stmt(replace(self, ended={}), s)

    m.setattr(jumps._Marker, "stmt", stmt)


def wrap_dropped(m: pytest.MonkeyPatch) -> None:
    """A number keeps the bits that its type has no room for."""
    m.setattr(conversions, "wrapped", lambda e, t: replace(e, type=I32))


def literals_without_type(m: pytest.MonkeyPatch) -> None:
    """What is computed of literals is computed at the precision of what is around."""
    m.setattr(conversions, "typed", lambda e: e)


def choice_without_type(m: pytest.MonkeyPatch) -> None:
    """Literals of which one is chosen are computed at the precision of what is around."""
    m.setattr(conversions, "_has_type", lambda e: True)


def negative_forgotten(m: pytest.MonkeyPatch) -> None:
    """A comparison of unsigned numbers says nothing of those that were negative."""
    usual = conditions._both_ends

    def both_ends(*args):  # type: ignore[no-untyped-def]
        found = usual(*args)
        return found and found.rhs

    m.setattr(conditions, "_both_ends", both_ends)


def choice_taken_for_the_end(m: pytest.MonkeyPatch) -> None:
    """A choice between numbers is taken for their maximum, unasked."""
    m.setattr(choices, "_surely", lambda *args: True)


def condition_turned(m: pytest.MonkeyPatch) -> None:
    """What a loop's condition assigns comes after the other parts of it."""
    m.setattr(jumps, "_keeps_order", lambda joined, plain: True)


def index_not_kept_inside(m: pytest.MonkeyPatch) -> None:
    """An index of a flat array that depends on data is kept in its row."""
    m.setattr(lookups, "_check_rows_of", lambda *args: None)


def order_of_a_copy_turned(m: pytest.MonkeyPatch) -> None:
    """memmove copies upwards, whatever it overwrites."""
    m.setattr(calls, "_in_order", lambda ctx, e, to, source, count, at: at)


def pointers_not_turned(m: pytest.MonkeyPatch) -> None:
    """Pointers that change places stay where they are."""
    m.setattr(rotations, "held", lambda turn, start, v, rounds: start[v])


def factors_turned(m: pytest.MonkeyPatch) -> None:
    """A loop that runs n * m times counts as if its outer loop were the inner one."""
    usual = loops.nest

    def nest(ctx, trips, name):  # type: ignore[no-untyped-def]
        (a, b), _ = usual(ctx, trips, name)
        return (a, b), of(b.symbol) * a.hi + of(a.symbol)

    m.setattr(loops, "nest", nest)


def first_not_peeled(m: pytest.MonkeyPatch) -> None:
    """A variable that wraps around is taken for the iteration before in the first one, too."""
    usual = loops.Moves.at_top

    def at_top(self, v, k):  # type: ignore[no-untyped-def]
        found = usual(self, v, k)
        return self.set_in(v, k - 1) if isinstance(found, Lost) and self.motions[v].then is not None else found

    m.setattr(loops.Moves, "at_top", at_top)


FAULTS: dict[Break, tuple[str, bool]] = {
    bound_off_by_one: ("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; }", False),
    promotion_dropped: (
        "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.1 + x[i] / 0.7; }", False
    ),
    literal_narrowed: ("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = x[i] * 0.1; }", False),
    two_roundings_dropped: (
        "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = (double)x[i] * x[n - 1] + x[0]; }", False
    ),
    conversion_late: ("void f(int n, float *x, double *y) { for (int i = 0; i < n; i++) y[i] += x[i] * x[i]; }", False),
    carried_copied: (
        "void f(int n, double *x) { int k = 0; for (int i = 0; i < n; i++) { x[k] += i > 1 ? 1 : 2; k += 2; } }", False
    ),
    falling_turned: ("void f(int n, double *x) { for (int i = n - 1; i >= 0; i--) x[i + 1] = x[i]; }", False),
    step_lost: ("void f(int n, double *x) { double *p = x; while (n-- > 0) *p++ = n % 2 == 0 ? 1 : 2; }", False),
    after_the_loop: ("void f(int n, double *x) { int i; for (i = 0; i < n; i++) x[i] = 1; x[i] = 2; }", False),
    truncation_ignored: (
        "void f(int n, double x[n + 9]) { for (int i = -3; i < n; i++) x[(i - 1) / 2 + 4] += x[i + 4] + 1; }", True
    ),
    order_ignored: (
        "#include <math.h>\nvoid f(int n, double *x) { int i = 0; while (i < n) x[0] += atan2(x[i], x[++i]); }", True
    ),
    branches_forgotten: (
        "void f(int n, double x[9]) { for (int i = 0; i < n; i++) { int k; if (i > 1) k = 1; else k = 2;"
        " for (int j = 0; j < k; j++) x[j] += 1; } }",
        True,
    ),
    store_too_early: (
        "void f(int n, double *x) { for (int i = 1; i < n; i++) { x[i] = x[i - 1] + 1; x[i - 1] = x[i] * 2; } }", False
    ),
    flag_not_set: (
        "void f(int n, double *x) { for (int i = 0; i < n; i++) { if (x[i] > 0) break; x[i] = 7; } }", False
    ),
    return_asked_for_as_break: (
        "int f(int n, double *x) { for (int i = 0; i < n; i++) if (x[i] > 0) return i; x[0] = 9; return -1; }", False
    ),
    minimum_turned: (
        "void f(int n, double x[40]) { int k = n < 5 ? n : 5; for (int i = 0; i < k; i++) x[i] = 1; }", False
    ),
    end_not_kept: (
        "int f(int n, double *x) { int i; for (i = 0; i < n; i++) if (x[i] > 0) break; return i; }", False
    ),
    wrap_dropped: (
        "void f(int n, const unsigned char *a, const unsigned char *b, long *s) {"
        " for (int i = 0; i < n; i++) s[i] = (unsigned char)(a[i] * b[i]); }", False
    ),
    literals_without_type: (
        "void f(int n, const int *a, float *x) { for (int i = 0; i < n; i++) x[i] = -(a[i] > 0); }",
        False,
    ),
    choice_without_type: (
        "void f(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] *= x[i] > 0 ? 0.1f : 0.7f; }",
        False,
    ),
    negative_forgotten: (
        "void f(int n, int *y) { for (int i = 0; i < n; i++) y[i] = (unsigned)(i - 2) < (unsigned)n ? 1 : 2; }", False
    ),
    choice_taken_for_the_end: (
        "void f(int n, double x[n + 9], double *y) { for (int i = 0; i < n; i++) y[i] = x[i + 2 < n ? i + 2 : i]; }",
        False,
    ),
    condition_turned: (
        "double f(int n, double x[n + 1]) { int i = 0; double c = 0;"
        " while ((c = x[i]) > -1 && i < n) i++; return c + i; }",
        True,
    ),
    index_not_kept_inside: (
        "void f(int n, double *x, double *y, const int *b) { for (int i = 0; i < n; i++) { int k = 0;"
        " if (b[i] > 0) k = n; for (int j = 0; j < n; j++) y[i * n + j] = x[i * n + k + j]; } }",
        False,
    ),
    order_of_a_copy_turned: (
        "#include <string.h>\nvoid f(int n, int *x) { x[n] = 3; memmove(x + 1, x, n * sizeof(int)); }", False
    ),
    pointers_not_turned: (
        "void f(int n, float *a, float *b) { for (int s = 0; s < 5; s++) {"
        " for (int i = 1; i < n; i++) b[i] = a[i - 1] + s; float *t = a; a = b; b = t; } }",
        False,
    ),
    factors_turned: (
        "void f(int n, int x[n][3], int *y) { int s = 0;"
        " for (int k = 0; k < n * n; k++) { s += y[k]; y[k] = s - x[k / n][0]; } }",
        False,
    ),
    widened_unasked: (
        "void f(int n, long *x) { for (unsigned i = 0; i < n; i++) x[i] = (4 * i - 8) / 4L; }", False
    ),
    unsigned_unwrapped: (
        "void f(int n, double *x) { for (unsigned i = 0; i < n; i++) x[i] = i - 3; }", False
    ),
    first_not_peeled: (
        "void f(int n, double x[n + 2], double *y) {"
        " int k = n; for (int i = 0; i < n; i++) { y[i] = x[k + 1]; k = i; } }",
        False,
    ),
}  # fmt: skip
"""Each fault, a program that shows it, and whether the program is refused without the fault."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
def test_the_round_trip_sees_a_fault(fault: Break, roundtrip, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    source, never_taken = FAULTS[fault]
    if never_taken:
        assert refused(source, "f")
    else:
        roundtrip(source, "f", N)
    fault(monkeypatch)
    with pytest.raises((AssertionError, ValueError)) as found:
        roundtrip(source, "f", N)
    assert "here," in str(found.value) or fault in (promotion_dropped, carried_copied), found.value
