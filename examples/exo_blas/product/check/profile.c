// profile FILE SET..: whether a profile can be compiled in, in a library for these instruction sets. The library's own
// reader, profile.h, tells what it would leave out; of a good one, nothing.
//
// Lines of all instruction sets are read as those of one, so that none is passed over. The processor may be another.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXO_PUBLIC
#define EXO_SETS "c"
enum { EXO_L2 = 1 << 20, L2 = EXO_L2, WIDE = 0 };
static const char *exo_isa = EXO_SETS;
static pid_t exo_process;
#include "../src/choices.h"
struct exo_choices exo_choices;
static void exo_read_profile(const char *source, const char *text);
static void exo_read_families(void) {}
#include "../src/profile.h"

int main(int count, char **words) {
    static char text[1 << 16];
    FILE *file = count > 1 ? fopen(words[1], "r") : NULL;
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (!file || n == sizeof text - 1 || strlen(text) < n) {
        if (file) fprintf(stderr, "EXO_BLAS_PROFILE: %s is no profile: left out\n", words[1]);
        return 1;
    }
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += strspn(line, "\n \t\xef\xbb\xbf");
        const size_t length = strcspn(line, " \t:\r\n");
        if (length == strlen("processor") && !strncmp(line, "processor", length)) *line = '#';
        for (int i = 2; i < count; i++)
            if (length == strlen(words[i]) && !strncmp(line, words[i], length)) memset(line, ' ', length), *line = 'c';
    }
    exo_read_profile(words[1], text);
    return 0;
}
