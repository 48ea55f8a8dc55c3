// x := alpha x
// flags: -fno-tree-vectorize: in a vector, gcc 12 fuses other products of a pair than in the last ones
#include "pairs.h"

void CBLAS(scal)(CBLAS_INT n, const void *alpha, void *x, CBLAS_INT incx) {
    const Number a = number(alpha);
    if (n <= 0 || incx <= 0) return;
    if (incx == 1) KERNEL(scal)(n, &a.re, &a.im, PAIRS_OUT(x, 1));
    else KERNEL(scal_strided)(n, &a.re, &a.im, PAIRS_OUT(x, incx));
}
