// C := alpha op(A) op(B) + beta C; column by column, it is the transposed product by rows
#include "matrices.h"
#include "../room.h"
#include "../threads.h"

#define GIVEN                                                                                \
    m, n, depth, turned, turned ? n : depth, turned ? depth : n, CONJ(ta), CONJ(tb),         \
        FACTOR(alpha, k), OP(a, lda, ta != CblasNoTrans), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc)
static void multiply(int64_t m, int64_t n, int64_t k, const void *alpha, const T *a, int64_t lda,
    CBLAS_TRANSPOSE ta, const T *b, int64_t ldb, CBLAS_TRANSPOSE tb, const void *beta, T *c, int64_t ldc) {
    const int64_t depth = AT_LEAST_1(k), turned = tb != CblasNoTrans;
    const int64_t bytes = 2 * depth * n * (int64_t)sizeof(T);
    // what threads share goes by PAIRS
    const int is_near = EXO_VECTORIZED && bytes <= CHOICE(complex_near) && 4.0 * m * n * depth < CHOICE(gemm_shared);
    if (m == 0 || n == 0) return;
    if (is_near) KERNEL(gemm_near)(GIVEN);
    else KERNEL(gemm_scaled)(GIVEN);
}
#define MULTIPLY(a, b, c)                                                                    \
    ROW_MAJOR(layout) ? multiply(m, n, k, alpha, a, lda, transa, b, ldb, transb, beta, c, ldc) \
                      : multiply(n, m, k, alpha, b, ldb, transb, a, lda, transa, beta, c, ldc)

DEFINE(gemm, MULTIPLY(a, b, c))

#define OF(a) (T *)a + 2 * (i + l) * stride##a
DEFINE(gemm_batch_strided, const int threads = exo_batch_threads(4.0 * m * n * k, batch);
    const int64_t slice = exo_slice(batch, threads, 1);
    SHARE(i, batch, slice,
        for (int64_t l = 0; l < LEAST(slice, batch - i); l++) MULTIPLY(OF(a), OF(b), OF(c))))
