// C := alpha op(A) op(A)^T + beta C, of which one triangle is written
//
// The triangle is halved until it is small: what is off the diagonal is a product. A small one is part of a square.
#include "rank_k.h"

#define MOST 32  // for which there is room

// One triangle of C += alpha A A^T, with the rows of A at distance a0
static void part(int lower, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, T *c, int64_t ldc) {
    if (n <= CHOICE(syrk_small)) {
        T square[MOST * MOST];
        PRODUCT(n, n, k, alpha, a, a0, a1, a, a1, a0, 0, square, MOST);
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = lower ? 0 : i, length = lower ? i + 1 : n - i;
            KERNEL(matrix_add)(1, length, IN2(square + i * MOST + from, MOST, 1), OUT2(c + i * ldc + from, ldc, 1));
        }
        return;
    }
    const int64_t h = HALF(n, CHOICE(syrk_small));
    const T *const last = a + h * a0;
    part(lower, h, k, alpha, a, a0, a1, c, ldc);
    if (lower) PRODUCT(n - h, h, k, alpha, last, a0, a1, a, a1, a0, 1, c + h * ldc, ldc);
    else PRODUCT(h, n - h, k, alpha, a, a0, a1, last, a1, a0, 1, c + h, ldc);
    part(lower, n - h, k, alpha, last, a0, a1, c + h * ldc + h, ldc);
}

void CBLAS(syrk)(PARAMETERS(syrk)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans;
    CHECK(syrk);
    const int lower = LOWER(layout, uplo), across = turned == rows;  // in row-major order
    scale_triangle(lower, n, beta, c, ldc);
    if (alpha == 0 || k == 0 || n == 0) return;
    part(lower, n, k, alpha, a, across ? 1 : lda, across ? lda : 1, c, ldc);
}
