"""Tuning: searches over what the holes of a strategy may be filled with."""
