// y := x: twice as many reals, or the real parts and the imaginary ones
#include "../threads.h"
#include "pairs.h"

APART void shared(int64_t n, const T *x, T *y) {
    IN_PARTS(n, p, REAL_KERNEL(copy)(p.n, IN(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(copy)(PARAMETERS(copy)) {
    const T *from = FIRST_PAIR((const T *)x, n, incx);
    T *to = FIRST_PAIR((T *)y, n, incy);
    if (n <= 0) return;
    if (incx == 1 && incy == 1) {
        if (IS_SHARED(2 * (int64_t)n, to)) shared(2 * (int64_t)n, from, to);
        else REAL_KERNEL(copy)(2 * (int64_t)n, IN(from, 1), OUT(to, 1));
        return;
    }
    const int64_t last = incy ? 0 : n - 1;  // of one element that all are copied to, the last one stays
    for (int part = 0; part < 2; part++)
        REAL_KERNEL(copy_strided)(n - last, IN(from + 2 * last * incx + part, 2 * (int64_t)incx),
            OUT(to + part, 2 * (int64_t)incy));
}
