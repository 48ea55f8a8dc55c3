// The rotation, with a real c, that takes (a, b) to (r, 0). No loop, so no kernel. Scaled, so that squares are of
// middle size.
#include "pairs.h"

// So that z / 2^e is of middle size
static inline int exponent_of(const T *z) {
    const double most = fmax(fabs(z[0]), fabs(z[1]));
    int e = 0;
    if (isfinite(most)) frexp(most, &e);
    return e;
}

static inline double size(const T *z, int e) { return hypot(ldexp(z[0], -e), ldexp(z[1], -e)); }

void CBLAS(rotg)(PARAMETERS(rotg)) {
    T *const x = a, *const y = b, *const sine = s;
    if (y[0] == 0 && y[1] == 0) {
        *c = 1, sine[0] = sine[1] = 0;
        return;
    }
    const int ex = exponent_of(x), ey = exponent_of(y), e = ex > ey || size(y, ey) == 0 ? ex : ey;
    const double long_x = size(x, e), long_y = size(y, e), r = hypot(long_x, long_y), own = size(x, ex);
    // the direction of a, or if there is none, 1
    const double re = own == 0 ? 1 : ldexp(x[0], -ex) / own, im = own == 0 ? 0 : ldexp(x[1], -ex) / own;
    const double p = ldexp(y[0], -e) / r, q = -ldexp(y[1], -e) / r;
    *c = (T)(long_x / r);
    sine[0] = (T)(re * p - im * q), sine[1] = (T)(re * q + im * p);
    x[0] = (T)ldexp(re * r, e), x[1] = (T)ldexp(im * r, e);
}
