// The first index of the largest |re| + |im|. A number that is none never is the largest, unless it is the first.
#include "pairs.h"

#define SOME 256  // at a time

CBLAS_INDEX CBLAS_I(amax)(CBLAS_INT n, const void *x, CBLAS_INT incx) {
    T sizes[SOME], most;
    int64_t found = 0;
    if (n <= 1 || incx <= 0) return 0;
    KERNEL(size1)(1, PAIRS(x, 1), OUT(&most, 1));
    for (int64_t i = 0; i < n && most == most; i += SOME) {
        const int64_t some = n - i < SOME ? n - i : SOME;
        T larger;
        (incx == 1 ? KERNEL(size1) : KERNEL(size1_strided))(some, PAIRS((const T *)x + 2 * i * incx, incx),
            OUT(sizes, 1));
        REAL_KERNEL(amax)(some, &most, IN(sizes, 1), &larger);
        if (!(larger > most)) continue;
        for (found = i; sizes[found - i] != larger;) found++;
        most = larger;
    }
    return (CBLAS_INDEX)found;
}
