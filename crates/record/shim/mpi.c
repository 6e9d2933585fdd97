/* MPI's functions, for C and Fortran: each is carried out by the library's own (PMPI), and recorded with world ranks and bytes.
 *
 * Compiled by the user's mpicc when something is recorded, as handles differ between libraries. It is loaded into programs that use no
 * MPI, too: so all that it asks of the library may be missing.
 *
 * Accesses to files are recorded as the calls that the library makes of them. A collective one is told besides, with the bytes of each
 * rank: how many of them went to which rank that wrote isn't seen. */
#include "record.h"
#include "mpi_handles.h"

/* A message's tag; in other communicators than that of all, a number that stands for both, and that no tag is. */
static long tag_in(MPI_Comm comm, int tag)
{
    uint32_t of = tag < 0 ? 0 : context(comm);
    return of == 0 ? tag : (long)(0x80000000ul | mixed(of, (uint32_t)tag));
}

static void unseen(const char *what)
{
    struct petrio_record record = {.kind = PETRIO_UNSEEN};
    petrio_leave(petrio_enter(0), &record, what);
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
    message(entered, PETRIO_RECEIVE, world(comm, status->MPI_SOURCE), count > 0 ? (uint64_t)count : 0, tag_in(comm, status->MPI_TAG), 0);
}

/* With the number of a request where it is waited for later. */
static void together(int entered, int which, MPI_Comm comm, int root, uint64_t count, uint64_t number)
{
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    struct group *group = inter ? NULL : group_of(comm);
    struct petrio_record record = {.kind = PETRIO_COLLECTIVE, .offset = root < 0 || !group ? NONE : world(comm, root), .length = count,
                                   .extra = (uint64_t)which, .file = number};
    petrio_leave(entered, group ? &record : NULL, group ? group->words : NULL);
    if (!group)
        unseen("collective operations between two groups");
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
    struct petrio_record record = {.kind = PETRIO_WAIT, .offset = NONE, .length = one.bytes, .extra = NONE, .file = one.number};
    if (one.receives) {
        int count = 0;
        PMPI_Get_count(status, MPI_BYTE, &count);
        record.offset = world(one.comm, status->MPI_SOURCE);
        record.length = count > 0 ? (uint64_t)count : 0;
        record.extra = status->MPI_TAG < 0 ? NONE : (uint64_t)tag_in(one.comm, status->MPI_TAG);
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
        message(in, PETRIO_SEND, world(comm, to), bytes(count, type), tag_in(comm, tag), 0);                 \
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
        message(in, PETRIO_POST_SEND, peer, bytes(count, type), tag_in(comm, tag), number);                                   \
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
                                   .extra = tag < 0 ? NONE : (uint64_t)tag_in(comm, tag), .file = number};
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
    uint64_t came = got > 0 ? (uint64_t)got : 0, its = status->MPI_TAG < 0 ? NONE : (uint64_t)tag_in(comm, status->MPI_TAG);
    struct petrio_record record = {.kind = PETRIO_POST_RECEIVE, .offset = from, .length = came, .extra = its, .file = number};
    petrio_leave(in, from == NONE ? NULL : &record, NULL);
    if (in != 2)
        return;
    struct petrio_record next = {.kind = PETRIO_POST_SEND, .offset = to, .length = count, .extra = (uint64_t)tag_in(comm, tag), .file = second,
                                 .begin = record.begin};
    if (to != NONE) {
        petrio_put(&next, NULL);
        next.kind = PETRIO_WAIT;
        next.offset = NONE;
        petrio_put(&next, NULL);
    }
    next = (struct petrio_record){.kind = PETRIO_WAIT, .offset = from, .length = came, .extra = its, .file = number, .begin = record.begin};
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
#define SENDS_OFTEN(name)                                                                                                \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)  \
    {                                                                                                                    \
        int in = petrio_enter(0), answer = PMPI_##name(data, count, type, to, tag, comm, request);                        \
        note(*request, 0, 1, world(comm, to), bytes(count, type), tag, comm, 0);                                          \
        petrio_leave(in, NULL, NULL);                                                                                    \
        return answer;                                                                                                   \
    }
SENDS_OFTEN(Send_init)
SENDS_OFTEN(Ssend_init)
SENDS_OFTEN(Rsend_init)
SENDS_OFTEN(Bsend_init)

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
                                   .extra = one.tag == NONE || (int)one.tag < 0 ? NONE : (uint64_t)tag_in(one.comm, (int)one.tag), .file = one.number};
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
        together(in, which, comm, root, count, 0);           \
        return answer;                                       \
    }

/* Begun together and waited for later. */
#define TOGETHER_LATER(name, declared, passed, which, root, count)   \
    int MPI_##name declared                                          \
    {                                                                \
        int in = petrio_enter(0), answer = PMPI_##name passed;       \
        uint64_t number = in == 2 ? next_number() : 0;               \
        if (number)                                                  \
            note(*request, 0, 0, NONE, count, -1, comm, number);     \
        together(in, which, comm, root, count, number);              \
        return answer;                                               \
    }
