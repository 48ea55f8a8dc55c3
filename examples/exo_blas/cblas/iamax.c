// The first index of the largest |x[i]|. A number that is none never is the largest, unless it is the first.
#include "threads.h"

#define SHORT 8  // fewer are taken one after the other
#define SMALL 64  // so many are searched for the index at once
#define CHUNK 4096
#define PART 32  // of a chunk: what is searched for the index in the end
#define COPIED 512  // of a chunk whose elements are apart

#define COUNT1(n) n
#define COUNT4(n) COUNT1(n), COUNT1(n + 1), COUNT1(n + 2), COUNT1(n + 3)
#define COUNT16(n) COUNT4(n), COUNT4(n + 4), COUNT4(n + 8), COUNT4(n + 12)
static const T count[SMALL] = {COUNT16(0), COUNT16(16), COUNT16(32), COUNT16(48)};

// One number after the other.
static inline int64_t scan(int64_t n, const T *x, int64_t inc, T *most) {
    T k = -1;
    KERNEL(iamax)(n, IN(x, inc), IN(count, 1), most, &k);
    return (int64_t)k;
}

// The largest |x[i]|, or `least`.
static inline T largest(int64_t n, const T *x, T least) {
    T most;
    KERNEL(amax)(n, &least, IN(x, 1), &most);
    return most;
}

APART T largest_of(int64_t n, const T *x, T least) { return largest(n, x, least); }

// The next smaller number. `a` isn't negative.
static inline T below(T a) {
    __typeof__(_Generic(a, float: (int32_t)0, double: (int64_t)0)) bits;
    if (a == 0) return -1;
    memcpy(&bits, &a, sizeof a);
    bits--;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// The first of n numbers whose size is `most`, which is the largest.
static inline int64_t first(int64_t n, const T *x, T most) {
    T less = below(most), none = SMALL, k;
    KERNEL(first)(n, &less, &none, IN(x, 1), IN(count, 1), &k);
    return (int64_t)k;
}

// The same of many, by parts. The last one begins early, if it would be short: what it has in common with the one before
// is smaller.
APART_WHOLE int64_t first_in_many(int64_t n, const T *x, T most) {
    int64_t at = 0;
    while (n - at > PART && largest(PART, x + at, -1) < most) at += PART;
    if (n - at < PART) at = n - PART;
    return at + first(PART, x + at, most);
}

APART_WHOLE int64_t of_few(int64_t n, const T *x) { return first(n, x, largest(n, x, -1)); }

APART int64_t of_many(int64_t n, const T *x) {
    T most = largest_of(n < CHUNK ? n : CHUNK, x, -1);
    int64_t start = 0;
    for (int64_t at = CHUNK; at < n; at += CHUNK) {
        T m = largest_of(n - at < CHUNK ? n - at : CHUNK, x + at, most);
        if (m > most) start = at, most = m;
    }
    // the last chunk may be shorter than a part
    if (n - start < PART) start = n - PART;
    return start + first_in_many(n - start, x + start, most);
}

// The least index in the first part that has the largest
APART int64_t shared(int64_t n, const T *x) {
    T most[PARTS];
    int best = 0;
    IN_PARTS(n, p, most[i] = largest_of(p.n, x + p.at, -1));
    for (int i = 1; i < PARTS; i++)
        if (most[i] > most[best]) best = i;
    const Slice p = part_of(n, best);
    return p.at + of_many(p.n, x + p.at);
}

// A copy of a chunk whose elements are apart. Returns how many they are.
static inline int64_t copied(int64_t n, const T *x, int64_t inc, int64_t at, T *some) {
    const int64_t many = n - at < COPIED ? n - at : COPIED;
    KERNEL(copy_strided)(many, IN(x + at * inc, inc), OUT(some, 1));
    return many;
}

APART int64_t by_chunks(int64_t n, const T *x, int64_t inc) {
    T most = -1, some[COPIED];
    int64_t start = 0, many = 0;
    for (int64_t at = 0; at < n; at += COPIED) {
        const T m = largest_of(many = copied(n, x, inc, at, some), some, most);
        if (m > most) start = at, most = m;
    }
    if (start + many < n) many = copied(n, x, inc, start, some);
    return start + (many <= SMALL ? first(many, some, most) : first_in_many(many, some, most));
}

APART int64_t any_stride(int64_t n, const T *x, int64_t inc) {
    T most = -1;
    if (inc <= 0) return 0;
    return n <= SMALL ? scan(n, x, inc, &most) : by_chunks(n, x, inc);
}

CBLAS_INDEX CBLAS_I(amax)(PARAMETERS(amax)) {
    if (n <= 1 || x[0] != x[0]) return 0;
    if (RARE(incx != 1)) return (CBLAS_INDEX)any_stride(n, x, incx);
    T most = -1;
    if (n < SHORT) return (CBLAS_INDEX)scan(n, x, 1, &most);
    return (CBLAS_INDEX)(n <= SMALL ? of_few(n, x) : RARE(IS_SHARED(n, x)) ? shared(n, x) : of_many(n, x));
}
