// C := alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C, of which one triangle is written
//
// The triangle is halved until it is small: what is off the diagonal are products. A small one is part of a square, to
// which its transposed is added.
#include "rank_k.h"

#define MOST 64  // for which there is room

// One triangle of C += alpha A B^T + alpha B A^T, with the rows of A and B at distances a0 and b0
static void part(int lower, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T *c, int64_t ldc) {
    if (n <= CHOICE(syr2k_small)) {
        _Alignas(64) T square[MOST * MOST], turned[MOST * MOST];
        PRODUCT(n, n, k, alpha, a, a0, a1, b, b1, b0, 0, square, MOST);
        KERNEL(matrix_turn)(n, n, IN2(square, 1, MOST), OUT2(turned, MOST, 1));
        for (int64_t i = 0; i < n; i++) {
            const int64_t from = lower ? 0 : i, length = lower ? i + 1 : n - i;
            KERNEL(matrix_add)(1, length, IN2(square + i * MOST + from, MOST, 1), OUT2(c + i * ldc + from, ldc, 1));
            KERNEL(matrix_add)(1, length, IN2(turned + i * MOST + from, MOST, 1), OUT2(c + i * ldc + from, ldc, 1));
        }
        return;
    }
    const int64_t h = HALF(n, CHOICE(syr2k_small));
    const T *const last_a = a + h * a0, *const last_b = b + h * b0;
    part(lower, h, k, alpha, a, a0, a1, b, b0, b1, c, ldc);
    if (lower) {
        PRODUCT(n - h, h, k, alpha, last_a, a0, a1, b, b1, b0, 1, c + h * ldc, ldc);
        PRODUCT(n - h, h, k, alpha, last_b, b0, b1, a, a1, a0, 1, c + h * ldc, ldc);
    } else {
        PRODUCT(h, n - h, k, alpha, a, a0, a1, last_b, b1, b0, 1, c + h, ldc);
        PRODUCT(h, n - h, k, alpha, b, b0, b1, last_a, a1, a0, 1, c + h, ldc);
    }
    part(lower, n - h, k, alpha, last_a, a0, a1, last_b, b0, b1, c + h * ldc + h, ldc);
}

void CBLAS(syr2k)(PARAMETERS(syr2k)) {
    const int rows = ROW_MAJOR(layout), turned = trans != CblasNoTrans;
    CHECK(syr2k);
    const int lower = LOWER(layout, uplo), across = turned == rows;  // in row-major order
    scale_triangle(lower, n, beta, c, ldc);
    if (alpha == 0 || k == 0 || n == 0) return;
    part(lower, n, k, alpha, a, across ? 1 : lda, across ? lda : 1, b, across ? 1 : ldb, across ? ldb : 1, c, ldc);
}
