/* MPI's functions of Fortran, each by its name: included once for those of `mpif.h` and the module `mpi` and once for those of `mpi_f08`, by
 * N(name) and P(name), the library's own. Each calls the C function of the same name, which takes the call, with what its arguments are in C. */
extern void P(init)(F *);
extern void P(init_thread)(F *, F *, F *);
extern void P(finalize)(F *);

void N(init)(F *error)
{
    int in = petrio_enter(0);
    P(init)(error);
    petrio_ranked(in);
}

void N(init_thread)(F *wanted, F *given, F *error)
{
    int in = petrio_enter(0);
    P(init_thread)(wanted, given, error);
    petrio_ranked(in);
}

void N(finalize)(F *error)
{
    int in = petrio_enter(0);
    P(finalize)(error);
    petrio_leave(in, NULL, NULL);
}

#define SENDS(low, name)                                                                   \
    void N(low)(void *data, F *count, F *type, F *to, F *tag, F *comm, F *error)      \
    {                                                                                      \
        GIVES(MPI_##name(data_of(data), *count, TYPE(type), *to, *tag, COMM(comm)));      \
    }
SENDS(send, Send)
SENDS(ssend, Ssend)
SENDS(rsend, Rsend)
SENDS(bsend, Bsend)

#define POSTS(low, name)                                                                               \
    void N(low)(void *data, F *count, F *type, F *peer, F *tag, F *comm, F *request, F *error)    \
    {                                                                                                  \
        MPI_Request made;                                                                              \
        GIVES(MPI_##name(data_of(data), *count, TYPE(type), *peer, *tag, COMM(comm), &made));         \
        *request = MPI_Request_c2f(made);                                                              \
    }
POSTS(isend, Isend)
POSTS(issend, Issend)
POSTS(irecv, Irecv)
POSTS(send_init, Send_init)
POSTS(recv_init, Recv_init)
POSTS(ssend_init, Ssend_init)
POSTS(rsend_init, Rsend_init)
POSTS(bsend_init, Bsend_init)

void N(recv)(void *data, F *count, F *type, F *from, F *tag, F *comm, F *status, F *error)
{
    MPI_Status own;
    GIVES(MPI_Recv(data_of(data), *count, TYPE(type), *from, *tag, COMM(comm), &own));
    give(&own, status);
}

void N(sendrecv)(void *data, F *count, F *type, F *to, F *tag, void *got, F *room, F *got_type, F *from, F *from_tag, F *comm, F *status,
                   F *error)
{
    MPI_Status own;
    GIVES(MPI_Sendrecv(data_of(data), *count, TYPE(type), *to, *tag, data_of(got), *room, TYPE(got_type), *from, *from_tag, COMM(comm), &own));
    give(&own, status);
}

void N(wait)(F *request, F *status, F *error)
{
    MPI_Status own;
    MPI_Request one = MPI_Request_f2c(*request);
    GIVES(MPI_Wait(&one, &own));
    *request = MPI_Request_c2f(one);
    give(&own, status);
}

void N(test)(F *request, F *flag, F *status, F *error)
{
    MPI_Status own;
    int is_over = 0;
    MPI_Request one = MPI_Request_f2c(*request);
    GIVES(MPI_Test(&one, &is_over, &own));
    *request = MPI_Request_c2f(one);
    *flag = is_over;
    if (is_over)
        give(&own, status);
}

void N(waitall)(F *count, F *requests, F *statuses, F *error)
{
    size_t some = *count > 0 ? (size_t)*count : 1;
    MPI_Request *all = in_c(*count, requests);
    MPI_Status *own = malloc(some * sizeof *own);
    GIVES(MPI_Waitall(*count, all, own));
    for (F at = 0; at < *count; at++) {
        requests[at] = MPI_Request_c2f(all[at]);
        if (!ignores(statuses))
            MPI_Status_c2f(&own[at], statuses + (size_t)at * STATUS);
    }
    free(all);
    free(own);
}

void N(waitany)(F *count, F *requests, F *which, F *status, F *error)
{
    MPI_Request *all = in_c(*count, requests);
    MPI_Status own;
    int index = 0;
    GIVES(MPI_Waitany(*count, all, &index, &own));
    if (index >= 0 && index < *count)
        requests[index] = MPI_Request_c2f(all[index]);
    *which = index == MPI_UNDEFINED ? index : index + 1;
    give(&own, status);
    free(all);
}

void N(barrier)(F *comm, F *error) { GIVES(MPI_Barrier(COMM(comm))); }
void N(bcast)(void *data, F *count, F *type, F *root, F *comm, F *error) { GIVES(MPI_Bcast(data_of(data), *count, TYPE(type), *root, COMM(comm))); }
void N(reduce)(void *data, void *to, F *count, F *type, F *op, F *root, F *comm, F *error)
{
    GIVES(MPI_Reduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), *root, COMM(comm)));
}
void N(allreduce)(void *data, void *to, F *count, F *type, F *op, F *comm, F *error)
{
    GIVES(MPI_Allreduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), COMM(comm)));
}
void N(gather)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *error)
{
    GIVES(MPI_Gather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm)));
}
void N(scatter)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *error)
{
    GIVES(MPI_Scatter(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm)));
}
void N(allgather)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *error)
{
    GIVES(MPI_Allgather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm)));
}
void N(alltoall)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *error)
{
    GIVES(MPI_Alltoall(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm)));
}
void N(comm_split)(F *comm, F *colour, F *key, F *made, F *error)
{
    MPI_Comm new;
    GIVES(MPI_Comm_split(COMM(comm), *colour, *key, &new));
    *made = MPI_Comm_c2f(new);
}
void N(comm_dup)(F *comm, F *made, F *error)
{
    MPI_Comm new;
    GIVES(MPI_Comm_dup(COMM(comm), &new));
    *made = MPI_Comm_c2f(new);
}

