// The sum of x[i] y[i]
#include "dot.h"

void CBLAS(dotu_sub)(PARAMETERS(dotu_sub)) {
    sum(0, n, x, incx, y, incy, r);
}
