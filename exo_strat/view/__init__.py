"""Schedules to look at: `film` makes the versions of a procedure and what led to each of them, `page` an HTML file."""

from .film import Asked, Film, film, lines_of, reels, replayed
from .page import Listing, Panel, page

__all__ = ["Asked", "Film", "Listing", "Panel", "film", "lines_of", "page", "reels", "replayed"]
