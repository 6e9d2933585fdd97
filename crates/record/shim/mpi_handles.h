/* What handles of MPI stand for, in world ranks and bytes: shared by what records (mpi.c) and what is executed (crates/execute/shim). */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (~0ull)
#define LIST 8192

/* Communicators: who is in them, by world ranks. */
struct group {
    MPI_Comm of;
    int size, is_used;
    int *world;
    char *words;
    uint32_t context; /* what tells it from other communicators, alike on all of its ranks */
    uint32_t made;    /* communicators and windows that were made of it */
};
#define GROUPS 1024
static struct group groups[GROUPS];
static volatile int lock;

static void acquire(void)
{
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
}

static void release(void)
{
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static void in_words(struct group *group)
{
    size_t room = 64 + (size_t)group->size * 12, at = 0;
    group->words = malloc(room);
    if (!group->words)
        return;
    group->words[0] = 0;
    for (int first = 0; first < group->size;) {
        int last = first;
        while (last + 1 < group->size && group->world[last + 1] == group->world[last] + 1)
            last++;
        at += (size_t)snprintf(group->words + at, room - at, first == last ? "%s%d" : "%s%d-%d", at ? "," : "", group->world[first],
                               group->world[last]);
        first = last + 1;
    }
}

static uint32_t mixed(uint32_t a, uint32_t b)
{
    uint64_t all = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ull;
    all = (all ^ all >> 29) * 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(all >> 33) | 2;
}

static uint32_t mixed_all(int size, const int *ranks)
{
    uint32_t all = (uint32_t)size;
    for (int at = 0; at < size; at++)
        all = mixed(all, (uint32_t)ranks[at]);
    return all;
}

/* World ranks of a group. */
static int *in_world(MPI_Group of, int *size)
{
    MPI_Group all;
    PMPI_Group_size(of, size);
    size_t room = sizeof(int) * (size_t)(*size > 0 ? *size : 1);
    int *ranks = malloc(room), *translated = malloc(room);
    for (int rank = 0; rank < *size; rank++)
        ranks[rank] = rank;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(of, *size, ranks, all, translated);
    PMPI_Group_free(&all);
    free(ranks);
    return translated;
}

/* What a communicator is called of which it wasn't seen how it was made: by its members; one between two groups by both, alike on both sides. */
static uint32_t context_of(MPI_Comm comm, int inter, const struct group *group)
{
    uint32_t context = mixed_all(group->size, group->world);
    if (comm == MPI_COMM_WORLD)
        return 0;
    if (comm == MPI_COMM_SELF)
        return 1;
    if (inter) {
        MPI_Group own;
        int size = 0;
        PMPI_Comm_group(comm, &own);
        int *ranks = in_world(own, &size);
        context = (context + mixed_all(size, ranks)) >> 1 | 2;
        PMPI_Group_free(&own);
        free(ranks);
    }
    return context;
}

static struct group *group_of(MPI_Comm comm)
{
    MPI_Group own;
    int inter = 0;
    struct group *found = NULL;
    acquire();
    for (int at = 0; at < GROUPS; at++)
        if (groups[at].is_used && groups[at].of == comm) {
            release();
            return &groups[at];
        }
    for (int at = 0; at < GROUPS && !found; at++)
        if (!groups[at].is_used)
            found = &groups[at];
    if (!found) {
        release();
        return NULL;
    }
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &own);
    else
        PMPI_Comm_group(comm, &own);
    found->world = in_world(own, &found->size);
    PMPI_Group_free(&own);
    found->context = context_of(comm, inter, found);
    in_words(found);
    found->of = comm;
    found->is_used = 1;
    release();
    return found;
}

static void forget_group(MPI_Comm comm)
{
    acquire();
    for (int at = 0; at < GROUPS; at++)
        if (groups[at].is_used && groups[at].of == comm) {
            free(groups[at].world);
            free(groups[at].words);
            memset(&groups[at], 0, sizeof groups[at]);
        }
    release();
}

/* The next communicator or window that is made of one: all of its ranks make them in the same order. */
static uint32_t next_context(MPI_Comm of)
{
    struct group *group = group_of(of);
    return group ? mixed(group->context, ++group->made) : 2;
}

static void call(MPI_Comm made, uint32_t context)
{
    struct group *group = made == MPI_COMM_NULL ? NULL : group_of(made);
    if (group)
        group->context = context;
}

static uint32_t context(MPI_Comm comm)
{
    struct group *group = group_of(comm);
    return group ? group->context : 0;
}

