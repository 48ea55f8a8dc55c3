// x := op(A) x, where A is triangular
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(trmv, static const T one = 1; const int lower = LOWER(layout, uplo), dots = BY_ROWS(layout, trans);
    const struct EXO_IN1 diagonal = diag == CblasUnit ? IN(&one, 0) : IN(a, (int64_t)lda + 1);
    if (n == 0) return;
    if (RARE(IS_LARGE_TRIANGLE(n, lda)))
        KERNEL(trmv_far)(lower, dots, n, CHOICE(triangle_block), IN2(a, lda, 1), diagonal, OUTPUT(x, n, incx));
    else KERNEL(trmv)(lower, dots, n, IN2(a, lda, 1), diagonal, OUTPUT(x, n, incx)))
