"""Importers: programs of other languages as object code.

Each transliterates: it says what the program says, in `@proc` text for the ordinary front end, which checks it. To make
the result fast is left to strategies. What it can't say with certainty it reports.
"""

from __future__ import annotations
