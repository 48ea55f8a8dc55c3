// x := alpha x
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -fno-tree-vectorize: apart from neighbours, gcc 12 fuses other products in a vector than in the last ones
#include "../level1.h"

#define RE (((const T *)alpha)[0])
#define IM (((const T *)alpha)[1])
TWO_WAYS(CBLAS, scal, scal_pairs, void, if (n <= 0) return, incx != 1 || IS_SHARED,
    if (incx == 1) LONG(scal_pairs)(n, AT(RE), AT(IM), OUT(x, 1));
    else if (incx > 0) APART_OF(scal_pairs)(n, AT(RE), AT(IM), EACH(OUT, x)),
    LOOP(scal_pairs)(n, AT(RE), AT(IM), OUT(x, 1)))
