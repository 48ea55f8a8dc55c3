#ifndef EXO_STRING_H
#define EXO_STRING_H
#include <stddef.h>
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
#endif
