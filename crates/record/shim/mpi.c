/* MPI's functions, for C and Fortran: each is carried out by the library's own (PMPI), and recorded with world ranks and bytes.
 *
 * Compiled by the user's mpicc when something is recorded, as handles differ between libraries. It is loaded into programs that use no
 * MPI, too: so all that it asks of the library may be missing.
 *
 * Accesses to files are recorded as the calls that the library makes of them. A collective one is told besides, with the bytes of each
 * rank: how many of them went to which rank that wrote isn't seen. */
#include "record.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

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

/* What a message's call leaves. */
static void message(int entered, int kind, uint64_t peer, uint64_t count, long tag, uint64_t number)
{
    struct petrio_record record = {.kind = (uint16_t)kind, .offset = peer, .length = count, .extra = tag < 0 ? NONE : (uint64_t)tag, .file = number};
    petrio_leave(entered, peer == NONE && kind != PETRIO_WAIT ? NULL : &record, NULL);
}

static void received(int entered, MPI_Comm comm, MPI_Status *status)
{
    int count = 0;
    PMPI_Get_count(status, MPI_BYTE, &count);
    message(entered, PETRIO_RECEIVE, world(comm, status->MPI_SOURCE), count > 0 ? (uint64_t)count : 0, status->MPI_TAG, 0);
}

static void together(int entered, int which, MPI_Comm comm, int root, uint64_t count)
{
    struct group *group = group_of(comm);
    struct petrio_record record = {.kind = PETRIO_COLLECTIVE, .offset = root < 0 ? NONE : world(comm, root), .length = count, .extra = (uint64_t)which};
    petrio_leave(entered, group ? &record : NULL, group ? group->words : NULL);
}

/* Requests that are over: the first takes the time of the call. */
static void waited(int *entered, struct petrio_record *before, MPI_Request was, MPI_Status *status)
{
    acquire();
    struct request *found = request_of(was, 0);
    struct request one = found ? *found : (struct request){0};
    if (found) {
        if (found->persists)
            found->number = 0;
        else
            found->state = 2;
    }
    release();
    if (!found || !one.number)
        return;
    struct petrio_record record = {.kind = PETRIO_WAIT, .offset = NONE, .length = one.bytes, .extra = one.tag, .file = one.number};
    if (one.receives) {
        int count = 0;
        PMPI_Get_count(status, MPI_BYTE, &count);
        record.offset = world(one.comm, status->MPI_SOURCE);
        record.length = count > 0 ? (uint64_t)count : 0;
        record.extra = status->MPI_TAG < 0 ? NONE : (uint64_t)status->MPI_TAG;
    }
    if (*entered == 2) {
        petrio_leave(2, &record, NULL);
        *before = record;
        *entered = -1;
    } else if (*entered == -1) {
        record.begin = before->begin + before->took;
        petrio_put(&record, NULL);
    }
}

static void over(int entered)
{
    if (entered >= 0)
        petrio_leave(entered, NULL, NULL);
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

void petrio_ranked(int entered)
{
    int rank = 0, ranks = 0, length = 0;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Get_library_version(library, &length);
    library[60] = 0;
    struct petrio_record record = {.kind = PETRIO_RANK, .offset = (uint64_t)rank, .length = (uint64_t)ranks};
    petrio_leave(entered, &record, library);
}

static void unseen(const char *what)
{
    struct petrio_record record = {.kind = PETRIO_UNSEEN};
    petrio_leave(petrio_enter(0), &record, what);
}

/* ---- C ---- */

int MPI_Init(int *count, char ***words)
{
    int in = petrio_enter(0), answer = PMPI_Init(count, words);
    petrio_ranked(in);
    return answer;
}

int MPI_Init_thread(int *count, char ***words, int wanted, int *given)
{
    int in = petrio_enter(0), answer = PMPI_Init_thread(count, words, wanted, given);
    petrio_ranked(in);
    return answer;
}

int MPI_Finalize(void)
{
    int in = petrio_enter(0), answer = PMPI_Finalize();
    petrio_leave(in, NULL, NULL);
    return answer;
}

#define SENDS(name)                                                                                         \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)           \
    {                                                                                                       \
        int in = petrio_enter(0), answer = PMPI_##name(data, count, type, to, tag, comm);                    \
        message(in, PETRIO_SEND, world(comm, to), bytes(count, type), tag, 0);                               \
        return answer;                                                                                      \
    }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int in = petrio_enter(0), answer = PMPI_Recv(data, count, type, from, tag, comm, status);
    received(in, comm, status);
    return answer;
}

