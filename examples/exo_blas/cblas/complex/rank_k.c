// C := alpha op(A) op(B)' + beta C, of which one triangle is written, where ' is T or H and B may be A; and the sum of
// two of these
#include "matrices.h"
#include "../checks.h"

// op(A) is conjugated in a Hermitian update if it is transposed in row-major order, op(B)' if it isn't.
#define ADD(hermitian, alpha, a, lda, b, ldb, beta)                                                           \
    KERNEL(rank_k)(n, AT_LEAST_1(k), LOWER(layout, uplo), !across, hermitian, across ? AT_LEAST_1(k) : n,       \
        across ? n : AT_LEAST_1(k), (hermitian) && across ? &minus : &plus, (hermitian) && !across ? &minus : &plus, \
        FACTOR(alpha, k), OP(a, lda, across), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc))
#define UPDATE(hermitian, alpha, beta)              \
    const int across = !BY_ROWS(layout, trans);     \
    if (n > 0) ADD(hermitian, alpha, a, lda, a, lda, beta)
#define UPDATE2(hermitian, first, second, beta)                   \
    const int across = !BY_ROWS(layout, trans);                   \
    if (n > 0) ADD(hermitian, first, a, lda, b, ldb, beta);       \
    if (n > 0) ADD(hermitian, second, b, ldb, a, lda, unit)

void CBLAS(herk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k, T alpha,
    const void *a, CBLAS_INT lda, T beta, void *c, CBLAS_INT ldc) {
    CHECK_SYRK(herk, trans == CblasNoTrans || trans == CblasConjTrans);
    const T by[2] = {alpha, 0}, keep[2] = {beta, 0};
    UPDATE(1, by, keep);
}

void CBLAS(syrk)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *beta, void *c, CBLAS_INT ldc) {
    CHECK_SYRK(syrk, trans == CblasNoTrans || trans == CblasTrans);
    UPDATE(0, alpha, beta);
}

void CBLAS(her2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, T beta, void *c, CBLAS_INT ldc) {
    CHECK_SYR2K(her2k, trans == CblasNoTrans || trans == CblasConjTrans);
    const T re = *(const T *)alpha, im = ((const T *)alpha)[1] * (ROW_MAJOR(layout) ? 1 : -1);
    const T by[2] = {re, im}, back[2] = {re, -im}, keep[2] = {beta, 0};
    UPDATE2(1, by, back, keep);
}

void CBLAS(syr2k)(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_INT n, CBLAS_INT k,
    const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta, void *c,
    CBLAS_INT ldc) {
    CHECK_SYR2K(syr2k, trans == CblasNoTrans || trans == CblasTrans);
    UPDATE2(0, alpha, alpha, beta);
}
