// Level 1 by its ways (programs/ways.py): the loop over neighbours, which is part of the entry point, and apart from it,
// vectors of other increments and long ones. Complex numbers whose parts have nothing to do with each other count as two
// reals, or are two vectors. Who uses these macros calls n elements so, and the vectors x and y.
#define COUNT (COUNTED * (int64_t)n)
#define LOOP(name) EXO_JOIN(EXO_LOOP, name)
#if COUNTED == 1
#define APART_OF(name) LOOP(name##_apart)
#else
#define APART_OF(name) LOOP(name##_parts)
#endif
#if REALS == 1
#define VECTOR T
#define EACH(IN, x) IN(FIRST(x, n, inc##x), inc##x)
#define IS_SHARED(x) ((int64_t)(n * sizeof *(x)) >= CHOICE(vector_shared))
#else
#define VECTOR void
#define EACH(IN, x) IN##2((T *)(x) - (inc##x < 0 ? 2 * (int64_t)(n - 1) * inc##x : 0), 2 * (int64_t)inc##x, 1)
#define IS_SHARED(x) ((int64_t)(2 * n * sizeof(T)) >= CHOICE(vector_shared))
#endif

#define AT(number) (&(T){number})
#define RESULT(R, call) ({ R r; call; r; })

// What is not usual for an update of y, or of x and y (IN is then OUT), by some values, each with a comma
#define UNUSUAL(name, IN, IS_ACROSS, ...)                                                     \
    if (RARE(incx != 1 || incy != 1))                                                         \
        APART_OF(name)(n, incx ? n : 1, incy ? n : 1, __VA_ARGS__ EACH(IN, x), EACH(OUT, y)); \
    else if (RARE(IS_ACROSS(COUNT, y) || IS_SHARED(y)))                                       \
        LOOP(name##_long)(COUNT, BEFORE(y), SHARED, __VA_ARGS__ IN(x, 1), OUT(y, 1));         \
    else
#define UPDATE(name, IN, IS_ACROSS, ...) \
    UNUSUAL(name, IN, IS_ACROSS, __VA_ARGS__) LOOP(name)(COUNT, __VA_ARGS__ IN(x, 1), OUT(y, 1))
#define SHARED (CHOICE(vector_shared) / (int64_t)sizeof(T))

// The sum, of type R, of one vector, and of two
#define SUM(name, R, one, apart, near)                                                               \
    (RARE(!(one))          ? RESULT(R, APART_OF(name)(n, apart, &r))                                 \
        : RARE(IS_SHARED(x)) ? RESULT(R, LOOP(name##_long)(COUNT, near, &r))                           \
                             : RESULT(R, LOOP(name)(COUNT, near, &r)))
#define PAIR(a, b) a, b
#define SUM1(name, R) SUM(name, R, incx == 1, EACH(IN, x), IN(x, 1))
#define SUM2(name, R, IN) SUM(name, R, incx == 1 && incy == 1, PAIR(EACH(IN, x), EACH(IN, y)), PAIR(IN(x, 1), IN(y, 1)))