static uint64_t world(MPI_Comm comm, int rank)
{
    struct group *group = rank >= 0 ? group_of(comm) : NULL;
    return group && rank < group->size ? (uint64_t)group->world[rank] : NONE;
}

static uint64_t bytes(long count, MPI_Datatype type)
{
    int size = 0;
    if (count <= 0 || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* Requests: what waits for which. */
struct request {
    MPI_Request of;
    uint64_t number, peer, bytes, tag;
    MPI_Comm comm;
    uint8_t state, receives, persists; /* state: 1 used, 2 used and a marker of what was there */
};
#define REQUESTS 16384
static struct request requests[REQUESTS];
static uint64_t numbers;

static struct request *request_of(MPI_Request of, int make)
{
    uint64_t key = 0;
    memcpy(&key, &of, sizeof of < sizeof key ? sizeof of : sizeof key);
    uint64_t at = key * 0x9e3779b97f4a7c15ull >> 50;
    struct request *free = NULL;
    for (int tried = 0; tried < REQUESTS; tried++, at = (at + 1) % REQUESTS) {
        struct request *one = &requests[at];
        if (one->state == 1 && one->of == of)
            return one;
        if (one->state != 1 && !free)
            free = one;
        if (one->state == 0)
            break;
    }
    return make ? free : NULL;
}

static void note(MPI_Request of, int receives, int persists, uint64_t peer, uint64_t count, int tag, MPI_Comm comm, uint64_t number)
{
    acquire();
    struct request *one = request_of(of, 1);
    if (one)
        *one = (struct request){of, number, peer, count, (uint64_t)tag, comm, 1, (uint8_t)receives, (uint8_t)persists};
    release();
}

static uint64_t next_number(void)
{
    return __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
}

/* Windows: whose memory is accessed, and how. */
struct window {
    MPI_Win of;
    int size, is_used;
    int *world;
    char *words;
    uint32_t context;
    /* Whom it was exposed to and whose was begun to be accessed (MPI_Win_post, MPI_Win_start), by world ranks. */
    int *posted, *started, posts, starts;
};
#define WINDOWS 256
static struct window windows[WINDOWS];

static struct window *window_of(MPI_Win of)
{
    for (int at = 0; at < WINDOWS; at++)
        if (windows[at].is_used && windows[at].of == of)
            return &windows[at];
    return NULL;
}

static void window_made(MPI_Win of, MPI_Comm comm, uint32_t context)
{
    struct group *group = group_of(comm);
    acquire();
    for (int at = 0; group && at < WINDOWS; at++)
        if (!windows[at].is_used) {
            struct window made = {.of = of, .size = group->size, .is_used = 1, .context = context};
            made.world = malloc(sizeof *made.world * (size_t)group->size);
            memcpy(made.world, group->world, sizeof *made.world * (size_t)group->size);
            made.words = group->words ? strdup(group->words) : NULL;
            windows[at] = made;
            break;
        }
    release();
}

static void window_gone(MPI_Win of)
{
    struct window *window = window_of(of);
    if (!window)
        return;
    free(window->world);
    free(window->words);
    free(window->posted);
    free(window->started);
    memset(window, 0, sizeof *window);
}

/* Files: who opened them together. */
static struct { MPI_File of; MPI_Comm comm; int is_used; } opened[256];

static void file_opened(MPI_File of, MPI_Comm comm)
{
    for (int at = 0; at < 256; at++)
        if (!opened[at].is_used || opened[at].of == of) {
            opened[at].of = of;
            opened[at].comm = comm;
            opened[at].is_used = 1;
            return;
        }
}

static MPI_Comm of_file(MPI_File of)
{
    for (int at = 0; at < 256; at++)
        if (opened[at].is_used && opened[at].of == of)
            return opened[at].comm;
    return MPI_COMM_WORLD;
}

static void file_closed(MPI_File of)
{
    for (int at = 0; at < 256; at++)
        if (opened[at].is_used && opened[at].of == of)
            opened[at].is_used = 0;
}

/* Room for what was asked with MPI_STATUSES_IGNORE, and for the requests before. */
struct room { MPI_Request *was; MPI_Status *statuses; void *own; };

static struct room room_for(int count, MPI_Request *all, MPI_Status *statuses)
{
    size_t some = count > 0 ? (size_t)count : 1;
    struct room room = {malloc(some * sizeof *all), statuses, NULL};
    if (count > 0)
        memcpy(room.was, all, (size_t)count * sizeof *all);
    if (statuses == MPI_STATUSES_IGNORE)
        room.statuses = room.own = malloc(some * sizeof *statuses);
    return room;
}

static void leave_room(struct room room)
{
    free(room.was);
    free(room.own);
}