#define POSTS_SEND(name)                                                                                                     \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)      \
    {                                                                                                                        \
        int in = petrio_enter(0), answer = PMPI_##name(data, count, type, to, tag, comm, request);                            \
        uint64_t number = next_number(), peer = world(comm, to);                                                              \
        if (peer != NONE)                                                                                                    \
            note(*request, 0, 0, peer, bytes(count, type), tag, comm, number);                                                \
        message(in, PETRIO_POST_SEND, peer, bytes(count, type), tag, number);                                                 \
        return answer;                                                                                                       \
    }
POSTS_SEND(Isend)
POSTS_SEND(Issend)
POSTS_SEND(Irsend)
POSTS_SEND(Ibsend)

/* A receive from anybody is told when it is known from whom: at its end. */
static void posted_receive(int in, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request request)
{
    uint64_t number = next_number();
    struct petrio_record record = {.kind = PETRIO_POST_RECEIVE, .offset = world(comm, from), .length = bytes(count, type),
                                   .extra = tag < 0 ? NONE : (uint64_t)tag, .file = number};
    if (from == MPI_PROC_NULL) {
        petrio_leave(in, NULL, NULL);
        return;
    }
    note(request, 1, 0, record.offset, record.length, tag, comm, number);
    petrio_leave(in, &record, NULL);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    int in = petrio_enter(0), answer = PMPI_Irecv(data, count, type, from, tag, comm, request);
    posted_receive(in, count, type, from, tag, comm, *request);
    return answer;
}

/* Both at once: as if the receive was posted, the message sent, and both waited for. */
static void exchanged(int in, uint64_t to, uint64_t count, int tag, MPI_Comm comm, MPI_Status *status)
{
    int got = 0;
    uint64_t from = world(comm, status->MPI_SOURCE), number = next_number(), second = next_number();
    PMPI_Get_count(status, MPI_BYTE, &got);
    uint64_t came = got > 0 ? (uint64_t)got : 0;
    struct petrio_record record = {.kind = PETRIO_POST_RECEIVE, .offset = from, .length = came, .extra = NONE, .file = number};
    petrio_leave(in, from == NONE ? NULL : &record, NULL);
    if (in != 2)
        return;
    struct petrio_record next = {.kind = PETRIO_POST_SEND, .offset = to, .length = count, .extra = (uint64_t)tag, .file = second,
                                 .begin = record.begin};
    if (to != NONE) {
        petrio_put(&next, NULL);
        next.kind = PETRIO_WAIT;
        next.offset = NONE;
        petrio_put(&next, NULL);
    }
    next = (struct petrio_record){.kind = PETRIO_WAIT, .offset = from, .length = came, .extra = NONE, .file = number, .begin = record.begin};
    if (from != NONE)
        petrio_put(&next, NULL);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *got, int room, MPI_Datatype got_type, int from,
                 int from_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int in = petrio_enter(0), answer = PMPI_Sendrecv(data, count, type, to, tag, got, room, got_type, from, from_tag, comm, status);
    exchanged(in, world(comm, to), bytes(count, type), tag, comm, status);
    return answer;
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from, int from_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int in = petrio_enter(0), answer = PMPI_Sendrecv_replace(data, count, type, to, tag, from, from_tag, comm, status);
    exchanged(in, world(comm, to), bytes(count, type), tag, comm, status);
    return answer;
}

/* Persistent ones: a number each time they are started. */
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int in = petrio_enter(0), answer = PMPI_Send_init(data, count, type, to, tag, comm, request);
    note(*request, 0, 1, world(comm, to), bytes(count, type), tag, comm, 0);
    petrio_leave(in, NULL, NULL);
    return answer;
}

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    int in = petrio_enter(0), answer = PMPI_Recv_init(data, count, type, from, tag, comm, request);
    note(*request, 1, 1, world(comm, from), bytes(count, type), tag, comm, 0);
    petrio_leave(in, NULL, NULL);
    return answer;
}

static void started(int *in, struct petrio_record *before, MPI_Request of)
{
    acquire();
    struct request *found = request_of(of, 0), one = {0};
    if (found) {
        found->number = next_number();
        one = *found;
    }
    release();
    if (!found)
        return;
    struct petrio_record record = {.kind = one.receives ? PETRIO_POST_RECEIVE : PETRIO_POST_SEND, .offset = one.peer, .length = one.bytes,
                                   .extra = one.tag, .file = one.number};
    if (*in == 2) {
        petrio_leave(2, &record, NULL);
        *before = record;
        *in = -1;
    } else if (*in == -1) {
        record.begin = before->begin + before->took;
        petrio_put(&record, NULL);
    }
}

