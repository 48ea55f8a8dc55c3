"""Paths, atomic edits, forwarding, cursors, moves. Imports `ir`, `logic` and `frontend`."""

from . import kinds as _kinds  # noqa: F401  (registers the cursor classes)
