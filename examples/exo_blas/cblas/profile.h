// Where the numbers of choices.h come from, when the library is loaded: from a model of the caches; then from the profile
// of the processor's family, or one that was compiled in (EXO_PROFILE, a file with a string); then from the file that
// EXO_BLAS_PROFILE in the environment names. A profile is text:
//
//   # after a `#` nothing counts
//   processor: AMD EPYC 7763 64-Core Processor (25.1)
//   avx2 gemm_near 131072
//
// The number after a processor's name is its family and model. A line is for the instruction set that it begins with.
// What is not understood is told and left out, and so is all of a profile that is another processor's.
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#include <sys/stat.h>
#include <sys/utsname.h>

#define EXO_PROFILE_BYTES (1 << 16)

static void exo_model(int64_t L2, int WIDE) {
#define EXO_VALUE(name, model, least, most) exo_choices.name = model;
    EXO_CHOICES(EXO_VALUE)
}

static void exo_name_of_processor(char *name, size_t size) {
    struct utsname system;
    snprintf(name, size, "%s", uname(&system) < 0 ? "unknown" : system.machine);
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned words[13] = {0}, last, kind, rest;
    if (!__get_cpuid(1, &kind, &rest, &rest, &rest)) return;
    if (!__get_cpuid(0x80000000, &last, &rest, &rest, &rest) || last < 0x80000004) return;
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002 + i, words + 4 * i, words + 4 * i + 1, words + 4 * i + 2, words + 4 * i + 3);
    const char *first = (const char *)words;
    while (*first == ' ') first++;
    int n = (int)strlen(first);
    while (n > 0 && first[n - 1] == ' ') n--;
    const unsigned family = (kind >> 8 & 15) + (kind >> 20 & 255), model = (kind >> 4 & 15) | (kind >> 12 & 240);
    snprintf(name, size, "%.*s (%u.%u)", n, first, family, model);  // in a virtual machine, the name alone tells little
#endif
}

// Puts a value in. Returns NULL, or why it can't be.
static const char *exo_take(struct exo_choices *to, const char *name, long long value) {
#define EXO_TAKE(field, model, least, most)                                    \
    if (!strcmp(name, #field)) {                                               \
        if (value < (least) || value > (most)) return "the number is too small or too large"; \
        to->field = value;                                                     \
        return NULL;                                                           \
    }
    EXO_CHOICES(EXO_TAKE)
    return "there is no such choice";
}

static void exo_told(const char *source, int line, const char *why) {
    fprintf(stderr, "EXO_BLAS_PROFILE: %s, line %d: %s: left out\n", source, line, why);
}

static void exo_read_profile(const char *source, const char *text) {
    struct exo_choices found = exo_choices;
    char line[256], isa[16], name[64], ours[80], rest;
    long long value;
    exo_name_of_processor(ours, sizeof ours);
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;  // what some editors begin a text with
    for (int number = 1; *text; number++) {
        const size_t whole = strcspn(text, "\n"), told = strcspn(text, "#\r\n"), n = told < sizeof line ? told : 0;
        if (told >= sizeof line) exo_told(source, number, "too long");
        memcpy(line, text, n);
        line[n] = 0;
        text += whole + (text[whole] == '\n');
        const char *first = line + strspn(line, " \t");
        size_t length = strlen(first);
        while (length > 0 && strchr(" \t", first[length - 1])) length--;
        if (!length) continue;
        if (!strncmp(first, "processor", 9)) {
            const size_t blanks = 9 + strspn(first + 9, ": \t"), named = length - blanks;
            if (named == strlen(ours) && !strncmp(first + blanks, ours, named)) continue;
            fprintf(stderr, "EXO_BLAS_PROFILE: %s is for %.*s, and this is %s: left out\n", source, (int)named,
                first + blanks, ours);
            return;
        }
        if (sscanf(first, "%15s %63s %lld %c", isa, name, &value, &rest) != 3)
            exo_told(source, number, "not an instruction set, a name and a number");
        else if (!strstr(EXO_SETS, isa)) exo_told(source, number, "there is no such instruction set");
        else if (!strcmp(isa, exo_isa)) {
            const char *const why = exo_take(&found, name, value);
            if (why) exo_told(source, number, why);
        }
    }
    exo_choices = found;
}

static void exo_read_file(const char *path) {
    struct stat about;
    const char *why = NULL;
    char *const text = malloc(EXO_PROFILE_BYTES);
    FILE *file = NULL;
    if (!text) why = "there is no memory for it";
    else if (stat(path, &about)) why = "can't be opened";
    else if (!S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode)) why = "is no file";
    else if (!(file = fopen(path, "r"))) why = "can't be opened";
    else {
        const size_t n = fread(text, 1, EXO_PROFILE_BYTES - 1, file);
        text[n] = 0;
        if (ferror(file)) why = "can't be read";
        else if (strlen(text) < n || n == EXO_PROFILE_BYTES - 1) why = "is no profile";
        else exo_read_profile(path, text);
    }
    if (why) fprintf(stderr, "EXO_BLAS_PROFILE: %s %s: left out\n", path, why);
    free(text);
    if (file) fclose(file);
}

static void exo_choose_numbers(void) {
    int64_t second = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    second = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    exo_model(second > 0 ? second : EXO_L2, !strcmp(exo_isa, "avx512"));
#ifdef EXO_PROFILE
    static const char given[] =
#include EXO_PROFILE
        ;
    exo_read_profile("compiled in", given);
#else
    exo_read_families();
#endif
    const char *const path = getenv("EXO_BLAS_PROFILE");
    if (path && *path) exo_read_file(path);
}

EXO_PUBLIC int exo_blas_choices(char *text, int size) {
    char ours[80];
    int n;
    if (size < 0) size = 0;
    exo_name_of_processor(ours, sizeof ours);
    n = snprintf(text, size, "processor: %s\n", ours);
#define EXO_TELL(field, model, least, most)                                                             \
    n += snprintf(n < size ? text + n : NULL, n < size ? size - n : 0, "%s %s %lld  # %lld to %lld\n", \
        exo_isa, #field, (long long)exo_choices.field, (long long)(least), (long long)(most));
    EXO_CHOICES(EXO_TELL)
    return n;
}

// How many threads a large routine may use: what EXO_NUM_THREADS says. In a process that was forked, one, as the threads
// that OpenMP keeps are not there any more and would be waited for.
__attribute__((visibility("hidden"))) int exo_threads(void) {
    const char *const given = getenv("EXO_NUM_THREADS");
    const int threads = given ? atoi(given) : 1;
    if (threads <= 1 || getpid() != exo_process) return 1;
    return threads > 1024 ? 1024 : threads;
}
