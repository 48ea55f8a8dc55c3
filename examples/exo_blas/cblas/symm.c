// C := alpha A B + beta C or alpha B A + beta C, for a symmetric A
//
// A is taken by columns of squares. A square of the diagonal is mirrored; what is on its other side is the transposed
// of what is stored.

#define SQUARE 128  // for which there is room
#define BAND 8  // rows that are mirrored together

// The square of a symmetric matrix, of which `a` is stored from the diagonal down, with a0 or a1 1
static void mirrored(int64_t n, const T *a, int64_t a0, int64_t a1, T *square) {
    for (int64_t i = 0; i < n; i += BAND) {
        const int64_t rows = n - i < BAND ? n - i : BAND;
        const T *const first = a + i * a0;
        T *const below = square + i * SQUARE, *const above = square + i;
        KERNEL(mirror)(rows, IN2(first + i * a1, a0, a1), OUT2(below + i, SQUARE, 1));
        if (i == 0) continue;
        if (a1 == 1) {
            KERNEL(matrix_copy)(rows, i, IN2(first, a0, 1), OUT2(below, SQUARE, 1));
            KERNEL(matrix_turn)(i, rows, IN2(first, 1, a0), OUT2(above, SQUARE, 1));
        } else {
            KERNEL(matrix_turn)(rows, i, IN2(first, 1, a1), OUT2(below, SQUARE, 1));
            KERNEL(matrix_copy)(i, rows, IN2(first, a1, 1), OUT2(above, SQUARE, 1));
        }
    }
}

// C += alpha A B for columns l .. l + w of A, of which `a` is stored from the diagonal down
static void left(int64_t m, int64_t n, int64_t l, int64_t w, T alpha, const T *square, const T *a, int64_t a0,
    int64_t a1, const T *b, int64_t ldb, T *c, int64_t ldc) {
    const int64_t below = l + w;
    b += l * ldb;
    PRODUCT(l, n, w, alpha, a + l * a0, a1, a0, b, ldb, 1, 1, c, ldc);
    PRODUCT(w, n, w, alpha, square, SQUARE, 1, b, ldb, 1, 1, c + l * ldc, ldc);
    PRODUCT(m - below, n, w, alpha, a + below * a0 + l * a1, a0, a1, b, ldb, 1, 1, c + below * ldc, ldc);
}

// C += alpha B A for rows l .. l + w of A
static void right(int64_t m, int64_t n, int64_t l, int64_t w, T alpha, const T *square, const T *a, int64_t a0,
    int64_t a1, const T *b, int64_t ldb, T *c, int64_t ldc) {
    const int64_t below = l + w;
    b += l;
    PRODUCT(m, l, w, alpha, b, ldb, 1, a + l * a0, a0, a1, 1, c, ldc);
    PRODUCT(m, w, w, alpha, b, ldb, 1, square, SQUARE, 1, 1, c + l, ldc);
    PRODUCT(m, n - below, w, alpha, b, ldb, 1, a + below * a0 + l * a1, a1, a0, 1, c + below, ldc);
}

void CBLAS(symm)(PARAMETERS(symm)) {
    const int rows = ROW_MAJOR(layout), on_left = side == CblasLeft;
    CHECK(symm);
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    PRODUCT(height, width, 0, 0, a, 0, 1, b, 0, 1, beta, c, ldc);
    if (m == 0 || n == 0 || alpha == 0) return;
    const int lower = LOWER(layout, uplo);
    const int64_t a0 = lower ? lda : 1, a1 = lower ? 1 : lda, size = on_left ? m : n;
    _Alignas(64) T square[SQUARE * SQUARE];
    for (int64_t l = 0; l < size; l += CHOICE(symm_square)) {
        const int64_t w = size - l < CHOICE(symm_square) ? size - l : CHOICE(symm_square);
        mirrored(w, a + l * (a0 + a1), a0, a1, square);
        (on_left == rows ? left : right)(height, width, l, w, alpha, square, a, a0, a1, b, ldb, c, ldc);
    }
}
