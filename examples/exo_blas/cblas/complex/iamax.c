// The first index of the largest |re| + |im|. A number that is none never is the largest, unless it is the first.
// no entry point: it takes longer with AVX2 than with vectors of 256 bits of AVX-512, and doesn't gain by longer ones
#include "../level1.h"
#include "../counts.h"

#define IS_NONE(z) ((z)[0] != (z)[0] || (z)[1] != (z)[1])
#define PLACE(call) return (CBLAS_INDEX)RESULT(int64_t, call)
TWO_WAYS(CBLAS_I, amax, iamax, CBLAS_INDEX, if (n <= 1 || incx < 1 || IS_NONE((const T *)x)) return 0, n > 8,
    PLACE(KERNEL(iamax)(n, incx == 1 ? SHARED / 2 : INT64_MAX, counts, EACH(IN, x), &r)),
    PLACE(KERNEL(iamax_few)(n, counts, EACH(IN, x), &r)))
