// C := alpha op(A) op(B) + beta C
// flags without vectors: -O2 -fpeel-loops -fvect-cost-model=dynamic: -O3 is nine times as slow, and takes six times as long
#include "threads.h"
#include <pthread.h>

typedef void Gemv(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_INT, CBLAS_INT, T, const T *, CBLAS_INT, const T *, CBLAS_INT, T,
    T *, CBLAS_INT);
typedef void Ger(CBLAS_LAYOUT, CBLAS_INT, CBLAS_INT, T, const T *, CBLAS_INT, const T *, CBLAS_INT, T *, CBLAS_INT);
Gemv CBLAS(gemv);
Ger CBLAS(ger);

// A kernel that is chosen is called where it is: as a part of its caller, it would have too few registers.
typedef void Kernel(int64_t, int64_t, int64_t, const T *, struct EXO_IN2, struct EXO_IN2, struct EXO_OUT2);

#define SMALL 4096         // elements for which there is room on the stack
#define PASSED 64          // columns that are passed over together, or a multiple of it
#define TURNED_DOTS 16     // rows of A that are turned for sums along vectors
#define FEW_BYTES 16       // of a row of C, for which a vector is too long
#define TURNED_ROWS 4      // of a tile that is turned, a multiple of those of any machine
#define TURNED_COLUMNS 8
#define TURNED 512         // elements from which on only such tiles are turned
#define KEPT (1 << 20)     // bytes that a thread keeps for its next product
#define LINE (EXO_LINE / 4)  // elements that are at least a cache line
#define TALL 4096          // rows of A that are turned at a time
#define PAGE 4096          // bytes within which a processor reads ahead
#define LONG_ROWS(ld) ((ld) * (int64_t)sizeof(T) > PAGE)
#ifdef __AVX512F__
// Few columns that fill half of the last vector at most, or less than one if not many products make up for a masked store
#define BYTES(n) ((n) * (int64_t)sizeof(T))
#define NARROW(n, k) ((BYTES(n) <= 128 && BYTES((n) - 1) % 64 < 32) || (BYTES(n) < 64 && (k) <= 64))
#else
#define NARROW(n, k) 0
#endif
#define FEW_ROWS(ld) (LONG_ROWS(ld) ? CHOICE(gemm_few_rows) : CHOICE(gemm_few_rows_short))
#define AHEAD(ld, n, k) (LONG_ROWS(ld) ? CHOICE(gemm_shallow) : NARROW(n, k) ? 64 : CHOICE(gemm_ahead))

// y := alpha A x + beta y, with rows of A at distance a0 and elements of a row at distance a1, one of which is 1
static void column(int64_t m, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *x, int64_t incx, T beta,
    T *y, int64_t incy) {
    const int64_t rows = m == 1 && a0 < k ? k : a0, columns = k == 1 && a1 < m ? m : a1;  // of one, it may be anything
    if (a1 == 1) CBLAS(gemv)(CblasRowMajor, CblasNoTrans, m, k, alpha, a, rows, x, incx, beta, y, incy);
    else CBLAS(gemv)(CblasRowMajor, CblasTrans, k, m, alpha, a, columns, x, incx, beta, y, incy);
}

// C := beta C
static void scale(int64_t m, int64_t n, T beta, T *c, int64_t ldc) {
    if (beta == 0) KERNEL(matrix_zero)(m, n, OUT2(c, ldc, 1));
    else if (beta != 1) KERNEL(matrix_scale)(m, n, &beta, OUT2(c, ldc, 1));
}

// C := A of columns at distance a1, by whole tiles: the last ones overlap those before, instead of single elements
static void turn(int64_t m, int64_t n, const T *a, int64_t a1, T *c, int64_t ldc) {
    const int few = m < TURNED_ROWS || n < TURNED_COLUMNS || m * n < TURNED;
    const int64_t i = few ? 0 : m % TURNED_ROWS, j = few ? 0 : n % TURNED_COLUMNS;
    KERNEL(matrix_turn)(m - i, n - j, IN2(a, 1, a1), OUT2(c, ldc, 1));
    if (j)
        KERNEL(matrix_turn)(m - i, TURNED_COLUMNS, IN2(a + (n - TURNED_COLUMNS) * a1, 1, a1),
            OUT2(c + n - TURNED_COLUMNS, ldc, 1));
    if (i) turn(TURNED_ROWS, n, a + m - TURNED_ROWS, a1, c + (m - TURNED_ROWS) * ldc, ldc);
}

// C := alpha A B, or C += alpha A B, of B in rows of neighbours where it is. Kernels that are only called by their names get
// windows in registers from the C compiler; through a pointer, they are stored and loaded again.
APART Kernel KERNEL(gemm_new_unpacked), KERNEL(gemm_unpacked), KERNEL(gemm_new_narrow), KERNEL(gemm_narrow);

