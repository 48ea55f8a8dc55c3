"""What happens between a page of docs/ and its page of the site. mkdocs.yml names this file.

* Links out of docs/ are taken in (`links`); the API and the commands get pages (`api`).
* Each primitive gets its example as a moving picture (`clips`), the first page that of `FIRST`.
* There is no site, and `make docs` fails, if an example is not run or a command doesn't exist (`examples`), if a
  primitive has no picture, a public name no place, or a page would load anything from another host (`loads`). Links,
  anchors and pages that the navigation lacks are checked by mkdocs itself, as mkdocs.yml says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

import typer.main
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click

from exo_strat import PRIMITIVES
from exo_strat.cli.commands import app
from exo_strat.view.clip import style
from website import ROOT, SiteError, api, clips, examples, links, loads

PRIMITIVES_PAGE: Final = "primitives.md"
COMMANDS_PAGE: Final = "commands.md"
ASSETS: Final = ("site.css", "iframe-worker.js")
CLIP: Final = re.compile(r"<!-- clip: (?P<name>\w+) -->")
SECTION: Final = re.compile(r"^### `(?P<name>\w+)\(.*?(?=^Accepted:$)", re.MULTILINE | re.DOTALL)

POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "worker-src 'self' blob:; connect-src 'self'; frame-src 'self'; form-action 'none'; object-src 'none'"
)
"""What a page may load, for the browser: nothing from another host."""


@cache
def moving() -> Mapping[str, str]:
    """The pictures of all primitives, which take a second or two."""
    return clips.clips()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The pages of the API stand in the navigation where mkdocs.yml says API."""
    listed = [{title: path} for path, title, _ in api.pages()]
    config.nav = _with_api(config.nav, listed)
    return config


def _with_api(nav: Any, listed: list[dict[str, str]]) -> Any:
    if isinstance(nav, list):
        return [_with_api(item, listed) for item in nav]
    if isinstance(nav, dict):
        return {title: listed if title == "API" else _with_api(item, listed) for title, item in nav.items()}
    return nav


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are no files of docs/, and checks the examples of all."""
    texts = {f"{links.DOCS}/{f.src_uri}": f.content_string for f in files.documentation_pages()}
    try:
        found = links.taken_in(texts, ROOT)
    except SiteError as e:
        raise PluginError(str(e)) from None
    for path, place in found.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            texts[path] = (ROOT / path).read_text(encoding="utf-8")
    run = examples.runs(ROOT)
    wrong = [fault for page, text in sorted(texts.items()) for fault in examples.faults(page, text, run, ROOT)]
    if wrong:
        raise PluginError("\n".join(["examples that nobody runs:", *wrong]))
    for path, _, text in api.pages():
        files.append(File.generated(config, path, content=text))
    files.append(File.generated(config, COMMANDS_PAGE, content=commands()))
    for name in ASSETS:
        files.append(File.generated(config, f"assets/{name}", abs_src_path=str(ROOT / "website" / name)))
    return files


def commands() -> str:
    """The page of the command line, by typer."""
    group = typer.main.get_command(app)
    text = get_docs_for_click(obj=group, ctx=typer.Context(group, info_name="exo-strat"), name="exo-strat")
    return text.replace("# `exo-strat`", "# Commands: `exo-strat`", 1)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page's text as the site needs it, with the places of pictures."""
    path = links.repository_path(page.file.src_uri, ROOT)
    if not (ROOT / path).is_file():
        return markdown
    if page.file.src_uri == PRIMITIVES_PAGE:
        markdown = SECTION.sub(lambda m: f"{m[0]}<!-- clip: {m['name']} -->\n\n", markdown)
    return CLIP.sub(r'<div data-clip="\g<name>"></div>', links.for_site(markdown, path, ROOT))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page with its pictures, whose style is given once. The search leaves them out: they show what is said there."""
    first = True

    def picture(m: re.Match[str]) -> str:
        nonlocal first
        if m["name"] not in PRIMITIVES:
            raise PluginError(f"{page.file.src_uri}: there is no primitive {m['name']} to show a clip of")
        text = moving()[m["name"]]
        text, first = (text if first else text.removeprefix(style())), False
        return f'<div data-search-exclude="">{text}</div>'

    return re.sub(r'<div data-clip="(?P<name>\w+)"></div>', picture, html)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """A page that may load nothing from another host."""
    return with_policy(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    return with_policy(output_content) if template_name.endswith(".html") else output_content


def with_policy(html: str) -> str:
    """A page that tells the browser what it may load.

    >>> with_policy("<html><head><title>a</title></head></html>").partition("<title>")[0].count("default-src")
    1
    """
    head, tag, rest = html.partition("<head>")
    if not tag:
        raise PluginError("a page without a head")
    return f'{head}{tag}<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">{rest}'


def on_post_build(config: MkDocsConfig) -> None:
    """Checks what was built. The theme's scripts would load from other hosts what our pages don't use, such as
    diagrams: these addresses are taken out."""
    site = Path(config.site_dir)
    for script in (site / "assets" / "javascripts").rglob("*.js"):
        script.write_text(loads.silenced(script.read_text(encoding="utf-8")), encoding="utf-8")
    wrong = faults(site)
    if wrong:
        raise PluginError("\n".join(["the site is not as it should be:", *wrong]))


def faults(site: Path) -> list[str]:
    """What is wrong with a site."""
    found = [*loads.from_elsewhere(site)]
    text = (site / PRIMITIVES_PAGE).with_suffix(".html").read_text(encoding="utf-8")
    shown = re.findall(r'<figure class="exo-clip"><figcaption>(\w+)</figcaption>', text)
    found += [f"{name} has no clip in {PRIMITIVES_PAGE}" for name in PRIMITIVES if shown.count(name) != 1]
    pages = {page: (site / page).read_text(encoding="utf-8") for page in {page for page, _ in api.anchors()}}
    found += [f"{page} lacks {name}" for page, name in api.anchors() if f'id="{name}"' not in pages[page]]
    return found
