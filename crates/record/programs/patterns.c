/* Patterns of parallel programs, one after the other, of any number of ranks; for tests of what follows from some numbers for others.
 *
 *   patterns regular|workers FOLDER
 *
 * regular: faces exchanged along a line, not around its ends; a file of each rank's own; one file by blocks, segmented and strided, as IOR
 * writes it; parts that differ by one; each with each. workers: the first rank gives work to whoever is done. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, ROWS = 101, ROW = 800, WORK = 40 };

static int rank, ranks;
static char *data;

static int opened(const char *folder, const char *name, int own)
{
    char path[4096];
    snprintf(path, sizeof path, own ? "%s/%s.%04d" : "%s/%s", folder, name, rank);
    int file = open(path, O_CREAT | O_RDWR, 0644);
    if (file < 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    return file;
}

static void put(int file, long at, size_t bytes)
{
    if (pwrite(file, data, bytes, at) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void halo(const char *folder)
{
    for (int step = 0; step < 20; step++) {
        MPI_Request all[4];
        double one = 1, sum;
        int count = 0;
        if (rank > 0)
            MPI_Irecv(data, 800, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, &all[count++]);
        if (rank < ranks - 1)
            MPI_Irecv(data + 1000, 800, MPI_BYTE, rank + 1, 2, MPI_COMM_WORLD, &all[count++]);
        if (rank > 0)
            MPI_Isend(data + 2000, 800, MPI_BYTE, rank - 1, 2, MPI_COMM_WORLD, &all[count++]);
        if (rank < ranks - 1)
            MPI_Isend(data + 3000, 800, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD, &all[count++]);
        MPI_Waitall(count, all, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    int file = opened(folder, "part", 1);
    for (int at = 0; at < 4; at++)
        put(file, at * BLOCK, BLOCK);
    fsync(file);
    close(file);
}

static void blocks(const char *folder)
{
    int file = opened(folder, "shared", 0);
    for (int at = 0; at < 8; at++)
        put(file, ((long)rank * 8 + at) * BLOCK, BLOCK);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int at = 0; at < 8; at++)
        put(file, ((long)at * ranks + rank) * BLOCK, BLOCK);
    MPI_Barrier(MPI_COMM_WORLD);
    long first = (long)rank * (ROWS / ranks) + (rank < ROWS % ranks ? rank : ROWS % ranks), rows = ROWS / ranks + (rank < ROWS % ranks);
    for (int step = 0; step < 3; step++) {
        put(file, (step * ROWS + first) * ROW, (size_t)(rows * ROW));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    close(file);
}

static void all_with_all(void)
{
    for (int step = 0; step < 5; step++) {
        MPI_Alltoall(data, 64, MPI_BYTE, data + 65536, 64, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Bcast(data, 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int turn = 1; turn < ranks; turn++)
            MPI_Sendrecv(data, 100, MPI_BYTE, (rank + turn) % ranks, 7, data + 1000, 100, MPI_BYTE, (rank - turn + ranks) % ranks, 7,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void workers(void)
{
    MPI_Status status;
    int number = 0, done = 0;
    if (rank == 0) {
        for (int to = 1; to < ranks; to++, number++)
            MPI_Send(&number, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
        for (; done < WORK; done++) {
            MPI_Recv(data, 100, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            int more = number < WORK;
            number += more;
            MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, more ? 1 : 9, MPI_COMM_WORLD);
        }
        return;
    }
    for (;;) {
        MPI_Recv(&number, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == 9)
            return;
        usleep((useconds_t)(number * 7919 % 13 * 100));
        MPI_Send(data, 100, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    data = calloc(1, 1 << 20);
    if (count != 3 || !data || ranks > 1000) {
        if (rank == 0)
            fprintf(stderr, "patterns regular|workers FOLDER\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (strcmp(words[1], "workers") == 0) {
        workers();
    } else {
        halo(words[2]);
        blocks(words[2]);
        all_with_all();
    }
    MPI_Finalize();
    return 0;
}
