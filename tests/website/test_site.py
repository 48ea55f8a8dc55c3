"""The site, as `make docs` builds it: build/site if EXO_STRAT_SITE names it, else one that is built here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from exo_strat import PRIMITIVES
from website import ROOT
from website.loads import from_elsewhere

pytestmark = pytest.mark.slow


def build(into: Path, *settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(into), *settings]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    if built := os.environ.get("EXO_STRAT_SITE"):
        return Path(built)
    folder = tmp_path_factory.mktemp("site")
    ran = build(folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


class Anchors(HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")


def test_every_link_leads_somewhere(site: Path) -> None:
    files = {p.resolve() for p in site.rglob("*") if p.is_file()}
    pages = {p: Anchors(p.read_text(encoding="utf-8")) for p in files if p.suffix == ".html" and p.name != "404.html"}
    broken = []
    for page, found in pages.items():
        for link in found.links:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                continue
            to = Path(os.path.normpath(page.parent / unquote(url.path))) if url.path else page
            if to not in files or (url.fragment and to in pages and unquote(url.fragment) not in pages[to].ids):
                broken.append(f"{page.name}: {link}")
    assert broken == [] and len(pages) > 40


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert [*from_elsewhere(site)] == []
    pages = [*site.rglob("*.html")]
    assert all("Content-Security-Policy" in p.read_text(encoding="utf-8") for p in pages) and pages


def test_every_primitive_moves(site: Path) -> None:
    text = (site / "primitives.html").read_text(encoding="utf-8")
    shown = re.findall(r'<figure class="exo-clip"><figcaption>(\w+)</figcaption>', text)
    assert sorted(shown) == sorted(PRIMITIVES)
    assert text.count("@keyframes exo-come") == 1, "the style is there once"


def test_the_search_finds_pages_and_names_but_no_clips(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert all(page in index for page in ("guide.html", "api/ops.html", "commands.html"))
    assert "exo-clip" not in index and "divide_with_recompute" in index


BUILD = """
import logging, sys
from mkdocs.commands.build import build
from mkdocs.config import load_config
logging.basicConfig(level=logging.WARNING)
build(load_config("mkdocs.yml", docs_dir=sys.argv[1], site_dir=sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("[there](nowhere.md)", "the link to nowhere.md leads to no file"),
        ("[there](guide.md#nowhere)", "contains a link 'guide.md#nowhere'"),
        ("```python\nprint(1)\n```", "no test runs this block"),
        ("```sh\nexo-strat nosuch\n```", "exo-strat has no command nosuch"),
    ],
    ids=["link", "anchor", "example", "command"],
)
def test_what_is_broken_fails_the_build(added: str, told: str, tmp_path: Path) -> None:
    """In a copy of the pages, with one more fault at the end of one."""
    pytest.importorskip("mkdocs")
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs)
    with (docs / "threads.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{added}\n")
    command = [sys.executable, "-c", BUILD, str(docs), str(tmp_path / "site")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode != 0 and told in ran.stdout + ran.stderr