/* Files. */
void N(file_open)(F *comm, char *path, F *how, F *info, F *file, F *error, size_t length)
{
    MPI_File made;
    char *own = malloc(length + 1);
    while (length && path[length - 1] == ' ')
        length--;
    memcpy(own, path, length);
    own[length] = 0;
    GIVES(MPI_File_open(COMM(comm), own, *how, MPI_Info_f2c(*info), &made));
    *file = MPI_File_c2f(made);
    free(own);
}
void N(file_close)(F *file, F *error)
{
    MPI_File one = MPI_File_f2c(*file);
    GIVES(MPI_File_close(&one));
    *file = MPI_File_c2f(one);
}
void N(file_set_view)(F *file, MPI_Offset *at, F *of, F *type, char *form, F *info, F *error, size_t length)
{
    char own[64];
    if (length > 63)
        length = 63;
    while (length && form[length - 1] == ' ')
        length--;
    memcpy(own, form, length);
    own[length] = 0;
    GIVES(MPI_File_set_view(MPI_File_f2c(*file), *at, TYPE(of), TYPE(type), own, MPI_Info_f2c(*info)));
}
#define AT(low)                                                                                             \
    void N(file_##low)(F *file, MPI_Offset *at, void *data, F *count, F *type, F *status, F *error)      \
    {                                                                                                       \
        MPI_Status own;                                                                                     \
        GIVES(MPI_File_##low(MPI_File_f2c(*file), *at, data_of(data), *count, TYPE(type), &own));          \
        give(&own, status);                                                                                 \
    }
#define HERE(low)                                                                              \
    void N(file_##low)(F *file, void *data, F *count, F *type, F *status, F *error)         \
    {                                                                                          \
        MPI_Status own;                                                                        \
        GIVES(MPI_File_##low(MPI_File_f2c(*file), data_of(data), *count, TYPE(type), &own));  \
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

/* What else there is. */
#define VECTORS(low, name)                                                                                                          \
    void N(low)(void *data, F *count, F *type, void *to, F *rooms, F *places, F *to_type, F *root, F *comm, F *error)                \
    {                                                                                                                               \
        GIVES(MPI_##name(data_of(data), *count, TYPE(type), data_of(to), rooms, places, TYPE(to_type), *root, COMM(comm)));          \
    }
VECTORS(gatherv, Gatherv)
void N(scatterv)(void *data, F *counts, F *places, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *error)
{
    GIVES(MPI_Scatterv(data_of(data), counts, places, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm)));
}
void N(allgatherv)(void *data, F *count, F *type, void *to, F *rooms, F *places, F *to_type, F *comm, F *error)
{
    GIVES(MPI_Allgatherv(data_of(data), *count, TYPE(type), data_of(to), rooms, places, TYPE(to_type), COMM(comm)));
}
void N(alltoallv)(void *data, F *counts, F *places, F *type, void *to, F *rooms, F *to_places, F *to_type, F *comm, F *error)
{
    GIVES(MPI_Alltoallv(data_of(data), counts, places, TYPE(type), data_of(to), rooms, to_places, TYPE(to_type), COMM(comm)));
}
#define FOLDS(low, name)                                                                       \
    void N(low)(void *data, void *to, F *count, F *type, F *op, F *comm, F *error)              \
    {                                                                                          \
        GIVES(MPI_##name(data_of(data), data_of(to), *count, TYPE(type), OP(op), COMM(comm)));  \
    }
FOLDS(scan, Scan)
FOLDS(exscan, Exscan)
FOLDS(reduce_scatter_block, Reduce_scatter_block)
void N(reduce_scatter)(void *data, void *to, F *counts, F *type, F *op, F *comm, F *error)
{
    GIVES(MPI_Reduce_scatter(data_of(data), data_of(to), counts, TYPE(type), OP(op), COMM(comm)));
}
#define LATER(call)                         \
    {                                       \
        MPI_Request made;                   \
        GIVES(call);                        \
        *request = MPI_Request_c2f(made);   \
    }
void N(ibarrier)(F *comm, F *request, F *error) LATER(MPI_Ibarrier(COMM(comm), &made))
void N(ibcast)(void *data, F *count, F *type, F *root, F *comm, F *request, F *error)
    LATER(MPI_Ibcast(data_of(data), *count, TYPE(type), *root, COMM(comm), &made))
void N(iallreduce)(void *data, void *to, F *count, F *type, F *op, F *comm, F *request, F *error)
    LATER(MPI_Iallreduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), COMM(comm), &made))
void N(ireduce)(void *data, void *to, F *count, F *type, F *op, F *root, F *comm, F *request, F *error)
    LATER(MPI_Ireduce(data_of(data), data_of(to), *count, TYPE(type), OP(op), *root, COMM(comm), &made))
void N(igather)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *request, F *error)
    LATER(MPI_Igather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm), &made))
void N(iscatter)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *root, F *comm, F *request, F *error)
    LATER(MPI_Iscatter(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), *root, COMM(comm), &made))
