// y := alpha x + y
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "level1.h"

void CBLAS(axpy)(CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    if (n > 0 && alpha != 0) UPDATE(axpy, IN, IS_ACROSS, AT(alpha), );
}
