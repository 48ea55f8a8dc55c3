// How far a function is from the C library's, and how long it takes beside those of others; see mathlib.py.
// T: the precision. OURS: void (int64_t n, const T *x, T *y). REFERENCE: the function at the precision WIDE.
// Of arguments beyond LIMIT, which may be infinite, NaN is right.
#include <immintrin.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define sigmoid(x) (1 / (1 + EXP(-(x))))
#define sigmoidl(x) sigmoid(x)

enum { BLOCK = 4096 };
typedef struct {
    double worst;             // in units in the last place, of what is right
    double at;                // for which argument
    int64_t wrong, signs;     // how many are NaN or infinite and should not be, or reversed; zeros of the other sign
    double first_wrong;
} errors;

static double distance(T y, WIDE right) {
    int e;
    frexpl(right, &e);
    const long double unit = ldexpl(1, (e < LEAST ? LEAST : e) - DIGITS);
    return (double)(fabsl(y - (long double)right) / unit);
}

static void compare(const T *x, const T *y, errors *found) {
    for (int i = 0; i < BLOCK; i++) {
        const WIDE right = fabs(x[i]) > LIMIT ? NAN : REFERENCE((WIDE)x[i]);
        const T rounded = (T)right;
        if (y[i] == rounded || (y[i] != y[i] && right != right)) {
            found->signs += y[i] == 0 && !signbit(y[i]) != !signbit(rounded);
            if (rounded != right && !isinf(rounded) && found->worst < 0.5) found->worst = 0.5;
            continue;
        }
        if (y[i] != y[i] || right != right || isinf(rounded) || isinf(y[i])) {
            if (found->wrong++ == 0) found->first_wrong = x[i];
            continue;
        }
        const double d = distance(y[i], right);
        if (d > found->worst) found->worst = d, found->at = x[i];
    }
}

// All arguments whose bits are from `from` on, at a distance of `step`; or of double precision random ones: half of
// them of random bits, half from `lo` to `hi`.
errors measured(uint64_t from, uint64_t count, double lo, double hi) {
    errors total = {0};
    #pragma omp parallel
    {
        static _Thread_local T x[BLOCK], y[BLOCK];
        errors found = {0};
        #pragma omp for schedule(dynamic, 64)
        for (uint64_t block = 0; block < count / BLOCK; block++) {
            for (int i = 0; i < BLOCK; i++) {
                uint64_t bits = from + block * BLOCK + i;
                if (sizeof(T) == 4) {
                    const uint32_t low = (uint32_t)bits;
                    memcpy(&x[i], &low, 4);
                    continue;
                }
                bits = (bits ^ bits >> 31) * 0x9e3779b97f4a7c15;
                bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9;
                bits ^= bits >> 32;
                if (block % 2) x[i] = (T)(lo + (hi - lo) * (bits >> 11) * 0x1p-53);
                else memcpy(&x[i], &bits, sizeof(T));
            }
            OURS(BLOCK, x, y);
            compare(x, y, &found);
        }
        #pragma omp critical
        {
            if (found.worst > total.worst) total.worst = found.worst, total.at = found.at;
            if (total.wrong == 0) total.first_wrong = found.first_wrong;
            total.wrong += found.wrong, total.signs += found.signs;
        }
    }
    return total;
}

// -- time ------------------------------------------------------------------------------------------------

typedef V (*vector_function)(V);

static void theirs(vector_function f, const T *x, T *y) {
    for (int i = 0; i < BLOCK; i += sizeof(V) / sizeof(T)) {
        V v;
        memcpy(&v, x + i, sizeof v);
        v = f(v);
        memcpy(y + i, &v, sizeof v);
    }
}

// Nanoseconds an element of ours (f is NULL) or of another library's.
double nanoseconds(void *f, double lo, double hi, int calls) {
    static T x[BLOCK] __attribute__((aligned(64))), y[BLOCK] __attribute__((aligned(64)));
    for (int i = 0; i < BLOCK; i++) x[i] = (T)(lo + (hi - lo) * ((i * 2654435761u) % BLOCK + 0.5) / BLOCK);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int n = 0; n < calls; n++) {
        if (f) theirs((vector_function)f, x, y);
        else OURS(BLOCK, x, y);
        __asm__ volatile("" ::: "memory");
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / calls / BLOCK;
}
