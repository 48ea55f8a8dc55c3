// What the wrappers for complex numbers are written with. `T` is the real type, and a complex number a pair of these.
// Increments and distances of rows count pairs, as CBLAS does; addresses are those of reals.

typedef struct { T re, im; } Number;

static inline Number number(const void *at) { return (Number){((const T *)at)[0], ((const T *)at)[1]}; }
static inline Number conjugated(Number z, int conj) { return (Number){z.re, conj ? -z.im : z.im}; }
// Apart: as a part of its callers, which of the products is fused would depend on the code around.
APART Number product(Number a, Number b) {
    return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline int is_zero(Number z) { return z.re == 0 && z.im == 0; }
static inline int is_one(Number z) { return z.re == 1 && z.im == 0; }

// Windows on vectors of pairs
#define PAIRS(x, inc) IN2(x, 2 * (int64_t)(inc), 1)
#define PAIRS_OUT(x, inc) OUT2(x, 2 * (int64_t)(inc), 1)

// Where the first pair of a vector is: a negative increment counts from the end.
#define FIRST_PAIR(x, n, inc) ((inc) < 0 ? (x) - 2 * (int64_t)((n) - 1) * (inc) : (x))

static const T one = 1, minus_one = -1;
#define SIGN(conj) ((conj) ? &minus_one : &one)
