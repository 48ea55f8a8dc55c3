"""A rewrite as a moving picture: before turns into after, line by line. HTML and CSS, without a script or a request.

The two versions lie on top of each other. Lines that stay travel from their old place to the new one, what is gone
fades out, what is new fades in. Before and after can each be looked at alone, which also stops the movement. Who
prefers no motion sees them side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from importlib.resources import files
from typing import Final

from ..cursors.proc import Proc
from .changes import MARKS, WORDS, Changes, Kind, Line, changes
from .film import film

MOST_LINES: Final = 48
"""Longer versions are shown around their changes, and cut after so many lines."""

CONTEXT: Final = 2
"""Lines shown before and after a change of a long version."""

WIDEST: Final = 160
"""Characters of a line."""

SECONDS: Final = 9
"""From before to after and back."""

_USED: Final = ("back", "text", "dim", "line", "accent", "mark", *(k for k in Kind if k is not Kind.SAME), "goneText")
"""The colours of the page of a film that occur here, too."""


def clip(p: Proc, title: str) -> str:
    """The last rewrite that made a procedure, as a fragment of HTML that brings its style with it.

    Its size is bounded: a long version is shown around what changed. The text is the same for equal arguments. Several
    clips on one page need `style()` only once.

    Raises ValueError if no rewrite made the procedure.

    >>> from exo_strat import proc_from_source, rename
    >>> p = proc_from_source("def foo(x: f32):\\n    x = 1.0")
    >>> text = clip(rename("bar")(p).unwrap()[0], "rename")
    >>> text.startswith(style()), "<figcaption>rename<" in text, "<script" in text
    (True, True, False)
    >>> clip(p, "nothing")
    Traceback (most recent call last):
    ValueError: nothing to show: foo is as it was written, no rewrite made it
    """
    if p.parent is None or p.rewritten is None:
        raise ValueError(f"nothing to show: {p.name()} is as it was written, no rewrite made it")
    found = film(p)
    return style() + _figure(shown(changes(found, len(found.frames) - 1)), title)


def style() -> str:
    """The style of all clips, in the colours of the page of a film."""
    text = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    light, dark = (_colours(text, start) for start in (":root {", ':root[data-theme="dark"] {'))
    colours = " ".join(f"--{name}: light-dark({light[name]}, {dark[name]});" for name in _USED)
    return f"<style>.exo-clip {{ {colours} --time: {SECONDS}s; }}\n{_STYLE}</style>\n"


def _colours(css: str, start: str) -> Mapping[str, str]:
    """The colours that a rule of a style sheet names."""
    rule = css[css.index(start) + len(start) :].partition("}")[0]
    return dict(re.findall(r"--(\w+): (#\w+);", rule))


# -- what is shown ------------------------------------------------------------------------------------


def shown(c: Changes) -> Changes:
    """The changes of long versions with a few lines around each; what is left out is one line of dots.

    >>> lines = tuple(Line(f"x[{i}] = 0.0", Kind.SAME, i) for i in range(100))
    >>> last = (Line("pass", Kind.NEW, -1),)
    >>> [line.text for line in shown(Changes(lines, lines + last)).after]
    ['⋯ 98 lines', 'x[98] = 0.0', 'x[99] = 0.0', 'pass']
    """
    if max(len(c.before), len(c.after)) <= MOST_LINES:
        return _numbered(c, range(len(c.before)), range(len(c.after)))
    after, before = _near(c.after), _near(c.before)
    pairs = [(line.other, i) for i, line in enumerate(c.after) if line.other >= 0 and line.kind is not Kind.COPIED]
    both = {(a, i) for a, i in pairs if a in before or i in after}
    after |= {i for _, i in both}
    before |= {a for a, _ in both}
    return _numbered(c, sorted(before)[:MOST_LINES], sorted(after)[:MOST_LINES])


def _near(lines: Sequence[Line]) -> set[int]:
    """The lines that changed, and their neighbours."""
    changed = (i for i, line in enumerate(lines) if line.kind is not Kind.SAME)
    return {j for i in changed for j in range(max(0, i - CONTEXT), min(len(lines), i + CONTEXT + 1))}


def _numbered(c: Changes, before: Sequence[int], after: Sequence[int]) -> Changes:
    """Some lines of two versions, with dots for the others; each knows the row of its line in the other version."""
    old, new = [*_rows(c.before, before)], [*_rows(c.after, after)]
    old_row, new_row = ({i: row for row, (i, _) in enumerate(rows) if i >= 0} for rows in (old, new))
    return Changes(
        tuple(replace(line, other=new_row.get(line.other, -1)) for _, line in old),
        tuple(replace(line, other=old_row.get(line.other, -1)) for _, line in new),
    )


def _rows(lines: Sequence[Line], kept: Sequence[int]) -> Iterator[tuple[int, Line]]:
    """The rows of a picture: lines with their numbers, and dots, which have none."""
    last = -1
    for i in [*kept, len(lines)]:
        if (left_out := i - last - 1) > 0:
            yield -1, Line(f"⋯ {left_out} line{'s' * (left_out > 1)}", Kind.SAME, -1)
        if i < len(lines):
            yield i, lines[i]
        last = i


# -- HTML ---------------------------------------------------------------------------------------------


def _figure(c: Changes, title: str) -> str:
    kinds = {line.kind for line in (*c.before, *c.after)} - {Kind.SAME}
    legend = "".join(f'<span><i class="{k}">{MARKS[k]}</i> {WORDS[k]}</span>' for k in Kind if k in kinds)
    return (
        f'<figure class="exo-clip"><figcaption>{escape(title)}</figcaption>{_FORM}<div class="stage">'
        + _version("before", c.before, c.after)
        + _version("after", c.after, c.before)
        + f'</div><p class="legend">{legend}</p></figure>\n'
    )


def _version(name: str, lines: Sequence[Line], others: Sequence[Line]) -> str:
    shown = "".join(_line(lines, i, others) for i in range(len(lines)))
    head = f'<div class="{name}" role="group" aria-label="{name}"><p>{name.capitalize()}</p>'
    return f"{head}<pre>{shown}</pre></div>"


def _line(lines: Sequence[Line], i: int, others: Sequence[Line]) -> str:
    """A line, and how far its line in the other version is: rows below, and characters to the right."""
    line = lines[i]
    far = ""
    if line.other >= 0:
        other = others[line.other].text
        down, right = line.other - i, _indent(other) - _indent(line.text)
        far = f' style="--x:{right};--y:{down}"' if down or right else ""
    text = line.text if len(line.text) <= WIDEST else line.text[: WIDEST - 1] + "…"
    html = _marked(others[line.other].text, text) if line.kind is Kind.EDITED and line.other >= 0 else escape(text)
    apart = " apart" * (line.other < 0)
    return f'<span class="l {line.kind}{apart}"{far}><i>{MARKS[line.kind]}</i>{html or " "}</span>'


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _in_word(text: str, k: int) -> bool:
    """Whether a place between two characters is inside of a word."""
    return k > 0 and re.fullmatch(r"\w\w", text[k - 1 : k + 1]) is not None


def _marked(other: str, text: str) -> str:
    """An edited line: what differs from its line in the other version is marked, in whole words.

    >>> _marked("    x[i] = 1.0", "  x[2 * i] = 1.0")
    '  x[<mark>2 * </mark>i] = 1.0'
    >>> _marked("x[i] = 1.0", "x[io] = 1.0")
    'x[<mark>io</mark>] = 1.0'
    """
    start = _indent(text)
    a, b = other.strip(), text.strip()
    most = min(len(a), len(b))
    head = next((i for i in range(most) if a[i] != b[i]), most)
    tail = next((i for i in range(most - head) if a[-1 - i] != b[-1 - i]), most - head)
    while _in_word(a, head) or _in_word(b, head):
        head -= 1
    while _in_word(a, len(a) - tail) or _in_word(b, len(b) - tail):
        tail -= 1
    middle = b[head : len(b) - tail]
    marked = f"<mark>{escape(middle)}</mark>" if middle else ""
    return " " * start + escape(b[:head]) + marked + escape(b[len(b) - tail :])


_CHOICES: Final = (("both", "Play"), ("before", "Before"), ("after", "After"))
_FORM: Final = "".join(
    f'<label><input type="radio" name="shown" value="{value}"{" checked" * (value == "both")}>{label}</label>'
    for value, label in _CHOICES
).join(("<form>", "</form>"))
"""What is shown; a form of its own, so that the choices of several clips don't meet."""

