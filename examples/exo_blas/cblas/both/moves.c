// x := alpha x, y := x, and x, y := y, x, and x, y := c x + s y, c y - s x: what `rotm` does with other numbers
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "../level1.h"

#define LINE(y) (-(uintptr_t)(y) % EXO_LINE / sizeof(T))

void CBLAS_BY(scal)(CBLAS_INT n, T alpha, VECTOR *x, CBLAS_INT incx) {
    if (n <= 0) return;
    if (RARE(incx != 1)) {
        if (incx > 0) APART_OF(scal)(n, n, AT(alpha), EACH(OUT, x));
    } else if (RARE(IS_ACROSS(COUNT, x) || IS_SHARED(x)))
        LOOP(scal_long)(COUNT, BEFORE(x), SHARED, AT(alpha), OUT(x, 1));
    else LOOP(scal)(COUNT, AT(alpha), OUT(x, 1));
}

void CBLAS(copy)(CBLAS_INT n, const VECTOR *x, CBLAS_INT incx, VECTOR *y, CBLAS_INT incy) {
    if (n <= 0) return;
    if (RARE(COUNT * (int64_t)sizeof(T) >= CHOICE(copy_far) && incx == 1 && incy == 1))
        REAL_KERNEL(copy_far_long)(COUNT, LINE(y), SHARED, IN(x, 1), OUT(y, 1));
    else UPDATE(copy, IN, IS_ACROSS, );
}

void CBLAS(swap)(CBLAS_INT n, VECTOR *x, CBLAS_INT incx, VECTOR *y, CBLAS_INT incy) {
    if (n > 0) UPDATE(swap, OUT, ARE_ACROSS, );
}

void CBLAS_BY(rot)(CBLAS_INT n, VECTOR *x, CBLAS_INT incx, VECTOR *y, CBLAS_INT incy, T c, T s) {
    if (n > 0) UPDATE(rotm, OUT, ARE_ACROSS, AT(c), AT(s), AT(-s), AT(c), );
}
