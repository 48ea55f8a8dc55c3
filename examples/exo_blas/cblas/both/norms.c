// The sum of |x[i]|, of complex numbers that of |re| + |im|
// flags: -fno-signed-zeros -fno-trapping-math: else gcc takes three instructions for |x|, as of -0 it has to be -0
#include "../level1.h"

T CBLAS_OF(asum)(CBLAS_INT n, const VECTOR *x, CBLAS_INT incx) {
    return n <= 0 || incx <= 0 ? 0 : SUM1(asum, T);
}
