// C := alpha op(A) op(B) + beta C; column by column, it is the transposed product by rows
#include "matrices.h"
#include "../room.h"
#include "../threads.h"

// What other units share: C += A B with the factors f (programs/complex_gemm.py), of an A with any strides, and a B that
// is near. Threads share the rows of C.
void PAIRS(int64_t m, int64_t n, int64_t k, const T *f, int64_t f0, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, T *c, int64_t ldc) {
#define ROWS(i, rows) (rows, n, k, IN2(f, f0, 1), (struct EXO_IN3){(T *)a + (i) * a0, {a0, a1, 1}}, IN2(b, b0, 1), \
    OUT2(c + (i) * ldc, ldc, 1))
#if EXO_VECTORIZED
    const int threads = 4.0 * m * n * k < CHOICE(gemm_shared) ? 1 : exo_threads();
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
    SHARE(i, m, slice, KERNEL(product_near) ROWS(i, LEAST(slice, m - i)))
#else
    KERNEL(product_expanded) ROWS(0, m);  // gcc 12 makes vectors of the other's loop that read past the end of a and b
#endif
}

// Threads share the rows of a C whose B is read where it is; of others, they do so in PAIRS.
static void multiply(int64_t m, int64_t n, int64_t k, const void *alpha, const T *a, int64_t lda,
    CBLAS_TRANSPOSE ta, const T *b, int64_t ldb, CBLAS_TRANSPOSE tb, const void *beta, T *c, int64_t ldc) {
    const int64_t depth = AT_LEAST_1(k), turned = tb != CblasNoTrans, row = ta == CblasNoTrans ? lda : 1;
    const int64_t bytes = 2 * depth * (int64_t)sizeof(T), most = CHOICE(complex_near);
    // a transposed A is read as it is if it is near, too, or for few columns
    const int is_near = EXO_VECTORIZED && bytes * n <= most && (row != 1 || bytes * m <= most || n <= CHOICE(gemm_slim));
    const int threads = !is_near || 4.0 * m * n * depth < CHOICE(gemm_shared) ? 1 : exo_threads();
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
    if (m == 0 || n == 0) return;
#define GIVEN(i, rows)                                                                         \
    rows, n, depth, turned, turned ? n : depth, turned ? depth : n, CONJ(ta), CONJ(tb),        \
        FACTOR(alpha, k), OP(a + 2 * (i) * row, lda, ta != CblasNoTrans), LYING(b, ldb), IN(beta, 1), \
        RESULT(c + 2 * (i) * ldc, ldc)
    if (!is_near) KERNEL(gemm_scaled)(GIVEN(0, m));
    else SHARE(i, m, slice, KERNEL(gemm_near)(GIVEN(i, LEAST(slice, m - i))))
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
