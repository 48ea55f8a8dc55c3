"""The film as one HTML file: no server, no request, nothing but what is in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from .film import Film, Frame, Refusal


@dataclass(frozen=True)
class Listing:
    """The C of the last version and its assembly. Of each line of C: `procs`, the procedure that it is for, by its
    place in `reels`, and `origins`, the line of object code; `sources`: of each line of assembly the line of C. All
    count from 0, and are -1 where there is none. `note` is why there is no assembly."""

    c: tuple[str, ...] = ()
    procs: tuple[int, ...] = ()
    origins: tuple[int, ...] = ()
    assembly: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Panel:
    """One more thing to look at beside the program: a title, and HTML that loads nothing."""

    title: str
    html: str


def page(films: Sequence[Film], title: str, listing: Listing = Listing(), panels: Sequence[Panel] = ()) -> str:
    """Films, that of a procedure and those of what it calls, as the text of an HTML file, the same for equal arguments.

    >>> from exo_strat import proc_from_source, rename
    >>> from exo_strat.view.film import film
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> text = page([film(rename("bar")(p).unwrap()[0])], "a < b")
    >>> text.startswith("<!DOCTYPE html>"), "<title>a &lt; b</title>" in text, "https:" in text
    (True, True, False)
    """
    room = files(__package__)
    parts = {
        "TITLE": escape(title),
        "CSS": room.joinpath("page.css").read_text(encoding="utf-8"),
        "JS": room.joinpath("page.js").read_text(encoding="utf-8"),
        "DATA": _json(films, listing, panels),
    }
    html = room.joinpath("page.html").read_text(encoding="utf-8")
    pieces = html.split("@")  # names are between two signs, and the file has no others
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


@dataclass
class _Words:
    """Texts, each once."""

    numbers: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


@dataclass
class _Refusals:
    """Refusals, each once."""

    numbers: dict[Refusal, int] = field(default_factory=dict)

    def __getitem__(self, refusal: Refusal | None) -> int:
        return -1 if refusal is None else self.numbers.setdefault(refusal, len(self.numbers))


def _json(films: Sequence[Film], listing: Listing, panels: Sequence[Panel]) -> str:
    """The data of a page: `page.js` says how they are read. Texts that occur often are numbers."""
    words = _Words()
    made = [_film(f, words) for f in films]
    data = {"films": made, "words": list(words.numbers), "code": vars(listing), "panels": [vars(p) for p in panels]}
    data["docs"] = {name: text for f in films for name, text in f.docs.items()}
    # no text may end the element that the data are in
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _film(film: Film, words: _Words) -> dict[str, Any]:
    refusals = _Refusals()
    steps = [
        [
            s.depth, words[s.op], words[s.place], round(s.seconds * 1e3, 2), s.questions, s.first, s.last,
            refusals[s.refusal], list(s.notes), int(s.failed),
        ]
        for s in film.steps
    ]  # fmt: skip
    return {
        "name": film.name,
        "texts": film.texts,
        "frames": [_frame(f, words) for f in film.frames],
        "steps": steps,
        "refusals": [vars(r) for r in refusals.numbers],
        "failure": film.failure,
        "calls": film.calls,
    }


def _frame(f: Frame, words: _Words) -> list[Any]:
    runs = [n for r in f.runs for n in (int(r.was), r.a, r.b)]
    if f.obligations is None:
        return [words[f.op], f.at, runs, None]
    proved = [[words[o.words], o.answer, o.questions, round(o.seconds * 1e3, 2)] for o in f.obligations]
    return [words[f.op], f.at, runs, proved]
