// The sum of |x[i]|, of complex numbers that of |re| + |im|
// flags: -fno-signed-zeros -fno-trapping-math: else gcc takes three instructions for |x|, as of -0 it has to be -0
#include "../level1.h"

SUM(CBLAS_OF, asum, asum, T, if (n <= 0 || incx <= 0) return 0, T, )
