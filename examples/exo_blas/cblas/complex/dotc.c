// The sum of x[i] y[i], with x conjugated
#include "dot.h"

void CBLAS(dotc_sub)(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r) {
    sum(1, n, x, incx, y, incy, r);
}
