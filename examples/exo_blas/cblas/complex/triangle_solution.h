// x := op(A)^-1 x, where A is triangular
#include "triangle_vector.h"
#include "divisor.h"

static void triangular(const Rows *m, int dots, int conj, int unit, T *x, T *u, T *v) {
    const int64_t n = m->rows;
    const int down = LOWER_ROWS(m) == dots;  // an unknown needs those before it
    const T s = conj ? -1 : 1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = down ? k : n - 1 - k, from = first_of(m, i), count = count_of(m, i);
        const T *const row = row_of(m, i);
        T r[2] = {0, 0};
        if (count > 0 && dots) KERNEL(dot)(count, IN(row + from, 1), IN(u + from, 1), IN(v + from, 1), OUT(r, 1));
        else if (!dots) r[0] = u[2 * i] - s * v[2 * i + 1], r[1] = s * u[2 * i + 1] + v[2 * i];
        Number own = {x[2 * i] - r[0], x[2 * i + 1] - r[1]};
        if (!unit) own = quotient(own, divisor_of(conjugated(number(row + 2 * i), conj)));
        x[2 * i] = own.re, x[2 * i + 1] = own.im;
        if (dots) KERNEL(spread)(1, &s, PAIRS(x + 2 * i, 1), PAIRS_OUT(u + 2 * i, 1), PAIRS_OUT(v + 2 * i, 1));
        else if (count > 0) KERNEL(add)(count, &own.re, &own.im, IN(row + from, 1), OUT(u + from, 1), OUT(v + from, 1));
    }
}
