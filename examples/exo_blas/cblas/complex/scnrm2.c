// The Euclidean norm: squares of single precision neither overflow nor vanish in double precision
#include "../threads.h"

APART double shared(int64_t n, const float *x) {
    double sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL_AS(snrm2)(p.n, IN_F32(x + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

float CBLAS_AS(scnrm2)(PARAMETERS(scnrm2)) {
    double r, s = 0;
    if (n <= 0) return 0;
    if (incx == 1 && IS_SHARED(2 * (int64_t)n, (const float *)x)) r = shared(2 * (int64_t)n, x);
    else if (incx == 1) KERNEL_AS(snrm2)(2 * (int64_t)n, IN_F32(x, 1), &r);
    else {
        const float *const first = (const float *)x - (incx < 0 ? 2 * (int64_t)(n - 1) * incx : 0);
        KERNEL_AS(snrm2_strided)(n, IN_F32(first, 2 * (int64_t)incx), &r);
        KERNEL_AS(snrm2_strided)(n, IN_F32(first + 1, 2 * (int64_t)incx), &s);
    }
    return (float)sqrt(r + s);
}
