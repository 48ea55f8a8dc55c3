// The numbers from 0 on, of which one is the place of a number among some
#define COUNT4(i) i, i + 1, i + 2, i + 3
#define COUNT16(i) COUNT4(i), COUNT4(i + 4), COUNT4(i + 8), COUNT4(i + 12)
static const T counts[] = {COUNT16(0), COUNT16(16), COUNT16(32), COUNT16(48)};
