"""Complete programs. None of them is in the wheel."""
