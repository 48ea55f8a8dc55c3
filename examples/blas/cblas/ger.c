// A := alpha x y^T + A

#define NARROW (320 / (int64_t)sizeof(T))  // columns for which there is a kernel of its own

void CBLAS(ger)(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *a, CBLAS_INT lda) {
    REQUIRE(IS_LAYOUT(layout), 1, ger);
    REQUIRE(m >= 0, 2, ger);
    REQUIRE(n >= 0, 3, ger);
    REQUIRE(incx != 0, 6, ger);
    REQUIRE(incy != 0, 8, ger);
    REQUIRE(lda >= AT_LEAST_1(ROW_MAJOR(layout) ? n : m), 10, ger);
    if (m == 0 || n == 0 || alpha == 0) return;
    x = FIRST(x, m, incx);
    y = FIRST(y, n, incy);
    if (!ROW_MAJOR(layout)) {  // the transpose: y x^T
        const T *first = x;
        CBLAS_INT rows = m, inc = incx;
        x = y, m = n, incx = incy;
        y = first, n = rows, incy = inc;
    }
    GATHER(u, n, y, incy, ger);
    if (n <= NARROW) KERNEL(ger_skinny)(m, n, &alpha, IN(x, incx), IN(u, 1), OUT2(a, lda, 1));
    else KERNEL(ger)(m, n, &alpha, IN(x, incx), IN(u, 1), OUT2(a, lda, 1));
    RELEASE(u);
}
