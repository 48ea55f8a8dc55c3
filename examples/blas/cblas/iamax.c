// The first index of the largest |x[i]|. A number that is none never is the largest, unless it is the first.

#define SHORT 12  // one number after the other
#define CHUNK 4096
#define PART 128  // of a chunk: what is searched for the index in the end

#define COUNT1(n) n
#define COUNT4(n) COUNT1(n), COUNT1(n + 1), COUNT1(n + 2), COUNT1(n + 3)
#define COUNT16(n) COUNT4(n), COUNT4(n + 4), COUNT4(n + 8), COUNT4(n + 12)
#define COUNT64(n) COUNT16(n), COUNT16(n + 16), COUNT16(n + 32), COUNT16(n + 48)
static const T EXO_JOIN(exo_count_, EXO_LETTER)[PART] = {COUNT64(0), COUNT64(64)};
#define COUNT EXO_JOIN(exo_count_, EXO_LETTER)

#define SCAN EXO_JOIN(exo_scan_, EXO_LETTER)
#define MOST EXO_JOIN(exo_most_, EXO_LETTER)

// One number after the other.
static int64_t SCAN(int64_t n, const T *x, int64_t inc) {
    T most = -1;
    int64_t best = 0;
    for (int64_t at = 0; at < n; at += PART) {
        T k = -1;
        KERNEL(iamax)(n - at < PART ? n - at : PART, IN(x + at * inc, inc), IN(COUNT, 1), &most, &k);
        if (k >= 0) best = at + (int64_t)k;
    }
    return best;
}

// The largest |x[i]|, or `least`.
static T MOST(int64_t n, const T *x, T least) {
    T most;
    KERNEL(amax)(n, &least, IN(x, 1), &most);
    return most;
}

CBLAS_INDEX CBLAS_I(amax)(CBLAS_INT n, const T *x, CBLAS_INT incx) {
    if (n <= 1 || incx <= 0 || x[0] != x[0]) return 0;
    if (incx != 1 || n <= SHORT) return (CBLAS_INDEX)SCAN(n, x, incx);
    T most = -1, none = PART, k;
    int64_t part = 0;
    for (int64_t at = 0; at < n; at += CHUNK) {
        T m = MOST(n - at < CHUNK ? n - at : CHUNK, x + at, most);
        if (m > most) part = at, most = m;
    }
    while (n - part > PART && MOST(PART, x + part, -1) < most) part += PART;
    KERNEL(first)(n - part < PART ? n - part : PART, &most, &none, IN(x + part, 1), IN(COUNT, 1), &k);
    return (CBLAS_INDEX)(part + (int64_t)k);
}
