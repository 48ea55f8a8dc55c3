// The sum of x[i] y[i], with x conjugated or not: y is taken apart, some at a time, and each sum is one of reals.
#include "pairs.h"

#define SOME 256  // pairs at a time: the parts of y stay in the first cache

static inline void sum(int conj, int64_t n, const T *x, int64_t incx, const T *y, int64_t incy, T *r) {
    T u[2 * SOME], v[2 * SOME], near_x[2 * SOME], part[2];
    r[0] = r[1] = 0;
    if (n <= 0) return;
    x = FIRST_PAIR(x, n, incx), y = FIRST_PAIR(y, n, incy);
    for (int64_t i = 0; i < n; i += SOME) {
        const int64_t some = n - i < SOME ? n - i : SOME;
        const T *some_x = x + 2 * i * incx;
        (incy == 1 ? KERNEL(spread) : KERNEL(spread_strided))(some, SIGN(conj), PAIRS(y + 2 * i * incy, incy),
            PAIRS_OUT(u, 1), PAIRS_OUT(v, 1));
        if (incx != 1) {
            KERNEL(copied_strided)(some, &one, PAIRS(some_x, incx), PAIRS_OUT(near_x, 1));
            some_x = near_x;
        }
        KERNEL(dot)(2 * some, IN(some_x, 1), IN(u, 1), IN(v, 1), OUT(part, 1));
        r[0] += part[0], r[1] += part[1];
    }
}
