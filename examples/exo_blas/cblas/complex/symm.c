// C := alpha A B + beta C or alpha B A + beta C, for a symmetric or a Hermitian A. It is handed over from the diagonal
// down: an upper triangle as the transposed of a lower one, which of a Hermitian A is conjugated.
#include "matrices.h"
#include "../room.h"

#define MULTIPLY(hermitian)                                                             \
    const int rows = ROW_MAJOR(layout), upper = !LOWER(layout, uplo);                   \
    const int64_t height = rows ? m : n, width = rows ? n : m;                          \
    const T *const sign = (hermitian) && upper ? &minus : &plus;                        \
    if (m == 0 || n == 0) return;                                                       \
    if ((side == CblasLeft) == rows)                                                    \
        KERNEL(symm_left)(height, width, hermitian, sign, IN(alpha, 1),                 \
            OP(a, lda, upper), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc));             \
    else                                                                                \
        KERNEL(symm_right)(height, width, hermitian, sign, IN(alpha, 1),                \
            OP(a, lda, upper), OP(b, ldb, 0), IN(beta, 1), RESULT(c, ldc))

DEFINE(hemm, MULTIPLY(1))
DEFINE(symm, MULTIPLY(0))
