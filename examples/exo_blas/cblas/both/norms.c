// The sum of |x[i]|, of complex numbers that of |re| + |im|; and the Euclidean norm
// flags: -fno-signed-zeros -fno-trapping-math: else gcc takes three instructions for |x|, as of -0 it has to be -0
#include "../level1.h"

#define IF_FORWARD(sum) incx > 0 ? sum : 0
SUM(CBLAS_OF, asum, asum, T, if (n <= 0) return 0, T, IF_FORWARD)
TWO_WAYS(CBLAS_OF, nrm2, nrm2, T, if (n <= 0) return 0, incx != 1 || IS_SHARED,
    return (T)(incx == 1 ? RESULT(double, LONG(nrm2)(COUNT, IN(x, 1), &r))
                         : RESULT(double, APART_OF(nrm2)(n, EACH(IN, x), &r))),
    const double norm = RESULT(double, LOOP(nrm2)(COUNT, IN(x, 1), &r));
    return RARE(norm < 0) ? rare_nrm2(ARGUMENTS(nrm2)) : (T)norm)
