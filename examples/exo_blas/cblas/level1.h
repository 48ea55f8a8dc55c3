// Level 1 by its ways (programs/ways.py). A loop over neighbours is part of the entry point; all else is a function apart,
// as the usual case should save no registers for it. Complex numbers whose parts have nothing to do with each other count
// as two reals, or are two vectors. n, x, incx, y and incy are the parameters of who is defined by these macros.
#define COUNT (COUNTED * (int64_t)n)
#define LOOP(name) EXO_JOIN(EXO_LOOP, name)
#define LONG(name) EXO_JOIN(LOOP(name), _long)
#define APART_OF(name) EXO_JOIN(LOOP(name), EXO_APART)
#define IS_SHARED ((int64_t)(REALS * sizeof(T)) * n >= CHOICE(vector_shared))
#define SHARED (CHOICE(vector_shared) / (int64_t)sizeof(T))
#if REALS == 1
#define EACH(IN, x) IN(FIRST(x, n, inc##x), inc##x)
#else
#define EACH(IN, x) \
    IN##2((T *)(x) - (inc##x < 0 ? 2 * (int64_t)(n - 1) * inc##x : 0), 2 * (int64_t)inc##x, 1)
#endif
#define AT(number) (&(T){number})
#define RESULT(R, call) ({ R r; call; r; })

// What is defined is CBLAS(routine), or another form of it, with the result R.
#define TWO_WAYS(form, routine, name, R, nothing, is_rare, rare, usual)   \
    APART_WHOLE R rare_##routine(PARAMETERS(routine)) {                   \
        SURE(n > 0);                                                      \
        rare;                                                             \
    }                                                                     \
    R form(routine)(PARAMETERS(routine)) {                                \
        nothing;                                                          \
        if (RARE(is_rare)) return rare_##routine(ARGUMENTS(routine));     \
        usual;                                                            \
    }

// An update of y, or of x and y (IN is then OUT), by some values, each with a comma, if there is something to do
#define UPDATE(form, routine, name, IN, IS_ACROSS, is_some, ...)                                      \
    TWO_WAYS(form, routine, name, void, if (!(is_some)) return,                                       \
        incx != 1 || incy != 1 || IS_ACROSS(COUNT, y) || IS_SHARED, OTHER_UPDATES(name, IN, __VA_ARGS__), \
        LOOP(name)(COUNT, __VA_ARGS__ IN(x, 1), OUT(y, 1)))
#define IN_SIZE(x)
#define OUT_SIZE(x) inc##x ? n : 1,
#define OTHER_UPDATES(name, IN, ...)                                                              \
    if (incx != 1 || incy != 1)                                                                   \
        APART_OF(name)(n, IN##_SIZE(x) incy ? n : 1, __VA_ARGS__ EACH(IN, x), EACH(OUT, y));     \
    else LONG(name)(COUNT, BEFORE(y), SHARED, __VA_ARGS__ IN(x, 1), OUT(y, 1))

// A number of type R that is made of the sum of one vector, of type S, or of two
#define SUM(form, routine, name, R, nothing, S, made) \
    SUMS(form, routine, name, R, nothing, S, made, incx == 1, IN(x, 1), EACH(IN, x))
#define SUM_OF_TWO(form, routine, name, R, nothing, S, made, IN) \
    SUMS(form, routine, name, R, nothing, S, made, incx == 1 && incy == 1, PAIR(IN(x, 1), IN(y, 1)), PAIR(EACH(IN, x), EACH(IN, y)))
#define PAIR(a, b) a, b
#define SUMS(form, routine, name, R, nothing, S, made, is_near, near, apart)                             \
    TWO_WAYS(form, routine, name, R, nothing, !(is_near) || IS_SHARED,                             \
        return made ((is_near) ? RESULT(S, LONG(name)(COUNT, near, &r)) : RESULT(S, APART_OF(name)(n, apart, &r))), \
        return made(RESULT(S, LOOP(name)(COUNT, near, &r))))
