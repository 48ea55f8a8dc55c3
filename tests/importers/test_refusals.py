"""What isn't taken: each is reported where it stands, with the reason and what to do."""

# ruff: noqa: E501  (each program stands beside what is said of it)

from __future__ import annotations

import re

import pytest

HEADERS = "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
FIRST = HEADERS.count("\n") + 1

REFUSED = {
    # arithmetic that C and the object language do in other ways
    "i % 2: C cuts i % 2 towards zero": "void f(int n, double *x) { for (int i = -3; i < n; i++) if (i % 2 == 1) x[0] = 1; }",
    "C cuts (i - 3) / 2 towards zero": "void f(int n, double *x) { for (int i = 0; i < n; i++) x[(i - 3) / 2] = 1; }",
    "an initializer: values that name their place in a table aren't taken": "void f(int n, int *x) { int t[4] = {[2] = 7}; for (int i = 0; i < n; i++) x[i] = t[2]; }",
    "is unsigned in C, and would wrap around below 0": "void f(size_t n, double *x) { for (size_t i = n - 1; i >= 0; i--) x[i] = 1; }",
    "i - k is unsigned in C": "void f(unsigned n, unsigned k, double *x) { for (unsigned i = 0; i < n; i++) if (i - k < 3) x[i] = 1; }",
    "is converted to an unsigned type": "void f(int n, size_t m, double x[n]) { for (int i = -1; i < m; i++) if (i >= 0 && i < n) x[i] = 1; }",
    "`%` of control integers by a variable": "void f(int n, int b, double *x) { for (int i = 0; i < n % b; i++) x[i] = 1; }",
    "i + 1 is stored in type unsigned char, and C would wrap it around at 256": "void f(int n, double *x) { for (unsigned char i = 0; i < n; i++) x[i] = 1; }",
    "i is stored in type short, and C would wrap it around": "void f(int n, double *x) { for (int i = 0; i < n; i++) { short k = i; x[k] = 1; } }",
    "INFINITY: the object language has finite literals only": "void f(int n, double *x) { x[0] = INFINITY; }",
    "BYTES: its value is none that is known": "void f(int n, int *x) { enum { BYTES = sizeof(int) }; for (int i = 0; i < n; i++) x[i] = BYTES; }",
    # order of evaluation
    "i is changed and used in one expression": "void f(int n, double *x) { int i = 0; while (i < n) x[i++] = x[i]; }",
    "an assignment or a step behind ?, && or ||": "void f(int n, double *x) { int i = 0; while (n > 1 && i++ < n) x[i - 1] = 1; }",
    "an assignment of data inside of an expression": "void f(int n, double *x) { double t; while ((t = x[0]) < 3) x[0] = t + 1; }",
    "k is changed and used in one expression: C says at `?`, `,`, `&&` or `||` what is done first": "void f(int n, const float *x, int *y) { int k = 0; for (int i = 0; i < n; i++) y[i] = (k++, x[i] > 0) ? k : -k; }",
    "k is changed and used in one expression: C doesn't say what is done first": "void f(int n, const float *x, int *y) { int k = 0; for (int i = 0; i < n; i++) y[i] = k + ((k++, x[i] > 0) ? k : -k); }",
    "a place in memory is changed and used in one expression": "void f(int n, int x[2]) { x[0] = x[1] + x[1]++; }",
    # loops
    "n has another value on each side of an if": "void f(int n, double *x) { for (int i = 0; i < n; i++) if (x[i] > 0) n = n - 1; }",
    "its variable doesn't move by a constant amount": "void f(int n, int s, double *x) { for (int i = 0; i < n; i += s) x[i] = 1; }",
    "how often it runs multiplies variables: (n * m + 7) / 8": "void f(int n, int m, double *x) { for (int i = 0; i < n * m; i += 8) x[i] = 1; }",
    "count to one argument, or write a loop for each factor": "void f(int n, int m, double *x) { for (int i = 0; i < n * m / 8; i++) x[8 * i] = 1; }",
    "i is carried from one iteration to the next": "void f(int n, double *x) { for (int i = 1; i < n; i *= 2) x[i] = 1; }",
    "a loop without a condition": "void f(int n, double *x) { for (;;) x[0] = 1; }",
    "`!=` with a step of 2 doesn't tell where it ends": "void f(int n, double *x) { for (int i = 0; i != n; i += 2) x[i] = 1; }",
    "`<` with a step of -1 doesn't tell where it ends": "void f(int n, double *x) { for (int i = 0; i < n; i--) x[i] = 1; }",
    "goto again: it goes backward": "void f(int n, double *x) { int i = 0; again: x[i] = 1; i++; if (i < n) goto again; }",
    "goto in: it goes backward, or into a block": "void f(int n, double *x) { if (n > 3) goto in; if (n > 2) { x[0] = 1; in: x[1] = 1; } }",
    "continue in do .. while: it ends this do-while": "void f(int n, double *x) { for (int i = 0; i < n; i++) { do { if (x[i] > 1) continue; x[i] = 1; } while (0); x[i] += 1; } }",
    "break in do .. while: it ends this do-while": "void f(int n, double *x) { do { if (x[0] > 1) break; x[0] = 1; } while (0); }",
    "a loop that is left early, and computes in its third part": "void f(int n, double *x) { int i; double s = 0; for (i = 0; i < n; i++, s += 1) if (x[i] > 1) break; x[0] = s; }",
    "exit(..) in a function that another one calls": "static void g(double *x) { if (x[0] < 0) exit(1); } void f(double *x) { g(x); x[0] = 1; }",
    "how often it runs depends on data": "void f(int n, double *x) { while (x[0] > 1) x[0] = x[0] / 2; }",
    "p->data: it is read at two types": "struct v { void *data; }; void f(int n, struct v *p) { int *a = p->data; float *b = p->data; for (int i = 0; i < n; i++) a[i] = b[i]; }",
    "p->x is changed: pointers have no place": "struct v { double *x; }; void f(int n, struct v *p) { p->x = p->x + 1; }",
    "p->a is changed: it is a copy that C throws away": "struct v { double a; }; void f(int n, struct v p, double *x) { p.a = 1; x[0] = p.a; }",
    "g(..): its value is used, and calls of it are left out|g(..)": "double g(double); void f(double *x) { x[0] = g(x[0]); }",
    "it is no minimum and no maximum": "void f(int n, int m, double *x) { int k = n == 3 ? n : m; for (int i = 0; i < k; i++) x[i] = 1; }",
    "v: it tells how often the loop runs, and is computed in a way that says nothing of that": "int f(unsigned v) { int c = 0; while (v) { v &= v - 1; c++; } return c; }",
    "b: it tells how often the loop runs, and is computed in a way that says nothing": "int f(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }",
    "g(..): this function is not in the file, and none that is known": "int g(int); int f(int n) { int k = g(n); return k; }",
    "a call through a pointer: which function it calls is not known": "void f(int n, double *x, double (*g)(double)) { for (int i = 0; i < n; i++) x[i] = g(x[i]); }",
    # memory
    "an element of ptr: the function writes it, and takes its elements": "void f(int n, double *x, int *ptr) { for (int i = 0; i < n; i++) { for (int k = 0; k < ptr[i]; k++) x[k] = 1; ptr[i] = 0; } }",
    "how often it runs depends on data, or on one of two conditions": "void f(int n, double *x) { int c[3] = {1, 2, 0}; for (int i = 0; i < 3; i++) for (int k = 0; k < c[i]; k++) x[k] = 1; }",
    "a pointer into x: it walks through the rows of an array": "void f(int n, double x[n][4], unsigned char *b) { for (int i = 0; i < n; i++) { (*x)[b[i]] = 1; b[i] = 0; } }",
    "malloc(..) for t: 8 * n - 1 bytes are no whole number": "void f(int n, double *x) { double *t = malloc(n * sizeof(double) - 1); t[0] = x[0]; }",
    "free(..): what was allocated elsewhere is freed elsewhere": "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 1; free(x); }",
    "t: its value is not known here: t was freed": "void f(int n, double *x) { double *t = malloc(8 * n); t[0] = 1; free(t); x[0] = t[0]; }",
    "malloc(..) for keep: a buffer of the object language ends with the block": "double *keep; void f(int n) { keep = malloc(8 * n); keep[0] = 1; }",
    "one factor of a product of control integers must be made of literals and control arguments": "void f(int n, double x[4], const int *p) { for (int i = 0; i < n; i++) x[p[i] * p[i]] = 1; }",
    "x[i] may be out of bounds": "void f(int n, double x[n]) { for (int i = 0; i <= n; i++) x[i] = 1; }",
    "x[i - 1] may be out of bounds": "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i - 1] = 1; }",
    "indexed with strides lda and ldb": "void f(int n, int lda, int ldb, double *x) { for (int i = 0; i < n; i++) x[i * lda] = x[i * ldb]; }",
    "its accesses need m and n elements": "void f(int n, int m, double *x) { for (int i = 0; i < n; i++) x[i] = 1; for (int i = 0; i < m; i++) x[i] = 1; }",
    "y is null: arrays of the object language always exist": "void f(int n, double *x, double *y) { if (y != NULL) y[0] = 1; x[0] = 1; }",
    "it isn't known into which array it points": "void f(int n, double *x, double *y) { double *p = n > 3 ? x : y; p[0] = 1; }",
    "a cast of a pointer": "void f(int n, double *x) { float *p = (float *)x; p[0] = 1; }",
    "may overlap in x": "static void g(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; } void f(int n, double *x) { g(n, x, x + 1); }",
    "sizeof of a pointer: an array argument is a pointer in C, too": "void f(float x[10]) { for (int i = 0; i < sizeof x / sizeof x[0]; i++) x[i] = 1; }",
    "sizeof of a pointer": "void f(float x[10]) { for (int i = 0; i < (int)(sizeof(*&x)); i++) x[i] = 1; }",
    "1e400: a double like this is no number": "void f(double *x) { x[0] = 1e400; }",
    "1e39f: a float like this is no number": "void f(double *x) { x[0] = -1e39f; }",
    "1e+308 * 10.0: this constant is no finite number": "void f(double *x) { x[0] = 1e308 * 10; }",
    "0x1p+99999: a double like this": "void f(double *x) { x[0] = 0x1p+99999; }",
    "'ab': a int like this is no number": "void f(int *x) { x[0] = 'ab'; }",
    "A as an argument: the function sees rows of n elements, and here it has others": "static void g(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = 1; } void f(int n, int m, double *A) { g(n, A); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i * m + j] = 1; }",
    "it has n_over_b as an argument, a quotient of two": "static void g(int n, int b, double *a) { for (int i = 0; i < n / b; i++) a[i] = 1; } void f(int n, int b, double *x) { g(n, b, x); }",
    "its elements are bounds here, and a caller passes an array that is written": "static void g(int n, double *x, const int *p) { for (int i = 0; i < n; i++) for (int k = 0; k < p[i]; k++) x[k] = 1; } void f(int n, double *x, int *p) { g(n, x, p); p[0] = 1; }",
    # types and names
    ".b: members are taken of structs, of pointers to one": "struct v { double a; union { int b; } u; }; void f(int n, struct v *p) { p->u.b = 1; }",
    ".a: members are taken of structs, of pointers to one, and of arrays": "struct v { double a; int b; }; void f(int n, struct v *p) { for (int i = 0; i < n; i++) p[i].a = 1; }",
    "an argument without a name": "void f(int n, double *, double *x) { for (int i = 0; i < n; i++) x[i] = 1; }",
    "arguments that are declared after their names": "void f(n, x) int n; double *x; { for (int i = 0; i < n; i++) x[i] = 1; }",
    "x of type double **": "void f(int n, double **x) { x[0][0] = 1; }",
    "x of type long double *": "void f(int n, long double *x) { x[0] = n > 1; }",
    "x of type volatile *": "void f(int n, volatile double *x) { x[0] = 1; }",
    "printf(..): it isn't defined in this file": 'void f(int n, double *x) { printf("%d", n); x[0] = 1; }',
    "fma(..): it rounds once": "void f(int n, double *x) { x[0] = fma(x[0], x[1], x[2]); }",
    "strlen(..): this function is not in the file": "int f(const char *s) { return strlen(s); }",
    "the C compiler refuses this: 'y' undeclared|use of undeclared identifier 'y'": "void f(int n, double *x) { x[0] = y; }",
    "f calls itself": "int f(int n) { return n < 2 ? 1 : f(n - 1); }",
}  # fmt: skip


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_taken_is_reported_with_its_place_and_reason(message: str, refused) -> None:
    found = refused(f"{HEADERS}{REFUSED[message]}\n", "f")
    assert any(m in found for m in message.replace("i % 2: ", "").split("|")), found
    assert re.search(rf"^program\.c:{FIRST}:\d+: .+: .+", found, re.MULTILINE), found
    assert f"    {REFUSED[message]}" in found, "the source line is shown"


