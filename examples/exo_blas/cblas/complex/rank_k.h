// What updates of rank k and 2k have in common: one triangle of C is written.
#include "views.h"

static void add_triangle(int lower, int64_t n, int64_t k, Number alpha, View a, View b, T *c, int64_t ldc) {
    COMPLEX_PRODUCT(lower ? LOWER_PART : UPPER_PART, n, n, k, alpha, a, b, c, ldc);
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
