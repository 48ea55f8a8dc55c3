#ifndef EXO_TIME_H
#define EXO_TIME_H
#include <stddef.h>
typedef long time_t;
typedef long clock_t;
clock_t clock(void);
time_t time(time_t *t);
#endif
