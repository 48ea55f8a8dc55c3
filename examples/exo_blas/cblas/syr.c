// A := alpha x x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

APART void lower(int64_t n, T alpha, const T *x, T *a, int64_t lda) {
    KERNEL(syr_l)(n, &alpha, IN(x, 1), OUT2(a, lda, 1));
}

APART void upper(int64_t n, T alpha, const T *x, T *a, int64_t lda) {
    KERNEL(syr_u)(n, &alpha, IN(x, 1), OUT2(a, lda, 1));
}

APART void copied(int low, int64_t n, T alpha, const T *x, int64_t incx, T *a, int64_t lda) {
    GATHER(u, n, x, incx, syr);
    (low ? lower : upper)(n, alpha, u, a, lda);
    RELEASE(u);
}

void CBLAS(syr)(PARAMETERS(syr)) {
    CHECK(syr);
    if (n == 0 || alpha == 0) return;
    const int low = LOWER(layout, uplo);
    if (RARE(incx != 1)) copied(low, n, alpha, FIRST(x, n, incx), incx, a, lda);
    else (low ? lower : upper)(n, alpha, x, a, lda);
}
