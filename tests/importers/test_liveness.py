"""Whether what a variable holds is wanted later: counters that are declared outside of their loops are none of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from importers.c import ImportRefusedError, from_c

PROGRAMS = Path(__file__).parent / "programs"


def test_a_counter_that_each_loop_sets_is_not_carried() -> None:
    text = str(from_c(PROGRAMS / "loops.c", "triangle_with_counters_at_the_top"))
    assert "assert" not in text
    assert text.count("for i in") == 1


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = k; for (k = 0; k < m; k++) if (b[k] == i) break;",
        "for (k = 0; k < m; k++) if (b[k] == i) break; if (b[i] > 3) k = 7; y[i] = k;",
        "for (k = 0; k < m; k++) if (b[k] == i) break; if (b[i] > 3) k = 7; else y[0] = 1; y[i] = k;",
    ],
)
def test_what_may_be_read_is_carried(tmp_path: Path, body: str) -> None:
    """A value that depends on data is no closed form; that it is wanted is seen through branches and loops."""
    file = tmp_path / "f.c"
    file.write_text(f"void f(int m, int b[m], int y[m]) {{ int k = 0; for (int i = 0; i < m; i++) {{ {body} }} }}")
    with pytest.raises(ImportRefusedError, match="k: its value is not known here"):
        from_c(file, "f")
