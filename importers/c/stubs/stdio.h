#ifndef EXO_STDIO_H
#define EXO_STDIO_H
#include <stddef.h>
typedef int FILE;
extern FILE *stdin, *stdout, *stderr;
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int puts(const char *text);
int putchar(int c);
#endif
