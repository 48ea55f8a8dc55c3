// The sum of |re| + |im|
#include "../threads.h"

APART T shared(int64_t n, const T *x) {
    T sums[PARTS], r = 0;
    IN_PARTS(n, p, REAL_KERNEL(asum)(p.n, IN(x + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

T CBLAS_OF(asum)(PARAMETERS(asum)) {
    T r, s = 0;
    if (n <= 0 || incx <= 0) return 0;
    if (incx == 1 && IS_SHARED(2 * (int64_t)n, (const T *)x)) return shared(2 * (int64_t)n, x);
    if (incx == 1) {
        REAL_KERNEL(asum)(2 * (int64_t)n, IN(x, 1), &r);
        return r;
    }
    REAL_KERNEL(asum_strided)(n, IN(x, 2 * (int64_t)incx), &r);
    REAL_KERNEL(asum_strided)(n, IN((const T *)x + 1, 2 * (int64_t)incx), &s);
    return r + s;
}
