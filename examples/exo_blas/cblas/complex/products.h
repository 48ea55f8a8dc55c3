// y := alpha op(A) x + beta y, of general and of Hermitian matrices
#include "rows.h"

static void scale_by(int64_t n, Number beta, T *y, int64_t inc) {
    if (is_zero(beta)) for (int64_t i = 0; i < n; i++) y[2 * i * inc] = y[2 * i * inc + 1] = 0;
    else if (!is_one(beta)) KERNEL(scal_strided)(n, &beta.re, &beta.im, PAIRS_OUT(y, inc));
}

// w += op(A) x, of neighbours, in two vectors that are taken apart, or put together in the end
typedef void Product(const Rows *m, int conj, const T *x, T *u, T *v, T *w);

static inline void by_rows(const Rows *m, int conj, const T *x, T *u, T *v, T *w) {
    KERNEL(spread)(m->columns, SIGN(conj), PAIRS(x, 1), PAIRS_OUT(u, 1), PAIRS_OUT(v, 1));
    if (m->below >= m->rows && m->above >= m->columns) {
        KERNEL(dots)(m->rows, 2 * m->columns, IN2(m->a, 2 * m->step, 1), IN(u, 1), IN(v, 1), OUT2(w, 2, 1));
        return;
    }
    for (int64_t i = 0; i < m->rows; i++) {
        const int64_t from = 2 * from_of(m, i), n = 2 * to_of(m, i) - from;
        T r[2];
        if (n <= 0) continue;
        KERNEL(dot)(n, IN(row_of(m, i) + from, 1), IN(u + from, 1), IN(v + from, 1), OUT(r, 1));
        w[2 * i] += r[0], w[2 * i + 1] += r[1];
    }
}

static inline void by_columns(const Rows *m, int conj, const T *x, T *p, T *q, T *w) {
    if (m->below >= m->rows && m->above >= m->columns)
        KERNEL(adds)(m->rows, 2 * m->columns, IN2(m->a, 2 * m->step, 1), IN2(x, 2, 1), OUT(p, 1), OUT(q, 1));
    else for (int64_t i = 0; i < m->rows; i++) {
        const int64_t from = 2 * from_of(m, i), n = 2 * to_of(m, i) - from;
        if (n > 0)
            KERNEL(add)(n, x + 2 * i, x + 2 * i + 1, IN(row_of(m, i) + from, 1), OUT(p + from, 1), OUT(q + from, 1));
    }
    KERNEL(combine)(m->columns, SIGN(conj), PAIRS(p, 1), PAIRS(q, 1), PAIRS_OUT(w, 1));
}
