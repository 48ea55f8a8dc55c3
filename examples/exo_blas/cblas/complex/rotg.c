// The rotation, with a real c, that takes (a, b) to (r, 0)
#include "../level1.h"

void CBLAS(rotg)(PARAMETERS(rotg)) { KERNEL(rotg)(a, b, c, s); }
