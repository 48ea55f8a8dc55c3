"""Paths, atomic edits, forwarding, cursors, moves."""

from . import kinds as _kinds  # noqa: F401  (registers the cursor classes)
