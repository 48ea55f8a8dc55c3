// What updates of rank k of a symmetric matrix have in common: one triangle of C := alpha op(A) op(B)^T + beta C is written.
#include "threads.h"

// `along` says that op(A) and op(B) are by columns. Of no products alpha is 0, and neither matrix is read.
static void rank_k(int lower, int along, int64_t n, int64_t k, T alpha, const T *a, int64_t lda, const T *b, int64_t ldb,
    T beta, T *c, int64_t ldc) {
    const T factor = k == 0 ? 0 : alpha;
    if (n == 0) return;
    (along ? KERNEL(rank_k_along) : KERNEL(rank_k_across))(n, AT_LEAST_1(k),
        CHOICE(gemm_shared) / AT_LEAST_1(k) + 1, lower, &factor, &beta, IN2(a, along ? 1 : lda, along ? lda : 1),
        IN2(b, ldb, 1), OUT2(c, ldc, 1));
}
