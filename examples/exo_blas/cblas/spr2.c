// A := alpha x y^T + alpha y x^T + A, where A is symmetric and packed
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

APART void lower(int64_t n, T alpha, const T *x, const T *y, T *a) {
    KERNEL(syr2_l_packed)(n, &alpha, IN(x, 1), IN(y, 1), OUT2(a, n, 1));
}

APART void upper(int64_t n, T alpha, const T *x, const T *y, T *a) {
    KERNEL(syr2_u_packed)(n, &alpha, IN(x, 1), IN(y, 1), OUT2(a, n, 1));
}

APART void copied(int low, int64_t n, T alpha, const T *x, int64_t incx, const T *y, int64_t incy, T *a) {
    GATHER(u, n, x, incx, spr2);
    GATHER(v, n, y, incy, spr2);
    (low ? lower : upper)(n, alpha, u, v, a);
    RELEASE(u);
    RELEASE(v);
}

void CBLAS(spr2)(PARAMETERS(spr2)) {
    CHECK(spr2);
    if (n == 0 || alpha == 0) return;
    const int low = LOWER(layout, uplo);
    if (RARE(incx != 1 || incy != 1)) copied(low, n, alpha, FIRST(x, n, incx), incx, FIRST(y, n, incy), incy, ap);
    else (low ? lower : upper)(n, alpha, x, y, ap);
}
