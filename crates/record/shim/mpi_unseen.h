/* Calls that aren't followed: of each it is told that there were such, by NOT_SEEN(name, declared, passed). */
NOT_SEEN(Neighbor_allgather,
         (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, room, to_type, comm))
NOT_SEEN(Neighbor_allgatherv,
         (const void *data, int count, MPI_Datatype type, void *to, const int rooms[], const int places[], MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, rooms, places, to_type, comm))
NOT_SEEN(Neighbor_alltoall,
         (const void *data, int count, MPI_Datatype type, void *to, int room, MPI_Datatype to_type, MPI_Comm comm),
         (data, count, type, to, room, to_type, comm))
NOT_SEEN(Neighbor_alltoallv,
         (const void *data, const int counts[], const int places[], MPI_Datatype type, void *to, const int rooms[], const int to_places[],
          MPI_Datatype to_type, MPI_Comm comm),
         (data, counts, places, type, to, rooms, to_places, to_type, comm))
NOT_SEEN(Alltoallw,
         (const void *data, const int counts[], const int places[], const MPI_Datatype types[], void *to, const int rooms[],
          const int to_places[], const MPI_Datatype to_types[], MPI_Comm comm),
         (data, counts, places, types, to, rooms, to_places, to_types, comm))
NOT_SEEN(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))
NOT_SEEN(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
NOT_SEEN(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peers, int other, int tag, MPI_Comm *made),
         (comm, leader, peers, other, tag, made))
NOT_SEEN(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
NOT_SEEN(Comm_spawn,
         (const char *command, char *words[], int most, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
         (command, words, most, info, root, comm, made, errors))
