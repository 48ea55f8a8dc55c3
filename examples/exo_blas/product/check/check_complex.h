// The checks of complex numbers in one precision; check.c includes this file for each.
#define PARTS 2
#define OF(real, complex) complex
#include "check_precision.h"

// By Fortran names, what is given back is a pair, as gfortran has it
typedef struct {
    T re, im;
} IN(Pair);
IN(Pair) IN(dotu_)(const CBLAS_INT *n, const void *x, const CBLAS_INT *incx, const void *y, const CBLAS_INT *incy);
IN(Pair) IN(dotc_)(const CBLAS_INT *n, const void *x, const CBLAS_INT *incx, const void *y, const CBLAS_INT *incy);
T JOIN(REAL, cabs1_)(const T *z);

// The functions of level 1 that real numbers have not, or not in this form
static void IN(own)(void) {
    static Full x, y, xy;
    IN(Memory) *const p = &IN(X), *const q = &IN(Y);
    const CBLAS_INT n = below(MOST), incx = step(), incy = step();
    IN(vector)(p, (int)n, (int)incx, &x), IN(vector)(q, (int)n, (int)incy, &y);
    for (int conjugated = 0; conjugated < 2; conjugated++) {
        const Full row = op(conjugated ? CblasConjTrans : CblasTrans, &x);
        times(&row, &y, &xy);
        T dot[2] = {(T)NAN, (T)NAN};
        (conjugated ? B(dotc_sub) : B(dotu_sub))(n, IN(start)(p), incx, IN(start)(q), incy, dot);
        IN(number_is)("dot", IN(read)(dot, 0), xy.at[0][0], (double)n);
        const IN(Pair) pair = (conjugated ? IN(dotc_) : IN(dotu_))(&n, IN(start)(p), &incx, IN(start)(q), &incy);
        IN(number_is)("dot_", (Number){(double)pair.re, (double)pair.im}, xy.at[0][0], (double)n);
        IN(kept)("dot", p), IN(kept)("dot", q);
    }
    T a[2], b[2], c = (T)NAN, s[2] = {(T)NAN, (T)NAN};
    IN(scalar)(a), IN(scalar)(b);
    const Number u = IN(read)(a, 0), v = IN(read)(b, 0);
    IN(near)("cabs1", (double)JOIN(REAL, cabs1_)(a), fabs(u.re) + fabs(u.im), 2);
    B(rotg)(a, b, &c, s);
    const Number cos = real((double)c), sin = IN(read)(s, 0);
    IN(number_is)("rotg", plus(multiply(cos, cos), multiply(sin, conjugate(sin))), real(1), 4);
    IN(number_is)("rotg", plus(multiply(cos, u), multiply(sin, v)), IN(read)(a, 0), 4);
    IN(number_is)("rotg", plus(multiply(cos, v), multiply(real(-1), multiply(conjugate(sin), u))), real(0), 4);
}

#undef PARTS
#undef OF
#undef LETTER
