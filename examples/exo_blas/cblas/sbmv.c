// y := alpha A x + beta y, where A is symmetric and a band
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice

DEFINE(sbmv, if (LOWER(layout, uplo)) a += k;
    if (n > 0) KERNEL(sbmv)(LOWER(layout, uplo), n, k, &alpha, BAND(a, lda), INPUT(x, n, incx), &beta,
        OUTPUT(y, n, incy)))
