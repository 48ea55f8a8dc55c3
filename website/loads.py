"""What a browser would load for a page of the site, and whether it comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

ATTRIBUTES: Final = frozenset(
    {"src", "srcset", "data", "poster", "action", "formaction", "ping", "background", "xlink:href"}
)
"""What names something to load, whatever the tag; `href` does unless the tag is `a` or `area`."""

NEVER_LOADED: Final = frozenset({"canonical", "prev", "next", "author", "license", "alternate"})
"""Kinds of `link` that are for readers and robots."""

ELSEWHERE: Final = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
IN_CSS: Final = re.compile(r"""url\(\s*["']?([^"')\s]+)|@import\s+["']([^"']+)""", re.IGNORECASE)
IN_SCRIPT: Final = re.compile(r"""["'`](?:(?:https?|wss?):)?//(?:[\w-]+(?:\.[\w-]+)+|\$\{)[^"'`\s]*""")
"""The beginning of a text that is an address; a part of it may be computed."""

NAMESPACES: Final = re.compile(r"http://www\.w3\.org/")
"""Names of formats, which look like addresses."""


class _Page(HTMLParser):
    """Collects what a page names to be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.inside = tag
        self.found += [value for name, value in given.items() if name in ATTRIBUTES]
        rel = {*given.get("rel", "").split()}
        if "href" in given and tag not in ("a", "area") and not (tag == "link" and rel and rel <= NEVER_LOADED):
            self.found.append(given["href"])
        self.found += in_css(given.get("style", ""))
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.found.append(given.get("content", "").partition("=")[2])

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.found += in_css(data)
        elif self.inside == "script":
            self.found += in_script(data)


def in_html(text: str) -> list[str]:
    """What a page names to be loaded.

    >>> in_html('<img src="a.png"><a href="https://b.org">b</a><link rel="stylesheet" href="//c.org/d.css">')
    ['a.png', '//c.org/d.css']
    """
    page = _Page()
    page.feed(text)
    page.close()
    return page.found


def in_css(text: str) -> list[str]:
    """
    >>> in_css("@import 'a.css'; b { background: url(https://c.org/d.png) }")
    ['a.css', 'https://c.org/d.png']
    """
    return [url or imported for url, imported in IN_CSS.findall(text)]


def in_script(text: str) -> list[str]:
    """The addresses of other hosts among the texts of a script: it may load any of them.

    >>> in_script('fetch("https://a.org/b"); x = "http://www.w3.org/2000/svg"; // see https://c.org')
    ['https://a.org/b']
    """
    return [m[0][1:] for m in IN_SCRIPT.finditer(text) if not NAMESPACES.match(m[0][1:])]


def silenced(script: str) -> str:
    """A script in which other hosts have no address.

    >>> silenced('load("https://a.org/b.js")')
    'load("about:blank#a.org/b.js")'
    """

    def blank(m: re.Match[str]) -> str:
        address = m[0][1:]
        return m[0] if NAMESPACES.match(address) else m[0][0] + "about:blank#" + address.partition("//")[2]

    return IN_SCRIPT.sub(blank, script)


READERS: Final = {".html": in_html, ".svg": in_html, ".css": in_css, ".js": in_script}


def from_elsewhere(site: Path) -> Iterator[str]:
    """What files of a site would load from other hosts, each with the file."""
    for path in sorted(site.rglob("*")):
        read = READERS.get(path.suffix)
        if read is not None:
            found = sorted({url for url in read(path.read_text(encoding="utf-8")) if ELSEWHERE.match(url)})
            yield from (f"{path.relative_to(site)} loads {url}" for url in found)
