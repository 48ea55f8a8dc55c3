// A := alpha x x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

void CBLAS(syr)(PARAMETERS(syr)) {
    CHECK(syr);
    if (n == 0 || alpha == 0) return;
    KERNEL(syr)(LOWER(layout, uplo), n, &alpha, IN(FIRST(x, n, incx), incx), OUT2(a, lda, 1));
}
