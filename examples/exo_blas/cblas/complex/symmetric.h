// C := alpha A B + beta C or alpha B A + beta C, for a symmetric or Hermitian A
//
// A is taken by columns of squares. A square of the diagonal is mirrored; what is on its other side is the transposed
// of what is stored, of a Hermitian A conjugated.
#include "views.h"

#define SQUARE 64

// The square of which `a` is stored from the diagonal down
static void mirror(int hermitian, int64_t n, View a, T *square) {
    for (int64_t i = 0; i < n; i++) {
        T *const diagonal = square + 2 * i * (SQUARE + 1);
        const int64_t below = n - 1 - i;
        KERNEL(copied_strided)(1, SIGN(a.conj), PAIRS(pair_of(a, i, i), 1), PAIRS_OUT(diagonal, 1));
        if (hermitian) diagonal[1] = 0;
        if (!below) continue;
        const struct EXO_IN2 column = PAIRS(pair_of(a, i + 1, i), a.row);
        KERNEL(copied_strided)(below, SIGN(a.conj), column, PAIRS_OUT(diagonal + 2 * SQUARE, SQUARE));
        KERNEL(copied_strided)(below, SIGN(a.conj != hermitian), column, PAIRS_OUT(diagonal + 2, 1));
    }
}

static inline View mirrored(int hermitian, View a) { return hermitian ? adjoint(a) : transposed(a); }

static void multiply(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int hermitian, int64_t m, int64_t n,
    Number alpha, const T *stored, int64_t lda, const T *b, int64_t ldb, Number beta, T *c, int64_t ldc) {
    const int rows = ROW_MAJOR(layout), on_left = side == CblasLeft, lower = LOWER(layout, uplo);
    const int64_t height = rows ? m : n, width = rows ? n : m;  // columns are the rows of the transposed
    scale_rows(height, width, beta, c, ldc);
    if (m == 0 || n == 0 || is_zero(alpha)) return;
    const View a = view(stored, lda, !lower, hermitian && !lower), by = view(b, ldb, 0, 0);  // from the diagonal down
    const int64_t size = on_left ? m : n;
    T square[2 * SQUARE * SQUARE];
    for (int64_t l = 0; l < size; l += SQUARE) {
        const int64_t w = size - l < SQUARE ? size - l : SQUARE, below = l + w, rest = size - below;
        mirror(hermitian, w, from(a, l, l), square);
        const View middle = view(square, SQUARE, 0, 0), left = from(a, l, 0), low = from(a, below, l);
        const View above = mirrored(hermitian, left), beyond = mirrored(hermitian, low);
        if (on_left == rows) {
            COMPLEX_PRODUCT(WHOLE, l, width, w, alpha, above, from(by, l, 0), c, ldc);
            COMPLEX_PRODUCT(WHOLE, w, width, w, alpha, middle, from(by, l, 0), c + 2 * l * ldc, ldc);
            COMPLEX_PRODUCT(WHOLE, rest, width, w, alpha, low, from(by, l, 0), c + 2 * below * ldc, ldc);
        } else {
            COMPLEX_PRODUCT(WHOLE, height, l, w, alpha, from(by, 0, l), left, c, ldc);
            COMPLEX_PRODUCT(WHOLE, height, w, w, alpha, from(by, 0, l), middle, c + 2 * l, ldc);
            COMPLEX_PRODUCT(WHOLE, height, rest, w, alpha, from(by, 0, l), beyond, c + 2 * below, ldc);
        }
    }
}

