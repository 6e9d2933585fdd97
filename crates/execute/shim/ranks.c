/* MPI's functions in a program that is executed: each tells petrio what it is about to do, waits until that may be done in virtual time,
 * and then lets the library do it. So real messages carry the data, and petrio says when they have come.
 *
 * What is told is a system call that no kernel has and that is held like others (crates/execute/src/ranks/tell.rs reads it). Compiled by
 * the user's mpicc, as handles differ between libraries. */
#define _GNU_SOURCE
#include "record.h"
#include "mpi_handles.h"
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#define TELL 511
/* petrio's answer to a wait that isn't over: the library is to see to what others want of it, and to ask again. */
#define AGAIN (1l << 62)
#define WHOEVER 0xffffffffull

enum tell {
    BEGIN = 1,   /* the library is being set up */
    BEGUN,       /* rank, ranks, job */
    ENTER,       /* a call that nothing else is told of */
    LEAVE,       /* the call is over */
    SEND,        /* peer, bytes, tag, request (0: it waits until the data have left), communicator */
    POST,        /* peer, tag, request, communicator: a receive */
    RECEIVE,     /* peer, tag, communicator: posted and waited for; the answer is who sent it << 32 | its tag */
    PROBE,       /* peer, tag, whether it waits, communicator; the answer likewise, or none */
    WAIT,        /* requests, how many, whether one is enough; the answer is which */
    TEST,        /* likewise; the answer is which, or none */
    MATCHED,     /* request, peer, tag: what a receive from whoever sends has got */
    FORGET,      /* a request that nobody waits for */
    TOGETHER,    /* which | communicator << 32, ranks, how many, bytes, root | request << 32 */
    FILES,       /* ranks, how many: they access a file together */
    FILES_OVER,  /* ranks, how many */
    END,         /* the library is taken down: ranks */
    ON,          /* a wait goes on */
    ACCESS,      /* window | how << 32, whose memory, bytes that go there, bytes that come back, request of its own or 0 */
    FLUSH,       /* window, whose memory, whether it is enough that the data have left */
    LOCK,        /* window, whose memory, whether nobody else may have it, ranks, how many */
    UNLOCK,      /* window, whose memory */
    UNSEEN       /* a call of which nothing is known but its name: that, its length */
};

static __thread int inside;

/* The library sees to what others want of it. */
static void serves(void)
{
    int any;
    for (int turn = 0; turn < 4; turn++)
        PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE);
}

static long tell(long kind, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
    int before = errno;
    long answer = syscall(TELL, kind, a, b, c, d, e);
    while (answer == AGAIN || (answer == -1 && errno == EINTR)) {
        serves();
#ifndef OPEN_MPI
        /* MPICH moves what is long part by part, for each of which both have to look. */
        for (int turn = 0; turn < 50; turn++) {
            sched_yield();
            serves();
        }
#endif
        answer = syscall(TELL, ON, 0, 0, 0, 0, 0);
    }
    errno = before;
    return answer;
}

/* Whether this is the program's call, and not one that the library makes of itself. */
static int own(void)
{
    return inside++ == 0;
}

static void leave(void)
{
    if (--inside == 0)
        tell(LEAVE, 0, 0, 0, 0, 0);
}

static uint64_t peer_of(MPI_Comm comm, int rank)
{
    uint64_t peer = rank == MPI_ANY_SOURCE ? NONE : world(comm, rank);
    return peer == NONE ? WHOEVER : peer;
}

static uint64_t tag_of(int tag)
{
    return tag == MPI_ANY_TAG ? WHOEVER : (uint64_t)(uint32_t)tag;
}

/* The rank in a communicator that has a number among all. */
static int local(MPI_Comm comm, uint64_t peer)
{
    struct group *group = group_of(comm);
    for (int rank = 0; group && rank < group->size; rank++)
        if ((uint64_t)group->world[rank] == peer)
            return rank;
    return MPI_ANY_SOURCE;
}

