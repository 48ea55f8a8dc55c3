// y := x: twice as many reals, or the real parts and the imaginary ones
#include "pairs.h"

void CBLAS(copy)(CBLAS_INT n, const void *x, CBLAS_INT incx, void *y, CBLAS_INT incy) {
    const T *from = FIRST_PAIR((const T *)x, n, incx);
    T *to = FIRST_PAIR((T *)y, n, incy);
    if (n <= 0) return;
    if (incx == 1 && incy == 1) {
        REAL_KERNEL(copy)(2 * (int64_t)n, IN(from, 1), OUT(to, 1));
        return;
    }
    const int64_t last = incy ? 0 : n - 1;  // of one element that all are copied to, the last one stays
    for (int part = 0; part < 2; part++)
        REAL_KERNEL(copy_strided)(n - last, IN(from + 2 * last * incx + part, 2 * (int64_t)incx),
            OUT(to + part, 2 * (int64_t)incy));
}
