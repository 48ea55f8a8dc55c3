// x, y := H (x, y). The flag of `param` tells which entries of H are 1 or -1: all are given, those of the diagonal are 1,
// or the others are.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -falign-loops=32: the loop over doubles that are no neighbours takes 1.14 times as long if it begins with a line
#include "level1.h"

// All entries: except for what the processor has near, to multiply by 1 takes no time.
#define ENTRIES                                                          \
    AT(flag == 0 ? 1 : param[1]), AT(flag > 0 ? 1 : param[3]), AT(flag > 0 ? -1 : param[2]), AT(flag == 0 ? 1 : param[4]),

#define flag param[0]
TWO_WAYS(CBLAS, rotm, rotm, void, if (n <= 0 || flag == -2) return,
    incx != 1 || incy != 1 || ARE_ACROSS(COUNT, y) || IS_SHARED(y), OTHER_UPDATES(rotm, OUT, ENTRIES),
    if (flag < 0) KERNEL(rotm)(n, &param[1], &param[3], &param[2], &param[4], OUT(x, 1), OUT(y, 1));
    else if (flag == 0) KERNEL(rotm_unit)(n, &param[3], &param[2], OUT(x, 1), OUT(y, 1));
    else KERNEL(rotm_diagonal)(n, &param[1], &param[4], OUT(x, 1), OUT(y, 1)))
