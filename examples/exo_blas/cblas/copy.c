// y := x
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they

DECLARE(copy);

#define FAR (10 << 20)  // bytes that would not stay in a cache

// Whole lines of y pass the caches, after the elements before the first one.
static void far(CBLAS_INT n, const T *x, T *y) {
    int64_t before = -(uintptr_t)y % EXO_LINE / sizeof(T);
    if (before > 0) KERNEL(copy_strided)(before, IN(x, 1), OUT(y, 1));
    KERNEL(copy_far)(n - before, IN(x + before, 1), OUT(y + before, 1));
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
    if (incx == 1 && incy == 1) far(n, x, y);
    else any_stride(n, x, incx, y, incy);
}

void CBLAS(copy)(CBLAS_INT n, const T *x, CBLAS_INT incx, T *y, CBLAS_INT incy) {
    if (RARE(incx != 1 || incy != 1 || n <= 0 || n >= (CBLAS_INT)(FAR / sizeof(T)))) unusual(n, x, incx, y, incy);
    else if (RARE(IS_ACROSS(n, y))) aligned(n, x, y);
    else KERNEL(copy)(n, IN(x, 1), OUT(y, 1));
}
