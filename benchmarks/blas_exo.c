// CBLAS functions by ExoBLAS (github.com/exo-lang/ExoBLAS), whose own are in C++ for its tests: a peer of
// `python -m benchmarks.blas`, as `--peer ExoBLAS=FILE`. The file is a shared library of this source and of the C that
// exo-lang makes of ExoBLAS's programs; exoblas.h includes their headers.
//
// As in its tests, one of two functions is called, by whether all increments are 1, and other ones for some alphas.
// We add that beta = 0 overwrites, and scale a product's result only if beta isn't 1. It has no matrices by columns:
// these abort. Not exported is what it has no optimized program for: nrm2, iamax, rotg, bands, packed matrices; and of
// level 3 all but gemm.
#include "exoblas.h"
#include <stdlib.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111 };
#define FIRST(x, n) (inc##x < 0 ? x + (1 - (long)(n)) * inc##x : x)
#define READ(F, x, n) ((struct exo_win_1##F##c){FIRST(x, n), {inc##x}})
#define WRITE(F, x, n) ((struct exo_win_1##F){FIRST(x, n), {inc##x}})
#define MATRIX(F, a) ((struct exo_win_2##F##c){a, {ld##a, 1}})
#define RESULT(F, a) ((struct exo_win_2##F){a, {ld##a, 1}})
#define RUN(unit, program, ...) (unit ? program##_stride_1(NULL, __VA_ARGS__) : program##_stride_any(NULL, __VA_ARGS__))
#define RUN_1(program, ...) RUN((incx == 1), program, __VA_ARGS__)
#define RUN_2(program, ...) RUN((incx == 1 && incy == 1), program, __VA_ARGS__)

static void by_rows(int layout) {
    if (layout != ROW_MAJOR) abort();
}