/* What petrio says of whom a message is: the rank and the tag that are received then. */
static void chosen(long answer, MPI_Comm comm, int *from, int *tag)
{
    if (answer < 0)
        return;
    *from = local(comm, (uint64_t)answer >> 32);
    if (*from != MPI_ANY_SOURCE)
        *tag = (int)(answer & 0xffffffff);
}

static void sends(MPI_Comm comm, int to, long count, MPI_Datatype type, int tag, uint64_t number)
{
    if (own() && to != MPI_PROC_NULL)
        tell(SEND, peer_of(comm, to), bytes(count, type), tag_of(tag), number, context(comm));
}

static void posts(MPI_Comm comm, int from, int tag, uint64_t number)
{
    if (own() && from != MPI_PROC_NULL)
        tell(POST, peer_of(comm, from), tag_of(tag), number, context(comm), 0);
}

static uint64_t number_of(MPI_Request of, struct request *copy)
{
    acquire();
    struct request *found = of == MPI_REQUEST_NULL ? NULL : request_of(of, 0);
    *copy = found ? *found : (struct request){0};
    release();
    return copy->number;
}

/* A request is over: it is forgotten, and what a receive from anybody has got is told. */
static void over(MPI_Request was, MPI_Status *status)
{
    struct request one;
    if (!number_of(was, &one))
        return;
    acquire();
    struct request *found = request_of(was, 0);
    if (found && found->persists)
        found->number = 0;
    else if (found)
        found->state = 2;
    release();
    if (one.receives && one.peer == NONE && status->MPI_SOURCE >= 0)
        tell(MATCHED, one.number, peer_of(one.comm, status->MPI_SOURCE), tag_of(status->MPI_TAG), 0, 0);
}

/* What the library alone knows. */
#define UNKNOWN -2l

/* Requests that are waited for. */
static long waits(enum tell how, int count, MPI_Request *all, int one)
{
    struct request copy;
    uint64_t *numbers_of = malloc(sizeof *numbers_of * (size_t)(count > 0 ? count : 1));
    long answer = UNKNOWN;
    int unknown = 0, real = 0;
    for (int at = 0; at < count; at++) {
        numbers_of[at] = number_of(all[at], &copy);
        real += all[at] != MPI_REQUEST_NULL;
        unknown |= all[at] != MPI_REQUEST_NULL && !numbers_of[at];
    }
    /* Of one of several the library knows more, where petrio doesn't know all. */
    if (real && !(one && unknown))
        answer = tell(how, (uint64_t)numbers_of, (uint64_t)(count > 0 ? count : 0), (uint64_t)one, 0, 0);
    else
        tell(ENTER, 0, 0, 0, 0, 0);
    free(numbers_of);
    return answer;
}

/* A call of which nothing more is known. */
static void unseen(const char *name)
{
    tell(UNSEEN, (uint64_t)name, strlen(name), 0, 0, 0);
}

static void together(int which, MPI_Comm comm, int root, uint64_t count, uint64_t number)
{
    int inter = 0;
    if (!own())
        return;
    PMPI_Comm_test_inter(comm, &inter);
    struct group *group = inter ? NULL : group_of(comm);
    if (!group) {
        unseen("collective operations between two groups");
        return;
    }
    uint64_t top = root < 0 ? WHOEVER : (uint64_t)(uint32_t)root;
    tell(TOGETHER, (uint64_t)which | (uint64_t)group->context << 32, (uint64_t)group->world, (uint64_t)group->size, count, top | number << 32);
}

static void files(enum tell how, MPI_File file, MPI_Comm comm)
{
    struct group *group = group_of(comm);
    (void)file;
    if (group)
        tell(how, (uint64_t)group->world, (uint64_t)group->size, 0, 0, 0);
}

/* ---- set up and taken down ---- */