_STYLE: Final = """\
figure.exo-clip { margin: 1em 0; padding: .6em .8em; width: auto; max-width: 100%;
  text-align: left; border: 1px solid var(--line); border-radius: 6px;
  background: var(--back); color: var(--text); content-visibility: auto; contain-intrinsic-size: auto 16em; }
:root[data-theme="dark"] .exo-clip, [data-md-color-scheme="slate"] .exo-clip, [data-jp-theme-light="false"] .exo-clip {
  color-scheme: dark; }
:root[data-theme="light"] .exo-clip { color-scheme: light; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme]) body:not([data-md-color-scheme], [data-jp-theme-light]) .exo-clip { color-scheme: dark; } }
.exo-clip figcaption { margin: 0; max-width: none; text-align: left; font-style: normal; font-weight: bold; }
.exo-clip form { display: flex; flex-wrap: wrap; gap: .2em 1em; margin: .3em 0; font-size: .85em; }
.exo-clip label { display: flex; gap: .3em; align-items: center; cursor: pointer; }
.exo-clip input { accent-color: var(--accent); margin: 0; }
.exo-clip .stage { display: grid; grid-template-columns: minmax(100%, max-content); overflow-x: auto; }
.exo-clip .stage > div { grid-area: 1 / 1; min-width: 0; }
.exo-clip .stage p { display: none; margin: 0; font-size: .85em; color: var(--dim); }
.exo-clip pre { margin: 0; padding: .3em 0; background: none;
  font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace;
  box-sizing: border-box; height: 100%; overflow: clip visible; }
.exo-clip .l { display: block; white-space: pre; min-width: max-content; padding-right: 1ch; }
.exo-clip .l > i, .exo-clip .legend i { display: inline-block; width: 2.5ch; text-align: center; font-style: normal;
  color: var(--dim); user-select: none; }
.exo-clip .legend { display: flex; flex-wrap: wrap; gap: .2em 1em; margin: .3em 0 0; font-size: .8em;
  color: var(--dim); }
.exo-clip .legend i { color: var(--text); }
.exo-clip .new { background: var(--new); } .exo-clip .edited { background: var(--edited); }
.exo-clip .moved { background: var(--moved); } .exo-clip .copied { background: var(--copied); }
.exo-clip .gone { background: var(--gone); color: var(--goneText); }
.exo-clip .l.gone { text-decoration: line-through; }
.exo-clip mark { background: var(--mark); color: inherit; }
@media (prefers-reduced-motion: no-preference) {
  .exo-clip:has([value="before"]:checked) .after, .exo-clip:has([value="after"]:checked) .before { visibility: hidden; }
  .exo-clip:has([value="both"]:checked) .before { user-select: none; }
  .exo-clip:has([value="both"]:checked) .before .l { animation: exo-leave var(--time) ease-in-out infinite; }
  .exo-clip:has([value="both"]:checked) .before :is(.same, .moved):not(.apart) { visibility: hidden; }
  .exo-clip:has([value="both"]:checked) .after .l { animation: exo-come var(--time) ease-in-out infinite; }
  .exo-clip:has([value="both"]:checked) .after :is(.same, .moved):not(.apart) { animation-name: exo-travel; }
}
@media (prefers-reduced-motion: reduce) {
  .exo-clip form { display: none; }
  .exo-clip .stage { grid-template-columns: repeat(auto-fit, minmax(min(100%, 20em), 1fr)); gap: .5em 1em;
    overflow: visible; }
  .exo-clip .stage > div { grid-area: auto; overflow-x: auto; }
  .exo-clip .stage p { display: block; }
  .exo-clip pre { height: auto; overflow: visible; }
}
.exo-clip .l { --there: translate(calc(var(--x, 0) * 1ch), calc(var(--y, 0) * 1.5em)); }
@keyframes exo-leave {
  0%, 22%, 100% { opacity: 1; transform: none; } 45%, 94% { opacity: 0; transform: var(--there); } }
@keyframes exo-come {
  0%, 22%, 100% { opacity: 0; transform: var(--there); } 45%, 94% { opacity: 1; transform: none; } }
@keyframes exo-travel {
  0%, 22%, 100% { transform: var(--there); } 45%, 94% { transform: none; } }
"""
