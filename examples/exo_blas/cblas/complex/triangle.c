// B := alpha op(A) B or alpha B op(A), and the same of the inverse of op(A), for a triangular A. It is handed over as a
// lower triangle from the left: an upper one from its last row back, and from the right the transposed, as is B.
#include "matrices.h"
#include "../room.h"
#include "../threads.h"

#define BYTES(m, n) (2 * (m) * (n) * (int64_t)sizeof(T))

// Threads share the columns of B, or from the right its rows.
#define IN_PLACE(left, right)                                                                  \
    const int rows = ROW_MAJOR(layout), on_left = (side == CblasLeft) == rows;                 \
    const int across = (trans != CblasNoTrans) == on_left, back = LOWER(layout, uplo) == across; \
    const int64_t height = rows ? m : n, width = rows ? n : m, sign = back ? -1 : 1;           \
    const int64_t size = on_left ? height : width, all = on_left ? width : height;             \
    const int64_t last = back ? 2 * (size - 1) : 0;                                            \
    const int64_t row = across ? 1 : lda, column = across ? lda : 1, end = last * (row + column); \
    const struct EXO_IN3 triangle = PAIRS_OF((T *)a + end, sign * row, sign * column);         \
    const int far = across && BYTES(size, size) > CHOICE(complex_near);                        \
    const int shared = EXO_VECTORIZED && 2.0 * size * size * all >= CHOICE(gemm_shared);       \
    const int threads = shared ? exo_threads() : 1;                                            \
    const int64_t slice = exo_slice(all, threads, EXO_LINE / 4);                               \
    if (m == 0 || n == 0) return;                                                              \
    SHARE(j, all, slice, {                                                                     \
        const int64_t some = LEAST(slice, all - j);                                            \
        const int near = EXO_VECTORIZED && BYTES(size, some) <= CHOICE(complex_near);          \
        if (on_left)                                                                           \
            left(size, some, diag == CblasUnit, far, near, CONJ(trans), IN(alpha, 1), triangle, \
                RESULT((T *)b + last * ldb + 2 * j, sign * ldb));                              \
        else                                                                                   \
            right(some, size, diag == CblasUnit, far, CONJ(trans), IN(alpha, 1), triangle,     \
                (struct EXO_OUT3)PAIRS_OF((T *)b + last + 2 * j * ldb, ldb, sign));            \
    })

DEFINE(trmm, IN_PLACE(KERNEL(trmm_left), KERNEL(trmm_right)))
DEFINE(trsm, IN_PLACE(KERNEL(trsm_left), KERNEL(trsm_right)))
