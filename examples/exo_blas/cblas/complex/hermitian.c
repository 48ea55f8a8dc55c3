// y := alpha A x + beta y, where A is Hermitian: dense, a band, or packed
#include "rows.h"
#include "../checks.h"

#define HERMITIAN(k, ...)                                                                                         \
    const int lower = LOWER(layout, uplo);                                                                        \
    if (n > 0)                                                                                                    \
        KERNEL(hermitian)(n, lower ? k : 0, lower ? 0 : k, SIGN(!ROW_MAJOR(layout)), IN(alpha, 1),                \
            (struct EXO_IN3)__VA_ARGS__, IN_VECTOR(x, n, incx), IN(beta, 1), OUT_VECTOR(y, n, incy))

void CBLAS(hemv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *a, CBLAS_INT lda,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SYMV(hemv);
    HERMITIAN(n, DENSE(a, lda));
}

void CBLAS(hbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a,
    CBLAS_INT lda, const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SBMV(hbmv);
    HERMITIAN(k, BAND(a, lda, lower ? k : 0));
}

void CBLAS(hpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_INT n, const void *alpha, const void *ap,
    const void *x, CBLAS_INT incx, const void *beta, void *y, CBLAS_INT incy) {
    CHECK_SPMV(hpmv);
    HERMITIAN(n, PACKED(ap, n, lower));
}
