// What updates of rank k and 2k have in common: one triangle of C is written. It is halved until it is small; what is
// off the diagonal is a product, and a small one part of a square.
#include "views.h"

#define SMALL 32

// One triangle of C := alpha A B + C, of as many rows as columns
static void add_triangle(int lower, int64_t n, int64_t k, Number alpha, View a, View b, T *c, int64_t ldc) {
    if (n <= SMALL) {
        T square[2 * SMALL * SMALL];
        memset(square, 0, sizeof square);
        COMPLEX_PRODUCT(n, n, k, alpha, a, b, square, SMALL);
        for (int64_t i = 0; i < n; i++) {
            const int64_t first = lower ? 0 : i, count = lower ? i + 1 : n - i;
            KERNEL(plus)(count, PAIRS(square + 2 * (i * SMALL + first), 1), PAIRS_OUT(c + 2 * (i * ldc + first), 1));
        }
        return;
    }
    const int64_t h = HALF(n, SMALL);
    add_triangle(lower, h, k, alpha, a, b, c, ldc);
    if (lower) COMPLEX_PRODUCT(n - h, h, k, alpha, from(a, h, 0), b, c + 2 * h * ldc, ldc);
    else COMPLEX_PRODUCT(h, n - h, k, alpha, a, from(b, 0, h), c + 2 * h, ldc);
    add_triangle(lower, n - h, k, alpha, from(a, h, 0), from(b, 0, h), c + 2 * h * (ldc + 1), ldc);
}

// One triangle of C := beta C
static void scale_triangle(int lower, int64_t n, Number beta, T *c, int64_t ldc) {
    for (int64_t i = 0; i < n; i++)
        scale_rows(1, lower ? i + 1 : n - i, beta, c + 2 * (i * ldc + (lower ? 0 : i)), ldc);
}

// The diagonal of a Hermitian matrix is real, whatever its imaginary parts are, which nobody reads.
static void make_real(int64_t n, T *c, int64_t ldc) {
    for (int64_t i = 0; i < n; i++) c[2 * i * (ldc + 1) + 1] = 0;
}

// One triangle of C := beta C, for a real beta and a Hermitian C
static void scale_hermitian(int lower, int64_t n, T beta, T *c, int64_t ldc) {
    make_real(n, c, ldc);
    for (int64_t i = 0; i < n && beta != 1; i++) {
        T *const row = c + 2 * (i * ldc + (lower ? 0 : i));
        const int64_t reals = 2 * (lower ? i + 1 : n - i);
        if (beta == 0) memset(row, 0, reals * sizeof(T));
        else REAL_KERNEL(scal)(reals, &beta, OUT(row, 1));
    }
}

// op(A) in row-major order, or conj(op(A)) where C is transposed, of a Hermitian update
static inline View factor(int hermitian, CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, const void *a, int64_t lda) {
    const int across = !BY_ROWS(layout, trans);
    return view(a, lda, across, hermitian && across);
}