int MPI_Start(MPI_Request *request)
{
    struct petrio_record before;
    int in = petrio_enter(0), answer = PMPI_Start(request);
    started(&in, &before, *request);
    over(in);
    return answer;
}

int MPI_Startall(int count, MPI_Request all[])
{
    struct petrio_record before;
    int in = petrio_enter(0), answer = PMPI_Startall(count, all);
    for (int at = 0; at < count; at++)
        started(&in, &before, all[at]);
    over(in);
    return answer;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    MPI_Request was = *request;
    struct petrio_record before;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int in = petrio_enter(0), answer = PMPI_Wait(request, status);
    waited(&in, &before, was, status);
    over(in);
    return answer;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own;
    MPI_Request was = *request;
    struct petrio_record before;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int in = petrio_enter(0), answer = PMPI_Test(request, flag, status);
    if (*flag)
        waited(&in, &before, was, status);
    over(in);
    return answer;
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

int MPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[])
{
    struct petrio_record before;
    struct room room = room_for(count, all, statuses);
    int in = petrio_enter(0), answer = PMPI_Waitall(count, all, room.statuses);
    for (int at = 0; at < count; at++)
        waited(&in, &before, room.was[at], &room.statuses[at]);
    over(in);
    leave_room(room);
    return answer;
}

int MPI_Testall(int count, MPI_Request all[], int *flag, MPI_Status statuses[])
{
    struct petrio_record before;
    struct room room = room_for(count, all, statuses);
    int in = petrio_enter(0), answer = PMPI_Testall(count, all, flag, room.statuses);
    for (int at = 0; *flag && at < count; at++)
        waited(&in, &before, room.was[at], &room.statuses[at]);
    over(in);
    leave_room(room);
    return answer;
}

int MPI_Waitany(int count, MPI_Request all[], int *which, MPI_Status *status)
{
    MPI_Status own;
    struct petrio_record before;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    struct room room = room_for(count, all, status);
    int in = petrio_enter(0), answer = PMPI_Waitany(count, all, which, status);
    if (*which >= 0 && *which < count)
        waited(&in, &before, room.was[*which], status);
    over(in);
    leave_room(room);
    return answer;
}

int MPI_Testany(int count, MPI_Request all[], int *which, int *flag, MPI_Status *status)
{
    MPI_Status own;
    struct petrio_record before;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    struct room room = room_for(count, all, status);
    int in = petrio_enter(0), answer = PMPI_Testany(count, all, which, flag, status);
    if (*flag && *which >= 0 && *which < count)
        waited(&in, &before, room.was[*which], status);
    over(in);
    leave_room(room);
    return answer;
}

#define SOME(name)                                                                                                 \
    int MPI_##name(int count, MPI_Request all[], int *done, int which[], MPI_Status statuses[])                     \
    {                                                                                                              \
        struct petrio_record before;                                                                                \
        struct room room = room_for(count, all, statuses);                                                          \
        int in = petrio_enter(0), answer = PMPI_##name(count, all, done, which, room.statuses);                      \
        for (int at = 0; at < *done; at++)                                                                          \
            waited(&in, &before, room.was[which[at]], &room.statuses[at]);                                           \
        over(in);                                                                                                   \
        leave_room(room);                                                                                           \
        return answer;                                                                                              \
    }
SOME(Waitsome)
SOME(Testsome)

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int in = petrio_enter(0), answer = PMPI_Probe(from, tag, comm, status);
    petrio_leave(in, NULL, NULL);
    return answer;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    int in = petrio_enter(0), answer = PMPI_Iprobe(from, tag, comm, flag, status);
    petrio_leave(in, NULL, NULL);
    return answer;
}

/* Collective operations: which, its root, and bytes of a vector, of each rank or of each pair. */
#define TOGETHER(name, declared, passed, which, root, count) \
    int MPI_##name declared                                  \
    {                                                        \
        int in = petrio_enter(0), answer = PMPI_##name passed; \
        together(in, which, comm, root, count);              \
        return answer;                                       \
    }

static uint64_t all_of(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    int size = 0;
    uint64_t all = 0;
    PMPI_Comm_size(comm, &size);
    for (int at = 0; at < size; at++)
        all += bytes(counts[at], type);
    return all;
}

static uint64_t mean_of(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
    int size = 1;
    PMPI_Comm_size(comm, &size);
    return all_of(counts, type, comm) / (uint64_t)(size > 0 ? size : 1);
}

