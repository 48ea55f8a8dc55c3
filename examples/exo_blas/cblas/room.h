// Room that a thread keeps for its next call: what is large and freed after each call goes back to the system, which would
// have to provide it again. It is for buffers in the memory KEPT (programs/storage.py), of which the last one taken is left
// first; those that don't fit are on the heap.
#include <pthread.h>

#define KEPT (1 << 21)  // bytes

typedef struct { _Alignas(EXO_LINE) char bytes[KEPT]; char *end; } Room;
static pthread_key_t exo_kept;
static pthread_once_t exo_once = PTHREAD_ONCE_INIT;

static void exo_make_key(void) { pthread_key_create(&exo_kept, exo_free); }

static void *exo_room(size_t bytes) {
    pthread_once(&exo_once, exo_make_key);
    Room *room = pthread_getspecific(exo_kept);
    if (!room) {
        room = exo_alloc(sizeof(Room));
        room->end = room->bytes;
        pthread_setspecific(exo_kept, room);
    }
    if (bytes > (size_t)(room->bytes + KEPT - room->end)) return exo_alloc(bytes);
    char *const given = room->end;
    room->end += (bytes + EXO_LINE - 1) / EXO_LINE * EXO_LINE;
    return given;
}

static void exo_leave(void *given) {
    Room *const room = pthread_getspecific(exo_kept);
    if ((char *)given < room->bytes || (char *)given >= room->bytes + KEPT) exo_free(given);
    else room->end = given;
}
