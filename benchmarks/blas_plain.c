// BLAS as plain loops for neighbours in memory, row-major: what a C compiler makes of them with -O3 and fast math. The
// names are those of CBLAS, and the arguments too. Included by itself, once for each precision.
#ifndef T
#include <math.h>
#include <stddef.h>
#define FOR(i, from, to) for (int i = (from); i < (to); i++)
#define DOWN(i, from, to) for (int i = (to) - 1; i >= (from); i--)
#define AT(i, inc) [(ptrdiff_t)(i) * (inc)]
#define FIRST(inc) ((inc) < 0 ? (ptrdiff_t)(1 - n) * (inc) : 0)
#define IS_LOWER (uplo == 122)
#define IS_TRANS (trans == 112)
#define IS_UNIT (diag == 132)
#define ROW(a, i) ((a) + (ptrdiff_t)(i) * ld##a)

double cblas_dsdot(int n, const float *restrict x, int incx, const float *restrict y, int incy) {
    double t = 0;
    if (incx == 1 && incy == 1) FOR(i, 0, n) t += (double)x[i] * y[i];
    else {
        x += FIRST(incx), y += FIRST(incy);
        FOR(i, 0, n) t += (double)x AT(i, incx) * y AT(i, incy);
    }
    return t;
}
float cblas_sdsdot(int n, float alpha, const float *x, int incx, const float *y, int incy) {
    return alpha + cblas_dsdot(n, x, incx, y, incy);
}

#define T float
#define F(name) cblas_s##name
#define AMAX cblas_isamax
#include __FILE__
#undef T
#undef F
#undef AMAX
#define T double
#define F(name) cblas_d##name
#define AMAX cblas_idamax
#include __FILE__

#else

// -- level 1 ------------------------------------------------------------------------------------------

#define BOTH(body) if (incx == 1 && incy == 1) { enum { IX = 1, IY = 1 }; FOR(i, 0, n) body } \
    else { const int IX = incx, IY = incy; x += FIRST(incx), y += FIRST(incy); FOR(i, 0, n) body }
#define ONE(body) if (incx == 1) { enum { IX = 1 }; FOR(i, 0, n) body } else { const int IX = incx; FOR(i, 0, n) body }
#define X x AT(i, IX)
#define Y y AT(i, IY)
#define XY T *restrict x, int incx, T *restrict y, int incy

T F(asum)(int n, const T *x, int incx) { T t = 0; ONE(t += fabs(X);) return t; }
void F(axpy)(int n, T alpha, XY) { BOTH(Y += alpha * X;) }
void F(copy)(int n, XY) { BOTH(Y = X;) }
T F(dot)(int n, XY) { T t = 0; BOTH(t += X * Y;) return t; }
void F(scal)(int n, T alpha, T *x, int incx) { ONE(X *= alpha;) }
void F(swap)(int n, XY) { BOTH({ T t = X; X = Y; Y = t; }) }
void F(rot)(int n, XY, T c, T s) { BOTH({ T t = c * X + s * Y; Y = c * Y - s * X; X = t; }) }
void F(rotm)(int n, XY, const T *h) {
    T a = h[1], b = h[2], c = h[3], d = h[4];
    BOTH({ T t = a * X + c * Y; Y = b * X + d * Y; X = t; })
}
size_t AMAX(int n, const T *x, int incx) {
    size_t k = 0;
    T most = -1;
    ONE(if (fabs(X) > most) { most = fabs(X); k = i; })
    return k;
}
// neither overflows nor underflows: in double precision, or of scaled elements
T F(nrm2)(int n, const T *x, int incx) {
    double t = 0, most = 0;
    if (sizeof(T) == 4) {
        ONE(t += (double)X * X;)
        return sqrt(t);
    }
    ONE(most = fabs(X) > most ? fabs(X) : most;)
    if (most == 0) return 0;
    const double scale = 1 / most;
    ONE({ double v = X * scale; t += v * v; })
    return most * sqrt(t);
}

// -- level 2: vectors of neighbours -------------------------------------------------------------------

