// A := alpha x y^T + alpha y x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

void CBLAS(syr2)(PARAMETERS(syr2)) {
    CHECK(syr2);
    if (n == 0 || alpha == 0) return;
    KERNEL(syr2)(LOWER(layout, uplo), n, &alpha, IN(FIRST(x, n, incx), incx), IN(FIRST(y, n, incy), incy),
        OUT2(a, lda, 1));
}
