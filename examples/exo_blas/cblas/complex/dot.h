// The sum of x[i] y[i], with x conjugated or not: its parts are sums of products, which are given signs in the end.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "../threads.h"
#include "pairs.h"

#define SOME 256  // pairs at a time, of vectors whose pairs are no neighbours: they stay in the first cache

APART void any_stride(int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *p, T *q) {
    T near_x[2 * SOME], near_y[2 * SOME];
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t some = n - i < SOME ? n - i : SOME;
        KERNEL(copied_strided)(some, &one, PAIRS(x + 2 * i * incx, incx), PAIRS_OUT(near_x, 1));
        KERNEL(copied_strided)(some, &one, PAIRS(y + 2 * i * incy, incy), PAIRS_OUT(near_y, 1));
        KERNEL(dot_pairs)(some, IN(near_x, 1), IN(near_y, 1), OUT(p, 1), OUT(q, 1));
    }
}

// p and q are sums of the parts' sums.
APART void shared(int64_t n, const T *x, const T *y, T *p, T *q) {
    T sums[PARTS][4] = {{0}};
    IN_PARTS(n, part, KERNEL(dot_pairs)(part.n, IN(x + 2 * part.at, 1), IN(y + 2 * part.at, 1), OUT(sums[i], 1),
        OUT(sums[i] + 2, 1)));
    for (int i = 0; i < PARTS; i++)
        for (int j = 0; j < 2; j++) p[j] += sums[i][j], q[j] += sums[i][2 + j];
}

static inline void sum(int conj, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *r) {
    T p[2] = {0}, q[2] = {0};  // re re and im im; re im and im re
    if (incx == 1 && incy == 1 && IS_SHARED(2 * (int64_t)n, x)) shared(n, x, y, p, q);
    else if (n > 0 && incx == 1 && incy == 1) KERNEL(dot_pairs)(n, IN(x, 1), IN(y, 1), OUT(p, 1), OUT(q, 1));
    else if (n > 0) any_stride(n, FIRST_PAIR(x, n, incx), incx, FIRST_PAIR(y, n, incy), incy, p, q);
    r[0] = conj ? p[0] + p[1] : p[0] - p[1];
    r[1] = conj ? q[0] - q[1] : q[0] + q[1];
}
