// y := alpha x + y
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "../threads.h"
#include "pairs.h"

APART void shared(int64_t n, Number a, const T *x, T *y) {
    IN_PARTS(n, p, KERNEL(axpy_pairs)(p.n, &a.re, &a.im, IN(x + 2 * p.at, 1), OUT(y + 2 * p.at, 1)));
}

void CBLAS(axpy)(PARAMETERS(axpy)) {
    const Number a = number(alpha);
    const T *const from = FIRST_PAIR((const T *)x, n, incx);
    T *const to = FIRST_PAIR((T *)y, n, incy);
    if (n <= 0 || is_zero(a)) return;
    if (incx == 1 && incy == 1 && IS_SHARED(2 * (int64_t)n, to)) shared(n, a, from, to);
    else if (incx == 1 && incy == 1) KERNEL(axpy_pairs)(n, &a.re, &a.im, IN(from, 1), OUT(to, 1));
    else if (incy) KERNEL(axpy_strided)(n, &a.re, &a.im, PAIRS(from, incx), PAIRS_OUT(to, incy));
    else for (int64_t i = 0; i < n; i++) {  // all are added to one
        IN_TURN;
        KERNEL(axpy_strided)(1, &a.re, &a.im, PAIRS(from + 2 * i * incx, 1), PAIRS_OUT(to, 1));
    }
}