void N(iallgather)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *request, F *error)
    LATER(MPI_Iallgather(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm), &made))
void N(ialltoall)(void *data, F *count, F *type, void *to, F *room, F *to_type, F *comm, F *request, F *error)
    LATER(MPI_Ialltoall(data_of(data), *count, TYPE(type), data_of(to), *room, TYPE(to_type), COMM(comm), &made))
void N(ialltoallv)(void *data, F *counts, F *places, F *type, void *to, F *rooms, F *to_places, F *to_type, F *comm, F *request, F *error)
    LATER(MPI_Ialltoallv(data_of(data), counts, places, TYPE(type), data_of(to), rooms, to_places, TYPE(to_type), COMM(comm), &made))
POSTS(irsend, Irsend)
POSTS(ibsend, Ibsend)
void N(sendrecv_replace)(void *data, F *count, F *type, F *to, F *tag, F *from, F *from_tag, F *comm, F *status, F *error)
{
    MPI_Status own;
    GIVES(MPI_Sendrecv_replace(data_of(data), *count, TYPE(type), *to, *tag, *from, *from_tag, COMM(comm), &own));
    give(&own, status);
}
void N(start)(F *request, F *error)
{
    MPI_Request one = MPI_Request_f2c(*request);
    GIVES(MPI_Start(&one));
    *request = MPI_Request_c2f(one);
}
void N(startall)(F *count, F *requests, F *error)
{
    MPI_Request *all = in_c(*count, requests);
    GIVES(MPI_Startall(*count, all));
    in_fortran(*count, all, requests);
    free(all);
}
void N(comm_create)(F *comm, F *group, F *made, F *error)
{
    MPI_Comm new;
    GIVES(MPI_Comm_create(COMM(comm), MPI_Group_f2c(*group), &new));
    *made = MPI_Comm_c2f(new);
}

