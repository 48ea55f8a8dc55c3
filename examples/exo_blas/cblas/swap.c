// x, y := y, x
#include "threads.h"

DECLARE(swap);

APART_WHOLE void any_stride(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    SURE(n > 0);
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    if (RARE(incx == 0 || incy == 0)) {  // one element after the other: some are one
        for (int64_t i = 0; i < n; i++) {
            IN_TURN;
            KERNEL(swap_strided)(1, OUT(x + i * incx, 1), OUT(y + i * incy, 1));
        }
        return;
    }
    KERNEL(swap_strided)(n, OUT(x, incx), OUT(y, incy));
}

APART void aligned(CBLAS_INT n, T *x, T *y) {
    CBLAS_INT before = BEFORE(y);
    KERNEL(swap_strided)(before, OUT(x, 1), OUT(y, 1));
    CBLAS(swap)(n - before, x + before, 1, y + before, 1);
}

APART void shared(int64_t n, T *x, T *y) {
    IN_PARTS(n, p, KERNEL(swap)(p.n, OUT(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(swap)(PARAMETERS(swap)) {
    if (n <= 0) return;
    if (RARE(incx != 1 || incy != 1)) any_stride(n, x, incx, y, incy);
    else if (RARE(ARE_ACROSS(n, y))) aligned(n, x, y);
    else if (RARE(IS_SHARED(n, y))) shared(n, x, y);
    else KERNEL(swap)(n, OUT(x, 1), OUT(y, 1));
}
