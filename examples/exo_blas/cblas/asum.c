// The sum of |x[i]|
// flags: -fno-signed-zeros -fno-trapping-math: else gcc takes three instructions for |x|, as of -0 it has to be -0
#include "threads.h"

APART_WHOLE T any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx) {
    SURE(n > 0);
    if (incx <= 0) return 0;
    T r;
    KERNEL(asum_strided)(n, IN(x, incx), &r);
    return r;
}

APART T shared(int64_t n, const T *x) {
    T sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL(asum)(p.n, IN(x + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

T CBLAS(asum)(PARAMETERS(asum)) {
    if (n <= 0) return 0;
    if (RARE(incx != 1)) return any_stride(n, x, incx);
    if (RARE(IS_SHARED(n, x))) return shared(n, x);
    T r;
    KERNEL(asum)(n, IN(x, 1), &r);
    return r;
}
