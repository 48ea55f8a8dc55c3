"""What `make docs` adds to the pages of docs/, and what it checks: see `hooks`."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The folder of the clone."""


class SiteError(Exception):
    """Why there is no site: what is wrong with a page, and where."""