TOGETHER(Barrier, (MPI_Comm comm), (comm), PETRIO_BARRIER, -1, 0)
TOGETHER(Bcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm), (data, count, type, root, comm), PETRIO_BROADCAST, root,
         bytes(count, type))
TOGETHER(Reduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
         (data, to, count, type, op, root, comm), PETRIO_REDUCE, root, bytes(count, type))
TOGETHER(Allreduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (data, to, count, type, op, comm),
         PETRIO_ALL_REDUCE, -1, bytes(count, type))
TOGETHER(Scan, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (data, to, count, type, op, comm),
         PETRIO_SCAN, -1, bytes(count, type))
TOGETHER(Exscan, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (data, to, count, type, op, comm),
         PETRIO_SCAN, -1, bytes(count, type))
TOGETHER(Gather, (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root, MPI_Comm comm),
         (data, count, type, to, room, to_type, root, comm), PETRIO_GATHER, root,
         data == MPI_IN_PLACE ? bytes(room, to_type) : bytes(count, type))
TOGETHER(Gatherv,
         (const void *data, int count, MPI_Datatype type, void *to, const int rooms[], const int places[], MPI_Datatype to_type, int root,
          MPI_Comm comm),
         (data, count, type, to, rooms, places, to_type, root, comm), PETRIO_GATHER, root, data == MPI_IN_PLACE ? 0 : bytes(count, type))
TOGETHER(Scatter, (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root, MPI_Comm comm),
         (data, count, type, to, room, to_type, root, comm), PETRIO_SCATTER, root,
         to == MPI_IN_PLACE ? bytes(count, type) : bytes(room, to_type))
TOGETHER(Scatterv,
         (const void *data, const int counts[], const int places[], MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root,
          MPI_Comm comm),
         (data, counts, places, type, to, room, to_type, root, comm), PETRIO_SCATTER, root, to == MPI_IN_PLACE ? 0 : bytes(room, to_type))
TOGETHER(Allgather, (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, room, to_type, comm), PETRIO_ALL_GATHER, -1, bytes(room, to_type))
TOGETHER(Allgatherv,
         (const void *data, int count, MPI_Datatype type, void *to, const int rooms[], const int places[], MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, rooms, places, to_type, comm), PETRIO_ALL_GATHER, -1, mean_of(rooms, to_type, comm))
TOGETHER(Alltoall, (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, room, to_type, comm), PETRIO_ALL_TO_ALL, -1, bytes(room, to_type))
TOGETHER(Alltoallv,
         (const void *data, const int counts[], const int places[], MPI_Datatype type, void *to, const int rooms[], const int to_places[],
          MPI_Datatype to_type, MPI_Comm comm),
         (data, counts, places, type, to, rooms, to_places, to_type, comm), PETRIO_ALL_TO_ALL, -1, mean_of(rooms, to_type, comm))
TOGETHER(Reduce_scatter, (const void *data, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (data, to, counts, type, op, comm), PETRIO_REDUCE_SCATTER, -1, all_of(counts, type, comm))
TOGETHER(Reduce_scatter_block, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (data, to, count, type, op, comm), PETRIO_REDUCE_SCATTER, -1, bytes(count, type) * (uint64_t)(group_of(comm) ? group_of(comm)->size : 1))
/* Communicators are agreed on: each learns of each. */
TOGETHER(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), (comm, colour, key, made), PETRIO_ALL_GATHER, -1, 8)
TOGETHER(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made), PETRIO_ALL_GATHER, -1, 8)
TOGETHER(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), PETRIO_ALL_REDUCE, -1, 4)
TOGETHER(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), PETRIO_ALL_REDUCE, -1, 4)
TOGETHER(Cart_create, (MPI_Comm comm, int sides, const int lengths[], const int periods[], int reorder, MPI_Comm *made),
         (comm, sides, lengths, periods, reorder, made), PETRIO_ALL_REDUCE, -1, 4)

int MPI_Comm_free(MPI_Comm *comm)
{
    forget_group(*comm);
    int in = petrio_enter(0), answer = PMPI_Comm_free(comm);
    petrio_leave(in, NULL, NULL);
    return answer;
}

/* Begun together and waited for later: told where they begin, as if they were waited for there. */
#define TOGETHER_LATER(name, declared, passed, which, root, count) TOGETHER(name, declared, passed, which, root, count)
TOGETHER_LATER(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), PETRIO_BARRIER, -1, 0)
TOGETHER_LATER(Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
               (data, count, type, root, comm, request), PETRIO_BROADCAST, root, bytes(count, type))
