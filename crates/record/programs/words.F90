! Messages, collective operations and a file by Fortran's names: of the module mpi, and with -DF08 of mpi_f08, whose last arguments may be left out.
!
!   words FILE
program words
#ifdef F08
#define FAILS
    use mpi_f08
    implicit none
    type(MPI_Request) :: requests(2), request
    type(MPI_Status) :: status
    type(MPI_File) :: file
#else
#define FAILS , failed
    use mpi
    implicit none
    integer :: requests(2), request, status(MPI_STATUS_SIZE), file, failed
#endif
    integer :: rank, ranks, at, error
    integer :: data(10), got(10), all(400), rooms(40), places(40)
    integer(kind=MPI_OFFSET_KIND) :: offset
    character(len=500) :: path
    call get_command_argument(1, path)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    data = rank
    call MPI_Irecv(got, 10, MPI_INTEGER, mod(rank - 1 + ranks, ranks), 7, MPI_COMM_WORLD, requests(1) FAILS)
    call MPI_Isend(data, 10, MPI_INTEGER, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, requests(2) FAILS)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE FAILS)
    if (got(10) /= mod(rank - 1 + ranks, ranks)) stop 3
    if (rank == 0) then
        call MPI_Send(data, 3, MPI_INTEGER, 1, 8, MPI_COMM_WORLD FAILS)
    else if (rank == 1) then
        call MPI_Recv(got, 10, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status FAILS)
    end if
    call MPI_Bcast(data, 10, MPI_INTEGER, 1, MPI_COMM_WORLD FAILS)
    do at = 1, ranks
        rooms(at) = 10
        places(at) = 10 * (at - 1)
    end do
    call MPI_Gatherv(data, 10, MPI_INTEGER, all, rooms, places, MPI_INTEGER, 0, MPI_COMM_WORLD FAILS)
    call MPI_Allreduce(MPI_IN_PLACE, data, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD FAILS)
    if (data(1) /= ranks) stop 4
    call MPI_Ibcast(got, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request FAILS)
    call MPI_Wait(request, MPI_STATUS_IGNORE FAILS)
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file FAILS)
    offset = 40 * rank
    call MPI_File_write_at_all(file, offset, data, 10, MPI_INTEGER, MPI_STATUS_IGNORE FAILS)
    call MPI_File_sync(file FAILS)
    call MPI_File_close(file FAILS)
    call MPI_Finalize(error)
end program
