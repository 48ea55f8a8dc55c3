// C := alpha op(A) op(B) + beta C
//
// Rows of C are rows of twice as many reals, and so are those of A. For these, each row of B becomes two: its elements,
// and these times i. The product of reals is then the complex one, with as many operations. alpha goes into these
// rows, and so does whether A and B are conjugated. A transposed B becomes a transposed one.
#include "views.h"
#include "../threads.h"

#define DEPTH (EXO_DEPTH / 2)  // rows of B at a time: as many reals as a product of reals takes
#define WIDE 256               // columns of B at a time
#define TALL 1024              // rows of A that are copied at a time, a multiple of WIDE
#define SMALL 16               // rows of a triangle that are part of a square
#define WIDTH(n) (2 * (n) + EXO_LINE / (int64_t)sizeof(T))  // reals of a row of n pairs, no power of two
#define FEW_REALS 4096         // so many have room on the stack

// Rows of A as neighbours: where they are, or else copied
static const T *rows_of(int64_t m, int64_t depth, View a, T *room, int64_t *row) {
    *row = a.column == 1 ? 2 * a.row : WIDTH(depth);
    if (a.column == 1) return a.at;
    for (int64_t i = 0; i < m; i++)
        KERNEL(copied_strided)(depth, &one, PAIRS(pair_of(a, i, 0), a.column), PAIRS_OUT(room + i * *row, 1));
    return room;
}

// A matrix of reals
typedef struct { T *at; int64_t row, column; } Reals;

static inline Reals reals_from(Reals a, int64_t i, int64_t j) {
    return (Reals){a.at + i * a.row + j * a.column, a.row, a.column};
}

// alpha B as a matrix of twice as many rows and columns, for an A that is conjugated or not. An element x + iy is the
// square (x, y), (-y, x) there, which transposed is that of x - iy.
static Reals expand(int64_t k, int64_t n, Number alpha, int conj, View b, T *room) {
    const int across = b.column != 1;
    const int64_t rows = across ? n : k, columns = across ? k : n, width = WIDTH(columns);
    const int mirrored = across && !conj;
    const Number by = conjugated(alpha, mirrored);
    // the first row is alpha b, the second alpha b times i, and each a sum of b's parts and of these exchanged
    const T sign = b.conj != mirrored ? -1 : 1, turn = conj ? -1 : 1;
    const T first[2] = {by.re, sign * by.re}, other[2] = {-sign * by.im, by.im};
    const T second[2] = {-turn * by.im, -turn * sign * by.im}, another[2] = {-turn * sign * by.re, turn * by.re};
    KERNEL(expand)(rows, columns, IN(first, 1), IN(other, 1), IN(second, 1), IN(another, 1),
        IN2(b.at, 2 * (across ? b.column : b.row), 1), OUT2(room, 2 * width, 1), OUT2(room + width, 2 * width, 1));
    return (Reals){room, across ? 1 : width, across ? width : 1};
}

// One triangle of C := A B + C, of n rows and 2n columns. It is halved until it is small.
static void triangle(int lower, int64_t n, int64_t k, const T *a, int64_t lda, Reals b, T *c, int64_t ldc) {
    if (n <= SMALL) {
        T square[2 * SMALL * SMALL];
        PRODUCT(n, 2 * n, k, 1, a, lda, 1, b.at, b.row, b.column, 0, square, 2 * SMALL);
        for (int64_t i = 0; i < n; i++) {
            const int64_t first = lower ? 0 : 2 * i, count = lower ? i + 1 : n - i;
            KERNEL(plus)(count, PAIRS(square + 2 * i * SMALL + first, 1), PAIRS_OUT(c + i * ldc + first, 1));
        }
        return;
    }
    const int64_t h = HALF(n, SMALL);
    const Reals last = reals_from(b, 0, 2 * h);
    triangle(lower, h, k, a, lda, b, c, ldc);
    if (lower) PRODUCT(n - h, 2 * h, k, 1, a + h * lda, lda, 1, b.at, b.row, b.column, 1, c + h * ldc, ldc);
    else PRODUCT(h, 2 * (n - h), k, 1, a, lda, 1, last.at, last.row, last.column, 1, c + 2 * h, ldc);
    triangle(lower, n - h, k, a + h * lda, lda, last, c + h * (ldc + 2), ldc);
}

