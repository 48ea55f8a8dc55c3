// A := alpha x x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

APART void lower(int64_t n, T alpha, const T *x, T *a) {
    KERNEL(syr_l_packed)(n, &alpha, IN(x, 1), OUT2(a, n, 1));
}

APART void upper(int64_t n, T alpha, const T *x, T *a) {
    KERNEL(syr_u_packed)(n, &alpha, IN(x, 1), OUT2(a, n, 1));
}

APART void copied(int low, int64_t n, T alpha, const T *x, int64_t incx, T *a) {
    GATHER(u, n, x, incx, spr);
    (low ? lower : upper)(n, alpha, u, a);
    RELEASE(u);
}

void CBLAS(spr)(PARAMETERS(spr)) {
    CHECK(spr);
    if (n == 0 || alpha == 0) return;
    const int low = LOWER(layout, uplo);
    if (RARE(incx != 1)) copied(low, n, alpha, FIRST(x, n, incx), incx, ap);
    else (low ? lower : upper)(n, alpha, x, ap);
}
