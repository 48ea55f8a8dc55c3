"""Every primitive has a picture of its example."""

from __future__ import annotations

import re
from html import unescape

import pytest

from exo_strat import PRIMITIVES
from exo_strat.testing.reference import Entry
from website.clips import clip_of, clips

MOST_BYTES = 16_000


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_a_clip_shows_what_the_primitive_did(name: str) -> None:
    html = clip_of(name)
    assert f"<figcaption>{name}</figcaption>" in html
    assert 'class="legend"><span>' in html, "something changed"
    assert len(html.encode()) < MOST_BYTES


def test_a_clip_ends_with_what_the_example_prints() -> None:
    [(_, printed)] = Entry.of(PRIMITIVES["cut_loop"].spec).accepted.steps
    after = clip_of("cut_loop").partition('<div class="after"')[2]
    shown = re.findall(r'<span class="l [^>]*><i>.?</i>(.*?)</span>', after)
    assert [unescape(re.sub("</?mark>", "", line)) for line in shown] == printed.splitlines()


def test_clips_are_the_same_each_time() -> None:
    assert clip_of("fission") == clips()["fission"]
    assert sorted(clips()) == sorted(PRIMITIVES)
