// The sum of x[i] y[i]
// flags: -fno-ivopts: else gcc wants so many counters that a call saves registers
#include "level1.h"

T CBLAS(dot)(CBLAS_INT n, const T *x, CBLAS_INT incx, const T *y, CBLAS_INT incy) {
    return n <= 0 ? 0 : SUM2(dot, T, IN);
}
