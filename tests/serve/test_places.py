"""Places as texts: every cursor has one, and it leads back."""

from __future__ import annotations

import pytest

from exo_strat import Proc, proc
from exo_strat.serve.offers import places
from exo_strat.serve.places import PlaceError, place_at, spelled


@proc
def foo(n: size, x: f32[n, 4], y: f32[n]):  # type: ignore
    assert n > 2  # type: ignore
    for i in seq(0, n):  # type: ignore
        t: f32[4]
        if i < 2:  # type: ignore
            t[0] = x[i, 1] + y[i]  # type: ignore
        else:
            t[0] = -(y[n - 1 - i])  # type: ignore
            y[i] = t[0]


P: Proc = foo


def test_every_place_has_a_text_that_leads_back() -> None:
    found = places(P.root(), below=True)
    assert len(found) > 30
    assert len({spelled(c) for c in found}) == len(found)
    assert [place_at(P, spelled(c)) for c in found] == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no place"),
        ("body", "it has"),
        ("body[1]", "there is no body[1], body has 1"),
        ("body[0].body[3:2]", "there is no block"),
        ("body[0:9]", "there is no block"),
        ("body[0:1].body[0]", "there is no block"),
        ("args[0:1]", "there is no block"),
        ("body[0].lo[0]", "has no lo[..]"),
        ("body[0].iter", "has no iter"),
        ("body[-1]", "is no place"),
        ("body[9999999999]", "is no place"),
        ("body[0].hi.after", "a gap is before or after a statement"),
        (".after", "is no place"),
        ("args[1].type", "which no cursor points to"),
        ("__class__", "is no place"),
    ],
)
def test_a_text_that_leads_nowhere_says_so(text: str, said: str) -> None:
    with pytest.raises(PlaceError) as e:
        place_at(P, text)
    assert said in str(e.value)
