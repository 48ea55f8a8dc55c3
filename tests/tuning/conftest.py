"""What tests of tuning share: a process that takes an interrupt."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def interruptible() -> Iterator[None]:
    """The collector of garbage rests: hypothesis has a callback there, and an interrupt in a callback is lost."""
    gc.disable()
    yield
    gc.enable()