static uint64_t job(int ranks)
{
    const char *name = getenv("PMIX_NAMESPACE");
    uint64_t hash = 14695981039346656037ull;
    if (ranks == 1)
        return (uint64_t)getpid();
    for (; name && *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211ull;
    return hash >> 33;
}

int petrio_enter(int on_files)
{
    int is_begun = 0;
    (void)on_files;
    PMPI_Initialized(&is_begun);
    struct group *all = is_begun ? group_of(MPI_COMM_WORLD) : NULL;
    inside++;
    if (all)
        tell(END, (uint64_t)all->world, (uint64_t)all->size, 0, 0, 0);
    else
        tell(BEGIN, 0, 0, 0, 0, 0);
    return 2;
}

void petrio_leave(int entered, struct petrio_record *record, const char *text)
{
    (void)entered, (void)record, (void)text;
    leave();
}

void petrio_put(struct petrio_record *record, const char *text)
{
    (void)record, (void)text;
}

void petrio_ranked(int entered)
{
    int rank = 0, ranks = 1;
    (void)entered;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    group_of(MPI_COMM_WORLD);
    tell(BEGUN, (uint64_t)rank, (uint64_t)ranks, job(ranks), 0, 0);
    leave();
}

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

/* ---- messages ---- */

#define SENDS(name)                                                                                \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)  \
    {                                                                                              \
        sends(comm, to, count, type, tag, 0);                                                      \
        int answer = PMPI_##name(data, count, type, to, tag, comm);                                 \
        leave();                                                                                   \
        return answer;                                                                             \
    }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (own() && from != MPI_PROC_NULL)
        chosen(tell(RECEIVE, peer_of(comm, from), tag_of(tag), context(comm), 0, 0), comm, &from, &tag);
    int answer = PMPI_Recv(data, count, type, from, tag, comm, status);
    leave();
    return answer;
}

#define POSTS_SEND(name)                                                                                                 \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)  \
    {                                                                                                                    \
        uint64_t number = next_number();                                                                                 \
        sends(comm, to, count, type, tag, number);                                                                       \
        int answer = PMPI_##name(data, count, type, to, tag, comm, request);                                              \
        if (inside == 1 && to != MPI_PROC_NULL)                                                                           \
            note(*request, 0, 0, peer_of(comm, to), 0, tag, comm, number);                                                \
        leave();                                                                                                         \
        return answer;                                                                                                   \
    }
POSTS_SEND(Isend)
POSTS_SEND(Issend)
POSTS_SEND(Irsend)
POSTS_SEND(Ibsend)

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    uint64_t number = next_number();
    posts(comm, from, tag, number);
    int answer = PMPI_Irecv(data, count, type, from, tag, comm, request);
    if (inside == 1 && from != MPI_PROC_NULL)
        note(*request, 1, 0, from == MPI_ANY_SOURCE ? NONE : peer_of(comm, from), 0, tag, comm, number);
    leave();
    return answer;
}

/* Both at once: the message goes, and the other is waited for. */
static void exchange(MPI_Comm comm, int to, long count, MPI_Datatype type, int tag, int *from, int *from_tag)
{
    if (!own())
        return;
    if (to != MPI_PROC_NULL)
        tell(SEND, peer_of(comm, to), bytes(count, type), tag_of(tag), next_number(), context(comm));
    if (*from != MPI_PROC_NULL)
        chosen(tell(RECEIVE, peer_of(comm, *from), tag_of(*from_tag), context(comm), 0, 0), comm, from, from_tag);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *got, int room, MPI_Datatype got_type, int from,
                 int from_tag, MPI_Comm comm, MPI_Status *status)
{
    exchange(comm, to, count, type, tag, &from, &from_tag);
    int answer = PMPI_Sendrecv(data, count, type, to, tag, got, room, got_type, from, from_tag, comm, status);
    leave();
    return answer;
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from, int from_tag, MPI_Comm comm, MPI_Status *status)
{
    exchange(comm, to, count, type, tag, &from, &from_tag);
    int answer = PMPI_Sendrecv_replace(data, count, type, to, tag, from, from_tag, comm, status);
    leave();
    return answer;
}

