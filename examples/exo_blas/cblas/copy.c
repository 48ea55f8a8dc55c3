// y := x
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "threads.h"

DECLARE(copy);

#define IS_FAR(n) ((int64_t)((n) * sizeof(T)) >= CHOICE(copy_far))

// Whole lines of y, after the elements before the first one; of a vector that is far they pass the caches.
static void shared(int64_t n, const T *x, T *y) {
    const int far = IS_FAR(n);
    const int64_t before = -(uintptr_t)y % EXO_LINE / sizeof(T);
    if (before > 0) KERNEL(copy_strided)(before, IN(x, 1), OUT(y, 1));
    n -= before, x += before, y += before;
    IN_PARTS(n, p, (far ? KERNEL(copy_far) : KERNEL(copy))(p.n, IN(x + p.at, 1), OUT(y + p.at, 1)));
}

static void any_stride(CBLAS_INT n, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    x = FIRST(x, n, incx);
    if (incy == 0) *y = x[(int64_t)(n - 1) * incx];  // the last one stays
    else KERNEL(copy_strided)(n, IN(x, incx), OUT(FIRST(y, n, incy), incy));
}

APART void aligned(CBLAS_INT n, const T *x, T *y) {
    CBLAS_INT before = BEFORE(y);
    any_stride(before, x, 1, y, 1);
    CBLAS(copy)(n - before, x + before, 1, y + before, 1);
}

APART void unusual(CBLAS_INT n, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    if (n <= 0) return;
    if (incx == 1 && incy == 1) shared(n, x, y);
    else any_stride(n, x, incx, y, incy);
}

void CBLAS(copy)(PARAMETERS(copy)) {
    if (RARE(incx != 1 || incy != 1 || n <= 0 || IS_SHARED(n, y) || IS_FAR(n))) unusual(n, x, incx, y, incy);
    else if (RARE(IS_ACROSS(n, y))) aligned(n, x, y);
    else KERNEL(copy)(n, IN(x, 1), OUT(y, 1));
}
