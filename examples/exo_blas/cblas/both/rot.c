// x, y := c x + s y, c y - s x: what `rotm` does with other numbers
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -falign-loops=32: the loop over doubles that are no neighbours takes 1.14 times as long if it begins with a line
#include "../level1.h"

UPDATE(CBLAS_BY, rot, rotm, OUT, ARE_ACROSS, n > 0, AT(c), AT(s), AT(-s), AT(c), )