/* Persistent ones: a number each time they are started. */
#define SENDS_OFTEN(name)                                                                                                \
    int MPI_##name(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)  \
    {                                                                                                                    \
        inside++;                                                                                                        \
        int answer = PMPI_##name(data, count, type, to, tag, comm, request);                                              \
        if (to != MPI_PROC_NULL)                                                                                          \
            note(*request, 0, 1, peer_of(comm, to), bytes(count, type), tag, comm, 0);                                    \
        inside--;                                                                                                        \
        return answer;                                                                                                   \
    }
SENDS_OFTEN(Send_init)
SENDS_OFTEN(Ssend_init)
SENDS_OFTEN(Rsend_init)
SENDS_OFTEN(Bsend_init)

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    inside++;
    int answer = PMPI_Recv_init(data, count, type, from, tag, comm, request);
    if (from != MPI_PROC_NULL)
        note(*request, 1, 1, from == MPI_ANY_SOURCE ? NONE : peer_of(comm, from), 0, tag, comm, 0);
    inside--;
    return answer;
}

static void starts(MPI_Request of)
{
    acquire();
    struct request *found = request_of(of, 0), one = {0};
    if (found) {
        found->number = next_number();
        one = *found;
    }
    release();
    if (found && one.receives)
        tell(POST, one.peer == NONE ? WHOEVER : one.peer, tag_of((int)one.tag), one.number, context(one.comm), 0);
    else if (found)
        tell(SEND, one.peer, one.bytes, tag_of((int)one.tag), one.number, context(one.comm));
}

int MPI_Start(MPI_Request *request)
{
    if (own())
        starts(*request);
    int answer = PMPI_Start(request);
    leave();
    return answer;
}

int MPI_Startall(int count, MPI_Request all[])
{
    if (own())
        for (int at = 0; at < count; at++)
            starts(all[at]);
    int answer = PMPI_Startall(count, all);
    leave();
    return answer;
}

/* From now on the library alone knows of it. */
static void forget(MPI_Request of)
{
    struct request one;
    if (number_of(of, &one))
        tell(FORGET, one.number, 0, 0, 0, 0);
    acquire();
    struct request *found = request_of(of, 0);
    if (found)
        found->state = 2;
    release();
}

int MPI_Cancel(MPI_Request *request)
{
    if (own())
        forget(*request);
    int answer = PMPI_Cancel(request);
    leave();
    return answer;
}

int MPI_Request_free(MPI_Request *request)
{
    if (own())
        forget(*request);
    int answer = PMPI_Request_free(request);
    leave();
    return answer;
}

/* ---- waiting ---- */

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status kept;
    MPI_Request was = *request;
    if (status == MPI_STATUS_IGNORE)
        status = &kept;
    if (own())
        waits(WAIT, 1, request, 0);
    int answer = PMPI_Wait(request, status);
    over(was, status);
    leave();
    return answer;
}

int MPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[])
{
    struct room room = room_for(count, all, statuses);
    if (own())
        waits(WAIT, count, all, 0);
    int answer = PMPI_Waitall(count, all, room.statuses);
    for (int at = 0; at < count; at++)
        over(room.was[at], &room.statuses[at]);
    leave();
    leave_room(room);
    return answer;
}

/* One of several: petrio says which, and that one is waited for. */
int MPI_Waitany(int count, MPI_Request all[], int *which, MPI_Status *status)
{
    MPI_Status kept;
    if (status == MPI_STATUS_IGNORE)
        status = &kept;
    struct room room = room_for(count, all, status);
    long first = own() ? waits(WAIT, count, all, 1) : -1;
    int answer;
    if (first >= 0 && first < count) {
        *which = (int)first;
        answer = PMPI_Wait(&all[first], status);
    } else {
        answer = PMPI_Waitany(count, all, which, status);
    }
    if (*which >= 0 && *which < count)
        over(room.was[*which], status);
    leave();
    leave_room(room);
    return answer;
}

