// x, y := H (x, y). The flag param[0] tells which entries of H are 1 or -1, if it is not the identity.
// flags: -mtune=skylake: else gcc takes loads for free, and loads again what is used twice
// flags: -falign-loops=32: the loop over doubles that are no neighbours takes 1.14 times as long if it begins with a line
#include "level1.h"

UPDATE(CBLAS, rotm, flagged, OUT, ARE_ACROSS, n > 0 && param[0] != -2, param, )
