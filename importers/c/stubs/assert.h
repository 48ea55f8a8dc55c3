#ifndef EXO_ASSERT_H
#define EXO_ASSERT_H
#define assert(x) exo_assert(x)
void exo_assert(int x);
#endif