int MPI_Waitsome(int count, MPI_Request all[], int *done, int which[], MPI_Status statuses[])
{
    struct room room = room_for(count, all, statuses);
    long first = own() ? waits(WAIT, count, all, 1) : -1;
    int answer;
    if (first >= 0 && first < count) {
        *done = 1;
        which[0] = (int)first;
        answer = PMPI_Wait(&all[first], &room.statuses[0]);
    } else {
        answer = PMPI_Waitsome(count, all, done, which, room.statuses);
    }
    for (int at = 0; at < *done; at++)
        over(room.was[which[at]], &room.statuses[at]);
    leave();
    leave_room(room);
    return answer;
}

/* Tests: what petrio says has come, is there or about to be. */
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status kept;
    MPI_Request was = *request;
    int answer = MPI_SUCCESS;
    if (status == MPI_STATUS_IGNORE)
        status = &kept;
    long found = own() ? waits(TEST, 1, request, 1) : UNKNOWN;
    *flag = found >= 0;
    if (found == UNKNOWN)
        answer = PMPI_Test(request, flag, status);
    else if (*flag)
        answer = PMPI_Wait(request, status);
    if (*flag)
        over(was, status);
    leave();
    return answer;
}

int MPI_Testall(int count, MPI_Request all[], int *flag, MPI_Status statuses[])
{
    int answer = MPI_SUCCESS;
    struct room room = room_for(count, all, statuses);
    long found = own() ? waits(TEST, count, all, 0) : UNKNOWN;
    *flag = found >= 0;
    if (found == UNKNOWN)
        answer = PMPI_Testall(count, all, flag, room.statuses);
    else if (*flag)
        answer = PMPI_Waitall(count, all, room.statuses);
    for (int at = 0; *flag && at < count; at++)
        over(room.was[at], &room.statuses[at]);
    leave();
    leave_room(room);
    return answer;
}

int MPI_Testany(int count, MPI_Request all[], int *which, int *flag, MPI_Status *status)
{
    MPI_Status kept;
    int answer = MPI_SUCCESS;
    if (status == MPI_STATUS_IGNORE)
        status = &kept;
    struct room room = room_for(count, all, status);
    long found = own() ? waits(TEST, count, all, 1) : UNKNOWN;
    *flag = found >= 0 && found < count;
    *which = *flag ? (int)found : MPI_UNDEFINED;
    if (found == UNKNOWN)
        answer = PMPI_Testany(count, all, which, flag, status);
    else if (*flag)
        answer = PMPI_Wait(&all[found], status);
    if (*flag && *which >= 0 && *which < count)
        over(room.was[*which], status);
    leave();
    leave_room(room);
    return answer;
}

int MPI_Testsome(int count, MPI_Request all[], int *done, int which[], MPI_Status statuses[])
{
    int flag = 0, first = 0, real = 0, answer;
    MPI_Status kept;
    for (int at = 0; at < count; at++)
        real |= all[at] != MPI_REQUEST_NULL;
    if (!real) {
        *done = MPI_UNDEFINED;
        return MPI_SUCCESS;
    }
    answer = MPI_Testany(count, all, &first, &flag, statuses == MPI_STATUSES_IGNORE ? &kept : statuses);
    *done = flag;
    if (flag)
        which[0] = first;
    return answer;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    if (own() && from != MPI_PROC_NULL)
        chosen(tell(PROBE, peer_of(comm, from), tag_of(tag), 1, context(comm), 0), comm, &from, &tag);
    int answer = PMPI_Probe(from, tag, comm, status);
    leave();
    return answer;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    int answer = MPI_SUCCESS;
    long found = own() && from != MPI_PROC_NULL ? tell(PROBE, peer_of(comm, from), tag_of(tag), 0, context(comm), 0) : 0;
    *flag = found != -1;
    if (*flag && from != MPI_PROC_NULL) {
        chosen(found, comm, &from, &tag);
        answer = PMPI_Probe(from, tag, comm, status);
    } else if (*flag) {
        answer = PMPI_Iprobe(from, tag, comm, flag, status);
    }
    leave();
    return answer;
}