def test_what_a_loop_says_of_its_counter_is_not_said_again_in_its_body(refused) -> None:
    found = refused("int f(unsigned v) {\n  int c = 0;\n  while (v) {\n    v &= v - 1;\n    c++;\n  }\n  return c;\n}\n")
    assert re.findall(r"^program\.c:(\d+):", found, re.MULTILINE) == ["3"] and "an if with a break inside" in found


def test_all_problems_of_a_function_are_reported_at_once_in_the_order_of_the_file(refused) -> None:
    found = refused(
        """
        void f(int n, double *x, const double *k, struct s *p) {
            float *y = (float *)x;
            for (int i = 0; i < n; i++) {
                x[i] = unknown(x[i]);
                if (x[i] > 2) x[i - n] = fma(x[i], 2, 3);
            }
            while (x[0] > 1) y[0] = 1;
        }
        """
    )
    lines = [int(n) for n in re.findall(r"^program\.c:(\d+):", found, re.MULTILINE)]
    assert lines == sorted(lines) and {2, 3, 5, 6, 8} <= set(lines)


def test_what_follows_from_a_problem_is_not_reported(refused) -> None:
    found = refused("void f(int n, double *x) { double *p = n > 3 ? x : 0; p[0] = 1; p[1] = 2; }")
    assert len(re.findall(r"^program\.c:", found, re.MULTILINE)) == 1


