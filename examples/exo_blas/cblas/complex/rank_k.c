// C := alpha op(A) op(B)' + beta C, of which one triangle is written, where ' is T or H and B may be A; and the sum of
// two of these. Of a Hermitian one, op(A) is conjugated if it is transposed in row-major order, op(B)' if it isn't.
#include "matrices.h"
#include "../room.h"

// Without vectors nothing is read where it is: what is near would be expanded for each strip.
#define IS_NEAR (EXO_VECTORIZED && 2 * AT_LEAST_1((int64_t)k) * n * (int64_t)sizeof(T) <= CHOICE(complex_near))
#define UPDATE(hermitian, alpha, a, lda, b, ldb, beta)                                    \
    if (n > 0)                                                                            \
        KERNEL(rank_k)(n, AT_LEAST_1(k), LOWER(layout, uplo), BY_ROWS(layout, trans), IS_NEAR, hermitian,          \
            BY_ROWS(layout, trans) ? n : AT_LEAST_1(k), BY_ROWS(layout, trans) ? AT_LEAST_1(k) : n,               \
            (hermitian) && !BY_ROWS(layout, trans) ? &minus : &plus,                                              \
            (hermitian) && BY_ROWS(layout, trans) ? &minus : &plus, FACTOR(alpha, k),                             \
            OP(a, lda, !BY_ROWS(layout, trans)), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc))
// The sum of two: of small matrices at once, else one after the other.
#define BOTH(hermitian, alpha, beta, other)                                                                   \
    static const T one[2] = {1, 0};                                                                           \
    const int by_rows = BY_ROWS(layout, trans);                                                               \
    const T *const sa = (hermitian) && !by_rows ? &minus : &plus, *const sb = (hermitian) && by_rows ? &minus : &plus; \
    if (n > 0 && IS_NEAR)                                                                                     \
        KERNEL(rank_2k)(n, AT_LEAST_1(k), LOWER(layout, uplo), by_rows, hermitian, by_rows ? n : AT_LEAST_1(k), \
            by_rows ? AT_LEAST_1(k) : n, sa, sb, FACTOR(alpha, k), FACTOR(other, k), OP(a, lda, !by_rows),    \
            OP(b, ldb, !by_rows), LYING(a, lda), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc));                 \
    else {                                                                                                    \
        UPDATE(hermitian, alpha, a, lda, b, ldb, beta);                                                       \
        UPDATE(hermitian, other, b, ldb, a, lda, one);                                                        \
    }
#define PAIR(name, re, im) const T name[2] = {re, im}

DEFINE(syrk, UPDATE(0, alpha, a, lda, a, lda, beta))
DEFINE(herk, PAIR(by, alpha, 0); PAIR(keep, beta, 0); UPDATE(1, by, a, lda, a, lda, keep))
DEFINE(syr2k, BOTH(0, alpha, beta, alpha))
DEFINE(her2k, const T *factor = alpha; const T sign = ROW_MAJOR(layout) ? 1 : -1;
    PAIR(by, factor[0], sign * factor[1]); PAIR(other, factor[0], -sign * factor[1]);
    PAIR(keep, beta, 0); BOTH(1, by, keep, other))
