/* Collective operations that are posted, communicators, and persistent requests: what each takes in virtual time, told by the first rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
static void works(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}
#define REQUIRE(x) do { if (!(x)) { printf("rank %d: line %d fails\n", rank, __LINE__); MPI_Abort(MPI_COMM_WORLD, 3); } } while (0)
int main(int count, char **words)
{
    int rank, ranks, flag = 0, one = 1, sum = 0, tests = 0, got[2] = {0}, all[16];
    long begin, posted;
    MPI_Request request, two[2];
    MPI_Comm other, half;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    /* computing between posting and waiting */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    posted = now() - begin;
    works(500);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    REQUIRE(sum == ranks);
    if (rank == 0)
        printf("posted %ld overlapped %ld\n", posted / 1000, (now() - begin) / 1000);
    /* a late one delays the others at their wait alone */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank == 1)
        works(2000);
    MPI_Ialltoall(all, 1, MPI_INT, all + 8, 1, MPI_INT, MPI_COMM_WORLD, &request);
    posted = now() - begin;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("posted %ld late %ld\n", posted / 1000, (now() - begin) / 1000);
    /* the same without a wait: a posted barrier is tested */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank == 1)
        works(3);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (flag = 0; !flag; tests++) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            works(1);
    }
    if (rank == 0)
        printf("tested %d\n", tests > 10);
    /* two communicators, one tag: the one that is asked for comes */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank == 1) {
        int a = 11, b = 22;
        MPI_Send(&a, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        works(1000);
        MPI_Send(&b, 1, MPI_INT, 0, 5, other);
    } else if (rank == 0) {
        MPI_Recv(&got[0], 1, MPI_INT, 1, 5, other, MPI_STATUS_IGNORE);
        posted = now() - begin;
        MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("other %d after %ld, first %d\n", got[0], posted / 1000, got[1]);
    }
    /* posted on two communicators of the same ranks, in another order on each */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm order[2] = {rank ? MPI_COMM_WORLD : other, rank ? other : MPI_COMM_WORLD};
    for (int at = 0; at < 2; at++)
        MPI_Iallreduce(&one, &all[at], 1, MPI_INT, MPI_SUM, order[at], &two[at]);
    MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    REQUIRE(all[0] == ranks && all[1] == ranks);
    /* those of the other half are late: nobody waits for them */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank % 2)
        works(3000);
    MPI_Barrier(half);
    if (rank == 0)
        printf("half %ld\n", (now() - begin) / 1000);
    /* persistent */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank < 2) {
        int value = rank + 1, its = 0;
        MPI_Ssend_init(&value, 1, MPI_INT, 1 - rank, 9, other, &two[0]);
        MPI_Recv_init(&its, 1, MPI_INT, 1 - rank, 9, other, &two[1]);
        for (int turn = 0; turn < 3; turn++) {
            works(100);
            MPI_Startall(2, two);
            MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
            REQUIRE(its == 2 - rank);
        }
        MPI_Request_free(&two[0]);
        MPI_Request_free(&two[1]);
        if (rank == 0)
            printf("often %ld\n", (now() - begin) / 1000);
    }
    /* one posts and computes, the other computes and posts: both at the same time */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now();
    if (rank % 2)
        works(1000);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank % 2 == 0)
        works(1000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("crossed %ld\n", (now() - begin) / 1000);
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
