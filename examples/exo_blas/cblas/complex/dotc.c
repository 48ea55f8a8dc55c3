// The sum of x[i] y[i], with x conjugated
#include "dot.h"

void CBLAS(dotc_sub)(PARAMETERS(dotc_sub)) {
    sum(1, n, x, incx, y, incy, r);
}
