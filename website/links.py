"""Pages of docs/ as pages of the site: links that lead out of docs/, fences, and tables.

On GitHub a page may link to any file of the repository. The site takes in what the pages link to: a page beside the
others, any other file as it is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from . import SiteError

DOCS = "docs"
LINK = re.compile(r"(?P<before>\]\()(?P<target>(?![a-z]+:|#)[^()\s#]+)(?P<after>(?:#[^()\s]*)?\))")
FENCE = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
NAMED_FENCE = re.compile(r"^```(?P<language>\w+) (?P<name>\S+)$", re.MULTILINE)
TABLE_ROW = re.compile(r"^\|.*\|[ \t]*$", re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """A page with a change to all but its blocks of code.

    >>> outside_fences("a\\n```text\\na\\n```\\na\\n", str.upper)
    'A\\n```text\\na\\n```\\nA\\n'
    """
    parts, end = [], 0
    for m in FENCE.finditer(text):
        parts += [change(text[end : m.start()]), m[0]]
        end = m.end()
    return "".join([*parts, change(text[end:])])


def site_path(path: str) -> str:
    """Where a file of the repository is in the site.

    >>> site_path("docs/guide.md"), site_path("examples/stencils.c"), site_path("README.md")
    ('guide.md', 'examples/stencils.c', 'index.md')
    """
    if path == "README.md":  # the first page of the site is its own
        return "index.md"
    return path.removeprefix(f"{DOCS}/")


def repository_path(site: str, root: Path) -> str:
    """The file of the repository that a page of the site is made of."""
    inside = f"{DOCS}/{site}"
    return inside if (root / inside).is_file() else site


def target_of(page: str, target: str, root: Path) -> str:
    """The file of the repository to which a link on a page leads; of a folder it is its first page.

    Raises SiteError if there is none.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if (root / path).is_dir():
        first = [f"{path}/{name}" for name in ("index.md", "README.md") if (root / path / name).is_file()]
        path = first[0] if first else path
    if path.startswith("..") or not (root / path).is_file():
        raise SiteError(f"{page}: the link to {target} leads to no file")
    return path


def links(text: str) -> Iterator[str]:
    """The targets of links to files, without anchors.

    >>> list(links("[a](../b.c), [here](#there), [c](d.md#e)"))
    ['../b.c', 'd.md']
    """
    prose = FENCE.sub("", text)
    yield from (m["target"] for m in LINK.finditer(prose))


def taken_in(pages: Mapping[str, str], root: Path) -> Mapping[str, str]:
    """The files out of docs/ to which pages link, directly or by such a file: their places in the site, by path.

    `pages` are the texts of the pages of docs/, by path in the repository.
    """
    found: dict[str, str] = {}
    waiting = dict(pages)
    while waiting:
        page, text = waiting.popitem()
        for target in links(text):
            path = target_of(page, target, root)
            if path in found or path.startswith(f"{DOCS}/") or path == "README.md":
                continue
            found[path] = site_path(path)
            if path.endswith(".md"):
                waiting[path] = (root / path).read_text(encoding="utf-8")
    return dict(sorted(found.items()))


def for_site(text: str, page: str, root: Path) -> str:
    """The text of a page, with links as the site needs them, and what GitHub's Markdown has and Python's hasn't.

    ```c product.c is a block with a title; in a table, `a \\| b` in code is `a | b`.
    """

    def relinked(m: re.Match[str]) -> str:
        to = site_path(target_of(page, m["target"], root))
        return m["before"] + posixpath.relpath(to, posixpath.dirname(site_path(page)) or ".") + m["after"]

    def prose(part: str) -> str:
        part = LINK.sub(relinked, part)
        return TABLE_ROW.sub(lambda row: CODE.sub(lambda m: m[0].replace(r"\|", "|"), row[0]), part)

    titled = NAMED_FENCE.sub(lambda m: _fence(m["language"], m["name"]), outside_fences(text, prose))
    return titled


def _fence(language: str, name: str) -> str:
    """
    >>> _fence("c", "main.c"), _fence("sh", "run")
    ('```c title="main.c"', '```sh')
    """
    return f"```{language}" + ("" if name == "run" else f' title="{name}"')
