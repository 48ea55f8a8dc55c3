// A := alpha x y^T + A
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

// How many more elements each row has before its first whole vector than the row before
#define TURN(lda) ((uint64_t)-(int64_t)(lda) % LANES)

APART void many(int64_t m, int64_t n, T alpha, struct EXO_IN1 x, struct EXO_IN1 y, T *a, int64_t lda) {
    KERNEL(ger_many)(m, n, BEFORE(a), TURN(lda), CHOICE(ger_wide), ELEMENTS(ger_ordered), ELEMENTS(ger_ordered_apart),
        ELEMENTS(ger_far), &alpha, x, y, OUT2(a, lda, 1));
}

void CBLAS(ger)(PARAMETERS(ger)) {
    CHECK(ger);
    if (m == 0 || n == 0 || alpha == 0) return;
    struct EXO_IN1 u = INPUT(x, m, incx), v = INPUT(y, n, incy);
    if (!ROW_MAJOR(layout)) {  // the transpose: y x^T
        const struct EXO_IN1 first = u;
        const CBLAS_INT rows = m;
        u = v, v = first, m = n, n = rows;
    }
    if (n < (EXO_VECTORS + 1) * LANES) KERNEL(ger_few)(m, n, &alpha, u, v, OUT2(a, lda, 1));
    else many(m, n, alpha, u, v, a, lda);
}
