/* Windows of memory that others access: fences, locks, counters, requests, and exposure to some: what each takes in virtual time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static void works(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}
#define REQUIRE(x) do { if (!(x)) { printf("rank %d: line %d fails\n", rank, __LINE__); MPI_Abort(MPI_COMM_WORLD, 3); } } while (0)
enum { LONG = 1 << 20 };
int main(int count, char **words)
{
    int rank, ranks, mine = 0, one = 1, flag = 0, others[2];
    long begin, after;
    char *memory, *data = calloc(1, LONG);
    int *numbers;
    MPI_Win win, counts;
    MPI_Group all, group;
    MPI_Request request;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_allocate(100 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &counts);
    for (int at = 0; at < 100; at++)
        numbers[at] = 0;
    /* a fence: all come, and what was put is there; 1 MiB at 1 MiB/s */
    MPI_Win_fence(0, win);
    begin = now();
    if (rank == 1) {
        data[LONG - 1] = 42;
        MPI_Put(data, LONG, MPI_BYTE, 0, 0, LONG, MPI_BYTE, win);
        REQUIRE(now() - begin < 5);
    }
    if (rank == 2)
        works(300);
    MPI_Win_fence(0, win);
    REQUIRE(rank != 0 || memory[LONG - 1] == 42);
    if (rank == 0)
        printf("fence %ld\n", now() - begin);
    /* a lock that nobody else may have: one after the other, each a second */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, counts);
    MPI_Get(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, counts);
    MPI_Win_flush(0, counts);
    mine++;
    works(1000);
    MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, counts);
    MPI_Win_unlock(0, counts);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counts);
        printf("counted %d in %ld\n", numbers[0], (now() - begin) / 100);
        MPI_Win_unlock(0, counts);
    }
    /* one that is shared: all at once */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, counts);
    works(1000);
    MPI_Win_unlock(0, counts);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("shared %ld\n", (now() - begin) / 100);
    /* a counter of all: who comes first in virtual time gets the lower number */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, counts);
    works(100 * (ranks - rank));
    MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 1, MPI_SUM, counts);
    MPI_Win_flush(0, counts);
    REQUIRE(mine == ranks - 1 - rank);
    int zero = 0, ten = 10;
    MPI_Compare_and_swap(&ten, &zero, &mine, MPI_INT, 0, 2, counts);
    MPI_Win_flush(0, counts);
    REQUIRE(mine == (rank == ranks - 1 ? 0 : 10));
    MPI_Accumulate(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, counts);
    MPI_Win_unlock_all(counts);
    MPI_Barrier(MPI_COMM_WORLD);
    /* by requests: what is got takes as long as it is */
    begin = now();
    if (rank == 1) {
        MPI_Win_lock_all(0, win);
        MPI_Rget(data, LONG, MPI_BYTE, 0, 0, LONG, MPI_BYTE, win, &request);
        after = now() - begin;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        printf("got %d posted %ld waited %ld\n", data[LONG - 1], after, (now() - begin) / 10);
        MPI_Win_unlock_all(win);
    }
    /* exposed to one, who accesses it then */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    begin = now();
    if (rank == 0) {
        others[0] = 1;
        MPI_Group_incl(all, 1, others, &group);
        works(200);
        MPI_Win_post(group, 0, win);
        MPI_Win_test(win, &flag);
        after = now() - begin;
        if (!flag)
            MPI_Win_wait(win);
        printf("exposed %d, accessed %d after %ld %ld\n", flag, memory[5], after / 10, (now() - begin) / 10);
    } else if (rank == 1) {
        others[0] = 0;
        MPI_Group_incl(all, 1, others, &group);
        MPI_Win_start(group, 0, win);
        REQUIRE(now() - begin >= 200);
        data[5] = 7;
        MPI_Put(data, LONG, MPI_BYTE, 0, 0, LONG, MPI_BYTE, win);
        MPI_Win_complete(win);
    }
    MPI_Win_free(&win);
    MPI_Win_free(&counts);
    MPI_Finalize();
    return 0;
}