#define MAKES(name, declared, passed, which, count)                  \
    int MPI_##name declared                                          \
    {                                                                \
        int in = petrio_enter(0);                                    \
        uint32_t next = in == 2 ? next_context(comm) : 0;            \
        int answer = PMPI_##name passed;                             \
        if (in == 2 && answer == MPI_SUCCESS)                        \
            call(*made, next);                                       \
        together(in, which, comm, -1, count, 0);                     \
        return answer;                                               \
    }
#include "mpi_together.h"

int MPI_Comm_free(MPI_Comm *comm)
{
    forget_group(*comm);
    int in = petrio_enter(0), answer = PMPI_Comm_free(comm);
    petrio_leave(in, NULL, NULL);
    return answer;
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    forget_group(*comm);
    int in = petrio_enter(0), answer = PMPI_Comm_disconnect(comm);
    petrio_leave(in, NULL, NULL);
    return answer;
}

/* Others' memory: that windows are made and that all wait for each other at their fences is recorded, accesses aren't. */
static void before_fence(MPI_Win win)
{
    struct window *window = window_of(win);
    struct petrio_record record = {.kind = PETRIO_COLLECTIVE, .offset = NONE, .extra = PETRIO_BARRIER};
    petrio_leave(petrio_enter(0), window ? &record : NULL, window ? window->words : NULL);
}

#define flushes(...) (void)0
#define before_lock(...) (void)0
#define before_unlock(...) (void)0
#define before_post(...) (void)0
#define before_start(...) (void)0
#define before_complete(...) (void)0
#define before_wait(...) (void)0
#define before_sync(...) (void)0
#define AROUND(name, declared, passed, before)                  \
    int MPI_##name declared                                     \
    {                                                           \
        before;                                                 \
        int in = petrio_enter(0), answer = PMPI_##name passed;  \
        petrio_leave(in, NULL, NULL);                           \
        return answer;                                          \
    }
#define ACCESS(name, declared, passed, how, out, back) AROUND(name, declared, passed, (void)0)
#define ACCESS_LATER ACCESS
#define WINDOW(name, declared, passed)                               \
    int MPI_##name declared                                          \
    {                                                                \
        int in = petrio_enter(0), answer = PMPI_##name passed;       \
        if (in == 2 && answer == MPI_SUCCESS)                        \
            window_made(*win, comm, next_context(comm));             \
        together(in, PETRIO_ALL_GATHER, comm, -1, 16, 0);            \
        unseen("accesses to other ranks' memory (MPI_Win)");         \
        return answer;                                               \
    }
#include "mpi_windows.h"

int MPI_Win_free(MPI_Win *win)
{
    before_fence(*win);
    window_gone(*win);
    int in = petrio_enter(0), answer = PMPI_Win_free(win);
    petrio_leave(in, NULL, NULL);
    return answer;
}

#define NOT_SEEN(name, declared, passed)                        \
    int MPI_##name declared                                     \
    {                                                           \
        unseen("MPI_" #name);                                   \
        int in = petrio_enter(0), answer = PMPI_##name passed;  \
        petrio_leave(in, NULL, NULL);                           \
        return answer;                                          \
    }
#include "mpi_unseen.h"

/* Files. */
int MPI_File_open(MPI_Comm comm, const char *path, int how, MPI_Info info, MPI_File *file)
{
    int in = petrio_enter(1), answer = PMPI_File_open(comm, path, how, info, file);
    if (answer == MPI_SUCCESS)
        file_opened(*file, comm);
    together(in, PETRIO_OPEN_ALL, comm, -1, 0, 0);
    return answer;
}

int MPI_File_close(MPI_File *file)
{
    MPI_Comm comm = of_file(*file);
    file_closed(*file);
    int in = petrio_enter(1), answer = PMPI_File_close(file);
    together(in, PETRIO_OPEN_ALL, comm, -1, 0, 0);
    return answer;
}

int MPI_File_set_view(MPI_File file, MPI_Offset at, MPI_Datatype of, MPI_Datatype type, const char *form, MPI_Info info)
{
    int in = petrio_enter(1), answer = PMPI_File_set_view(file, at, of, type, form, info);
    together(in, PETRIO_OPEN_ALL, of_file(file), -1, 0, 0);
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
        together(in, which, of_file(file), -1, bytes(count, type), 0);         \
        return answer;                                                         \
    }
/* All come to it before any of them does it (ompi/mca/io/ompio, mca_io_ompio_file_sync and its like; ROMIO's wait for each other within it,
 * too): ranks that make a file durable do so together, and what they wait for is one commit. */
#define ON_FILE_ALIKE(name, declared, passed)                       \
    int MPI_File_##name declared                                    \
    {                                                               \
        int all = petrio_enter(0);                                  \
        together(all, PETRIO_BARRIER, of_file(file), -1, 0, 0);     \
        int in = petrio_enter(1), answer = PMPI_File_##name passed; \
        petrio_leave(in, NULL, NULL);                               \
        return answer;                                              \
    }
#include "mpi_files.h"

int MPI_File_delete(const char *path, MPI_Info info)
{
    int in = petrio_enter(1), answer = PMPI_File_delete(path, info);
    petrio_leave(in, NULL, NULL);
    return answer;
}