/* A message that is received later, by its handle: it has come when it is found. */
int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    if (own() && from != MPI_PROC_NULL)
        chosen(tell(RECEIVE, peer_of(comm, from), tag_of(tag), context(comm), 0, 0), comm, &from, &tag);
    int answer = PMPI_Mprobe(from, tag, comm, message, status);
    leave();
    return answer;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    int answer = MPI_SUCCESS;
    long found = own() && from != MPI_PROC_NULL ? tell(PROBE, peer_of(comm, from), tag_of(tag), 0, context(comm), 0) : 0;
    *flag = found != -1;
    if (*flag && from != MPI_PROC_NULL)
        chosen(tell(RECEIVE, peer_of(comm, from), tag_of(tag), context(comm), 0, 0), comm, &from, &tag);
    if (*flag)
        answer = PMPI_Mprobe(from, tag, comm, message, status);
    leave();
    return answer;
}

/* ---- together ---- */

#define TOGETHER(name, declared, passed, which, root, count) \
    int MPI_##name declared                                  \
    {                                                        \
        together(which, comm, root, count, 0);               \
        int answer = PMPI_##name passed;                     \
        leave();                                             \
        return answer;                                       \
    }
#define TOGETHER_LATER(name, declared, passed, which, root, count) \
    int MPI_##name declared                                        \
    {                                                              \
        uint64_t number = next_number();                           \
        together(which, comm, root, count, number);                \
        int answer = PMPI_##name passed;                           \
        if (inside == 1)                                           \
            note(*request, 0, 0, 0, 0, 0, comm, number);           \
        leave();                                                   \
        return answer;                                             \
    }
#define MAKES(name, declared, passed, which, count)         \
    int MPI_##name declared                                 \
    {                                                       \
        uint32_t next = inside ? 0 : next_context(comm);    \
        together(which, comm, -1, count, 0);                \
        int answer = PMPI_##name passed;                    \
        if (inside == 1 && answer == MPI_SUCCESS)           \
            call(*made, next);                              \
        leave();                                            \
        return answer;                                      \
    }
#include "mpi_together.h"

int MPI_Comm_free(MPI_Comm *comm)
{
    forget_group(*comm);
    if (own())
        tell(ENTER, 0, 0, 0, 0, 0);
    int answer = PMPI_Comm_free(comm);
    leave();
    return answer;
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
    forget_group(*comm);
    if (own())
        tell(ENTER, 0, 0, 0, 0, 0);
    int answer = PMPI_Comm_disconnect(comm);
    leave();
    return answer;
}

/* ---- others' memory ---- */

static uint64_t whose(const struct window *window, int rank)
{
    return rank >= 0 && rank < window->size ? (uint64_t)(uint32_t)window->world[rank] : WHOEVER;
}

static void accesses(MPI_Win win, int to, uint64_t how, uint64_t out, uint64_t back, uint64_t number)
{
    struct window *window = window_of(win);
    if (!own() || to == MPI_PROC_NULL)
        return;
    if (window)
        tell(ACCESS, window->context | how << 32, whose(window, to), out, back, number);
    else
        unseen("accesses to memory of windows that weren't seen to be made");
    /* What others have asked of this rank's memory before comes before what it does there itself. */
    serves();
}

static void flushes(MPI_Win win, int rank, int locally)
{
    struct window *window = window_of(win);
    if (window)
        tell(FLUSH, window->context, whose(window, rank), (uint64_t)locally, 0, 0);
    else
        tell(ENTER, 0, 0, 0, 0, 0);
}

