// The first index of the largest |re| + |im|. A number that is none never is the largest, unless it is the first.
#include "../threads.h"
#include "pairs.h"

#define SOME 256  // at a time

// The first index of the largest, if it is larger than `most`, which it then is; else 0
static int64_t first_above(T *most, int64_t n, const T *x, int64_t incx) {
    T sizes[SOME];
    int64_t found = 0;
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t some = n - i < SOME ? n - i : SOME;
        T larger;
        (incx == 1 ? KERNEL(size1) : KERNEL(size1_strided))(some, PAIRS(x + 2 * i * incx, incx), OUT(sizes, 1));
        REAL_KERNEL(amax)(some, most, IN(sizes, 1), &larger);
        if (!(larger > *most)) continue;
        for (found = i; sizes[found - i] != larger;) found++;
        *most = larger;
    }
    return found;
}

static int64_t shared(int64_t n, const T *x) {
    T most[PARTS];
    int64_t found[PARTS];
    int best = 0;
    for (int i = 0; i < PARTS; i++) most[i] = -1;
    IN_PARTS(n, p, found[i] = p.at + first_above(&most[i], p.n, x + 2 * p.at, 1));
    for (int i = 1; i < PARTS; i++)
        if (most[i] > most[best]) best = i;
    return found[best];
}

CBLAS_INDEX CBLAS_I(amax)(PARAMETERS(amax)) {
    T most;
    if (n <= 1 || incx <= 0) return 0;
    KERNEL(size1)(1, PAIRS(x, 1), OUT(&most, 1));
    if (most != most) return 0;
    if (incx == 1 && IS_SHARED(2 * (int64_t)n, (const T *)x)) return (CBLAS_INDEX)shared(n, x);
    return (CBLAS_INDEX)first_above(&most, n, x, incx);
}
