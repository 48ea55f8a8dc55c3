// x, y := c x + s y, c y - s x: what `rotm` does with other numbers
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "threads.h"

DECLARE(rot);

APART_WHOLE void any_stride(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, T c, T s) {
    SURE(n > 0);
    const T minus = -s;
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    if (RARE(incx == 0 || incy == 0)) {  // one element after the other: some are one
        for (int64_t i = 0; i < n; i++) {
            IN_TURN;
            KERNEL(rotm_strided)(1, &c, &s, &minus, &c, OUT(x + i * incx, 1), OUT(y + i * incy, 1));
        }
        return;
    }
    KERNEL(rotm_strided)(n, &c, &s, &minus, &c, OUT(x, incx), OUT(y, incy));
}

APART void aligned(CBLAS_INT n, T *x, T *y, T c, T s) {
    CBLAS_INT before = BEFORE(y);
    const T minus = -s;
    KERNEL(rotm_strided)(before, &c, &s, &minus, &c, OUT(x, 1), OUT(y, 1));
    CBLAS(rot)(n - before, x + before, 1, y + before, 1, c, s);
}

APART void shared(int64_t n, T *x, T *y, T c, T s) {
    const T minus = -s;
    IN_PARTS(n, p, KERNEL(rotm)(p.n, &c, &s, &minus, &c, OUT(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(rot)(PARAMETERS(rot)) {
    if (n <= 0) return;
    const T minus = -s;
    if (RARE(incx != 1 || incy != 1)) any_stride(n, x, incx, y, incy, c, s);
    else if (RARE(ARE_ACROSS(n, y))) aligned(n, x, y, c, s);
    else if (RARE(IS_SHARED(n, y))) shared(n, x, y, c, s);
    else KERNEL(rotm)(n, &c, &s, &minus, &c, OUT(x, 1), OUT(y, 1));
}
