// A := alpha x y^T + alpha y x^T + A, where A is symmetric
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one
// flags: -ffp-contract=off: else gcc fuses one product or the other with their sum, by the code around them
// flags without vectors: -ffp-contract=off: the same, where a processor has such instructions without vectors of ours

DEFINE(syr2, if (n > 0 && alpha != 0)
    KERNEL(syr2)(LOWER(layout, uplo), n, &alpha, INPUT(x, n, incx), INPUT(y, n, incy), OUT2(a, lda, 1)))
