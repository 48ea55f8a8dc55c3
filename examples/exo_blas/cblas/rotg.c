// What is about single numbers: |re| + |im|, the rotation that takes (a, b) to (r, 0), and the modified one
#include "level1.h"

T CBLAS(cabs1)(PARAMETERS(cabs1)) { return RESULT(T, KERNEL(cabs1)(z, &r)); }

void CBLAS(rotg)(PARAMETERS(rotg)) { KERNEL(rotg)(a, b, c, s); }

APART void modified(PARAMETERS(rotmg)) { KERNEL(rotmg)(d1, d2, b1, &b2, param); }
void CBLAS(rotmg)(PARAMETERS(rotmg)) { modified(ARGUMENTS(rotmg)); }