static T F(dot_)(int n, const T *restrict x, const T *restrict y) {
    T t = 0;
    FOR(i, 0, n) t += x[i] * y[i];
    return t;
}
static void F(axpy_)(int n, T alpha, const T *restrict x, T *restrict y) { FOR(i, 0, n) y[i] += alpha * x[i]; }
static void F(scale_)(int n, T beta, T *y) {
    if (beta == 0) FOR(i, 0, n) y[i] = 0;
    else if (beta != 1) FOR(i, 0, n) y[i] *= beta;
}

void F(gemv)(int layout, int trans, int m, int n, T alpha, const T *a, int lda, const T *x, int incx, T beta, T *y,
             int incy) {
    F(scale_)(IS_TRANS ? n : m, beta, y);
    FOR(i, 0, m) {
        if (IS_TRANS) F(axpy_)(n, alpha * x[i], ROW(a, i), y);
        else y[i] += alpha * F(dot_)(n, ROW(a, i), x);
    }
}
void F(ger)(int layout, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) {
    FOR(i, 0, m) F(axpy_)(n, alpha * x[i], y, ROW(a, i));
}
void F(gbmv)(int layout, int trans, int m, int n, int kl, int ku, T alpha, const T *a, int lda, const T *x, int incx,
             T beta, T *y, int incy) {
    F(scale_)(IS_TRANS ? n : m, beta, y);
    FOR(i, 0, m) {
        const int from = i > kl ? i - kl : 0, to = i + ku + 1 < n ? i + ku + 1 : n;
        const T *row = ROW(a, i) + kl - i;
        if (to <= from) continue;
        if (IS_TRANS) F(axpy_)(to - from, alpha * x[i], row + from, y + from);
        else y[i] += alpha * F(dot_)(to - from, row + from, x + from);
    }
}

// What a row of a triangle has beside its diagonal: columns FROM to TO, from `row`, where A[i, j] is row[j]. Dense,
// in a band of k columns, packed.
#define TO_LOWER(first) const int from = IS_LOWER ? (first) : i + 1, to = IS_LOWER ? i : last
#define DENSE const int last = n; TO_LOWER(0); const T *row = ROW(a, i);
#define BAND const int last = i + k + 1 < n ? i + k + 1 : n; TO_LOWER(i > k ? i - k : 0); \
    const T *row = ROW(a, i) + (IS_LOWER ? k : 0) - i;
#define PACKED const int last = n; TO_LOWER(0); \
    const T *row = ap + (IS_LOWER ? (ptrdiff_t)i * (i + 1) / 2 : (ptrdiff_t)i * (2 * (ptrdiff_t)n - i - 1) / 2);

#define SYMMETRIC(name, kind, ...)                                                                   \
    void F(name)(int layout, int uplo, int n, __VA_ARGS__, const T *x, int incx, T beta, T *y, int incy) { \
        F(scale_)(n, beta, y);                                                                       \
        FOR(i, 0, n) {                                                                               \
            kind                                                                                     \
            const T xi = alpha * x[i];                                                               \
            T t = 0;                                                                                 \
            FOR(j, from, to) { t += row[j] * x[j]; y[j] += xi * row[j]; }                            \
            y[i] += alpha * t + xi * row[i];                                                         \
        }                                                                                            \
    }
SYMMETRIC(symv, DENSE, T alpha, const T *a, int lda)
SYMMETRIC(sbmv, BAND, int k, T alpha, const T *a, int lda)
SYMMETRIC(spmv, PACKED, T alpha, const T *ap)

#define UPDATE1(name, kind, ...)                                                                     \
    void F(name)(int layout, int uplo, int n, T alpha, const T *x, int incx, __VA_ARGS__) {         \
        FOR(i, 0, n) {                                                                               \
            kind                                                                                     \
            const int begin = IS_LOWER ? 0 : i, end = IS_LOWER ? i + 1 : n;                          \
            F(axpy_)(end - begin, alpha * x[i], x + begin, (T *)row + begin);                        \
        }                                                                                            \
    }
UPDATE1(syr, DENSE, T *a, int lda)
UPDATE1(spr, PACKED, T *ap)

#define UPDATE2(name, kind, ...)                                                                     \
    void F(name)(int layout, int uplo, int n, T alpha, const T *restrict x, int incx, const T *restrict y, int incy, \
                 __VA_ARGS__) {                                                                      \
        FOR(i, 0, n) {                                                                               \
            kind                                                                                     \
            const int begin = IS_LOWER ? 0 : i, end = IS_LOWER ? i + 1 : n;                          \
            const T xi = alpha * x[i], yi = alpha * y[i];                                            \
            T *restrict r = (T *)row;                                                                \
            FOR(j, begin, end) r[j] += xi * y[j] + yi * x[j];                                        \
        }                                                                                            \
    }
