// Division by one number of many, as R. L. Smith does it (1962), after scaling by a power of two: x / d is
// ((re p + im q) / by, (im p - re q) / by).
typedef struct { T p, q, by; } Divisor;

static inline Divisor divisor_of(Number d) {
    const double re = d.re, im = d.im, most = fmax(fabs(re), fabs(im));
    const int limit = sizeof(T) == 4 ? 120 : 1000;
    int e = 0;
    if (isfinite(most)) frexp(most, &e);
    e = e > limit ? limit : e < -limit ? -limit : e;
    const double r = ldexp(re, -e), i = ldexp(im, -e), unit = ldexp(1, -e);
    if (fabs(r) >= fabs(i)) return (Divisor){(T)unit, (T)(i / r * unit), (T)(r + i / r * i)};
    return (Divisor){(T)(r / i * unit), (T)unit, (T)(i + r / i * r)};
}

static inline Number quotient(Number x, Divisor d) {
    return (Number){(x.re * d.p + x.im * d.q) / d.by, (x.im * d.p - x.re * d.q) / d.by};
}