static inline void unpacked(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1,
    const T *b, int64_t b0, T *c, int64_t ldc) {
    const struct EXO_IN2 left = IN2(a, a0, a1), right = IN2(b, b0, 1);
    const struct EXO_OUT2 to = OUT2(c, ldc, 1);
    if (NARROW(n, k) && new) KERNEL(gemm_new_narrow)(m, n, k, &alpha, left, right, to);
    else if (NARROW(n, k)) KERNEL(gemm_narrow)(m, n, k, &alpha, left, right, to);
    else if (new) KERNEL(gemm_new_unpacked)(m, n, k, &alpha, left, right, to);
    else KERNEL(gemm_unpacked)(m, n, k, &alpha, left, right, to);
}

// C := alpha A B, or C += alpha A B, of a small B in rows of neighbours. Seven or eight rows are four and the others: after
// six, the sums of one or two would have to wait for each other.
static void small(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, T *c, int64_t ldc) {
    const int64_t half = m == 7 || m == 8 ? 4 : 0;
    if (half) unpacked(new, half, n, k, alpha, a, a0, a1, b, b0, c, ldc);
    a += half * a0, c += half * ldc;
    unpacked(new, m - half, n, k, alpha, a, a0, a1, b, b0, c, ldc);
}

// C := alpha A B, or C += alpha A B, of B in rows of neighbours where it is, by columns that stay near. Of a B that is
// not near yet few rows at a time: a tile goes down them, and the processor reads ahead in that many only.
static void in_place(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, T *c, int64_t ldc) {
    if (n * k <= SMALL) {
        small(new, m, n, k, alpha, a, a0, a1, b, b0, c, ldc);
        return;
    }
    const int64_t deep = n * k * (int64_t)sizeof(T) > CHOICE(gemm_near) ? AHEAD(b0, n, k) : k;
    const int64_t passes = (m + EXO_ROWS - 1) / EXO_ROWS, even = (m + passes - 1) / passes;
    const int64_t tall = even < EXO_ROWS ? even : m;  // two passes of 4 rows, not 6 and 2
    for (int64_t p = 0; p < k; p += deep, new = 0) {
        const int64_t depth = k - p < deep ? k - p : deep;
        const int64_t near = CHOICE(gemm_cached) / (int64_t)sizeof(T) / depth;
        const int64_t width = passes == 1 ? n : (near / PASSED + 1) * PASSED;
        for (int64_t j = 0; j < n; j += width)
            for (int64_t i = 0; i < m; i += tall)
                unpacked(new, m - i < tall ? m - i : tall, n - j < width ? n - j : width, depth, alpha,
                    a + i * a0 + p * a1, a0, a1, b + p * b0 + j, b0, c + i * ldc + j, ldc);
    }
}

// Room for so many elements, the same for each product of a thread unless it is large: two blocks that are freed after each
// call are more than the C library keeps, and the system would have to provide them again.
static pthread_key_t kept;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&kept, free); }

static T *room(int64_t elements) {
    if (elements * sizeof(T) > KEPT) return malloc(elements * sizeof(T));
    pthread_once(&once, make_key);
    T *found = pthread_getspecific(kept);
    if (!found && (found = malloc(KEPT))) pthread_setspecific(kept, found);
    return found;
}

static void release(T *given, int64_t elements) {
    if (elements * sizeof(T) > KEPT) free(given);
}

// The same of B in copies, and of A too if it's a transposed one that is read several times
static void in_copies(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T *c, int64_t ldc) {
    Kernel *const first = b1 == 1 ? KERNEL(gemm_new_packed) : KERNEL(gemm_new_across);
    Kernel *const add = b1 == 1 ? KERNEL(gemm_packed) : KERNEL(gemm_across);
    const int64_t row = ((k < EXO_DEPTH ? k : EXO_DEPTH) / LINE | 1) * LINE + LINE;  // not a power of two
    const int64_t many = m * k * (int64_t)sizeof(T) > CHOICE(gemm_far) ? CHOICE(gemm_slim) : CHOICE(gemm_many_columns);
    T *const turned = a0 == 1 && n > many ? room(m * row) : NULL;
    for (int64_t p = 0; p < k; p += EXO_DEPTH, new = 0) {
        const int64_t depth = k - p < EXO_DEPTH ? k - p : EXO_DEPTH;
        struct EXO_IN2 left = IN2(a + p * a1, a0, a1);
        if (turned) {
            KERNEL(matrix_turn)(m, depth, left, OUT2(turned, row, 1));
            left = IN2(turned, row, 1);
        }
        (new ? first : add)(m, n, depth, &alpha, left, IN2(b + p * b0, b0, b1), OUT2(c, ldc, 1));
    }
    release(turned, m * row);
}

