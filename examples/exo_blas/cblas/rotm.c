// x, y := H (x, y). The flag h[0] tells which entries of H are 1 or -1: all are given, those of the diagonal are 1, or
// the others are.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "threads.h"

DECLARE(rotm);

// H with all entries
typedef struct { T h11, h12, h21, h22; } Entries;

static inline Entries filled(const T *h) {
    if (h[0] < 0) return (Entries){h[1], h[3], h[2], h[4]};
    return h[0] == 0 ? (Entries){1, h[3], h[2], 1} : (Entries){h[1], 1, -1, h[4]};
}

// One kernel for all flags: without vectors, to multiply by 1 takes no time.
APART_WHOLE void any_stride(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, const T *h) {
    SURE(n > 0);
    const Entries e = filled(h);
    x = FIRST(x, n, incx);
    y = FIRST(y, n, incy);
    if (RARE(incx == 0 || incy == 0)) {  // one element after the other: some are one
        for (int64_t i = 0; i < n; i++) {
            IN_TURN;
            KERNEL(rotm_strided)(1, &e.h11, &e.h12, &e.h21, &e.h22, OUT(x + i * incx, 1), OUT(y + i * incy, 1));
        }
        return;
    }
    KERNEL(rotm_strided)(n, &e.h11, &e.h12, &e.h21, &e.h22, OUT(x, incx), OUT(y, incy));
}

APART void aligned(CBLAS_INT n, T *x, T *y, const T *h) {
    CBLAS_INT before = BEFORE(y);
    any_stride(before, x, 1, y, 1, h);
    CBLAS(rotm)(n - before, x + before, 1, y + before, 1, h);
}

// From memory, to multiply by 1 takes no time either.
APART void shared(int64_t n, T *x, T *y, const T *h) {
    const Entries e = filled(h);
    IN_PARTS(n, p, KERNEL(rotm)(p.n, &e.h11, &e.h12, &e.h21, &e.h22, OUT(x + p.at, 1), OUT(y + p.at, 1)));
}

void CBLAS(rotm)(PARAMETERS(rotm)) {
    if (n <= 0 || param[0] == -2) return;
    if (RARE(incx != 1 || incy != 1)) any_stride(n, x, incx, y, incy, param);
    else if (RARE(ARE_ACROSS(n, y))) aligned(n, x, y, param);
    else if (RARE(IS_SHARED(n, y))) shared(n, x, y, param);
    else if (param[0] < 0) KERNEL(rotm)(n, &param[1], &param[3], &param[2], &param[4], OUT(x, 1), OUT(y, 1));
    else if (param[0] == 0) KERNEL(rotm_unit)(n, &param[3], &param[2], OUT(x, 1), OUT(y, 1));
    else KERNEL(rotm_diagonal)(n, &param[1], &param[4], OUT(x, 1), OUT(y, 1));
}
