// y := alpha x + y
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "threads.h"

DECLARE(axpy);

APART_WHOLE void any_stride(CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    SURE(n > 0);
    x = FIRST(x, n, incx);
    if (RARE(incy == 0)) {  // one element after the other: they are one
        for (int64_t i = 0; i < n; i++) {
            IN_TURN;
            KERNEL(axpy_strided)(1, &alpha, IN(x + i * incx, 1), OUT(y, 1));
        }
        return;
    }
    KERNEL(axpy_strided)(n, &alpha, IN(x, incx), OUT(FIRST(y, n, incy), incy));
}

APART void aligned(CBLAS_INT n, T alpha, const T *x, T *y) {
    CBLAS_INT before = BEFORE(y);
    KERNEL(axpy_strided)(before, &alpha, IN(x, 1), OUT(y, 1));
    CBLAS(axpy)(n - before, alpha, x + before, 1, y + before, 1);
}

APART void shared(int64_t n, T alpha, const T *x, T *y) {
    IN_PARTS(n, p, KERNEL(axpy)(p.n, &alpha, IN(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(axpy)(PARAMETERS(axpy)) {
    if (n <= 0 || alpha == 0) return;
    if (RARE(incx != 1 || incy != 1)) any_stride(n, alpha, x, incx, y, incy);
    else if (RARE(IS_ACROSS(n, y))) aligned(n, alpha, x, y);
    else if (RARE(IS_SHARED(n, y))) shared(n, alpha, x, y);
    else KERNEL(axpy)(n, &alpha, IN(x, 1), OUT(y, 1));
}