// C := alpha A B, or C += alpha A B, of neighbours in columns of B and in rows of A, few of which may have to be turned
static void by_dots(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b1, T *c, int64_t ldc) {
    _Alignas(64) T rows[SMALL];
    const int64_t deep = a1 == 1 ? SMALL / (int64_t)sizeof(T) : SMALL / m / LINE * LINE;
    for (int64_t p = 0; p < k; p += deep, new = 0) {
        const int64_t depth = k - p < deep ? k - p : deep;
        if (a1 != 1) turn(m, depth, a + p * a1, a1, rows, deep);
        (new ? KERNEL(gemm_new_dots) : KERNEL(gemm_dots))(m, n, depth, &alpha,
            a1 == 1 ? IN2(a + p, a0, 1) : IN2(rows, deep, 1), IN2(b + p, 1, b1), OUT2(c, ldc, 1));
    }
}

// C := alpha A B, or C += alpha A B, of few columns of B, which are turned, so many rows at a time as stay near
static void by_turns(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b1, T *c, int64_t ldc) {
    _Alignas(64) T rows[SMALL];
    const int64_t deep = SMALL / n;
    for (int64_t p = 0; p < k; p += deep, new = 0) {
        const int64_t depth = k - p < deep ? k - p : deep;
        turn(depth, n, b + p, b1, rows, n);
        in_place(new, m, n, depth, alpha, a + p * a1, a0, a1, rows, n, c, ldc);
    }
}

// C := alpha A B, or C += alpha A B, of few columns, by the transposed product, for which a transposed A needs no copy
static int by_transposed(int new, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T *c, int64_t ldc) {
    const int64_t most = k > EXO_DEPTH ? m : SMALL / n / LINE * LINE;
    T *const sums = malloc(2 * most * n * sizeof(T)), *const turned = sums + most * n;
    if (!sums) return 0;
    for (int64_t i = 0; i < m; i += most) {
        const int64_t rows = m - i < most ? m - i : most;
        in_place(1, n, rows, k, alpha, b, b1, b0, a + i, a1, sums, rows);
        turn(rows, n, sums, rows, new ? c + i * ldc : turned, new ? ldc : n);
        if (!new) KERNEL(matrix_add)(rows, n, IN2(turned, n, 1), OUT2(c + i * ldc, ldc, 1));
    }
    free(sums);
    return 1;
}

static void product(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T beta, T *c, int64_t ldc);

// C := alpha A B + beta C, of a B of few rows that are turned into long ones, so many columns at a time as stay near. A thread
// has room for one such copy: the product of so few rows reads both where they are, and asks for no more.
static int by_long_rows(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b1, T beta, T *c, int64_t ldc) {
    const int64_t width = CHOICE(gemm_cached) / (int64_t)sizeof(T) / k;
    const int64_t lines = (n < width ? n : width) / LINE + 1, row = (lines | 1) * LINE;  // not a power of two
    T *const turned = room(row * k);
    if (!turned) return 0;
    for (int64_t j = 0; j < n; j += width) {
        const int64_t columns = n - j < width ? n - j : width;
        turn(k, columns, b + j * b1, b1, turned, row);
        product(m, columns, k, alpha, a, a0, a1, turned, row, 1, beta, c + j, ldc);
    }
    release(turned, row * k);
    return 1;
}

// C := alpha A B + beta C, of a B that is read where it is, which is `near`, or copied
static void some_rows(int near, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T beta, T *c, int64_t ldc) {
    const int once = near && k <= CHOICE(gemm_shallow) && beta != 0 && beta != 1;  // C is passed over once
    const int64_t tall = once ? LINE : near ? m : TALL;
    if (beta != 0 && !once) scale(m, n, beta, c, ldc);
    for (int64_t i = 0; i < m; i += tall) {
        const int64_t rows = m - i < tall ? m - i : tall;
        if (once) scale(rows, n, beta, c + i * ldc, ldc);
        if (near) in_place(beta == 0, rows, n, k, alpha, a + i * a0, a0, a1, b, b0, c + i * ldc, ldc);
        else in_copies(beta == 0, rows, n, k, alpha, a + i * a0, a0, a1, b, b0, b1, c + i * ldc, ldc);
    }
}

