// x, y := H (x, y). The flag h[0] tells which entries of H are 1 or -1: all are given, those of the diagonal are 1, or
// the others are.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "level1.h"

// All entries: except for what the processor has near, to multiply by 1 takes no time.
#define ENTRIES                                                                                   \
    AT(h[0] == 0 ? 1 : h[1]), AT(h[0] > 0 ? 1 : h[3]), AT(h[0] > 0 ? -1 : h[2]), AT(h[0] == 0 ? 1 : h[4]),

void CBLAS(rotm)(CBLAS_INT n, T *x, CBLAS_INT incx, T *y, CBLAS_INT incy, const T *h) {
    if (n <= 0 || h[0] == -2) return;
    UNUSUAL(rotm, OUT, ARE_ACROSS, ENTRIES) if (h[0] < 0)
        KERNEL(rotm)(n, &h[1], &h[3], &h[2], &h[4], OUT(x, 1), OUT(y, 1));
    else if (h[0] == 0) KERNEL(rotm_unit)(n, &h[3], &h[2], OUT(x, 1), OUT(y, 1));
    else KERNEL(rotm_diagonal)(n, &h[1], &h[4], OUT(x, 1), OUT(y, 1));
}
