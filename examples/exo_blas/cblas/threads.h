// How many threads a large routine may use: what EXO_NUM_THREADS says. In a process that was forked, one, as the threads
// that OpenMP keeps are not there any more and would be waited for; `exo_process` is the one that loaded the library.
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
