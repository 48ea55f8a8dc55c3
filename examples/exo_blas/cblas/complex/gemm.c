// C := alpha op(A) op(B) + beta C
//
// Rows of C are rows of twice as many reals, and so are those of A. For these, each row of B becomes two: its elements,
// and these times i. The product of reals is then the complex one, with as many operations. alpha goes into these
// rows, and so does whether A and B are conjugated.
#include "views.h"
#include "../checks.h"

#define DEPTH (EXO_DEPTH / 2)  // rows of B at a time: as many reals as a product of reals takes
#define WIDE 256               // columns of B at a time
#define TALL 1024              // rows of A that are copied at a time
#define FEW_COLUMNS 8          // of a transposed B: a line of each has a place even if all of them share a set

// Rows of A as neighbours: where they are, or else copied
static const T *rows_of(int64_t m, int64_t depth, View a, T *room, int64_t *row) {
    if (a.column == 1) {
        *row = 2 * a.row;
        return a.at;
    }
    *row = 2 * DEPTH;
    for (int64_t i = 0; i < m; i++)
        KERNEL(copied_strided)(depth, &one, PAIRS(pair_of(a, i, 0), a.column), PAIRS_OUT(room + i * *row, 1));
    return room;
}

// Each row of alpha B becomes two, that are `row` apart: for A conjugated or not. Of a transposed B, a few columns at a
// time: with a line of each, the first cache is not full.
static void expand(int64_t k, int64_t n, Number alpha, int conj, View b, T *to, int64_t row) {
    const int64_t most = b.column == 1 ? n : FEW_COLUMNS;
    for (int64_t j = 0; j < n; j += most)
        for (int64_t p = 0; p < k; p++) {
            T *const two = to + 2 * (p * row + j);
            (b.column == 1 ? KERNEL(expand) : KERNEL(expand_strided))(n - j < most ? n - j : most, &alpha.re, &alpha.im,
                SIGN(conj), SIGN(b.conj), PAIRS(pair_of(b, p, j), b.column), PAIRS_OUT(two, 1), PAIRS_OUT(two + row, 1));
        }
}

void COMPLEX_PRODUCT(int64_t m, int64_t n, int64_t k, Number alpha, View a, View b, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0 || k <= 0 || is_zero(alpha)) return;
    const int64_t depth = k < DEPTH ? k : DEPTH, wide = n < WIDE ? n : WIDE;
    const int64_t tall = a.column == 1 || m < TALL ? m : TALL, copied = a.column == 1 ? 0 : tall;
    T *const expanded = malloc((4 * depth * wide + 2 * DEPTH * copied) * sizeof(T));
    T *const room = expanded + 4 * depth * wide;
    if (!expanded) {
        cblas_xerbla(0, ROUTINE(gemm), "%s\n", "no memory");
        return;
    }
    for (int64_t i = 0; i < m; i += tall)
        for (int64_t p = 0; p < k; p += depth) {
            const int64_t rows = m - i < tall ? m - i : tall, deep = k - p < depth ? k - p : depth;
            int64_t row;
            const T *const left = rows_of(rows, deep, from(a, i, p), room, &row);
            for (int64_t j = 0; j < n; j += wide) {
                const int64_t columns = n - j < wide ? n - j : wide;
                expand(deep, columns, alpha, a.conj, from(b, p, j), expanded, 2 * wide);
                PRODUCT(rows, 2 * columns, 2 * deep, 1, left, row, 1, expanded, 2 * wide, 1, 1, c + 2 * (i * ldc + j),
                    2 * ldc);
            }
        }
    free(expanded);
}

void CBLAS(gemm)(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, CBLAS_INT m, CBLAS_INT n,
    CBLAS_INT k, const void *alpha, const void *a, CBLAS_INT lda, const void *b, CBLAS_INT ldb, const void *beta,
    void *c, CBLAS_INT ldc) {
    const int rows = ROW_MAJOR(layout), ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK_GEMM(gemm);
    const View left = view(a, lda, ta, transa == CblasConjTrans), right = view(b, ldb, tb, transb == CblasConjTrans);
    scale_rows(rows ? m : n, rows ? n : m, number(beta), c, ldc);
    if (rows) COMPLEX_PRODUCT(m, n, k, number(alpha), left, right, c, ldc);
    else COMPLEX_PRODUCT(n, m, k, number(alpha), right, left, c, ldc);  // the columns are the rows of the transposed
}
