// x := op(A) x, where A is triangular
#include "triangle_vector.h"

static void triangular(const Rows *m, int dots, int conj, int unit, T *x, T *u, T *v) {
    const int64_t n = m->rows;
    if (dots) KERNEL(spread)(n, SIGN(conj), PAIRS(x, 1), PAIRS_OUT(u, 1), PAIRS_OUT(v, 1));
    for (int64_t i = 0; i < n; i++) {
        const T *const row = row_of(m, i);
        const int64_t from = first_of(m, i), count = count_of(m, i);
        Number own = number(x + 2 * i);
        T r[2] = {0, 0};
        if (count > 0 && dots) KERNEL(dot)(count, IN(row + from, 1), IN(u + from, 1), IN(v + from, 1), OUT(r, 1));
        else if (count > 0) KERNEL(add)(count, &own.re, &own.im, IN(row + from, 1), OUT(u + from, 1), OUT(v + from, 1));
        if (!unit) own = product(conjugated(number(row + 2 * i), conj), own);
        x[2 * i] = own.re + r[0], x[2 * i + 1] = own.im + r[1];
    }
    if (!dots) KERNEL(combine)(n, SIGN(conj), PAIRS(u, 1), PAIRS(v, 1), PAIRS_OUT(x, 1));
}
