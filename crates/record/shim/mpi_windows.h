/* Accesses to other ranks' memory, each by ACCESS(name, declared, passed, how, out, back), or ACCESS_LATER for those that are waited for by a
 * request of their own: how the memory is accessed, the bytes that go there and those that come back. */
#define TO int to, MPI_Aint at, int room, MPI_Datatype to_type

ACCESS(Put, (const void *data, int count, MPI_Datatype type, TO, MPI_Win win), (data, count, type, to, at, room, to_type, win), PETRIO_PUT,
       bytes(count, type), 0)
ACCESS(Get, (void *data, int count, MPI_Datatype type, TO, MPI_Win win), (data, count, type, to, at, room, to_type, win), PETRIO_GET, 0,
       bytes(count, type))
ACCESS(Accumulate, (const void *data, int count, MPI_Datatype type, TO, MPI_Op op, MPI_Win win),
       (data, count, type, to, at, room, to_type, op, win), PETRIO_ACCUMULATE, bytes(count, type), 0)
ACCESS(Get_accumulate,
       (const void *data, int count, MPI_Datatype type, void *got, int got_count, MPI_Datatype got_type, TO, MPI_Op op, MPI_Win win),
       (data, count, type, got, got_count, got_type, to, at, room, to_type, op, win), PETRIO_FETCH, op == MPI_NO_OP ? 0 : bytes(count, type),
       bytes(got_count, got_type))
ACCESS(Fetch_and_op, (const void *data, void *got, MPI_Datatype type, int to, MPI_Aint at, MPI_Op op, MPI_Win win),
       (data, got, type, to, at, op, win), PETRIO_FETCH, op == MPI_NO_OP ? 0 : bytes(1, type), bytes(1, type))
ACCESS(Compare_and_swap, (const void *data, const void *expected, void *got, MPI_Datatype type, int to, MPI_Aint at, MPI_Win win),
       (data, expected, got, type, to, at, win), PETRIO_FETCH, 2 * bytes(1, type), bytes(1, type))
ACCESS_LATER(Rput, (const void *data, int count, MPI_Datatype type, TO, MPI_Win win, MPI_Request *request),
             (data, count, type, to, at, room, to_type, win, request), PETRIO_PUT, bytes(count, type), 0)
ACCESS_LATER(Rget, (void *data, int count, MPI_Datatype type, TO, MPI_Win win, MPI_Request *request),
             (data, count, type, to, at, room, to_type, win, request), PETRIO_GET, 0, bytes(count, type))
ACCESS_LATER(Raccumulate, (const void *data, int count, MPI_Datatype type, TO, MPI_Op op, MPI_Win win, MPI_Request *request),
             (data, count, type, to, at, room, to_type, op, win, request), PETRIO_ACCUMULATE, bytes(count, type), 0)
ACCESS_LATER(Rget_accumulate,
             (const void *data, int count, MPI_Datatype type, void *got, int got_count, MPI_Datatype got_type, TO, MPI_Op op, MPI_Win win,
              MPI_Request *request),
             (data, count, type, got, got_count, got_type, to, at, room, to_type, op, win, request), PETRIO_FETCH,
             op == MPI_NO_OP ? 0 : bytes(count, type), bytes(got_count, got_type))

/* Windows are made together: each tells all where its memory lies. By WINDOW(name, declared, passed). */
WINDOW(Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win), (base, size, unit, info, comm, win))
WINDOW(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win), (size, unit, info, comm, base, win))
WINDOW(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win),
       (size, unit, info, comm, base, win))
WINDOW(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win), (info, comm, win))

/* What begins or ends a time in which memory may be accessed, or waits for accesses, by AROUND(name, declared, passed, before): what is done
 * beforehand. */
AROUND(Win_flush, (int rank, MPI_Win win), (rank, win), flushes(win, rank, 0))
AROUND(Win_flush_all, (MPI_Win win), (win), flushes(win, -1, 0))
AROUND(Win_flush_local, (int rank, MPI_Win win), (rank, win), flushes(win, rank, 1))
AROUND(Win_flush_local_all, (MPI_Win win), (win), flushes(win, -1, 1))
AROUND(Win_fence, (int assert, MPI_Win win), (assert, win), before_fence(win))
AROUND(Win_lock, (int kind, int rank, int assert, MPI_Win win), (kind, rank, assert, win), before_lock(kind, rank, assert, win))
AROUND(Win_lock_all, (int assert, MPI_Win win), (assert, win), before_lock(MPI_LOCK_SHARED, -1, assert, win))
AROUND(Win_unlock, (int rank, MPI_Win win), (rank, win), before_unlock(rank, win))
AROUND(Win_unlock_all, (MPI_Win win), (win), before_unlock(-1, win))
AROUND(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win), before_post(group, win))
AROUND(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win), before_start(group, win))
AROUND(Win_complete, (MPI_Win win), (win), before_complete(win))
AROUND(Win_wait, (MPI_Win win), (win), before_wait(win))
AROUND(Win_sync, (MPI_Win win), (win), before_sync(win))
