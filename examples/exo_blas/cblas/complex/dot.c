// The sum of x[i] y[i], with x conjugated or not
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
#include "../level1.h"

#define DOT(form, routine, name, sign)                                                 \
    TWO_WAYS(form, routine, name, void, if (n <= 0) return (void)memset(r, 0, 2 * sizeof(T)), \
        incx != 1 || incy != 1 || IS_SHARED,                                 \
        if (incx != 1 || incy != 1)                                                    \
            APART_OF(name)(n, AT(sign), EACH(IN, x), EACH(IN, y), r);                  \
        else LONG(name)(n, AT(sign), IN(x, 1), IN(y, 1), r),                           \
        LOOP(name)(n, AT(sign), IN(x, 1), IN(y, 1), r))
DOT(CBLAS, dotu_sub, products, 1)
DOT(CBLAS, dotc_sub, products, -1)
