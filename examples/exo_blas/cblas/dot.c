// The sum of x[i] y[i]
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "threads.h"

APART_WHOLE T any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx, const T *y, CBLAS_INT incy) {
    SURE(n > 0);
    T r;
    KERNEL(dot_strided)(n, IN(FIRST(x, n, incx), incx), IN(FIRST(y, n, incy), incy), &r);
    return r;
}

APART T shared(int64_t n, const T *x, const T *y) {
    T sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL(dot)(p.n, IN(x + p.at, 1), IN(y + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

T CBLAS(dot)(PARAMETERS(dot)) {
    if (n <= 0) return 0;
    if (RARE(incx != 1 || incy != 1)) return any_stride(n, x, incx, y, incy);
    if (RARE(IS_SHARED(n, x))) return shared(n, x, y);
    T r;
    KERNEL(dot)(n, IN(x, 1), IN(y, 1), &r);
    return r;
}