/* Others' memory. */
#define WIN(x) MPI_Win_f2c(*(x))
void N(win_create)(void *base, MPI_Aint *size, F *unit, F *info, F *comm, F *win, F *error)
{
    MPI_Win made;
    GIVES(MPI_Win_create(data_of(base), *size, *unit, MPI_Info_f2c(*info), COMM(comm), &made));
    *win = MPI_Win_c2f(made);
}
#define ALLOCATES(low, name)                                                                          \
    void N(low)(MPI_Aint *size, F *unit, F *info, F *comm, void *base, F *win, F *error)               \
    {                                                                                                 \
        MPI_Win made;                                                                                 \
        GIVES(MPI_##name(*size, *unit, MPI_Info_f2c(*info), COMM(comm), base, &made));                 \
        *win = MPI_Win_c2f(made);                                                                      \
    }
ALLOCATES(win_allocate, Win_allocate)
ALLOCATES(win_allocate_shared, Win_allocate_shared)
void N(win_free)(F *win, F *error)
{
    MPI_Win one = WIN(win);
    GIVES(MPI_Win_free(&one));
    *win = MPI_Win_c2f(one);
}
void N(win_fence)(F *assert, F *win, F *error) { GIVES(MPI_Win_fence(*assert, WIN(win))); }
void N(win_lock)(F *kind, F *rank, F *assert, F *win, F *error) { GIVES(MPI_Win_lock(*kind, *rank, *assert, WIN(win))); }
void N(win_lock_all)(F *assert, F *win, F *error) { GIVES(MPI_Win_lock_all(*assert, WIN(win))); }
#define OF_RANK(low, name) \
    void N(low)(F *rank, F *win, F *error) { GIVES(MPI_##name(*rank, WIN(win))); }
OF_RANK(win_unlock, Win_unlock)
OF_RANK(win_flush, Win_flush)
OF_RANK(win_flush_local, Win_flush_local)
#define OF_WINDOW(low, name) \
    void N(low)(F *win, F *error) { GIVES(MPI_##name(WIN(win))); }
OF_WINDOW(win_unlock_all, Win_unlock_all)
OF_WINDOW(win_flush_all, Win_flush_all)
OF_WINDOW(win_flush_local_all, Win_flush_local_all)
OF_WINDOW(win_complete, Win_complete)
OF_WINDOW(win_wait, Win_wait)
OF_WINDOW(win_sync, Win_sync)
void N(win_post)(F *group, F *assert, F *win, F *error) { GIVES(MPI_Win_post(MPI_Group_f2c(*group), *assert, WIN(win))); }
void N(win_start)(F *group, F *assert, F *win, F *error) { GIVES(MPI_Win_start(MPI_Group_f2c(*group), *assert, WIN(win))); }
#define MOVES(low, name)                                                                                                        \
    void N(low)(void *data, F *count, F *type, F *to, MPI_Aint *at, F *room, F *to_type, F *win, F *error)                       \
    {                                                                                                                           \
        GIVES(MPI_##name(data_of(data), *count, TYPE(type), *to, *at, *room, TYPE(to_type), WIN(win)));                          \
    }
MOVES(put, Put)
MOVES(get, Get)
void N(accumulate)(void *data, F *count, F *type, F *to, MPI_Aint *at, F *room, F *to_type, F *op, F *win, F *error)
{
    GIVES(MPI_Accumulate(data_of(data), *count, TYPE(type), *to, *at, *room, TYPE(to_type), OP(op), WIN(win)));
}
void N(fetch_and_op)(void *data, void *got, F *type, F *to, MPI_Aint *at, F *op, F *win, F *error)
{
    GIVES(MPI_Fetch_and_op(data_of(data), got, TYPE(type), *to, *at, OP(op), WIN(win)));
}
void N(compare_and_swap)(void *data, void *expected, void *got, F *type, F *to, MPI_Aint *at, F *win, F *error)
{
    GIVES(MPI_Compare_and_swap(data, expected, got, TYPE(type), *to, *at, WIN(win)));
}

/* Files, all ranks alike or one by itself. */
void N(file_sync)(F *file, F *error) { GIVES(MPI_File_sync(MPI_File_f2c(*file))); }
void N(file_set_size)(F *file, MPI_Offset *size, F *error) { GIVES(MPI_File_set_size(MPI_File_f2c(*file), *size)); }
void N(file_preallocate)(F *file, MPI_Offset *size, F *error) { GIVES(MPI_File_preallocate(MPI_File_f2c(*file), *size)); }
void N(file_seek)(F *file, MPI_Offset *at, F *whence, F *error) { GIVES(MPI_File_seek(MPI_File_f2c(*file), *at, *whence)); }
HERE(write_shared)
HERE(read_shared)
HERE(write_ordered)
HERE(read_ordered)
#undef SENDS
#undef POSTS
#undef VECTORS
#undef FOLDS
#undef LATER
#undef AT
#undef HERE
#undef WIN
#undef ALLOCATES
#undef OF_RANK
#undef OF_WINDOW
#undef MOVES
