// C := alpha op(A) op(B) + beta C; column by column, it is the transposed product by rows
#include "matrices.h"
#include "../checks.h"
#include "../threads.h"

// By rows, of A and B as they lie: ta and tb tell whether they are transposed, and conjugated
static void multiply(int64_t m, int64_t n, int64_t k, const void *alpha, const T *a, int64_t lda, CBLAS_TRANSPOSE ta,
    const T *b, int64_t ldb, CBLAS_TRANSPOSE tb, const void *beta, T *c, int64_t ldc) {
    const int turned = tb != CblasNoTrans;
    if (m > 0 && n > 0)
        KERNEL(gemm_scaled)(m, n, AT_LEAST_1(k), turned, turned ? n : AT_LEAST_1(k), turned ? AT_LEAST_1(k) : n, CONJ(ta),
            CONJ(tb), FACTOR(alpha, k), OP(a, lda, ta != CblasNoTrans), LYING(b, ldb), IN(beta, 1), RESULT(c, ldc));
}

#define MULTIPLY(a, b, c)                                                                          \
    if (ROW_MAJOR(layout)) multiply(m, n, k, alpha, a, lda, transa, b, ldb, transb, beta, c, ldc); \
    else multiply(n, m, k, alpha, b, ldb, transb, a, lda, transa, beta, c, ldc)

void CBLAS(gemm)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
    void *c, CBLAS_INT ldc) {
    const int ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK_GEMM(gemm);
    MULTIPLY(a, b, c);
}

void CBLAS(gemm_batch_strided)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m,
    CBLAS_INT n, CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, CBLAS_INT stridea, const void *b,
    CBLAS_INT ldb, CBLAS_INT strideb, const void *beta, void *c, CBLAS_INT ldc, CBLAS_INT stridec, CBLAS_INT batch) {
    const int ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK_GEMM_BATCH(gemm_batch_strided);
    const int threads = exo_batch_threads(4.0 * m * n * k, batch);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t l = 0; l < batch; l++) {
        MULTIPLY((const T *)a + 2 * l * stridea, (const T *)b + 2 * l * strideb, (T *)c + 2 * l * stridec);
    }
}