UPDATE2(syr2, DENSE, T *a, int lda)
UPDATE2(spr2, PACKED, T *ap)

// x := A x, by dot products, or for the transpose by sums of rows; in the order that reads what is not written yet
#define TRIANGULAR(name, kind, ...)                                                                  \
    static inline void F(name##_row)(int uplo, int trans, int diag, int n, __VA_ARGS__, T *x, int i) { \
        kind                                                                                         \
        const T d = IS_UNIT ? 1 : row[i];                                                            \
        if (IS_TRANS) {                                                                              \
            F(axpy_)(to - from, x[i], row + from, x + from);                                         \
            x[i] *= d;                                                                               \
        } else x[i] = d * x[i] + F(dot_)(to - from, row + from, x + from);                           \
    }                                                                                                \
    void F(name)(int layout, int uplo, int trans, int diag, int n, __VA_ARGS__, T *x, int incx) {    \
        if (IS_LOWER != IS_TRANS) DOWN(i, 0, n) F(name##_row)(uplo, trans, diag, n, PASSED_##kind, x, i); \
        else FOR(i, 0, n) F(name##_row)(uplo, trans, diag, n, PASSED_##kind, x, i);                  \
    }
#define SOLVE(name, kind, ...)                                                                       \
    static inline void F(name##_row)(int uplo, int trans, int diag, int n, __VA_ARGS__, T *x, int i) { \
        kind                                                                                         \
        const T d = IS_UNIT ? 1 : row[i];                                                            \
        if (IS_TRANS) {                                                                              \
            x[i] /= d;                                                                               \
            F(axpy_)(to - from, -x[i], row + from, x + from);                                        \
        } else x[i] = (x[i] - F(dot_)(to - from, row + from, x + from)) / d;                         \
    }                                                                                                \
    void F(name)(int layout, int uplo, int trans, int diag, int n, __VA_ARGS__, T *x, int incx) {    \
        if (IS_LOWER == IS_TRANS) DOWN(i, 0, n) F(name##_row)(uplo, trans, diag, n, PASSED_##kind, x, i); \
        else FOR(i, 0, n) F(name##_row)(uplo, trans, diag, n, PASSED_##kind, x, i);                  \
    }
#define PASSED_DENSE a, lda
#define PASSED_BAND k, a, lda
#define PASSED_PACKED ap
TRIANGULAR(trmv, DENSE, const T *a, int lda)
TRIANGULAR(tbmv, BAND, int k, const T *a, int lda)
TRIANGULAR(tpmv, PACKED, const T *ap)
SOLVE(trsv, DENSE, const T *a, int lda)
SOLVE(tbsv, BAND, int k, const T *a, int lda)
SOLVE(tpsv, PACKED, const T *ap)

// -- level 3 ------------------------------------------------------------------------------------------

void F(gemm)(int layout, int transa, int transb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb,
             T beta, T *c, int ldc) {
    FOR(i, 0, m) {
        F(scale_)(n, beta, ROW(c, i));
        if (transb == 111) FOR(l, 0, k) F(axpy_)(n, alpha * (transa == 111 ? ROW(a, i)[l] : ROW(a, l)[i]), ROW(b, l), ROW(c, i));
        else if (transa == 111) FOR(j, 0, n) ROW(c, i)[j] += alpha * F(dot_)(k, ROW(a, i), ROW(b, j));
        else FOR(j, 0, n) FOR(l, 0, k) ROW(c, i)[j] += alpha * ROW(a, l)[i] * ROW(b, j)[l];
    }
}

// Element (i, j) of a symmetric matrix of which one triangle is stored
#define OF_HALF(i, j) (IS_LOWER == ((j) < (i)) ? ROW(a, i)[j] : ROW(a, j)[i])
void F(symm)(int layout, int side, int uplo, int m, int n, T alpha, const T *a, int lda, const T *b, int ldb, T beta,
             T *c, int ldc) {
    FOR(i, 0, m) {
        F(scale_)(n, beta, ROW(c, i));
        if (side == 141) FOR(l, 0, m) F(axpy_)(n, alpha * OF_HALF(i, l), ROW(b, l), ROW(c, i));
        else FOR(l, 0, n) {
            const T t = alpha * ROW(b, i)[l];
            FOR(j, 0, n) ROW(c, i)[j] += t * OF_HALF(l, j);
        }
    }
}
void F(syrk)(int layout, int uplo, int trans, int n, int k, T alpha, const T *a, int lda, T beta, T *c, int ldc) {
    FOR(i, 0, n) {
        const int from = IS_LOWER ? 0 : i, to = IS_LOWER ? i + 1 : n;
        F(scale_)(to - from, beta, ROW(c, i) + from);
        if (IS_TRANS) FOR(l, 0, k) F(axpy_)(to - from, alpha * ROW(a, l)[i], ROW(a, l) + from, ROW(c, i) + from);
        else FOR(j, from, to) ROW(c, i)[j] += alpha * F(dot_)(k, ROW(a, i), ROW(a, j));
    }
}
void F(syr2k)(int layout, int uplo, int trans, int n, int k, T alpha, const T *a, int lda, const T *b, int ldb, T beta,
              T *c, int ldc) {
    FOR(i, 0, n) {
        const int from = IS_LOWER ? 0 : i, to = IS_LOWER ? i + 1 : n;
        F(scale_)(to - from, beta, ROW(c, i) + from);
        if (IS_TRANS) FOR(l, 0, k) {
            F(axpy_)(to - from, alpha * ROW(a, l)[i], ROW(b, l) + from, ROW(c, i) + from);
            F(axpy_)(to - from, alpha * ROW(b, l)[i], ROW(a, l) + from, ROW(c, i) + from);
        }
        else FOR(j, from, to)
            ROW(c, i)[j] += alpha * (F(dot_)(k, ROW(a, i), ROW(b, j)) + F(dot_)(k, ROW(b, i), ROW(a, j)));
    }
}

// B := alpha A B or alpha B A for a triangle A, and the solutions: from the left by rows of B, in the order that reads
// what is not written yet, or what is written; from the right each row of B is a vector, and A transposed.
void F(trmm)(int layout, int side, int uplo, int trans, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb) {
    if (side == 142) FOR(i, 0, m) {
        F(scale_)(n, alpha, ROW(b, i));
        F(trmv)(101, uplo, IS_TRANS ? 111 : 112, diag, n, a, lda, ROW(b, i), 1);
    }
    else FOR(q, 0, m) {
        const int up = IS_LOWER != IS_TRANS, i = up ? m - 1 - q : q;
        F(scale_)(n, alpha * (IS_UNIT ? 1 : ROW(a, i)[i]), ROW(b, i));
        FOR(l, up ? 0 : i + 1, up ? i : m) F(axpy_)(n, alpha * (IS_TRANS ? ROW(a, l)[i] : ROW(a, i)[l]), ROW(b, l), ROW(b, i));
    }
}
void F(trsm)(int layout, int side, int uplo, int trans, int diag, int m, int n, T alpha, const T *a, int lda, T *b, int ldb) {
    if (side == 142) FOR(i, 0, m) {
        F(scale_)(n, alpha, ROW(b, i));
        F(trsv)(101, uplo, IS_TRANS ? 111 : 112, diag, n, a, lda, ROW(b, i), 1);
    }
    else FOR(q, 0, m) {
        const int down = IS_LOWER != IS_TRANS, i = down ? q : m - 1 - q;
        F(scale_)(n, alpha, ROW(b, i));
        FOR(l, down ? 0 : i + 1, down ? i : m) F(axpy_)(n, -(IS_TRANS ? ROW(a, l)[i] : ROW(a, i)[l]), ROW(b, l), ROW(b, i));
        if (!IS_UNIT) F(scale_)(n, 1 / ROW(a, i)[i], ROW(b, i));
    }
}
#undef OF_HALF
#undef BOTH
#undef ONE
#undef X
#undef Y
#undef XY
#undef SYMMETRIC
#undef UPDATE1
#undef UPDATE2
#undef TRIANGULAR
#undef SOLVE
#undef TO_LOWER
#undef DENSE
#undef BAND
#undef PACKED
#undef PASSED_DENSE
#undef PASSED_BAND
#undef PASSED_PACKED
#endif
