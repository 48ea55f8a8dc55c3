// x := alpha x
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -fno-tree-vectorize: apart from neighbours, gcc 12 fuses other products in a vector than in the last ones
#include "../threads.h"
#include "pairs.h"

APART void shared(int64_t n, Number a, T *x) {
    IN_PARTS(n, p, KERNEL(scal_pairs)(p.n, &a.re, &a.im, OUT(x + 2 * p.at, 1)));
}

void CBLAS(scal)(PARAMETERS(scal)) {
    const Number a = number(alpha);
    if (n <= 0 || incx <= 0) return;
    if (incx == 1 && IS_SHARED(2 * (int64_t)n, (T *)x)) shared(n, a, x);
    else if (incx == 1) KERNEL(scal_pairs)(n, &a.re, &a.im, OUT(x, 1));
    else KERNEL(scal_strided)(n, &a.re, &a.im, PAIRS_OUT(x, incx));
}
