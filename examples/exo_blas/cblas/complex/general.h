// y := alpha op(A) x + beta y, where A is dense or a band
#include "products.h"

static void general(const Rows *m, int dots, int conj, Number alpha, const T *x, int64_t incx, Number beta, T *y,
    int64_t incy) {
    const int64_t nx = dots ? m->columns : m->rows, ny = dots ? m->rows : m->columns;
    if (nx == 0 || ny == 0) return;
    x = FIRST_PAIR(x, nx, incx), y = FIRST_PAIR(y, ny, incy);
    scale_by(ny, beta, y, incy);
    if (is_zero(alpha)) return;
    ROOM_OF_PAIRS(near_x, nx, gemv);
    ROOM_OF_PAIRS(w, ny, gemv);
    ROOM_OF_PAIRS(u, m->columns, gemv);
    ROOM_OF_PAIRS(v, m->columns, gemv);
    KERNEL(times_strided)(nx, &alpha.re, &alpha.im, PAIRS(x, incx), PAIRS_OUT(near_x, 1));
    (dots ? by_rows : by_columns)(m, conj, near_x, u, v, w);
    KERNEL(plus_strided)(ny, PAIRS(w, 1), PAIRS_OUT(y, incy));
    RELEASE(near_x);
    RELEASE(w);
    RELEASE(u);
    RELEASE(v);
}
