// x := op(A) x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
#include "triangle_vector.h"

DECLARE(trmv);

// The same of a large triangle and neighbours: for some rows at a time, the small triangle and the rectangle beside it.
// They come in an order in which what is read is still old.
APART void blocks(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int lower, int dots,
    int64_t n, const T *a, int64_t lda, T *x) {
    const int64_t block = CHOICE(triangle_block), count = (n + block - 1) / block;
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = (lower == dots ? count - 1 - b : b) * block, rows = n - i < block ? n - i : block;
        const int64_t from = lower ? 0 : i + rows, columns = lower ? i : n - from;
        const T *row = a + i * lda;
        if (columns > 0 && !dots) ADDS(rows, columns, 1, row + from, lda, x + i, 1, x + from);
        CBLAS(trmv)(layout, uplo, trans, diag, rows, row + i, lda, x + i, 1);
        if (columns > 0 && dots) DOTS(rows, columns, 1, row + from, lda, x + from, x + i, 1);
    }
}

typedef void Kernel(int64_t n, struct EXO_IN2 a, struct EXO_IN1 d, struct EXO_IN1 x, struct EXO_OUT1 y);

// x := op(A) x, of neighbours, where d is the diagonal
static inline __attribute__((always_inline)) void product(Kernel *kernel, int64_t n, const T *a, int64_t lda, const T *d,
    int64_t incd, T *x) {
    ROOM(u, n, trmv);
    exo_copy(n, x, 1, u, 1);
    kernel(n, IN2(a, lda, 1), IN(d, incd), IN(u, 1), OUT(x, 1));
    RELEASE(u);
}

#define HANDED int64_t n, const T *a, int64_t lda, const T *d, int64_t incd, T *x
APART void by_ln(HANDED) { product(KERNEL(trmv_ln), n, a, lda, d, incd, x); }
APART void by_un(HANDED) { product(KERNEL(trmv_un), n, a, lda, d, incd, x); }
APART void by_lt(HANDED) { product(KERNEL(trmv_lt), n, a, lda, d, incd, x); }
APART void by_ut(HANDED) { product(KERNEL(trmv_ut), n, a, lda, d, incd, x); }

APART void copied(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n, const T *a,
    int64_t lda, T *x, int64_t incx) {
    ROOM(v, n, trmv);
    exo_copy(n, x, incx, v, 1);
    CBLAS(trmv)(layout, uplo, trans, diag, n, a, lda, v, 1);
    exo_copy(n, v, 1, x, incx);
    RELEASE(v);
}

void CBLAS(trmv)(PARAMETERS(trmv)) {
    CHECK(trmv);
    if (n == 0) return;
    const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    if (RARE(incx != 1)) {
        copied(layout, uplo, trans, diag, n, a, lda, FIRST(x, n, incx), incx);
        return;
    }
    if (RARE(n > CHOICE(triangle_block) && FROM_MEMORY((int64_t)n * n / 2, lda))) {
        blocks(layout, uplo, trans, diag, lower, dots, n, a, lda, x);
        return;
    }
    static const T one = 1;
    const T *d = diag == CblasUnit ? &one : a;
    const int64_t incd = diag == CblasUnit ? 0 : (int64_t)lda + 1;
    (dots ? lower ? by_ln : by_un : lower ? by_lt : by_ut)(n, a, lda, d, incd, x);
}
