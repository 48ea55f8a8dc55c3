// The first index of the largest |x[i]|. A number that is none never is the largest, unless it is the first.
#include "level1.h"
#include "counts.h"

TWO_WAYS(CBLAS_I, amax, iamax, CBLAS_INDEX, if (n <= 1 || x[0] != x[0]) return 0, incx != 1 || n >= 8,
    int64_t start; int64_t place = 0;
    if (incx > 1) KERNEL(iamax_apart)(n, counts, IN(x, incx), &start, &place);
    else if (incx == 1 && n <= 64) KERNEL(iamax_few)(n, counts, IN(x, 1), &place);
    else if (incx == 1 && !IS_SHARED(x)) KERNEL(iamax_many)(n, counts, IN(x, 1), &start, &place);
    else if (incx == 1) KERNEL(iamax_long)(n, counts, IN(x, 1), &start, &place);
    return (CBLAS_INDEX)place,
    return (CBLAS_INDEX)RESULT(int64_t, KERNEL(iamax)(n, IN(x, 1), &r)))
