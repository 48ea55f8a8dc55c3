// The Euclidean norm in double precision. If a sum of squares is a number of middle size, nothing overflowed, and what
// vanished does not count: an error of at most n 2^-1074 against 2^-900. Else numbers are scaled by a power of two first.

APART double scaled(int64_t n, const double *x, int64_t incx) {
    double most = 0, r = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * incx]));
    if (most == 0 || isinf(most)) return most;
    int exponent;
    frexp(most, &exponent);
    int down = exponent < -1000 ? 1000 : -exponent;
    double scale = ldexp(1, down);
    if (incx == 1) KERNEL_AS(dnrm2_scaled)(n, &scale, IN_F64(x, 1), &r);
    else KERNEL_AS(dnrm2_scaled_strided)(n, &scale, IN_F64(x, incx), &r);
    return ldexp(sqrt(r), -down);
}

// `x` is the first element.
APART_WHOLE double any_stride(int64_t n, const double *x, int64_t incx) {
    SURE(n > 0);
    double r;
    KERNEL_AS(dnrm2_strided)(n, IN_F64(x, incx), &r);
    return r < 0x1p-900 || isinf(r) ? scaled(n, x, incx) : sqrt(r);
}

APART double shared(int64_t n, const double *x) {
    double sums[PARTS], r = 0;
    IN_PARTS(n, p, KERNEL_AS(dnrm2)(p.n, IN_F64(x + p.at, 1), &sums[i]));
    for (int i = 0; i < PARTS; i++) r += sums[i];
    return r;
}

static inline double norm(int64_t n, const double *x) {
    if (n == 1) return fabs(*x);
    double r;
    if (RARE(IS_SHARED(n, x))) r = shared(n, x);
    else KERNEL_AS(dnrm2)(n, IN_F64(x, 1), &r);
    return r < 0x1p-900 || isinf(r) ? scaled(n, x, 1) : sqrt(r);
}
