// A := alpha x y^T + alpha y x^T + A, where A is symmetric and packed
#include "packed.h"

static inline void corner(int lower, int64_t n, const T *alpha, const T *x, const T *y, struct EXO_OUT2 a) {
    if (lower) KERNEL(syr2_l_corner)(n, alpha, IN(x, 1), IN(y, 1), a);
    else KERNEL(syr2_u_corner)(n, alpha, IN(x, 1), IN(y, 1), a);
}

void CBLAS(spr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, const T *y,
    CBLAS_INT incy, T *ap) {
    REQUIRE(IS_LAYOUT(layout), 1, spr2);
    REQUIRE(IS_UPLO(uplo), 2, spr2);
    REQUIRE(n >= 0, 3, spr2);
    REQUIRE(incx != 0, 6, spr2);
    REQUIRE(incy != 0, 8, spr2);
    if (n == 0 || alpha == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower);
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    GATHER(u, n, x, incx, spr2);
    GATHER(v, n, y, incy, spr2);
    if (n % 2) corner(lower, 1, &alpha, u + ALONE, v + ALONE, OUT2(ALONE_OF(ap), 1, 1));
    PAIRS(p, ap, 1) {
        corner(lower, 2, &alpha, u + p.at, v + p.at, OUT2(p.corner, p.edge, 1));
        if (p.columns)
            KERNEL(ger2_pair)(p.columns, &alpha, IN(u + p.at, 1), IN(v + p.at, 1), IN(u + p.from, 1), IN(v + p.from, 1),
                OUT2(p.rectangle, p.lda, 1));
    }
    RELEASE(u);
    RELEASE(v);
}
