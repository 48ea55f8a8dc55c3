// x, y := y, x: twice as many reals, or the real parts and the imaginary ones
#include "../threads.h"
#include "pairs.h"

APART void shared(int64_t n, T *x, T *y) {
    IN_PARTS(n, p, REAL_KERNEL(swap)(p.n, OUT(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(swap)(PARAMETERS(swap)) {
    T *const u = FIRST_PAIR((T *)x, n, incx), *const v = FIRST_PAIR((T *)y, n, incy);
    if (n <= 0) return;
    if (incx == 1 && incy == 1) {
        if (IS_SHARED(2 * (int64_t)n, u)) shared(2 * (int64_t)n, u, v);
        else REAL_KERNEL(swap)(2 * (int64_t)n, OUT(u, 1), OUT(v, 1));
        return;
    }
    const int64_t whole = incx && incy ? n : 1;  // else one after the other: some are one
    for (int64_t i = 0; i < n; i += whole)
        for (int part = 0; part < 2; part++) {
            IN_TURN;
            REAL_KERNEL(swap_strided)(whole, OUT(u + 2 * i * incx + part, 2 * (int64_t)incx),
                OUT(v + 2 * i * incy + part, 2 * (int64_t)incy));
        }
}
