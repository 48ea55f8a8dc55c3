// y := alpha x + y
// flags: -fno-tree-vectorize: else gcc takes apart how few elements are left over, which takes longer than they
#include "level1.h"

UPDATE(CBLAS, axpy, axpy, IN, IS_ACROSS, n > 0 && alpha != 0, AT(alpha), )
