// Level 3 of complex numbers: what kernels are handed of matrices. OP is op(A), LYING the rows that are in memory.
static const T plus = 1, minus = -1, nothing[2];
#define CONJ(trans) ((trans) == CblasConjTrans ? &minus : &plus)
#define PAIRS_OF(a, row, column) {(T *)(a), {2 * (int64_t)(row), 2 * (int64_t)(column), 1}}
#define OP(a, lda, across) \
    ((struct EXO_IN3)PAIRS_OF(a, (across) ? 1 : (lda), (across) ? (lda) : 1))
#define LYING(b, ldb) IN2(b, 2 * (int64_t)(ldb), 1)
#define RESULT(c, ldc) OUT2(c, 2 * (int64_t)(ldc), 1)
#define FACTOR(alpha, k) IN((k) > 0 ? (alpha) : nothing, 1)  // sums of no products are 0
// C += A B, what level 3 is made of (pairs.c)
#define PAIRS EXO_JOIN(EXO_JOIN(exo_, EXO_LETTER), EXO_HERE(pairs))
