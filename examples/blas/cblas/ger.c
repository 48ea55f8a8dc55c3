// A := alpha x y^T + A

#define LANES (32 / (int64_t)sizeof(T))    // elements of a vector
// Whether there is a kernel of its own for so many columns
#define IS_NARROW(n) ((n) <= 10 * LANES && (n) % LANES == 0)

// Stores are faster if no vector is on two cache lines. Rows at a distance of `step` begin at the same place of a vector:
// as many columns are before the first whole one in each. Rows of few columns are not worth it; rows that are all
// alike, in the last cache, are faster one after the other.
APART void update(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    int64_t step = LANES, bytes = m * n * (int64_t)sizeof(T);
    while (step > 1 && lda * (step / 2) % LANES == 0) step /= 2;
    if (n < 24 * step || m < 4 * step || (step == 1 && bytes > 2 << 20 && bytes < 24 << 20)) {
        KERNEL(ger_row)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
        return;
    }
    for (int64_t i = 0; i < step; i++, x += incx, a += lda) {
        int64_t rows = (m - i + step - 1) / step, head = -((uintptr_t)a / sizeof(T)) % LANES;
        if (head) KERNEL(ger_row)(rows, head, &alpha, IN(x, step * incx), IN(y, 1), OUT2(a, step * lda, 1));
        KERNEL(ger)(rows, n - head, &alpha, IN(x, step * incx), IN(y + head, 1), OUT2(a + head, step * lda, 1));
    }
}

APART void narrow(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, T *a, int64_t lda) {
    KERNEL(ger_skinny)(m, n, &alpha, IN(x, incx), IN(y, 1), OUT2(a, lda, 1));
}

APART void copied(int64_t m, int64_t n, T alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *a, int64_t lda) {
    ROOM(u, n, ger);
    exo_copy(n, y, incy, u, 1);
    (IS_NARROW(n) ? narrow : update)(m, n, alpha, x, incx, u, a, lda);
    RELEASE(u);
}

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
    if (RARE(incy != 1)) copied(m, n, alpha, x, incx, y, incy, a, lda);
    else (IS_NARROW(n) ? narrow : update)(m, n, alpha, x, incx, y, a, lda);
}