def test_a_null_test_is_taken_if_the_pointer_is_said_to_be_none(roundtrip) -> None:
    source = "#include <stddef.h>\nint f(int n, double *x) { if (!x || n < 1) return 1; x[0] = 2; return 0; }"
    text = roundtrip(source, "f", [{"n": 1}, {"n": 0}], nonnull=["x"])
    assert "x is no null pointer" in text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int x;", "has no function with a body"),
        ("void f(void) {} void g(void) {}", "name one of f, g"),
        ("void f( {", "the C compiler refuses this"),
        ('#include "nowhere.h"\n', "the preprocessor refuses"),
    ],
)
def test_a_file_without_a_program_says_so(source: str, message: str, refused) -> None:
    assert message in refused(source)


def test_a_function_that_is_not_there_is_named_with_those_that_are(refused) -> None:
    assert "has no function g; it has f" in refused("void f(int n, double *x) { x[0] = n > 0; }", "g")


def test_what_the_compiler_refuses_is_reported_where_it_says(refused) -> None:
    found = refused("void f(int n, float *x) {\n    *n = 1;\n    x[0] = x[0] % 2;\n    x[1] = y;\n}\n")
    assert [line for line in found.splitlines() if line.startswith("program.c:") and "the C compiler refuses" in line]
    assert all(f"program.c:{k}:" in found for k in (2, 3, 4)) and "    *n = 1;" in found


