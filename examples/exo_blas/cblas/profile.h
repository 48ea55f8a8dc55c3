// Where the numbers of choices.h come from, when the library is loaded: from a model of the caches; then from the profile
// of the processor's family, or one that was compiled in (EXO_PROFILE, a file with a string); then from the file that
// EXO_BLAS_PROFILE in the environment names. A profile is text:
//
//   # after a `#` nothing counts
//   processor: AMD EPYC 7763 64-Core Processor (25.1)
//   avx2 gemm_near 131072
//   avx2 gemm_reach no limit
//
// The number after a processor's name is its family and model. A line is for the instruction set that it begins with.
// What is not understood is told and left out, and so is all of a profile that is another processor's.
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#include <sys/stat.h>
#include <sys/utsname.h>

static char exo_processor[80];
static unsigned exo_cpu_vendor[4], exo_cpu_family, exo_cpu_model;  // the vendor is text

static void exo_model(int64_t L2, int WIDE) {
#define EXO_VALUE(name, model, least, most) exo_choices.name = model;
    EXO_CHOICES(EXO_VALUE)
}

static void exo_name_processor(void) {
    struct utsname system;
    snprintf(exo_processor, sizeof exo_processor, "%s", uname(&system) < 0 ? "unknown" : system.machine);
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned words[13] = {0}, kind, rest, *v = exo_cpu_vendor;
    if (!__get_cpuid(0, &rest, v, v + 2, v + 1) || !__get_cpuid(1, &kind, &rest, &rest, &rest)) return;
    exo_cpu_family = (kind >> 8 & 15) + (kind >> 20 & 255), exo_cpu_model = (kind >> 4 & 15) | (kind >> 12 & 240);
    for (unsigned i = 0, *w = words; i < 3; i++, w += 4)
        if (!__get_cpuid(0x80000002 + i, w, w + 1, w + 2, w + 3)) return;
    const char *const first = (const char *)words + strspn((const char *)words, " ");
    int n = (int)strlen(first);
    while (n > 0 && first[n - 1] == ' ') n--;
    // in a virtual machine, the name alone tells little
    snprintf(exo_processor, sizeof exo_processor, "%.*s (%u.%u)", n, first, exo_cpu_family, exo_cpu_model);
#endif
}

// Puts a value in. Returns NULL, or why it can't be.
static const char *exo_take(const char *name, long long value) {
#define EXO_TAKE(field, model, least, most)                                                   \
    if (!strcmp(name, #field)) {                                                              \
        if (value < (least) || value > (most)) return "less or more than exo_blas_choices says";                 \
        exo_choices.field = value;                                                            \
        return NULL;                                                                          \
    }
    EXO_CHOICES(EXO_TAKE)
    return "there is no such choice";
}

static void exo_read_profile(const char *source, const char *text) {
    const struct exo_choices before = exo_choices;
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;  // what some editors begin a text with
    for (int number = 1; *text; number++, text += *text != 0) {
        char line[256], isa[16], set[18], name[64], rest;
        long long value = EXO_ANY, end = 0;
        const char *why = NULL;
        text += strspn(text, " \t");
        size_t n = strcspn(text, "#\r\n");
        while (n > 0 && strchr(" \t", text[n - 1])) n--;
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        text += strcspn(text, "\r\n");
        text += text[0] == '\r' && text[1] == '\n';
        if (!strncmp(line, "processor", 9) && strchr(": \t", line[9])) {
            const char *const named = line + 9 + strspn(line + 9, ": \t");
            if (!*named || !strcmp(named, exo_processor)) continue;
            fprintf(stderr, "EXO_BLAS_PROFILE: %s is for %s, and this is %s: left out\n", source, named, exo_processor);
            exo_choices = before;
            return;
        }
        sscanf(line, "%*s %*s no limit%lln", &end);
        const int found = sscanf(line, "%15s %63s %lld %c", isa, name, &value, &rest) + (end == (long long)n);
        snprintf(set, sizeof set, " %s ", found > 0 ? isa : "");
        if (n >= sizeof line) why = "too long";
        else if (n > 0 && found != 3) why = "not an instruction set, a name and a number";
        else if (n > 0 && !strstr(" " EXO_SETS " ", set)) why = "there is no such instruction set";
        else if (n > 0 && !strcmp(isa, exo_isa)) why = exo_take(name, value);
        if (why) fprintf(stderr, "EXO_BLAS_PROFILE: %s, line %d: %s: left out\n", source, number, why);
    }
}

static void exo_read_file(const char *path) {
    static char text[1 << 16];  // which no profile fills
    struct stat about;
    const char *why = NULL;
    FILE *file = NULL;
    if (!stat(path, &about) && !S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode)) why = "is no file";
    else if (!(file = fopen(path, "r"))) why = "can't be opened";
    else {
        const size_t n = fread(text, 1, sizeof text - 1, file);
        if (ferror(file)) why = "can't be read";
        else if (strlen(text) < n || n == sizeof text - 1) why = "is no profile";
        fclose(file);
    }
    if (why) fprintf(stderr, "EXO_BLAS_PROFILE: %s %s: left out\n", path, why);
    else exo_read_profile(path, text);
}

static void exo_choose_numbers(void) {
    int64_t second = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    second = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    exo_model(second > 0 ? second : EXO_L2, !strcmp(exo_isa, "avx512"));
    exo_name_processor();
#ifdef EXO_PROFILE
    exo_read_profile("compiled in",
#include EXO_PROFILE
    );
#else
    exo_read_families();
#endif
    const char *const path = getenv("EXO_BLAS_PROFILE");
    if (path && *path) exo_read_file(path);
}

EXO_PUBLIC int exo_blas_choices(char *text, int size) {
    int n = snprintf(text, size > 0 ? size : 0, "processor: %s\n", exo_processor);
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
    const long threads = given ? strtol(given, NULL, 10) : 1;
    if (threads <= 1 || getpid() != exo_process) return 1;
    return threads > 1024 ? 1024 : (int)threads;
}
