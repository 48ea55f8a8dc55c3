// How many threads share what is large; `exo_threads` (profile.h) is how many there may be.
int exo_threads(void);

// How many of n rows a thread has, if they share them in multiples of a unit
static inline int64_t exo_slice(int64_t n, int threads, int64_t unit) {
    return ((n + threads - 1) / threads + unit - 1) / unit * unit;
}

#ifdef _OPENMP  // not all compilers know _Pragma
#define EXO_PARALLEL _Pragma("omp parallel for num_threads(threads)")
#else
#define EXO_PARALLEL
#endif

// What so many `threads` share, `all` of something: each a slice, from the i-th on; one has all.
#define SHARE(i, all, slice, ...)                                             \
    if (threads == 1) {                                                       \
        const int64_t i = 0;                                                  \
        __VA_ARGS__;                                                          \
    } else {                                                                  \
        EXO_PARALLEL                                                          \
        for (int64_t i = 0; i < (all); i += (slice)) __VA_ARGS__;             \
    }

// How many threads share the products of a batch, of so many multiplications each. If these are fewer than threads, one:
// then threads share each product.
static inline int exo_batch_threads(double each, int64_t batch) {
    const int few = batch <= 1 || each * (double)batch < (double)CHOICE(gemm_shared), threads = few ? 1 : exo_threads();
    return threads > batch ? 1 : threads;
}