/* All accesses are over, and all have come. */
static void before_fence(MPI_Win win)
{
    struct window *window = window_of(win);
    flushes(win, -1, 0);
    if (window)
        tell(TOGETHER, PETRIO_BARRIER | (uint64_t)window->context << 32, (uint64_t)window->world, (uint64_t)window->size, 0, WHOEVER);
}

static void before_lock(int kind, int rank, int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    if (window && !(assert & MPI_MODE_NOCHECK) && rank != MPI_PROC_NULL)
        tell(LOCK, window->context, whose(window, rank), kind == MPI_LOCK_EXCLUSIVE, (uint64_t)window->world, (uint64_t)window->size);
    else
        tell(ENTER, 0, 0, 0, 0, 0);
}

static void before_unlock(int rank, MPI_Win win)
{
    struct window *window = window_of(win);
    flushes(win, rank, 0);
    if (window && rank != MPI_PROC_NULL)
        tell(UNLOCK, window->context, whose(window, rank), 0, 0, 0);
}

/* That memory is exposed, and that it isn't accessed any more, is told by messages without data that no program sends. */
enum { EXPOSED = 1, COMPLETED };

static void remembers(int **list, int *count, MPI_Group group)
{
    free(*list);
    *list = in_world(group, count);
}

static void forgets(int **list, int *count)
{
    free(*list);
    *list = NULL;
    *count = 0;
}

static void says(const struct window *window, uint32_t what, const int *ranks, int count)
{
    for (int at = 0; at < count; at++)
        tell(SEND, (uint64_t)(uint32_t)ranks[at], 0, 0, next_number(), mixed(window->context, what));
}

static void hears(const struct window *window, uint32_t what, const int *ranks, int count)
{
    for (int at = 0; at < count; at++)
        tell(RECEIVE, (uint64_t)(uint32_t)ranks[at], 0, mixed(window->context, what), 0, 0);
}

static void before_post(MPI_Group group, MPI_Win win)
{
    struct window *window = window_of(win);
    tell(ENTER, 0, 0, 0, 0, 0);
    if (!window)
        return;
    remembers(&window->posted, &window->posts, group);
    says(window, EXPOSED, window->posted, window->posts);
}

static void before_start(MPI_Group group, MPI_Win win)
{
    struct window *window = window_of(win);
    tell(ENTER, 0, 0, 0, 0, 0);
    if (!window)
        return;
    remembers(&window->started, &window->starts, group);
    hears(window, EXPOSED, window->started, window->starts);
}

static void before_complete(MPI_Win win)
{
    struct window *window = window_of(win);
    flushes(win, -1, 0);
    if (!window)
        return;
    says(window, COMPLETED, window->started, window->starts);
    forgets(&window->started, &window->starts);
}

static void before_wait(MPI_Win win)
{
    struct window *window = window_of(win);
    tell(ENTER, 0, 0, 0, 0, 0);
    if (!window)
        return;
    hears(window, COMPLETED, window->posted, window->posts);
    forgets(&window->posted, &window->posts);
}

static void before_sync(MPI_Win win)
{
    (void)win;
    tell(ENTER, 0, 0, 0, 0, 0);
}

int MPI_Win_test(MPI_Win win, int *flag)
{
    struct window *window = window_of(win);
    int answer = MPI_SUCCESS, is_over = 1;
    if (!own() || !window) {
        tell(ENTER, 0, 0, 0, 0, 0);
        answer = PMPI_Win_test(win, flag);
        leave();
        return answer;
    }
    for (int at = 0; is_over && at < window->posts; at++)
        is_over = tell(PROBE, (uint64_t)(uint32_t)window->posted[at], 0, 0, mixed(window->context, COMPLETED), 0) != -1;
    *flag = is_over;
    if (is_over) {
        before_wait(win);
        answer = PMPI_Win_wait(win);
    }
    leave();
    return answer;
}

