// See `exo_jit.h`. A file of its own, as what it includes declares many names that instructions may have too.
#include <pthread.h>
#include <sys/resource.h>

#include "exo_jit.h"

#define EXO_PUBLIC __attribute__((visibility("default")))

// -- the heap ---------------------------------------------------------------------------------------

_Thread_local struct exo_frame *exo_frame;
_Thread_local struct exo_block *exo_blocks;
static int64_t failures;
// How large the last buffer was that could not be had.
EXO_PUBLIC int64_t exo_wanted;

int64_t exo_failures(void) { return __atomic_load_n(&failures, __ATOMIC_SEQ_CST); }

void exo_give_up(size_t bytes) {
    __atomic_store_n(&exo_wanted, (int64_t)bytes, __ATOMIC_RELAXED);
    __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
    while (exo_blocks != exo_frame->blocks) exo_free((char *)exo_blocks + EXO_LINE);
    _longjmp(exo_frame->start, 1);
}

// -- the stack --------------------------------------------------------------------------------------

// What the code needs, as the compiler said, and what the last call lacked it with.
EXO_PUBLIC int64_t exo_stack_needed;
EXO_PUBLIC int64_t exo_stack_found;

// The lowest address of this thread's stack; that of the main thread depends on a limit that may change.
static char *exo_stack_end(void) {
#if defined(__linux__)
    int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
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

bool exo_stack_suffices(void) {
    if (exo_stack_needed == 0) return true;
    int64_t left = exo_stack_left();
#ifdef _OPENMP
#pragma omp parallel reduction(min : left)
    {
        int64_t mine = exo_stack_left();
        left = mine < left ? mine : left;
    }
#endif
    if (left >= exo_stack_needed) return true;
    __atomic_store_n(&exo_stack_found, left, __ATOMIC_RELAXED);
    return false;
}
