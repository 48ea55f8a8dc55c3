// The first index of the largest |x[i]|. A number that is none never is the largest, unless it is the first.
#include "level1.h"
#include "counts.h"

#define PLACE(call) return (CBLAS_INDEX)RESULT(int64_t, call)
TWO_WAYS(CBLAS_I, amax, iamax, CBLAS_INDEX, if (n <= 1 || incx < 1 || x[0] != x[0]) return 0, n > 64,
    if (incx != 1) PLACE(KERNEL(iamax_apart)(n, counts, IN(x, incx), &(int64_t){0}, &r));
    if (IS_SHARED) PLACE(KERNEL(iamax_long)(n, counts, IN(x, 1), &(int64_t){0}, &r));
    PLACE(KERNEL(iamax_many)(n, counts, IN(x, 1), &(int64_t){0}, &r)),
    if (RARE(incx != 1)) PLACE(KERNEL(iamax)(n, counts, IN(x, incx), &r));
    if (n < 8) PLACE(KERNEL(iamax)(n, counts, IN(x, 1), &r));
    PLACE(KERNEL(iamax_few)(n, counts, IN(x, 1), &r)))
