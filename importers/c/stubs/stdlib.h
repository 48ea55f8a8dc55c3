#ifndef EXO_STDLIB_H
#define EXO_STDLIB_H
#include <stddef.h>
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void *aligned_alloc(size_t alignment, size_t n);
void free(void *p);
int abs(int x);
long labs(long x);
void exit(int code);
void abort(void);
int rand(void);
void srand(unsigned int seed);
#endif