void COMPLEX_PRODUCT(Part part, int64_t m, int64_t n, int64_t k, Number alpha, View a, View b, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0 || k <= 0 || is_zero(alpha)) return;
    const int64_t depth = k < DEPTH ? k : DEPTH, wide = n < WIDE ? n : WIDE;
    const int64_t tall = a.column == 1 || m < TALL ? m : TALL, copied = a.column == 1 ? 0 : tall;
    const int64_t expanded = 2 * (b.column == 1 ? depth * WIDTH(wide) : wide * WIDTH(depth));
    const int64_t reals = expanded + copied * WIDTH(depth);
    T few[FEW_REALS], *const room = reals > FEW_REALS ? malloc(reals * sizeof(T)) : few;
    if (!room) {
        cblas_xerbla(0, ROUTINE(gemm), "%s\n", "no memory");
        return;
    }
    for (int64_t i = 0; i < m; i += tall)
        for (int64_t p = 0; p < k; p += depth) {
            const int64_t rows = m - i < tall ? m - i : tall, deep = k - p < depth ? k - p : depth;
            int64_t row;
            const T *const left = rows_of(rows, deep, from(a, i, p), room + expanded, &row);
            for (int64_t j = 0; j < n; j += wide) {
                const int64_t columns = n - j < wide ? n - j : wide, diagonal = j - i;
                T *const to = c + 2 * (i * ldc + j);
                const int crossed = part != WHOLE && 0 <= diagonal && diagonal < rows;
                const int64_t above = part == WHOLE || diagonal > rows ? rows : diagonal < 0 ? 0 : diagonal;
                const int64_t first = part == LOWER_PART ? above + (crossed ? columns : 0) : 0;
                const int64_t last = part == UPPER_PART ? above : rows;
                if (!crossed && first >= last) continue;
                const Reals by = expand(deep, columns, alpha, a.conj, from(b, p, j), room);
                if (crossed)
                    triangle(part == LOWER_PART, columns, 2 * deep, left + diagonal * row, row, by,
                        to + 2 * diagonal * ldc, 2 * ldc);
                PRODUCT(last - first, 2 * columns, 2 * deep, 1, left + first * row, row, 1, by.at, by.row, by.column, 1,
                    to + 2 * first * ldc, 2 * ldc);
            }
        }
    if (room != few) free(room);
}

// C := alpha A B + beta C, of matrices as they lie: column by column, it is the transposed product by rows
static void update(int rows, int64_t m, int64_t n, int64_t k, Number alpha, View a, View b, Number beta, T *c,
    int64_t ldc) {
    scale_rows(rows ? m : n, rows ? n : m, beta, c, ldc);
    if (rows) COMPLEX_PRODUCT(WHOLE, m, n, k, alpha, a, b, c, ldc);
    else COMPLEX_PRODUCT(WHOLE, n, m, k, alpha, b, a, c, ldc);
}

void CBLAS(gemm)(PARAMETERS(gemm)) {
    const int ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK(gemm);
    const View left = view(a, lda, ta, transa == CblasConjTrans), right = view(b, ldb, tb, transb == CblasConjTrans);
    update(ROW_MAJOR(layout), m, n, k, number(alpha), left, right, number(beta), c, ldc);
}

void CBLAS(gemm_batch_strided)(PARAMETERS(gemm_batch_strided)) {
    const int ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK(gemm_batch_strided);
    const View left = view(a, lda, ta, transa == CblasConjTrans), right = view(b, ldb, tb, transb == CblasConjTrans);
    const int threads = exo_batch_threads(4.0 * m * n * k, batch);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t l = 0; l < batch; l++) {
        View al = left, bl = right;
        al.at += 2 * l * stridea, bl.at += 2 * l * strideb;
        update(ROW_MAJOR(layout), m, n, k, number(alpha), al, bl, number(beta), (T *)c + 2 * l * stridec, ldc);
    }
}
