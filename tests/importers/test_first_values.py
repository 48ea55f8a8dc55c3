"""What variables that outlive a call begin with is stated."""

from __future__ import annotations

SOURCE = """
static int base = 3, calls;
float table[4] = {1, -2.5}, other[2] = {1 + 1, -0.0}, deep[2][2] = {{1}};
extern double outside;
double total = 1e-1 * 1;

void f(float *x) {
    static double last = -1;
    for (int i = 0; i < 4; i++)
        x[i] = table[i] + other[0] + base + deep[1][1];
    calls = calls + 1 + (x[0] > 1);
    base = base + (x[0] > 0);
    other[1] = last + outside;
    total += last;
    last = x[0];
}
"""


def test_the_first_values_of_variables_that_outlive_a_call_are_stated(tmp_path) -> None:
    from importers.c import from_c

    file = tmp_path / "f.c"
    file.write_text(SOURCE)
    text = from_c(file)
    kept = "at the first call, and keeps its value from call to call"
    first = ["base is 3", "calls is 0", "last is -1.0", "total is 0.1", "table is 1.0, -2.5 and zeros"]
    for f in [*first, "other is 2.0, -0.0"]:
        assert f"* {f} {kept}" in text, text
    assert "deep is at the first call what line 3 of the C file says" in text
    assert "outside is" not in text


def test_a_pointer_at_file_scope_that_is_moved_is_stated(tmp_path) -> None:
    from importers.c import from_c

    file = tmp_path / "f.c"
    file.write_text("float *at; void f(int n) { for (int i = 0; i < n; i++) *at++ = 1; }")
    assert "* nobody asks where at points after the call, which C changes;" in from_c(file)
