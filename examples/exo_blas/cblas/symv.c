// y := alpha A x + beta y, where A is symmetric
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -fno-tree-vectorize: the few columns that make no vector are sooner done one by one

DEFINE(symv, if (n > 0) KERNEL(symv)(LOWER(layout, uplo), n, &alpha, IN2(a, lda, 1), INPUT(x, n, incx), &beta,
    OUTPUT(y, n, incy)))