def test_the_mark_stands_under_what_is_meant_after_tabs(refused) -> None:
    found = refused("void f(int n, double *x) {\n\tx[0]\t= 1 + y;\n}\n").splitlines()
    assert found[0].startswith("program.c:2:13:") and "declare it" in found[-1]
    assert found[1:3] == ["    \tx[0]\t= 1 + y;", "    \t    \t      ^"]


def test_what_is_left_out_without_a_word_is_a_fault_of_the_importer() -> None:
    from importers.report import SAID, Report

    with pytest.raises(AssertionError, match="nothing says so"):
        Report().add(SAID)


@pytest.mark.parametrize("value", ["(4 * i - 8) / 4 + 2", "(6 * i - 12) % 3", "((i - 1) * n) / n"])
def test_what_wrapped_is_no_multiple_any_more(value: str, refused) -> None:
    text = f"void f(unsigned n, double *x, unsigned *y) {{ for (unsigned i = 0; i < n; i++) x[{value}] = 1; }}"
    assert "would wrap around below 0" in refused(text)


@pytest.mark.parametrize(
    ("test", "claim"),
    [
        ("k >= 0 && k < m", None),
        ("!(k < 0 || k >= m)", None),
        ("k >= 0", "within(idx, -2147483648, x_size)"),
        ("k != -1", "within(idx, -1, x_size)"),
        ("k < m", "within(idx, 0, 2147483648)"),
        ("k != 3", "within(idx, 0, x_size)"),
    ],
)
def test_what_a_condition_says_of_an_index_is_not_asserted(test: str, claim: str | None, roundtrip) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ int k = idx[i]; if ({test}) x[k] = i; }}"
    text = roundtrip(f"void f(int n, int m, const int *idx, double *x) {{ {loop} }}", "f", [])
    assert re.findall(r"assert (within.*)", text) == ([] if claim is None else [claim])


@pytest.mark.parametrize(
    ("type_", "most", "index", "extent"),
    [
        ("unsigned char", 256, "b[i]", "256"),
        ("signed char", 256, "b[i] + 128", "256"),
        ("unsigned char", 300, "b[i] + 44", "300"),
        ("unsigned char", 299, "b[i] + 44", "h_size"),  # C may have more elements, and use them
        ("unsigned char", 255, "b[i]", "h_size"),
        ("int", 256, "b[i]", "h_size"),
        ("unsigned char", "n", "b[i]", "h_size"),
    ],
)
def test_a_loop_tells_an_extent_that_no_index_of_a_type_exceeds(type_, most, index, extent, roundtrip) -> None:
    first = f"for (int i = 0; i < {most}; i++) h[i] = 0;"
    loop = f"for (int i = 0; i < n; i++) h[{index}]++;"
    text = roundtrip(f"void f(int n, const {type_} *b, int *h) {{ {first} {loop} }}", "f", [])
    assert f"h: i32[{extent}]" in text and ("h_size: size" in text) == (extent == "h_size")
