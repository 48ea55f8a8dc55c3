// How many threads a large routine may use: what EXO_NUM_THREADS says. In a process that was forked, one, as the threads
// that OpenMP keeps are not there any more and would be waited for; `exo_process` is the one that loaded the library.
//
// A long vector is taken in parts, which threads share: the same ones for any number of threads, so that sums are the
// same, too.
#include <unistd.h>

extern pid_t exo_process;

// How many of n rows a thread has, if they share them in multiples of a unit
static inline int64_t exo_slice(int64_t n, int threads, int64_t unit) {
    return ((n + threads - 1) / threads + unit - 1) / unit * unit;
}

static inline int exo_threads(void) {
    const char *given = getenv("EXO_NUM_THREADS");
    const int threads = given ? atoi(given) : 1;
    if (threads <= 1 || getpid() != exo_process) return 1;
    return threads > 1024 ? 1024 : threads;
}

// How many threads share the products of a batch, of so many multiplications each. If these are fewer than threads, one:
// then threads share each product.
static inline int exo_batch_threads(double each, int64_t batch) {
    const int threads = batch <= 1 || each * (double)batch < (double)CHOICE(gemm_shared) ? 1 : exo_threads();
    return threads > batch ? 1 : threads;
}

#define PARTS 32  // none of which is empty, of vectors of 2048 elements and more
#define IS_SHARED(n, x) ((int64_t)((n) * sizeof *(x)) >= CHOICE(vector_shared))

typedef struct { int64_t at, n; } Slice;

static inline Slice part_of(int64_t n, int i) {
    const int64_t blocks = n / 64, at = blocks * i / PARTS * 64;  // all begin where the vector does beside a cache line
    return (Slice){at, (i + 1 < PARTS ? blocks * (i + 1) / PARTS * 64 : n) - at};
}

// IN_PARTS(n, p, statement) does it with each part `p`, which is the i-th, of n elements.
#ifdef _OPENMP
#define EXO_SHARED _Pragma("omp parallel for num_threads(threads) if (threads > 1)")
#else
#define EXO_SHARED
#endif
#define IN_PARTS(n, part, ...)                  \
    const int threads = exo_threads();          \
    (void)threads;                              \
    EXO_SHARED for (int i = 0; i < PARTS; i++) { \
        const Slice part = part_of(n, i);        \
        __VA_ARGS__;                            \
    }
