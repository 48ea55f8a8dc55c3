// A := alpha x x^T + A, where A is symmetric and packed
#include "packed.h"

static inline void corner(int lower, int64_t n, const T *alpha, const T *x, struct EXO_OUT2 a) {
    if (lower) KERNEL(syr_l_corner)(n, alpha, IN(x, 1), a);
    else KERNEL(syr_u_corner)(n, alpha, IN(x, 1), a);
}

void CBLAS(spr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const T *x, CBLAS_INT incx, T *ap) {
    REQUIRE(IS_LAYOUT(layout), 1, spr);
    REQUIRE(IS_UPLO(uplo), 2, spr);
    REQUIRE(n >= 0, 3, spr);
    REQUIRE(incx != 0, 6, spr);
    if (n == 0 || alpha == 0) return;
    int lower = ROW_MAJOR(layout) == (uplo == CblasLower);
    x = FIRST(x, n, incx);
    GATHER(u, n, x, incx, spr);
    if (n % 2) corner(lower, 1, &alpha, u + ALONE, OUT2(ALONE_OF(ap), 1, 1));
    PAIRS(p, ap, 1) {
        corner(lower, 2, &alpha, u + p.at, OUT2(p.corner, p.edge, 1));
        if (p.columns)
            KERNEL(ger_pair)(p.columns, &alpha, IN(u + p.at, 1), IN(u + p.from, 1), OUT2(p.rectangle, p.lda, 1));
    }
    RELEASE(u);
}
