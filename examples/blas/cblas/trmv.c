// x := op(A) x, where A is triangular

#define BLOCK 96  // rows of a large triangle that are taken together

// y := A x or A^T x, of the triangle of `a`, with `d` as its diagonal
static void triangle(int lower, int dots, int64_t n, const T *a, int64_t lda, struct EXO_IN1 d, struct EXO_IN1 x,
    struct EXO_OUT1 y) {
    if (lower && dots) KERNEL(trmv_ln)(n, IN2(a, lda, 1), d, x, y);
    else if (lower) KERNEL(trmv_lt)(n, IN2(a, lda, 1), d, x, y);
    else if (dots) KERNEL(trmv_un)(n, IN2(a, lda, 1), d, x, y);
    else KERNEL(trmv_ut)(n, IN2(a, lda, 1), d, x, y);
}

// The same of a large triangle: for some rows at a time, a small triangle and the rectangle beside it. Each part of y is
// set by a triangle before rectangles add to it.
static void blocks(int lower, int dots, int64_t n, const T *a, int64_t lda, struct EXO_IN1 d, const T *x, int64_t incx,
    T *y, int64_t incy) {
    const int64_t size = FROM_MEMORY(n * n / 2, lda) ? BLOCK : n, count = (n + size - 1) / size;
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = (lower ? b : count - 1 - b) * size, rows = n - i < size ? n - i : size;
        const int64_t from = lower ? 0 : i + rows, columns = lower ? i : n - from;
        const T *row = a + i * lda, *diagonal = d.data + i * d.strides[0];
        triangle(lower, dots, rows, row + i, lda, IN(diagonal, d.strides[0]), IN(x + i * incx, incx), OUT(y + i * incy, incy));
        if (columns == 0) continue;
        if (dots) DOTS(rows, columns, 1, row + from, lda, x + from, y + i * incy, incy);
        else ADDS(rows, columns, 1, row + from, lda, x + i * incx, incx, y + from);
    }
}

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n, const T *a,
    CBLAS_INT lda, T *x, CBLAS_INT incx) {
    REQUIRE(IS_LAYOUT(layout), 1, trmv);
    REQUIRE(IS_UPLO(uplo), 2, trmv);
    REQUIRE(IS_TRANSPOSE(trans), 3, trmv);
    REQUIRE(IS_DIAG(diag), 4, trmv);
    REQUIRE(n >= 0, 5, trmv);
    REQUIRE(lda >= AT_LEAST_1(n), 7, trmv);
    REQUIRE(incx != 0, 9, trmv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower), dots = ROW_MAJOR(layout) == (trans == CblasNoTrans);
    const T one = 1;
    const struct EXO_IN1 d = diag == CblasUnit ? IN(&one, 0) : IN(a, (int64_t)lda + 1);
    x = FIRST(x, n, incx);
    ROOM(u, n, trmv);
    if (dots) {
        exo_copy(n, x, incx, u, 1);
        blocks(lower, dots, n, a, lda, d, u, 1, x, incx);
    } else {
        blocks(lower, dots, n, a, lda, d, x, incx, u, 1);
        exo_copy(n, u, 1, x, incx);
    }
    RELEASE(u);
}
