// What level 3 is made of: C += A B with the factors f (programs/complex_gemm.py), of an A with any strides, and a B that
// is near. Threads share the rows of C. Small products of gemm.c don't go this way: there the same loops are part of
// their caller, as a call would take longer.
#include "matrices.h"
#include "../threads.h"

void PAIRS(int64_t m, int64_t n, int64_t k, const T *f, int64_t f0, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, T *c, int64_t ldc) {
#define ROWS(i, rows) \
    (rows, n, k, IN2(f, f0, 1), (struct EXO_IN3){(T *)a + (i) * a0, {a0, a1, 1}}, IN2(b, b0, 1), \
        OUT2(c + (i) * ldc, ldc, 1))
#if EXO_VECTORIZED
    const int threads = 4.0 * m * n * k < CHOICE(gemm_shared) ? 1 : exo_threads();
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
    SHARE(i, m, slice, KERNEL(product_near) ROWS(i, LEAST(slice, m - i)))
#else
    KERNEL(product_expanded) ROWS(0, m);  // gcc 12 makes vectors of the other's loop that read past the end of a and b
#endif
}
