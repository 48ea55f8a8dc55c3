// The sum of x[i] y[i]
#include "dot.h"

void CBLAS(dotu_sub)(CBLAS_INT n, const void *x, CBLAS_INT incx, const void *y, CBLAS_INT incy, void *r) {
    sum(0, n, x, incx, y, incy, r);
}
