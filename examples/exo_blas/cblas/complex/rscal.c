// x := alpha x, for a real alpha: twice as many reals, or the real parts and the imaginary ones
#include "../threads.h"

APART void shared(int64_t n, T alpha, T *x) {
    IN_PARTS(n, p, REAL_KERNEL(scal)(p.n, &alpha, OUT(x + p.at, 1)));
}

void CBLAS_BY(scal)(PARAMETERS(scal)) {
    const int64_t apart = 2 * (int64_t)incx;
    if (n <= 0 || incx <= 0) return;
    if (incx == 1) {
        if (IS_SHARED(2 * (int64_t)n, (T *)x)) shared(2 * (int64_t)n, alpha, x);
        else REAL_KERNEL(scal)(2 * (int64_t)n, &alpha, OUT(x, 1));
        return;
    }
    for (int part = 0; part < 2; part++) REAL_KERNEL(scal_strided)(n, &alpha, OUT((T *)x + part, apart));
}
