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
};
#define GROUPS 256
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

static struct group *group_of(MPI_Comm comm)
{
    MPI_Group own, world;
    int *ranks, inter = 0;
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
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(own, &found->size);
    ranks = malloc(sizeof *ranks * (size_t)found->size);
    found->world = malloc(sizeof *ranks * (size_t)found->size);
    for (int rank = 0; rank < found->size; rank++)
        ranks[rank] = rank;
    PMPI_Group_translate_ranks(own, found->size, ranks, world, found->world);
    PMPI_Group_free(&own);
    PMPI_Group_free(&world);
    free(ranks);
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
