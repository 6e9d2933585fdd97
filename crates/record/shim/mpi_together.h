/* MPI's collective operations, each by TOGETHER(name, declared, passed, which, root, count), or TOGETHER_LATER for those that are
 * waited for by a request: which they are, their root, and the bytes of a vector, of each rank or of each pair. MAKES are those that make
 * a communicator. */
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
MAKES(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made), (comm, colour, key, made), PETRIO_ALL_GATHER, 8)
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made), (comm, type, key, info, made), PETRIO_ALL_GATHER, 8)
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), PETRIO_ALL_REDUCE, 4)
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), PETRIO_ALL_REDUCE, 4)
MAKES(Cart_create, (MPI_Comm comm, int sides, const int lengths[], const int periods[], int reorder, MPI_Comm *made),
         (comm, sides, lengths, periods, reorder, made), PETRIO_ALL_REDUCE, 4)
MAKES(Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm *made), (comm, kept, made), PETRIO_ALL_GATHER, 8)
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made), PETRIO_ALL_REDUCE, 4)
MAKES(Graph_create, (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *made),
      (comm, nodes, index, edges, reorder, made), PETRIO_ALL_REDUCE, 4)
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int from, const int sources[], const int source_weights[], int out, const int to[], const int weights[], MPI_Info info,
       int reorder, MPI_Comm *made),
      (comm, from, sources, source_weights, out, to, weights, info, reorder, made), PETRIO_ALL_REDUCE, 4)

TOGETHER_LATER(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), PETRIO_BARRIER, -1, 0)
TOGETHER_LATER(Ibcast, (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request),
               (data, count, type, root, comm, request), PETRIO_BROADCAST, root, bytes(count, type))
TOGETHER_LATER(Iallreduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, comm, request), PETRIO_ALL_REDUCE, -1, bytes(count, type))
TOGETHER_LATER(Ireduce, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, root, comm, request), PETRIO_REDUCE, root, bytes(count, type))
TOGETHER_LATER(Iscan,
               (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, comm, request),
               PETRIO_SCAN, -1, bytes(count, type))
TOGETHER_LATER(Iexscan,
               (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, comm, request),
               PETRIO_SCAN, -1, bytes(count, type))
TOGETHER_LATER(Igather,
               (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root, MPI_Comm comm,
               MPI_Request *request),
               (data, count, type, to, room, to_type, root, comm, request), PETRIO_GATHER, root,
               data == MPI_IN_PLACE ? bytes(room, to_type) : bytes(count, type))
TOGETHER_LATER(Igatherv,
               (const void *data, int count, MPI_Datatype type, void *to, const int rooms[], const int places[], MPI_Datatype to_type, int root,
               MPI_Comm comm, MPI_Request *request),
               (data, count, type, to, rooms, places, to_type, root, comm, request), PETRIO_GATHER, root,
               data == MPI_IN_PLACE ? 0 : bytes(count, type))
TOGETHER_LATER(Iscatter,
               (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root, MPI_Comm comm,
               MPI_Request *request),
               (data, count, type, to, room, to_type, root, comm, request), PETRIO_SCATTER, root,
               to == MPI_IN_PLACE ? bytes(count, type) : bytes(room, to_type))
TOGETHER_LATER(Iscatterv,
               (const void *data, const int counts[], const int places[], MPI_Datatype type, void *to, int room, MPI_Datatype to_type, int root,
               MPI_Comm comm, MPI_Request *request),
               (data, counts, places, type, to, room, to_type, root, comm, request), PETRIO_SCATTER, root,
               to == MPI_IN_PLACE ? 0 : bytes(room, to_type))
TOGETHER_LATER(Iallgather,
               (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request),
               (data, count, type, to, room, to_type, comm, request), PETRIO_ALL_GATHER, -1, bytes(room, to_type))
TOGETHER_LATER(Iallgatherv,
               (const void *data, int count, MPI_Datatype type, void *to, const int rooms[], const int places[], MPI_Datatype to_type,
               MPI_Comm comm, MPI_Request *request),
               (data, count, type, to, rooms, places, to_type, comm, request), PETRIO_ALL_GATHER, -1, mean_of(rooms, to_type, comm))
TOGETHER_LATER(Ialltoall,
               (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request),
               (data, count, type, to, room, to_type, comm, request), PETRIO_ALL_TO_ALL, -1, bytes(room, to_type))
TOGETHER_LATER(Ialltoallv,
               (const void *data, const int counts[], const int places[], MPI_Datatype type, void *to, const int rooms[], const int to_places[],
               MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request),
               (data, counts, places, type, to, rooms, to_places, to_type, comm, request), PETRIO_ALL_TO_ALL, -1, mean_of(rooms, to_type, comm))
TOGETHER_LATER(Ireduce_scatter,
               (const void *data, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, counts, type, op, comm, request), PETRIO_REDUCE_SCATTER, -1, all_of(counts, type, comm))
TOGETHER_LATER(Ireduce_scatter_block, (const void *data, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
               (data, to, count, type, op, comm, request), PETRIO_REDUCE_SCATTER, -1, bytes(count,
               type) * (uint64_t)(group_of(comm) ? group_of(comm)->size : 1))