// C := alpha A B + beta C
static void product(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b,
    int64_t b0, int64_t b1, T beta, T *c, int64_t ldc) {
    _Alignas(64) T near_b[SMALL];
    const int64_t slim = CHOICE(gemm_slim);
    if (b1 != 1 && k >= CHOICE(gemm_dots) && (a1 == 1 ? m <= slim || n <= slim : m <= TURNED_DOTS)) {
        if (beta != 0) scale(m, n, beta, c, ldc);
        by_dots(beta == 0, m, n, k, alpha, a, a0, a1, b, b1, c, ldc);
        return;
    }
    if (b1 != 1 && n * k <= SMALL) {
        turn(k, n, b, b1, near_b, n);
        b = near_b, b0 = n, b1 = 1;
    }
    const int wide = k <= CHOICE(gemm_shallow) && m * n * (int64_t)sizeof(T) > CHOICE(gemm_large);
    if (b1 != 1 && wide && by_long_rows(m, n, k, alpha, a, a0, a1, b, b1, beta, c, ldc)) return;
    if (b1 != 1 && m <= slim && n <= slim) {
        if (beta != 0) scale(m, n, beta, c, ldc);
        by_turns(beta == 0, m, n, k, alpha, a, a0, a1, b, b1, c, ldc);
        return;
    }
    const int thin = k > CHOICE(gemm_few_products) || (beta == 0 && n * (int64_t)sizeof(T) <= FEW_BYTES);
    if (thin && a0 == 1 && a1 != 1 && m * k > SMALL && n <= slim && 4 * n <= m) {
        if (beta != 0) scale(m, n, beta, c, ldc), beta = 1;
        if (by_transposed(beta == 0, m, n, k, alpha, a, a1, b, b0, b1, c, ldc)) return;
    }
    const int in_reach = k <= CHOICE(gemm_reach) || m <= LINE || n * k <= SMALL;
    const int few = n * k * (int64_t)sizeof(T) > CHOICE(gemm_near) ? m <= FEW_ROWS(b0) : in_reach;
    const int near = b1 == 1 && (few || k <= CHOICE(gemm_shallow));
    const int threads = m * n * k < CHOICE(gemm_shared) ? 1 : exo_threads();
    if (threads == 1) {
        some_rows(near, m, n, k, alpha, a, a0, a1, b, b0, b1, beta, c, ldc);
        return;
    }
    // How C is computed has been decided: it doesn't depend on the rows that a thread has.
    const int64_t slice = exo_slice(m, threads, EXO_ROWS);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m; i += slice)
        some_rows(near, m - i < slice ? m - i : slice, n, k, alpha, a + i * a0, a0, a1, b, b0, b1, beta, c + i * ldc, ldc);
}

void PRODUCT(int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t a0, int64_t a1, const T *b, int64_t b0,
    int64_t b1, T beta, T *c, int64_t ldc) {
    if (m <= 0 || n <= 0) return;
    if (k > 0 && n == 1) {
        column(m, k, alpha, a, a0, a1, b, b0, beta, c, ldc);
        return;
    }
    if (k > 0 && m == 1) {
        column(n, k, alpha, b, b1, b0, a, a1, beta, c, 1);
        return;
    }
    if (alpha == 0 || k <= 0) {
        scale(m, n, beta, c, ldc);
        return;
    }
    if (k == 1 && beta == 1) {
        CBLAS(ger)(CblasRowMajor, m, n, alpha, a, a0, b, b1, c, ldc);
        return;
    }
    if (b1 == 1 && n * k <= SMALL && m <= CHOICE(gemm_slim)) {
        if (beta != 0) scale(m, n, beta, c, ldc);
        small(beta == 0, m, n, k, alpha, a, a0, a1, b, b0, c, ldc);
        return;
    }
    product(m, n, k, alpha, a, a0, a1, b, b0, b1, beta, c, ldc);
}

void CBLAS(gemm)(PARAMETERS(gemm)) {
    const int rows = ROW_MAJOR(layout), ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK(gemm);
    const int64_t a0 = ta ? 1 : lda, a1 = ta ? lda : 1, b0 = tb ? 1 : ldb, b1 = tb ? ldb : 1;
    if (rows) PRODUCT(m, n, k, alpha, a, a0, a1, b, b0, b1, beta, c, ldc);
    else PRODUCT(n, m, k, alpha, b, b0, b1, a, a0, a1, beta, c, ldc);  // the columns are the rows of the transposed
}

void CBLAS(gemm_batch_strided)(PARAMETERS(gemm_batch_strided)) {
    const int rows = ROW_MAJOR(layout), ta = transa != CblasNoTrans, tb = transb != CblasNoTrans;
    CHECK(gemm_batch_strided);
    const int64_t a0 = ta ? 1 : lda, a1 = ta ? lda : 1, b0 = tb ? 1 : ldb, b1 = tb ? ldb : 1;
    const int threads = exo_batch_threads((double)m * n * k, batch);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t l = 0; l < batch; l++) {
        const T *const al = a + l * stridea, *const bl = b + l * strideb;
        T *const cl = c + l * stridec;
        if (rows) PRODUCT(m, n, k, alpha, al, a0, a1, bl, b0, b1, beta, cl, ldc);
        else PRODUCT(n, m, k, alpha, bl, b0, b1, al, a0, a1, beta, cl, ldc);
    }
}