#define FUNCTIONS(p, T, F)                                                                                             \
    T cblas_##p##asum(int n, const T *x, int incx) {                                                                   \
        T r = 0;                                                                                                       \
        if (incx > 0) RUN_1(exo_##p##asum, n, READ(F, x, n), &r);                                                      \
        return r;                                                                                                      \
    }                                                                                                                  \
    T cblas_##p##dot(int n, const T *x, int incx, const T *y, int incy) {                                              \
        T r;                                                                                                           \
        RUN_2(exo_##p##dot, n, READ(F, x, n), READ(F, y, n), &r);                                                      \
        return r;                                                                                                      \
    }                                                                                                                  \
    void cblas_##p##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {                                       \
        if (alpha == 1) RUN_2(exo_##p##axpy_alpha_1, n, READ(F, x, n), WRITE(F, y, n));                                \
        else if (alpha != 0) RUN_2(exo_##p##axpy, n, &alpha, READ(F, x, n), WRITE(F, y, n));                           \
    }                                                                                                                  \
    void cblas_##p##copy(int n, const T *x, int incx, T *y, int incy) {                                                \
        RUN_2(exo_##p##copy, n, READ(F, x, n), WRITE(F, y, n));                                                        \
    }                                                                                                                  \
    void cblas_##p##swap(int n, T *x, int incx, T *y, int incy) {                                                      \
        RUN_2(exo_##p##swap, n, WRITE(F, x, n), WRITE(F, y, n));                                                       \
    }                                                                                                                  \
    void cblas_##p##scal(int n, T alpha, T *x, int incx) {                                                             \
        if (alpha == 1 || incx <= 0) return;                                                                           \
        if (alpha == 0) RUN_1(exo_##p##scal_alpha_0, n, WRITE(F, x, n));                                               \
        else RUN_1(exo_##p##scal, n, &alpha, WRITE(F, x, n));                                                          \
    }                                                                                                                  \
    void cblas_##p##rot(int n, T *x, int incx, T *y, int incy, T c, T s) {                                             \
        RUN_2(exo_##p##rot, n, WRITE(F, x, n), WRITE(F, y, n), &c, &s);                                                \
    }                                                                                                                  \
    void cblas_##p##rotm(int n, T *x, int incx, T *y, int incy, const T *param) {                                      \
        const T h[] = {param[1], param[3], param[2], param[4]};                                                        \
        if (param[0] == -1) RUN_2(exo_##p##rotm_flag_neg_one, n, WRITE(F, x, n), WRITE(F, y, n), h);                   \
        if (param[0] == 0) RUN_2(exo_##p##rotm_flag_zero, n, WRITE(F, x, n), WRITE(F, y, n), h);                       \
        if (param[0] == 1) RUN_2(exo_##p##rotm_flag_one, n, WRITE(F, x, n), WRITE(F, y, n), h);                        \
    }                                                                                                                  \
    void cblas_##p##gemv(int layout, int trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx,      \
        T beta, T *y, int incy) {                                                                                      \
        const int out = trans == NO_TRANS ? m : n, in = trans == NO_TRANS ? n : m;                                     \
        by_rows(layout);                                                                                               \
        if (beta == 0) cblas_##p##scal(out, beta, y, abs(incy));                                                       \
        RUN_2(exo_##p##gemv_rm, trans, out, in, &alpha, &beta, MATRIX(F, a), MATRIX(F, a), READ(F, x, in),             \
            WRITE(F, y, out));                                                                                         \
    }                                                                                                                  \
    void cblas_##p##ger(int layout, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,           \
        int lda) {                                                                                                     \
        by_rows(layout);                                                                                               \
        if (alpha != 0) RUN_2(exo_##p##ger_rm, m, n, &alpha, READ(F, x, m), READ(F, y, n), RESULT(F, a));              \
    }                                                                                                                  \
    void cblas_##p##symv(int layout, int uplo, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta,      \
        T *y, int incy) {                                                                                              \
        by_rows(layout);                                                                                               \
        if (beta == 0) cblas_##p##scal(n, beta, y, abs(incy));                                                         \
        RUN_2(exo_##p##symv_rm, uplo, n, &alpha, MATRIX(F, a), READ(F, x, n), &beta, WRITE(F, y, n));                  \
    }                                                                                                                  \
    void cblas_##p##syr(int layout, int uplo, int n, T alpha, const T *x, int incx, T *a, int lda) {                   \
        by_rows(layout);                                                                                               \
        if (alpha != 0) RUN_1(exo_##p##syr_rm, uplo, n, &alpha, READ(F, x, n), READ(F, x, n), RESULT(F, a));           \
    }                                                                                                                  \
    void cblas_##p##syr2(int layout, int uplo, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,       \
        int lda) {                                                                                                     \
        by_rows(layout);                                                                                               \
        if (alpha != 0)                                                                                                \
            RUN_2(exo_##p##syr2_rm, uplo, n, &alpha, READ(F, x, n), READ(F, x, n), READ(F, y, n), READ(F, y, n),       \
                RESULT(F, a));                                                                                         \
    }                                                                                                                  \
    void cblas_##p##trmv(int layout, int uplo, int trans, int diag, int n, const T *a, int lda, T *x, int incx) {      \
        by_rows(layout);                                                                                               \
        RUN_1(exo_##p##trmv_rm, uplo, trans, diag, n, WRITE(F, x, n), MATRIX(F, a));                                   \
    }                                                                                                                  \
    void cblas_##p##trsv(int layout, int uplo, int trans, int diag, int n, const T *a, int lda, T *x, int incx) {      \
        by_rows(layout);                                                                                               \
        RUN_1(exo_##p##trsv_rm, uplo, trans, diag, n, WRITE(F, x, n), MATRIX(F, a));                                   \
    }                                                                                                                  \
    void cblas_##p##gemm(int layout, int transa, int transb, int m, int n, int k, T alpha, const T *a, int lda,        \
        const T *b, int ldb, T beta, T *c, int ldc) {                                                                  \
        by_rows(layout);                                                                                               \
        for (int i = 0; beta != 1 && i < m; i++) cblas_##p##scal(n, beta, c + (long)i * ldc, 1);                       \
        exo_##p##gemm_stride_1(NULL, transa, transb, m, n, k, &alpha, MATRIX(F, a), MATRIX(F, b), MATRIX(F, a),        \
            MATRIX(F, b), RESULT(F, c));                                                                               \
    }

FUNCTIONS(s, float, f32)
FUNCTIONS(d, double, f64)

double cblas_dsdot(int n, const float *x, int incx, const float *y, int incy) {
    double r;
    RUN_2(exo_dsdot, n, READ(f32, x, n), READ(f32, y, n), &r);
    return r;
}

float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy) {
    float r;
    RUN_2(exo_sdsdot, n, &alpha, READ(f32, x, n), READ(f32, y, n), &r);
    return r;
}