TOGETHER_LATER(Iallreduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, comm, request), PETRIO_ALL_REDUCE, -1, bytes(count, type))
TOGETHER_LATER(Ireduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, root, comm, request), PETRIO_REDUCE, root, bytes(count, type))

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    unseen("accesses to other ranks' memory (MPI_Win)");
    return PMPI_Win_create(base, size, unit, info, comm, win);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    unseen("accesses to other ranks' memory (MPI_Win)");
    return PMPI_Win_allocate(size, unit, info, comm, base, win);
}

/* Files. */
int MPI_File_open(MPI_Comm comm, const char *path, int how, MPI_Info info, MPI_File *file)
{
    int in = petrio_enter(1), answer = PMPI_File_open(comm, path, how, info, file);
    if (answer == MPI_SUCCESS)
        file_opened(*file, comm);
    together(in, PETRIO_OPEN_ALL, comm, -1, 0);
    return answer;
}

int MPI_File_close(MPI_File *file)
{
    MPI_Comm comm = of_file(*file);
    file_closed(*file);
    int in = petrio_enter(1), answer = PMPI_File_close(file);
    together(in, PETRIO_OPEN_ALL, comm, -1, 0);
    return answer;
}

int MPI_File_set_view(MPI_File file, MPI_Offset at, MPI_Datatype of, MPI_Datatype type, const char *form, MPI_Info info)
{
    int in = petrio_enter(1), answer = PMPI_File_set_view(file, at, of, type, form, info);
    together(in, PETRIO_OPEN_ALL, of_file(file), -1, 0);
    return answer;
}

#define ON_FILE(name, declared, passed)                             \
    int MPI_File_##name declared                                    \
    {                                                               \
        int in = petrio_enter(1), answer = PMPI_File_##name passed; \
        petrio_leave(in, NULL, NULL);                               \
        return answer;                                              \
    }
#define ON_FILE_TOGETHER(name, declared, passed, which)                        \
    int MPI_File_##name declared                                               \
    {                                                                          \
        int in = petrio_enter(1), answer = PMPI_File_##name passed;            \
        together(in, which, of_file(file), -1, bytes(count, type));            \
        return answer;                                                         \
    }
#define AT (MPI_File file, MPI_Offset at, const void *data, int count, MPI_Datatype type, MPI_Status *status)
#define AT_TO (MPI_File file, MPI_Offset at, void *data, int count, MPI_Datatype type, MPI_Status *status)
#define HERE (MPI_File file, const void *data, int count, MPI_Datatype type, MPI_Status *status)
#define HERE_TO (MPI_File file, void *data, int count, MPI_Datatype type, MPI_Status *status)
ON_FILE(write_at, AT, (file, at, data, count, type, status))
ON_FILE(read_at, AT_TO, (file, at, data, count, type, status))
ON_FILE(write, HERE, (file, data, count, type, status))
ON_FILE(read, HERE_TO, (file, data, count, type, status))
ON_FILE(sync, (MPI_File file), (file))
ON_FILE(set_size, (MPI_File file, MPI_Offset size), (file, size))
ON_FILE(preallocate, (MPI_File file, MPI_Offset size), (file, size))
ON_FILE(seek, (MPI_File file, MPI_Offset at, int whence), (file, at, whence))
ON_FILE(write_shared, HERE, (file, data, count, type, status))
ON_FILE(read_shared, HERE_TO, (file, data, count, type, status))
ON_FILE_TOGETHER(write_at_all, AT, (file, at, data, count, type, status), PETRIO_WRITE_ALL)
ON_FILE_TOGETHER(read_at_all, AT_TO, (file, at, data, count, type, status), PETRIO_READ_ALL)
ON_FILE_TOGETHER(write_all, HERE, (file, data, count, type, status), PETRIO_WRITE_ALL)
ON_FILE_TOGETHER(read_all, HERE_TO, (file, data, count, type, status), PETRIO_READ_ALL)
ON_FILE_TOGETHER(write_ordered, HERE, (file, data, count, type, status), PETRIO_WRITE_ALL)
ON_FILE_TOGETHER(read_ordered, HERE_TO, (file, data, count, type, status), PETRIO_READ_ALL)

int MPI_File_delete(const char *path, MPI_Info info)
{
    int in = petrio_enter(1), answer = PMPI_File_delete(path, info);
    petrio_leave(in, NULL, NULL);
    return answer;
}
