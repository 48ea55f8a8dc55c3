"""Structs: each member that is used is an argument; and calls that the user says are to be left out."""

from __future__ import annotations

import pytest

SCALED = """
struct matrix { int rows, ld; float *data; void *more; };
struct pair { float by, off; };

float scaled(struct matrix *m, const struct matrix *other) {
    struct pair *p = m->more;
    int *seen = other->more;
    float s = 0;
    for (int i = 0; i < m->rows; i++)
        for (int j = 0; j < 3; j++) {
            m->data[i * m->ld + j] += (*other).data[j] * p->by + p->off;
            s += m->data[i * m->ld + j];
            seen[i] = j;
        }
    return s;
}

float plain(int m_rows, int m_ld, float *m_data, float *other_data, float m_more_by, float m_more_off,
            int *other_more) {
    struct pair p = {m_more_by, m_more_off};
    struct matrix m = {m_rows, m_ld, m_data, &p}, other = {0, 0, other_data, other_more};
    return scaled(&m, &other);
}
"""

LOCAL = """
struct complex { double re, im; };
void product(int n, double *re, double *im, const double *x, const double *y) {
    struct complex c = {1, 0};
    for (int i = 0; i < n; i++) {
        struct complex d;
        d.re = c.re * x[i] - c.im * y[i];
        d.im = c.re * y[i] + c.im * x[i];
        re[i] = c.re = d.re;
        im[i] = c.im = d.im;
    }
}
"""

RING = """
struct delay { float data[64]; int at; };
void delayed(struct delay *d, int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        y[i] = d->data[d->at];
        d->data[d->at] = x[i];
        if (++d->at == 64) d->at = 0;
    }
}
void masked(struct delay *d, int n, const float *x, float *y) {
    int k = d->at;
    for (int i = 0; i < n; i++) {
        y[i] = d->data[k];
        d->data[k] = x[i];
        k = (k + 1) & 63;
    }
    d->at = k;
}
void plain(float d_data[64], int *d_at, int n, const float *x, float *y) {
    struct delay d;
    memcpy(d.data, d_data, sizeof d.data);
    d.at = *d_at;
    FUNCTION(&d, n, x, y);
    memcpy(d_data, d.data, sizeof d.data);
    *d_at = d.at;
}
"""

NUMBER = """
struct options { int count; void *info; };
void counted(struct options *o, double *x) {
    int k = *(int *)o->info;
    for (int i = 0; i < o->count; i++) x[i + k] = 1;
}
void plain(int o_count, int o_info, double *x) {
    struct options o = {o_count, &o_info};
    counted(&o, x);
}
"""

IGNORED = """
double now(const char *what);
int f(int n, double *x) {
    now(__func__);
    for (int i = 0; i < n; i++) {
        x[i] = x[i] + 1;
        now("inside");
    }
    return now(__func__);
}
double now(const char *what) { return 0; }
"""


def test_members_of_structs_are_arguments(roundtrip) -> None:
    text = roundtrip(SCALED, "scaled", [{"m_rows": 4, "m_ld": 5}, {"m_rows": 1, "m_ld": 3}], through="plain")
    assert "m_data is m->data in C" in text and "m_more_by is m->more->by in C" in text
    assert "m_data: f32[m_rows, m_ld]" in text


def test_members_of_local_structs_are_variables(roundtrip) -> None:
    roundtrip(LOCAL, "product", [{"n": 1}, {"n": 6}])


def test_a_number_behind_a_void_pointer_is_an_argument(roundtrip) -> None:
    text = roundtrip(NUMBER, "counted", [{"o_count": 4, "o_info": 2}, {"o_count": 1, "o_info": 0}], through="plain")
    assert "assert o_info >= 0" in text


def test_calls_that_are_ignored_are_left_out_and_that_is_stated(roundtrip, refused) -> None:
    assert "now(..): it isn't" in refused(IGNORED.replace("double now(const char *what) { return 0; }", ""), "f")
    text = roundtrip(IGNORED, "f", [{"n": 3}], ignore=["now"])
    assert "calls of now are left out (--ignore)" in text and "result" not in text.split("def f")[1]


@pytest.mark.parametrize("function", ["delayed", "masked"])
def test_an_index_that_outlives_the_call_is_a_number_in_memory(function: str, roundtrip) -> None:
    source = "#include <string.h>\n" + RING.replace("FUNCTION", function)
    text = roundtrip(source, function, [{"n": n, "d_at": 60} for n in (1, 4, 150)], through="plain")
    assert "d_at: i32" in text and "min(max(" in text
