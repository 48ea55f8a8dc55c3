// The sum of x[i] y[i] in double precision
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "threads.h"

APART_WHOLE double any_stride(CBLAS_INT n, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    SURE(n > 0);
    double r;
    KERNEL_AS(dsdot_strided)(n, IN_F32(FIRST(x, n, incx), incx), IN_F32(FIRST(y, n, incy), incy), &r);
    return r;
}

APART double shared(int64_t n, const float *x, const float *y) {
    double sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL_AS(dsdot)(p.n, IN_F32(x + p.at, 1), IN_F32(y + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

double CBLAS_AS(dsdot)(PARAMETERS(dsdot)) {
    if (n <= 0) return 0;
    if (RARE(incx != 1 || incy != 1)) return any_stride(n, x, incx, y, incy);
    if (RARE(IS_SHARED(n, x))) return shared(n, x, y);
    double r;
    KERNEL_AS(dsdot)(n, IN_F32(x, 1), IN_F32(y, 1), &r);
    return r;
}
