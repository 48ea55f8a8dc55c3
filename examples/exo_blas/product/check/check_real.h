// The checks of real numbers in one precision; check.c includes this file for each.
#define PARTS 1
#define OF(real, complex) real
#include "check_precision.h"

// The functions of level 1 that complex numbers have not, or not in this form
static void IN(own)(void) {
    static Full x, y, xy;
    IN(Memory) *const p = &IN(X), *const q = &IN(Y);
    const int n = below(MOST), incx = step(), incy = step();
    IN(vector)(p, n, incx, &x), IN(vector)(q, n, incy, &y);
    const Full row = op(CblasTrans, &x);
    times(&row, &y, &xy);
    IN(near)("dot", (double)B(dot)(n, IN(start)(p), incx, IN(start)(q), incy), xy.at[0][0].re, n);
    IN(kept)("dot", p), IN(kept)("dot", q);
    const T cos = (T)0.6, sin = (T)0.8, rotation[5] = {-1, cos, -sin, sin, cos};
    B(rotm)(n, IN(start)(p), incx, IN(start)(q), incy, rotation);
    rotate(&x, &y, (double)cos, (double)sin);
    IN(vector_is)("rotm", p, n, incx, &x, 2), IN(vector_is)("rotm", q, n, incy, &y, 2);
    T a = (T)number(), b = (T)number(), c = (T)NAN, s = (T)NAN;
    const double u = (double)a, v = (double)b;
    B(rotg)(&a, &b, &c, &s);
    IN(near)("rotg", (double)c * (double)c + (double)s * (double)s, 1, 4);
    IN(near)("rotg", (double)c * u + (double)s * v, (double)a, 4);
    IN(near)("rotg", (double)c * v - (double)s * u, 0, 4);
    T d1 = (T)(number() + 1.5), d2 = (T)(number() + 1.5), x1 = (T)(number() + 1.5), y1 = (T)number(), h[5] = {0};
    const double x0 = (double)x1, y0 = (double)y1;
    B(rotmg)(&d1, &d2, &x1, y1, h);
    const double h21 = h[0] == 1 ? -1 : (double)h[2], h22 = h[0] == 0 || h[0] == -2 ? 1 : (double)h[4];
    IN(near)("rotmg", (h[0] == -2 ? 0 : h21) * x0 + h22 * y0, 0, 8);
}

#undef PARTS
#undef OF
#undef LETTER
