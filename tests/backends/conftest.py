"""What the tests of the backends share: procedures from text, and a cache of compiled code of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from exo_strat import Proc, proc_from_source


@pytest.fixture(autouse=True, scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Nothing is compiled into the user's cache."""
    patch = pytest.MonkeyPatch()
    patch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test."""
    monkeypatch.setenv("EXO_STRAT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def code() -> Callable[..., Proc]:
    """`code(text, name=meaning, ..)`: the procedure of a text."""
    return lambda text, **env: proc_from_source(text, env)
