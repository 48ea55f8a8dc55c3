// How far a function is from the C library's, and how long it takes beside those of others; see mathlib.py.
// T: the precision. OURS(n, x, w, y) computes y of x, and if TWO of w; REFERENCE(x, w) is the function at the precision
// WIDE. Of arguments of LIMIT or more, if that is finite, NaN is right.
#include <immintrin.h>
#include <math.h>
#include <string.h>
#include <time.h>


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

static void compare(const T *x, const T *w, const T *y, errors *found) {
    for (int i = 0; i < BLOCK; i++) {
        const WIDE right = !isinf(LIMIT) && fabs(x[i]) >= LIMIT ? NAN : REFERENCE((WIDE)x[i], (WIDE)w[i]);
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

static uint64_t scrambled(uint64_t bits) {
    bits = (bits ^ bits >> 31) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9;
    return bits ^ bits >> 32;
}

static T of_bits(uint64_t bits) {
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double between(double lo, double hi, uint64_t bits) { return lo + (hi - lo) * (bits >> 11) * 0x1p-53; }

// Two arguments: of random bits, or so that the power is in range, of numbers from lo to hi, near 1 and of random bits,
// of both signs. Half of the second ones are whole.
static void pair(uint64_t block, uint64_t bits, double lo, double hi, T *x, T *w) {
    const uint64_t more = scrambled(bits + 1), kind = block % 4;
    *x = of_bits(bits), *w = of_bits(more);
    if (kind == 0) return;
    if (kind == 1) *x = (T)between(lo, hi, bits);
    if (kind == 2) *x = (T)(1 + between(-0x1p-6, 0x1p-6, bits));
    const double doublings = log2(fabs(*x)), most = 1.02 * (DIGITS - LEAST + 1);
    *w = (T)(between(-most, most, more) / (doublings != 0 && isfinite(doublings) ? doublings : 1));
    if (more & 1) *w = (T)rint(*w);
    if (more & 2) *x = -*x;
}

// All arguments of single precision whose bits are from `from` on; of double precision random ones: half of them of
// random bits, half from `lo` to `hi`; and random pairs.
errors measured(uint64_t from, uint64_t count, double lo, double hi) {
    errors total = {0};
    #pragma omp parallel
    {
        static _Thread_local T x[BLOCK], w[BLOCK], y[BLOCK];
        errors found = {0};
        #pragma omp for schedule(dynamic, 64)
        for (uint64_t block = 0; block < count / BLOCK; block++) {
            for (int i = 0; i < BLOCK; i++) {
                const uint64_t n = from + block * BLOCK + i, bits = scrambled(n);
                if (TWO) pair(block, bits, lo, hi, &x[i], &w[i]);
                else if (sizeof(T) == 4) x[i] = of_bits(n);
                else x[i] = block % 2 ? (T)between(lo, hi, bits) : of_bits(bits);
            }
            OURS(BLOCK, x, w, y);
            compare(x, w, y, &found);
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

typedef V (*of_one)(V);
typedef V (*of_two)(V, V);

static void theirs(void *f, const T *x, const T *w, T *y) {
    for (int i = 0; i < BLOCK; i += sizeof(V) / sizeof(T)) {
        V v, u;
        memcpy(&v, x + i, sizeof v);
        memcpy(&u, w + i, sizeof u);
        v = TWO ? ((of_two)f)(v, u) : ((of_one)f)(v);
        memcpy(y + i, &v, sizeof v);
    }
}

// Nanoseconds an element of ours (f is NULL) or of another library's.
double nanoseconds(void *f, double lo, double hi, int calls) {
    static T x[BLOCK] __attribute__((aligned(64))), w[BLOCK], y[BLOCK] __attribute__((aligned(64)));
    for (int i = 0; i < BLOCK; i++) {
        x[i] = (T)(lo + (hi - lo) * ((i * 2654435761u) % BLOCK + 0.5) / BLOCK);
        w[i] = (T)between(-10, 10, scrambled(i));
    }
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int n = 0; n < calls; n++) {
        if (f) theirs(f, x, w, y);
        else OURS(BLOCK, x, w, y);
        __asm__ volatile("" ::: "memory");
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / calls / BLOCK;
}
