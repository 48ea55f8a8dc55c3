"""What would be loaded from another host is found, wherever it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from website.loads import from_elsewhere

OUT = [
    ("a.html", '<script src="https://b.org/c.js"></script>'),
    ("a.html", '<link rel="stylesheet" href="//b.org/c.css">'),
    ("a.html", '<link rel="preconnect" href="https://b.org">'),
    ("a.html", '<img srcset="https://b.org/c.png 2x">'),
    ("a.html", "<p style=\"background: url('https://b.org/c.png')\">"),
    ("a.html", "<style>@import 'https://b.org/c.css';</style>"),
    ("a.html", '<script>fetch("https://b.org/c")</script>'),
    ("a.html", '<meta http-equiv="refresh" content="0; url=https://b.org">'),
    ("a.html", '<form action="http://b.org">'),
    ("a.html", '<a href="#" ping="https://b.org">'),
    ("a.html", '<base href="https://b.org/">'),
    ("a.svg", '<svg><image href="https://b.org/c.png"/></svg>'),
    ("a.svg", '<svg><use xlink:href="//b.org/c.svg#d"/></svg>'),
    ("a.css", "@font-face { src: url(https://b.org/c.woff2) }"),
    ("a.js", 'new Worker("https://b.org/c.js")'),
    ("a.js", "import('//b.org/c.js')"),
]
INSIDE = [
    ("a.html", '<a href="https://b.org">b</a><link rel="canonical" href="https://b.org"><img src="c.png">'),
    ("a.html", '<img src="data:image/png;base64,AA=="><p>https://b.org and url(https://b.org)</p>'),
    ("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg>'),
    ("a.css", "b { background: url(c.png) } /* see https://b.org */"),
    ("a.js", 'createElementNS("http://www.w3.org/2000/svg", "a"); // see https://b.org'),
    ("a.txt", "https://b.org"),
]


@pytest.mark.parametrize(("name", "text"), OUT)
def test_what_comes_from_elsewhere_is_told(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    [found] = from_elsewhere(tmp_path)
    assert found.startswith(f"{name} loads ") and "b.org" in found


@pytest.mark.parametrize(("name", "text"), INSIDE)
def test_what_is_only_named_or_comes_from_here_is_well(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert [*from_elsewhere(tmp_path)] == []
