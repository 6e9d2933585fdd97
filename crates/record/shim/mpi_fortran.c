/* MPI's functions by their Fortran names. The library's own Fortran functions call its C ones by names that nobody can take the place of,
 * so each has its own here. Of Fortran's modules `mpi` and `mpif.h`; those of `mpi_f08` have other names and aren't seen. */
#include "record.h"
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef MPI_Fint F;
#define STATUS (sizeof(MPI_Status) / sizeof(F))


extern F mpi_fortran_bottom_[] __attribute__((weak)), mpi_fortran_in_place_[] __attribute__((weak));
extern F mpi_fortran_bottom[] __attribute__((weak)), mpi_fortran_in_place[] __attribute__((weak));

static void *data_of(void *given)
{
    if (given == (void *)mpi_fortran_bottom_ || given == (void *)mpi_fortran_bottom)
        return MPI_BOTTOM;
    if (given == (void *)mpi_fortran_in_place_ || given == (void *)mpi_fortran_in_place)
        return MPI_IN_PLACE;
    return given;
}

#define TYPE(x) MPI_Type_f2c(*(x))
#define COMM(x) MPI_Comm_f2c(*(x))
#define OP(x) MPI_Op_f2c(*(x))

static int ignores(F *status)
{
    return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

static void give(MPI_Status *from, F *to)
{
    if (!ignores(to))
        MPI_Status_c2f(from, to);
}

/* Each calls the C function of the same name, which is the recorder's, with what its arguments are in C. */
void mpi_init_(F *error)
{
    extern void pmpi_init_(F *);
    int in = petrio_enter(0);
    pmpi_init_(error);
    petrio_ranked(in);
}

void mpi_init_thread_(F *wanted, F *given, F *error)
{
    extern void pmpi_init_thread_(F *, F *, F *);
    int in = petrio_enter(0);
    pmpi_init_thread_(wanted, given, error);
    petrio_ranked(in);
}

void mpi_finalize_(F *error)
{
    extern void pmpi_finalize_(F *);
    int in = petrio_enter(0);
    pmpi_finalize_(error);
    petrio_leave(in, NULL, NULL);
}

#define SENDS(low, name)                                                                   \
    void mpi_##low##_(void *data, F *count, F *type, F *to, F *tag, F *comm, F *error)      \
    {                                                                                      \
        *error = MPI_##name(data_of(data), *count, TYPE(type), *to, *tag, COMM(comm));      \
    }
SENDS(send, Send)
SENDS(ssend, Ssend)
SENDS(rsend, Rsend)
SENDS(bsend, Bsend)

#define POSTS(low, name)                                                                               \
    void mpi_##low##_(void *data, F *count, F *type, F *peer, F *tag, F *comm, F *request, F *error)    \
    {                                                                                                  \
        MPI_Request made;                                                                              \
        *error = MPI_##name(data_of(data), *count, TYPE(type), *peer, *tag, COMM(comm), &made);         \
        *request = MPI_Request_c2f(made);                                                              \
    }
POSTS(isend, Isend)
POSTS(issend, Issend)
POSTS(irecv, Irecv)
POSTS(send_init, Send_init)
POSTS(recv_init, Recv_init)

void mpi_recv_(void *data, F *count, F *type, F *from, F *tag, F *comm, F *status, F *error)
{
    MPI_Status own;
    *error = MPI_Recv(data_of(data), *count, TYPE(type), *from, *tag, COMM(comm), &own);
    give(&own, status);
}

void mpi_sendrecv_(void *data, F *count, F *type, F *to, F *tag, void *got, F *room, F *got_type, F *from, F *from_tag, F *comm, F *status,
                   F *error)
{
    MPI_Status own;
    *error = MPI_Sendrecv(data_of(data), *count, TYPE(type), *to, *tag, data_of(got), *room, TYPE(got_type), *from, *from_tag, COMM(comm), &own);
    give(&own, status);
}

void mpi_wait_(F *request, F *status, F *error)
{
    MPI_Status own;
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Wait(&one, &own);
    *request = MPI_Request_c2f(one);
    give(&own, status);
}

void mpi_test_(F *request, F *flag, F *status, F *error)
{
    MPI_Status own;
    int is_over = 0;
    MPI_Request one = MPI_Request_f2c(*request);
    *error = MPI_Test(&one, &is_over, &own);
    *request = MPI_Request_c2f(one);
    *flag = is_over;
    if (is_over)
        give(&own, status);
}

void mpi_waitall_(F *count, F *requests, F *statuses, F *error)
{
    size_t some = *count > 0 ? (size_t)*count : 1;
    MPI_Request *all = malloc(some * sizeof *all);
    MPI_Status *own = malloc(some * sizeof *own);
    for (F at = 0; at < *count; at++)
        all[at] = MPI_Request_f2c(requests[at]);
    *error = MPI_Waitall(*count, all, own);
    for (F at = 0; at < *count; at++) {
        requests[at] = MPI_Request_c2f(all[at]);
        if (!ignores(statuses))
            MPI_Status_c2f(&own[at], statuses + (size_t)at * STATUS);
    }
    free(all);
    free(own);
}

void mpi_waitany_(F *count, F *requests, F *which, F *status, F *error)
{
    size_t some = *count > 0 ? (size_t)*count : 1;
    MPI_Request *all = malloc(some * sizeof *all);
    MPI_Status own;
    int index = 0;
    for (F at = 0; at < *count; at++)
        all[at] = MPI_Request_f2c(requests[at]);
    *error = MPI_Waitany(*count, all, &index, &own);
    if (index >= 0 && index < *count)
        requests[index] = MPI_Request_c2f(all[index]);
    *which = index == MPI_UNDEFINED ? index : index + 1;
    give(&own, status);
    free(all);
}

void mpi_barrier_(F *comm, F *error) { *error = MPI_Barrier(COMM(comm)); }
void mpi_bcast_(void *data, F *count, F *type, F *root, F *comm, F *error) { *error = MPI_Bcast(data_of(data), *count, TYPE(type), *root, COMM(comm)); }
void mpi_reduce_(void *data, void *to, F *count, F *type, F *op, F *root, F *comm, F *error)
{
    *error = MPI_Reduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), *root, COMM(comm));
}
void mpi_allreduce_(void *data, void *to, F *count, F *type, F *op, F *comm, F *error)
{
    *error = MPI_Allreduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), COMM(comm));
}
void mpi_gather_(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *error)
{
    *error = MPI_Gather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm));
}
void mpi_scatter_(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *error)
{
    *error = MPI_Scatter(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm));
}
void mpi_allgather_(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *error)
{
    *error = MPI_Allgather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm));
}
void mpi_alltoall_(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *error)
{
    *error = MPI_Alltoall(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm));
}
void mpi_comm_split_(F *comm, F *colour, F *key, F *made, F *error)
{
    MPI_Comm new;
    *error = MPI_Comm_split(COMM(comm), *colour, *key, &new);
    *made = MPI_Comm_c2f(new);
}
void mpi_comm_dup_(F *comm, F *made, F *error)
{
    MPI_Comm new;
    *error = MPI_Comm_dup(COMM(comm), &new);
    *made = MPI_Comm_c2f(new);
}

