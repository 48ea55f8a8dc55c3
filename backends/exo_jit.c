// See `exo_jit.h`. A file of its own, as what it includes declares many names that instructions may have too.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/resource.h>
#ifdef __linux__
#include <link.h>
#endif

#include "exo_jit.h"

// Seen from outside, but this file means its own, whatever other libraries in the process call theirs.
#define EXO_PUBLIC __attribute__((visibility("protected")))
enum { EXO_FEW = 1 << 16 };

// -- the heap ---------------------------------------------------------------------------------------

_Thread_local struct exo_frame *exo_frame;
_Thread_local struct exo_block *exo_blocks;
static int64_t failures;
static int failure;
// Why the code was stopped.
EXO_PUBLIC const char *exo_why;
// How large the last buffer was that could not be had, or how much stack.
EXO_PUBLIC int64_t exo_wanted;

int64_t exo_failures(void) { return __atomic_load_n(&failures, __ATOMIC_SEQ_CST); }

int exo_failure(void) { return __atomic_load_n(&failure, __ATOMIC_SEQ_CST); }

static __attribute__((noreturn)) void go_back(int with) {
    __atomic_store_n(&failure, with, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
    while (exo_blocks != exo_frame->blocks) exo_free((char *)exo_blocks + EXO_LINE);
    _longjmp(exo_frame->start, 1);
}

void exo_give_up(size_t bytes) {
    __atomic_store_n(&exo_wanted, (int64_t)bytes, __ATOMIC_RELAXED);
    go_back(EXO_NO_MEMORY);
}

void exo_stop(const char *what) {
    __atomic_store_n(&exo_why, what, __ATOMIC_RELAXED);
    go_back(EXO_STOPPED);
}

// -- the stack --------------------------------------------------------------------------------------

// What the code needs, as the compiler said, and what the last call lacked it with.
EXO_PUBLIC int64_t exo_stack_needed;
EXO_PUBLIC int64_t exo_stack_found;

// The lowest address of this thread's stack; that of the main thread depends on a limit that may change.
static char *exo_stack_end(void) {
#if defined(__linux__)
    static _Thread_local char *end;
    static _Thread_local rlim_t then;
    struct rlimit now = {0};
    getrlimit(RLIMIT_STACK, &now);
    if (end == NULL || then != now.rlim_cur) {
        pthread_attr_t attributes;
        void *lowest = NULL;
        size_t size;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &lowest, &size);
            pthread_attr_destroy(&attributes);
        }
        end = lowest;
        then = now.rlim_cur;
    }
    return end;
#elif defined(__APPLE__)
    return (char *)pthread_get_stackaddr_np(pthread_self()) - pthread_get_stacksize_np(pthread_self());
#else
    return NULL;
#endif
}

// How many bytes of stack this thread has left; none if the system doesn't say.
static __attribute__((noinline)) int64_t exo_stack_left(void) {
    char *end = exo_stack_end();
    return end == NULL ? 0 : (char *)__builtin_frame_address(0) - end;
}

// -- variables of threads ---------------------------------------------------------------------------

// The memory of DRAM_STATIC buffers is asked for when a thread first needs it, and the C library ends the program if
// there is none. So it is seen before whether there is.
#ifdef __linux__
struct exo_own {
    size_t bytes;
    bool there;
};

static int exo_find(struct dl_phdr_info *library, size_t size, void *found) {
    (void)size;
    bool own = false;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const uintptr_t at = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
        own |= library->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)&failures - at < library->dlpi_phdr[i].p_memsz;
    }
    for (int i = 0; own && i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_TLS)
            *(struct exo_own *)found = (struct exo_own){library->dlpi_phdr[i].p_memsz, library->dlpi_tls_data != NULL};
    return own;
}
#endif

