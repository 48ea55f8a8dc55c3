"""How pages of docs/ become pages of the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from website import ROOT, SiteError
from website.links import for_site, taken_in, target_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "README.md": "# It",
        "docs/guide.md": "[file](../examples/a.c) and [it](../README.md#it) and [more](../examples/product)",
        "docs/more/deep.md": "",
        "examples/a.c": "int a;",
        "examples/product/README.md": "[back](../../docs/guide.md), [design](design.md)",
        "examples/product/design.md": "[code](../a.c)",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def page(root: Path, name: str) -> str:
    return (root / name).read_text()


def test_links_out_of_docs_lead_to_where_the_site_has_the_file(root: Path) -> None:
    text = for_site(page(root, "docs/guide.md"), "docs/guide.md", root)
    assert text == "[file](examples/a.c) and [it](index.md#it) and [more](examples/product/README.md)"
    back = for_site(page(root, "examples/product/README.md"), "examples/product/README.md", root)
    assert back == "[back](../../guide.md), [design](design.md)"


def test_what_pages_link_to_is_taken_in_with_what_that_links_to(root: Path) -> None:
    found = taken_in({"docs/guide.md": page(root, "docs/guide.md")}, root)
    assert list(found) == ["examples/a.c", "examples/product/README.md", "examples/product/design.md"]


@pytest.mark.parametrize("target", ["nowhere.md", "../examples/b.c", "../../outside", "more"])
def test_a_link_to_no_file_is_an_error(root: Path, target: str) -> None:
    with pytest.raises(SiteError, match=r"docs/guide\.md: the link to .* leads to no file"):
        target_of("docs/guide.md", target, root)


def test_every_link_of_our_pages_leads_to_a_file() -> None:
    pages = {path.relative_to(ROOT).as_posix(): path.read_text() for path in ROOT.glob("docs/**/*.md")}
    assert "examples/exo_blas/README.md" in taken_in(pages, ROOT)


def test_other_links_and_code_stay(root: Path) -> None:
    text = "[a](#here) [b](https://b.org/c) [d](guide.md#e)\n\n```text\n[f](nowhere.md)\n```\n"
    assert for_site(text, "docs/guide.md", root) == text


def test_a_fence_that_names_a_file_gets_a_title(root: Path) -> None:
    text = for_site("```c main.c\n```\n\n```sh run\n```\n", "docs/a.md", root)
    assert text == '```c title="main.c"\n```\n\n```sh\n```\n'


def test_a_bar_in_code_in_a_table_needs_no_backslash(root: Path) -> None:
    text = "| `a \\| b` | x \\| y |\n|---|---|\n\n`a \\| b`\n"
    assert for_site(text, "docs/a.md", root) == "| `a | b` | x \\| y |\n|---|---|\n\n`a \\| b`\n"
