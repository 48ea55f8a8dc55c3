// A number and the sum of x[i] y[i], in double precision; the result is rounded
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "threads.h"

APART_WHOLE float any_stride(CBLAS_INT n, float alpha, const float *x, CBLAS_INT incx, const float *y, CBLAS_INT incy) {
    SURE(n > 0);
    double r;
    KERNEL_AS(dsdot_strided)(n, IN_F32(FIRST(x, n, incx), incx), IN_F32(FIRST(y, n, incy), incy), &r);
    return (float)(alpha + r);
}

APART double shared(int64_t n, const float *x, const float *y) {
    double sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL_AS(dsdot)(p.n, IN_F32(x + p.at, 1), IN_F32(y + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

float CBLAS_AS(sdsdot)(PARAMETERS(sdsdot)) {
    if (n <= 0) return alpha;
    if (RARE(incx != 1 || incy != 1)) return any_stride(n, alpha, x, incx, y, incy);
    if (RARE(IS_SHARED(n, x))) return (float)(alpha + shared(n, x, y));
    double r;
    KERNEL_AS(dsdot)(n, IN_F32(x, 1), IN_F32(y, 1), &r);
    return (float)(alpha + r);
}