// The bytes of a thread's variables in this library; few are always to be had.
static int64_t exo_own_bytes(void) {
    static int64_t bytes = -1;
#ifdef __linux__
    if (__atomic_load_n(&bytes, __ATOMIC_RELAXED) < 0) {
        struct exo_own own = {0};
        dl_iterate_phdr(exo_find, &own);
        __atomic_store_n(&bytes, (int64_t)own.bytes, __ATOMIC_RELAXED);
    }
#endif
    return __atomic_load_n(&bytes, __ATOMIC_RELAXED) < EXO_FEW ? 0 : bytes;
}

// Whether this thread has its variables, or there is memory for them.
static bool exo_has_variables(void) {
#ifdef __linux__
    struct exo_own own = {0};
    if (exo_own_bytes() > 0) dl_iterate_phdr(exo_find, &own);
    if (own.bytes > 0 && !own.there) {
        void *volatile tried = malloc(own.bytes + EXO_FEW);
        free(tried);
        return tried != NULL;
    }
#endif
    return true;
}

// -- the call ---------------------------------------------------------------------------------------

int exo_fits(int64_t stack) {
    if (stack == 0 && exo_own_bytes() == 0) return EXO_DONE;
    bool has = true;
    int64_t left = INT64_MAX;
#ifdef _OPENMP
#pragma omp parallel reduction(&& : has) reduction(min : left)
#endif
    {
        has = exo_has_variables();
        // what measures the stack has variables
        if (has && stack > 0) left = exo_stack_left();
    }
    if (!has) {
        __atomic_store_n(&exo_wanted, exo_own_bytes(), __ATOMIC_RELAXED);
        return EXO_NO_MEMORY;
    }
    if (left < stack) {
        __atomic_store_n(&exo_wanted, stack, __ATOMIC_RELAXED);
        __atomic_store_n(&exo_stack_found, left, __ATOMIC_RELAXED);
        return EXO_NO_STACK;
    }
    return EXO_DONE;
}

// -- calls like one that was checked ----------------------------------------------------------------

// What `__array_struct__` holds: NumPy's array interface, which other libraries read too.
struct exo_array {
    int two, dims;
    char kind;
    int itemsize, flags;
    intptr_t *shape, *strides;
    char *data;
};

// Functions of Python's stable interface, which need no header this way.
static void *(*capsule_pointer)(void *capsule, const char *name);
static void *(*save_thread)(void);
static void (*restore_thread)(void *state);
static void *(*tuple_item)(void *tuple, intptr_t at);
static intptr_t (*tuple_size)(void *tuple);
static long long (*long_value)(void *number, int *overflow);
static double (*float_value)(void *number);

EXO_PUBLIC void exo_python(void **functions);
void exo_python(void **functions) {
    capsule_pointer = (void *(*)(void *, const char *))functions[0];
    save_thread = (void *(*)(void))functions[1];
    restore_thread = (void (*)(void *))functions[2];
    tuple_item = (void *(*)(void *, intptr_t))functions[3];
    tuple_size = (intptr_t (*)(void *))functions[4];
    long_value = (long long (*)(void *, int *))functions[5];
    float_value = (double (*)(void *))functions[6];
}

void *exo_release(void) { return save_thread(); }

void exo_acquire(void *held) { restore_thread(held); }

// What stands in `like` for each array, before its shape and strides. FIRST and END are bytes from its address on.
enum { DIMS, KIND, ITEMSIZE, FLAGS, FIRST, END, WRITTEN, DTYPE, STATE, HEAD };

// Notes how an array looks. The others, from FIRST on, are the caller's.
EXO_PUBLIC void exo_look(void *given, int64_t *like);
void exo_look(void *given, int64_t *like) {
    const struct exo_array *a = capsule_pointer(given, NULL);
    like[DIMS] = a->dims;
    like[KIND] = a->kind;
    like[ITEMSIZE] = a->itemsize;
    like[FLAGS] = a->flags;
    for (int d = 0; d < a->dims; d++) {
        like[HEAD + d] = a->shape[d];
        like[HEAD + a->dims + d] = a->strides[d];
    }
}

