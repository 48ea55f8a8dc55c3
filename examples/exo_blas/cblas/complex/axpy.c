// y := alpha x + y
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "../level1.h"

#define RE (((const T *)alpha)[0])
#define IM (((const T *)alpha)[1])
TWO_WAYS(CBLAS, axpy, axpy_pairs, void, if (n <= 0 || (RE == 0 && IM == 0)) return,
    incx != 1 || incy != 1 || IS_SHARED,
    if (incx == 1 && incy == 1) LONG(axpy_pairs)(n, AT(RE), AT(IM), IN(x, 1), OUT(y, 1));
    else if (incy) KERNEL(axpy_strided)(n, AT(RE), AT(IM), EACH(IN, x), EACH(OUT, y));
    else APART_OF(axpy_pairs)(n, AT(RE), AT(IM), EACH(IN, x), EACH(OUT, y)),
    LOOP(axpy_pairs)(n, AT(RE), AT(IM), IN(x, 1), OUT(y, 1)))
