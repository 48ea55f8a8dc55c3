// y := alpha A x + beta y, where A is Hermitian and one triangle of it is stored: dense, packed, or as a band. An
// element off the diagonal is used twice, once of these conjugated; `conj` tells whether it is in its own row.
#include "products.h"

static void hermitian(const Rows *m, int conj, Number alpha, const T *x, int64_t incx, Number beta, T *y,
    int64_t incy) {
    const int64_t n = m->rows;
    if (n == 0) return;
    x = FIRST_PAIR(x, n, incx), y = FIRST_PAIR(y, n, incy);
    scale_by(n, beta, y, incy);
    if (is_zero(alpha)) return;
    ROOM_OF_PAIRS(near_x, n, hemv);
    ROOM_OF_PAIRS(w, n, hemv);
    ROOM_OF_PAIRS(u, n, hemv);
    ROOM_OF_PAIRS(v, n, hemv);
    ROOM_OF_PAIRS(p, n, hemv);
    ROOM_OF_PAIRS(q, n, hemv);
    KERNEL(times_strided)(n, &alpha.re, &alpha.im, PAIRS(x, incx), PAIRS_OUT(near_x, 1));
    KERNEL(spread)(n, SIGN(conj), PAIRS(near_x, 1), PAIRS_OUT(u, 1), PAIRS_OUT(v, 1));
    for (int64_t i = 0; i < n; i++) {
        const T *const row = row_of(m, i), *const own = near_x + 2 * i;
        const int64_t from = 2 * (m->below ? from_of(m, i) : i + 1), count = 2 * (m->below ? i : to_of(m, i)) - from;
        T r[2] = {0, 0};
        if (count > 0)
            KERNEL(both)(count, own, own + 1, IN(row + from, 1), IN(u + from, 1), IN(v + from, 1), OUT(p + from, 1),
                OUT(q + from, 1), OUT(r, 1));
        w[2 * i] += r[0] + row[2 * i] * own[0], w[2 * i + 1] += r[1] + row[2 * i] * own[1];
    }
    KERNEL(combine)(n, SIGN(!conj), PAIRS(p, 1), PAIRS(q, 1), PAIRS_OUT(w, 1));
    KERNEL(plus_strided)(n, PAIRS(w, 1), PAIRS_OUT(y, incy));
    RELEASE(near_x);
    RELEASE(w);
    RELEASE(u);
    RELEASE(v);
    RELEASE(p);
    RELEASE(q);
}