static bool same_look(const struct exo_array *a, const int64_t *like) {
    bool same = a->dims == like[DIMS] && a->kind == like[KIND] && a->itemsize == like[ITEMSIZE] && a->flags == like[FLAGS];
    for (int d = 0; same && d < a->dims; d++)
        same = a->shape[d] == like[HEAD + d] && a->strides[d] == like[HEAD + a->dims + d];
    return same;
}

// Whether an array that is written shares memory with one of those before it, or one of these is and does.
static bool meets(const int64_t *like, char *data, int before, const int64_t **looks, void **found) {
    for (int j = 0; j < before; j++)
        if ((like[WRITTEN] || looks[j][WRITTEN]) && data + like[FIRST] < (char *)found[j] + looks[j][END]
            && (char *)found[j] + looks[j][FIRST] < data + like[END])
            return true;
    return false;
}

bool exo_alike(int count, const int64_t *like, void **found) {
    const int64_t *looks[count + 1];
    for (int i = 0; i < count; i++, like += HEAD + 2 * like[DIMS]) {
        const struct exo_array *a = capsule_pointer(found[i], NULL);
        if (!same_look(a, like) || meets(like, a->data, i, looks, found)) return false;
        looks[i] = like;
        found[i] = a->data;
    }
    return true;
}

// -- arguments as Python has them -------------------------------------------------------------------

// How Python and NumPy lay out objects, if `exo_layout` finds what Python sees.
struct exo_object {
    intptr_t references;
    void *type;
};

struct exo_ndarray {
    struct exo_object head;
    char *data;
    int dims;
    intptr_t *shape, *strides;
    void *base, *dtype;
    int flags;
};

// NumPy's: C-contiguous, aligned, writeable.
enum { STATES = 0x1 | 0x100 | 0x400 };

static const void *array_type, *integer_type, *float_type;

EXO_PUBLIC void exo_types(const void *array, const void *integer, const void *number);
void exo_types(const void *array, const void *integer, const void *number) {
    array_type = array;
    integer_type = integer;
    float_type = number;
}

// What is read of an array: its type, address, dimensions, dtype, state, and with `deep` its extents and strides.
EXO_PUBLIC void exo_layout(void *given, int deep, int64_t *out);
void exo_layout(void *given, int deep, int64_t *out) {
    const struct exo_ndarray *a = given;
    out[0] = (intptr_t)a->head.type;
    out[1] = (intptr_t)a->data;
    out[2] = a->dims;
    out[3] = (intptr_t)a->dtype;
    out[4] = a->flags & STATES;
    for (int d = 0; deep && d < a->dims; d++) {
        out[5 + d] = a->shape[d];
        out[5 + a->dims + d] = a->strides[d];
    }
}

void *exo_argument(void *arguments, int64_t at) { return tuple_item(arguments, at); }

int64_t exo_arguments(void *arguments) { return tuple_size(arguments); }

bool exo_same_integer(void *given, int64_t known) {
    int overflow = 0;
    return ((struct exo_object *)given)->type == integer_type && long_value(given, &overflow) == known && !overflow;
}

bool exo_number(void *given, double *number) {
    if (((struct exo_object *)given)->type != float_type) return false;
    *number = float_value(given);
    return true;
}

bool exo_same_arrays(int count, const int64_t *like, void **found) {
    const int64_t *looks[count + 1];
    for (int i = 0; i < count; i++, like += HEAD + 2 * like[DIMS]) {
        const struct exo_ndarray *a = found[i];
        if (a->head.type != array_type || a->dims != like[DIMS] || (intptr_t)a->dtype != like[DTYPE]
            || (a->flags & STATES) != like[STATE])
            return false;
        for (int d = 0; d < a->dims; d++)
            if (a->shape[d] != like[HEAD + d] || a->strides[d] != like[HEAD + a->dims + d]) return false;
        if (meets(like, a->data, i, looks, found)) return false;
        looks[i] = like;
        found[i] = a->data;
    }
    return true;
}
