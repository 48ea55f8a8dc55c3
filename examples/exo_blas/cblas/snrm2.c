// The Euclidean norm: squares of single precision neither overflow nor vanish in double precision
#include "threads.h"

APART_WHOLE float any_stride(CBLAS_INT n, const float *x, CBLAS_INT incx) {
    SURE(n > 0);
    double r;
    KERNEL_AS(snrm2_strided)(n, IN_F32(FIRST(x, n, incx), incx), &r);
    return (float)sqrt(r);
}

APART double shared(int64_t n, const float *x) {
    double sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL_AS(snrm2)(p.n, IN_F32(x + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

float CBLAS_AS(snrm2)(PARAMETERS(snrm2)) {
    if (n <= 0) return 0;
    if (RARE(incx != 1)) return any_stride(n, x, incx);
    if (RARE(IS_SHARED(n, x))) return (float)sqrt(shared(n, x));
    if (n == 1) return (float)fabs(*x);
    double r;
    KERNEL_AS(snrm2)(n, IN_F32(x, 1), &r);
    return (float)sqrt(r);
}
