// x := op(A) x and x := op(A)^-1 x, where A is triangular: dense, a band, or packed
// flags: -fno-tree-vectorize: in vectors, which product of a pair is fused depends on the code around
#include "rows.h"
#include "../checks.h"

// With `less` columns on the diagonal's other side, -1 if it is not used
#define IN_PLACE(by_rows, by_columns, less, k, ...)                                                             \
    const int lower = LOWER(layout, uplo);                                                                      \
    if (n > 0)                                                                                                  \
        (BY_ROWS(layout, trans) ? by_rows : by_columns)(n, lower ? k : less, lower ? less : k, CHOICE(complex_together), diag == CblasUnit, \
            SIGN(trans == CblasConjTrans), (struct EXO_IN3)__VA_ARGS__, OUT_VECTOR(x, n, incx))
#define PRODUCT_WITH(k, ...) IN_PLACE(KERNEL(trmv_rows), KERNEL(trmv_columns), -(diag == CblasUnit), k, __VA_ARGS__)
#define SOLUTION(k, ...) IN_PLACE(KERNEL(trsv_rows), KERNEL(trsv_columns), 0, k, __VA_ARGS__)

void CBLAS(trmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TRMV(trmv);
    PRODUCT_WITH(n, DENSE(a, lda));
}

void CBLAS(trsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TRMV(trsv);
    SOLUTION(n, DENSE(a, lda));
}

void CBLAS(tbmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    CBLAS_INT k, const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TBMV(tbmv);
    PRODUCT_WITH(k, BAND(a, lda, lower ? k : 0));
}

void CBLAS(tbsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    CBLAS_INT k, const void *a, CBLAS_INT lda, void *x, CBLAS_INT incx) {
    CHECK_TBMV(tbsv);
    SOLUTION(k, BAND(a, lda, lower ? k : 0));
}

void CBLAS(tpmv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx) {
    CHECK_TPMV(tpmv);
    PRODUCT_WITH(n, PACKED(ap, n, lower));
}

void CBLAS(tpsv)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, CBLAS_INT n,
    const void *ap, void *x, CBLAS_INT incx) {
    CHECK_TPMV(tpsv);
    SOLUTION(n, PACKED(ap, n, lower));
}