/* Files. */
void mpi_file_open_(F *comm, char *path, F *how, F *info, F *file, F *error, size_t length)
{
    MPI_File made;
    char *own = malloc(length + 1);
    while (length && path[length - 1] == ' ')
        length--;
    memcpy(own, path, length);
    own[length] = 0;
    *error = MPI_File_open(COMM(comm), own, *how, MPI_Info_f2c(*info), &made);
    *file = MPI_File_c2f(made);
    free(own);
}
void mpi_file_close_(F *file, F *error)
{
    MPI_File one = MPI_File_f2c(*file);
    *error = MPI_File_close(&one);
    *file = MPI_File_c2f(one);
}
void mpi_file_set_view_(F *file, MPI_Offset *at, F *of, F *type, char *form, F *info, F *error, size_t length)
{
    char own[64];
    if (length > 63)
        length = 63;
    while (length && form[length - 1] == ' ')
        length--;
    memcpy(own, form, length);
    own[length] = 0;
    *error = MPI_File_set_view(MPI_File_f2c(*file), *at, TYPE(of), TYPE(type), own, MPI_Info_f2c(*info));
}
#define AT(low)                                                                                             \
    void mpi_file_##low##_(F *file, MPI_Offset *at, void *data, F *count, F *type, F *status, F *error)      \
    {                                                                                                       \
        MPI_Status own;                                                                                     \
        *error = MPI_File_##low(MPI_File_f2c(*file), *at, data_of(data), *count, TYPE(type), &own);          \
        give(&own, status);                                                                                 \
    }
#define HERE(low)                                                                              \
    void mpi_file_##low##_(F *file, void *data, F *count, F *type, F *status, F *error)         \
    {                                                                                          \
        MPI_Status own;                                                                        \
        *error = MPI_File_##low(MPI_File_f2c(*file), data_of(data), *count, TYPE(type), &own);  \
        give(&own, status);                                                                    \
    }
AT(write_at)
AT(read_at)
AT(write_at_all)
AT(read_at_all)
HERE(write)
HERE(read)
HERE(write_all)
HERE(read_all)
