// A := alpha x y^T + A and A := alpha x y^H + A; and of a Hermitian A, dense or packed, A := alpha x x^H + A and
// A := alpha x y^H + conj(alpha) y x^H + A
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "rows.h"
#include "../checks.h"

// Columns from which on rows are taken together, which those of a large matrix are not
#define TOGETHER(m, n) (2 * (m) * (n) * (int64_t)sizeof(T) > CHOICE(ger_ordered) ? (n) + 1 : 1)
#define GENERAL(conj)                                                                                      \
    const struct EXO_IN1 rows = IN_VECTOR(x, m, incx), columns = IN_VECTOR(y, n, incy);                    \
    const struct EXO_OUT3 matrix = DENSE(a, lda);                                                          \
    if (m == 0 || n == 0) return;                                                                          \
    if (ROW_MAJOR(layout)) KERNEL(ger)(m, n, TOGETHER(m, n), SIGN(0), IN(alpha, 1), rows, SIGN(conj), columns, matrix);    \
    else KERNEL(ger)(n, m, TOGETHER(n, m), SIGN(conj), IN(alpha, 1), columns, SIGN(0), rows, matrix)
#define HERMITIAN(...)                                                                                     \
    const int lower = LOWER(layout, uplo);                                                                 \
    if (n > 0)                                                                                             \
        KERNEL(her)(n, lower, SIGN(!ROW_MAJOR(layout)), &alpha, IN_VECTOR(x, n, incx), \
            (struct EXO_OUT3)__VA_ARGS__)
#define HERMITIAN2(...)                                                                                    \
    const int lower = LOWER(layout, uplo);                                                                 \
    if (n > 0)                                                                                             \
        KERNEL(her2)(n, lower, SIGN(!ROW_MAJOR(layout)), IN(alpha, 1),              \
            IN_VECTOR(x, n, incx), IN_VECTOR(y, n, incy), (struct EXO_OUT3)__VA_ARGS__)

void CBLAS(geru)(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_GER(geru);
    GENERAL(0);
}

void CBLAS(gerc)(CBLAS_LAYOUT layout, CBLAS_INT m, CBLAS_INT n, const void *alpha, const void *x, CBLAS_INT incx,
    const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_GER(gerc);
    GENERAL(1);
}

void CBLAS(her)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx, void *a,
    CBLAS_INT lda) {
    CHECK_SYR(her);
    HERMITIAN(DENSE(a, lda));
}

void CBLAS(hpr)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, T alpha, const void *x, CBLAS_INT incx,
    void *ap) {
    CHECK_SPR(hpr);
    HERMITIAN(PACKED(ap, n, lower));
}

void CBLAS(her2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x,
    CBLAS_INT incx, const void *y, CBLAS_INT incy, void *a, CBLAS_INT lda) {
    CHECK_SYR2(her2);
    HERMITIAN2(DENSE(a, lda));
}

void CBLAS(hpr2)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *x,
    CBLAS_INT incx, const void *y, CBLAS_INT incy, void *ap) {
    CHECK_SPR2(hpr2);
    HERMITIAN2(PACKED(ap, n, lower));
}