int MPI_Win_free(MPI_Win *win)
{
    if (own())
        before_fence(*win);
    window_gone(*win);
    int answer = PMPI_Win_free(win);
    leave();
    return answer;
}

#define ACCESS(name, declared, passed, how, out, back)     \
    int MPI_##name declared                                \
    {                                                      \
        accesses(win, to, how, out, back, 0);              \
        int answer = PMPI_##name passed;                   \
        leave();                                           \
        return answer;                                     \
    }
#define ACCESS_LATER(name, declared, passed, how, out, back)       \
    int MPI_##name declared                                        \
    {                                                              \
        uint64_t number = next_number();                           \
        accesses(win, to, how, out, back, number);                 \
        int answer = PMPI_##name passed;                           \
        if (inside == 1 && to != MPI_PROC_NULL && window_of(win))  \
            note(*request, 0, 0, 0, 0, 0, MPI_COMM_WORLD, number); \
        leave();                                                   \
        return answer;                                             \
    }
#define WINDOW(name, declared, passed)                     \
    int MPI_##name declared                                \
    {                                                      \
        uint32_t next = inside ? 0 : next_context(comm);   \
        together(PETRIO_ALL_GATHER, comm, -1, 16, 0);      \
        int answer = PMPI_##name passed;                   \
        if (inside == 1 && answer == MPI_SUCCESS)          \
            window_made(*win, comm, next);                 \
        leave();                                           \
        return answer;                                     \
    }
#define AROUND(name, declared, passed, before)             \
    int MPI_##name declared                                \
    {                                                      \
        if (own())                                         \
            before;                                        \
        int answer = PMPI_##name passed;                   \
        leave();                                           \
        return answer;                                     \
    }
#include "mpi_windows.h"

/* ---- calls of which nothing is known but that they are made ---- */

#define NOT_SEEN(name, declared, passed)   \
    int MPI_##name declared                \
    {                                      \
        if (own())                         \
            unseen("MPI_" #name);          \
        int answer = PMPI_##name passed;   \
        leave();                           \
        return answer;                     \
    }
#include "mpi_unseen.h"

/* ---- files ---- */

int MPI_File_open(MPI_Comm comm, const char *path, int how, MPI_Info info, MPI_File *file)
{
    if (own())
        files(FILES, NULL, comm);
    int answer = PMPI_File_open(comm, path, how, info, file);
    if (answer == MPI_SUCCESS)
        file_opened(*file, comm);
    if (inside == 1)
        files(FILES_OVER, NULL, comm);
    leave();
    return answer;
}

int MPI_File_close(MPI_File *file)
{
    MPI_Comm comm = of_file(*file);
    if (own())
        files(FILES, *file, comm);
    file_closed(*file);
    int answer = PMPI_File_close(file);
    if (inside == 1)
        files(FILES_OVER, NULL, comm);
    leave();
    return answer;
}

#define OF_ALL(name, declared, passed)                       \
    int MPI_File_##name declared                             \
    {                                                        \
        if (own())                                           \
            files(FILES, file, of_file(file));               \
        int answer = PMPI_File_##name passed;                \
        if (inside == 1)                                     \
            files(FILES_OVER, file, of_file(file));          \
        leave();                                             \
        return answer;                                       \
    }
OF_ALL(set_view, (MPI_File file, MPI_Offset at, MPI_Datatype of, MPI_Datatype type, const char *form, MPI_Info info),
       (file, at, of, type, form, info))
/* What one rank does alone is what its system calls are. */
#define ON_FILE(name, declared, passed)
#define ON_FILE_ALIKE(name, declared, passed) OF_ALL(name, declared, passed)
#define ON_FILE_TOGETHER(name, declared, passed, which) OF_ALL(name, declared, passed)
#include "mpi_files.h"
