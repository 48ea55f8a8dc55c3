// y := alpha A x + beta y, where A is symmetric and packed
#include "packed.h"

static inline void corner(int lower, int64_t n, const T *alpha, struct EXO_IN2 a, const T *x, T *y) {
    if (lower) KERNEL(symv_l_corner)(n, alpha, a, IN(x, 1), OUT(y, 1));
    else KERNEL(symv_u_corner)(n, alpha, a, IN(x, 1), OUT(y, 1));
}

void CBLAS(spmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *ap, const T *x, CBLAS_INT incx,
    T beta, T *y, CBLAS_INT incy) {
    REQUIRE(IS_LAYOUT(layout), 1, spmv);
    REQUIRE(IS_UPLO(uplo), 2, spmv);
    REQUIRE(n >= 0, 3, spmv);
    REQUIRE(incx != 0, 7, spmv);
    REQUIRE(incy != 0, 10, spmv);
    if (n == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower);
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    exo_scale(n, beta, y, incy);
    if (alpha == 0) return;
    GATHER(u, n, x, incx, spmv);
    GATHER(v, n, y, incy, spmv);
    if (n % 2) corner(lower, 1, &alpha, IN2(ALONE_OF(ap), 1, 1), u + ALONE, v + ALONE);
    PAIRS(p, ap, 1) {
        corner(lower, 2, &alpha, CORNER(p), u + p.at, v + p.at);
        if (p.columns)
            KERNEL(symv_r_pair)(p.columns, &alpha, RECTANGLE(p), IN(u + p.at, 1), OUT(v + p.at, 1), IN(u + p.from, 1),
                OUT(v + p.from, 1));
    }
    SCATTER(v, n, y, incy);
    RELEASE(u);
    RELEASE(v);
}
