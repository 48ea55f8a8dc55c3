// The first index of the largest |re| + |im|. A number that is none never is the largest, unless it is the first.
#include "../level1.h"
#include "../counts.h"

CBLAS_INDEX CBLAS_I(amax)(PARAMETERS(amax)) {
    const T *const z = x;
    int64_t place = 0;
    if (n > 1 && incx > 0 && z[0] == z[0] && z[1] == z[1])
        KERNEL(iamax)(n, incx == 1 ? SHARED / 2 : INT64_MAX, counts, EACH(IN, x), &place);
    return (CBLAS_INDEX)place;
}
