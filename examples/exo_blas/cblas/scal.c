// x := alpha x
#include "threads.h"

DECLARE(scal);

APART_WHOLE void any_stride(CBLAS_INT n, T alpha, T *x, CBLAS_INT incx) {
    SURE(n > 0);
    if (incx > 0) KERNEL(scal_strided)(n, &alpha, OUT(x, incx));
}

APART void aligned(CBLAS_INT n, T alpha, T *x) {
    CBLAS_INT before = BEFORE(x);
    KERNEL(scal_strided)(before, &alpha, OUT(x, 1));
    CBLAS(scal)(n - before, alpha, x + before, 1);
}

APART void shared(int64_t n, T alpha, T *x) {
    IN_PARTS(n, p, KERNEL(scal)(p.n, &alpha, OUT(x + p.at, 1)));
}

void CBLAS(scal)(PARAMETERS(scal)) {
    if (n <= 0) return;
    if (RARE(incx != 1)) any_stride(n, alpha, x, incx);
    else if (RARE(IS_ACROSS(n, x))) aligned(n, alpha, x);
    else if (RARE(IS_SHARED(n, x))) shared(n, alpha, x);
    else KERNEL(scal)(n, &alpha, OUT(x, 1));
}
