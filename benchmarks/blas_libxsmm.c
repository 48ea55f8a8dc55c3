// CBLAS functions for products by LIBXSMM, which has none of its own: a peer of `python -m benchmarks.blas`, as a shared
// library that is linked with libxsmm: `--level small --peer LIBXSMM=FILE`.
//
// Kernels are made by LIBXSMM when they are first asked for, and looked up by each call, once for all of a batch. It has
// kernels for alpha = 1 and beta = 1 or 0; of all else, and where it has none, plain loops take the time.
#include <libxsmm.h>

#define DOT(letter, T)                                                                                     \
    T cblas_##letter##dot(int n, const T *x, int incx, const T *y, int incy) {                             \
        T r = 0;                                                                                           \
        for (int i = 0; i < n; i++) r += x[i * incx] * y[i * incy];                                        \
        return r;                                                                                          \
    }

#define PRODUCTS(letter, T, DATATYPE)                                                                      \
    static void letter##loops(int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, \
        T beta, T *c, int ldc) {                                                                           \
        for (int j = 0; j < n; j++)                                                                        \
            for (int i = 0; i < m; i++) {                                                                  \
                T r = 0;                                                                                   \
                for (int p = 0; p < k; p++) r += a[ta ? p + i * lda : i + p * lda] * b[tb ? j + p * ldb : p + j * ldb]; \
                c[i + j * ldc] = alpha * r + (beta == 0 ? 0 : beta * c[i + j * ldc]);                      \
            }                                                                                              \
    }                                                                                                      \
    void cblas_##letter##gemm_batch_strided(int layout, int transa, int transb, int m, int n, int k, T alpha, const T *a, \
        int lda, int stridea, const T *b, int ldb, int strideb, T beta, T *c, int ldc, int stridec, int batch) { \
        int ta = transa != 111, tb = transb != 111;                                                        \
        if (layout == 101) { /* by columns, it is the transposed product */                                \
            const T *const left = a;                                                                       \
            const int rows = m, ld = lda, stride = stridea, turned = ta;                                   \
            a = b, lda = ldb, stridea = strideb, ta = tb, m = n;                                           \
            b = left, ldb = ld, strideb = stride, tb = turned, n = rows;                                   \
        }                                                                                                  \
        libxsmm_bitfield flags = LIBXSMM_GEMM_FLAG_NONE;                                                   \
        if (ta) flags |= LIBXSMM_GEMM_FLAG_TRANS_A;                                                        \
        if (tb) flags |= LIBXSMM_GEMM_FLAG_TRANS_B;                                                        \
        if (beta == 0) flags |= LIBXSMM_GEMM_FLAG_BETA_0;                                                  \
        const libxsmm_gemm_shape shape =                                                                   \
            libxsmm_create_gemm_shape(m, n, k, lda, ldb, ldc, DATATYPE, DATATYPE, DATATYPE, DATATYPE);     \
        const libxsmm_gemmfunction kernel =                                                                \
            alpha == 1 && (beta == 0 || beta == 1) ? libxsmm_dispatch_gemm(shape, flags, LIBXSMM_PREFETCH_NONE) : NULL; \
        for (int l = 0; l < batch; l++) {                                                                  \
            const T *const al = a + (long)l * stridea, *const bl = b + (long)l * strideb;                  \
            T *const cl = c + (long)l * stridec;                                                           \
            if (!kernel) {                                                                                 \
                letter##loops(ta, tb, m, n, k, alpha, al, lda, bl, ldb, beta, cl, ldc);                    \
                continue;                                                                                  \
            }                                                                                              \
            libxsmm_gemm_param given;                                                                      \
            given.a.primary = (void *)al, given.b.primary = (void *)bl, given.c.primary = cl;              \
            kernel(&given);                                                                                \
        }                                                                                                  \
    }                                                                                                      \
    void cblas_##letter##gemm(int layout, int transa, int transb, int m, int n, int k, T alpha, const T *a, int lda, \
        const T *b, int ldb, T beta, T *c, int ldc) {                                                      \
        cblas_##letter##gemm_batch_strided(layout, transa, transb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1); \
    }

DOT(s, float)
DOT(d, double)
PRODUCTS(s, float, LIBXSMM_DATATYPE_F32)
PRODUCTS(d, double, LIBXSMM_DATATYPE_F64)
