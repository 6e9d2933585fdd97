/* A small parallel program with the pattern of the NAS Parallel Benchmarks' BT-IO (NPB 3.4, BT/MPI; Wong and Van der Wijngaart, NAS-03-002):
 * q * q ranks, each with q cells along the diagonals of a cube of n points a side; faces are exchanged, three sweeps solve along the
 * dimensions stage by stage, and every fifth step the whole solution of five doubles a point is appended to one file.
 *
 *   bt_io POINTS STEPS simple|full[-sync] FILE
 *
 * simple: each row of a cell by a call of its own (MPI_File_write_at); full: one collective call through a view (MPI_File_write_at_all).
 * With -sync each dump is on the medium before the next step (MPI_File_sync), which NPB's isn't: its time is a drive's then, and no memory's.
 * It begins after a pause that is drawn, the same each time, of 10 ms and up to a turn of a drive: so it finds the platters anywhere, however
 * long computing took.
 * The values are a formula of place and step, not BT's: at the end all is read again and held against it. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 5, INTERVAL = 5, GHOSTS = 2 };

static int q, n, rank, ranks;
static int predecessor[3], successor[3];

struct cell {
    int at[3], size[3], coordinate[3];
    double *u; /* without ghosts: x fastest, FIELDS of each point */
};

static int length(int coordinate)
{
    return n / q + (coordinate < n % q);
}

static int begin(int coordinate)
{
    int extra = coordinate < n % q ? coordinate : n % q;
    return coordinate * (n / q) + extra;
}

static double value(int step, int x, int y, int z, int field)
{
    return step + 0.5 * field + 1e-3 * x + 1e-6 * y + 1e-9 * z;
}

static long points(const struct cell *cell)
{
    return (long)cell->size[0] * cell->size[1] * cell->size[2];
}

/* make_set.f */
static void place(struct cell *cells)
{
    int i = rank % q, j = rank / q;
    predecessor[0] = (i - 1 + q) % q + q * j;
    successor[0] = (i + 1) % q + q * j;
    predecessor[1] = i + q * ((j - 1 + q) % q);
    successor[1] = i + q * ((j + 1) % q);
    predecessor[2] = (i + 1) % q + q * ((j - 1 + q) % q);
    successor[2] = (i - 1 + q) % q + q * ((j + 1) % q);
    for (int c = 0; c < q; c++) {
        int coordinate[3] = {(i + c) % q, (j - c + q) % q, c};
        for (int d = 0; d < 3; d++) {
            cells[c].coordinate[d] = coordinate[d];
            cells[c].at[d] = begin(coordinate[d]);
            cells[c].size[d] = length(coordinate[d]);
        }
        cells[c].u = calloc((size_t)points(&cells[c]) * FIELDS, sizeof(double));
    }
}

/* Faces of all cells, two points deep, to both neighbours along each dimension (copy_faces.f). */
static void copy_faces(const struct cell *cells)
{
    MPI_Request requests[12];
    double *in[6], *out[6];
    for (int d = 0; d < 3; d++) {
        long count = 0;
        for (int c = 0; c < q; c++)
            count += points(&cells[c]) / cells[c].size[d] * GHOSTS * FIELDS;
        for (int side = 0; side < 2; side++) {
            int at = 2 * d + side, to = side ? successor[d] : predecessor[d];
            out[at] = calloc((size_t)count, sizeof(double));
            in[at] = calloc((size_t)count, sizeof(double));
            out[at][0] = cells[0].u[0];
            MPI_Irecv(in[at], (int)count, MPI_DOUBLE, to, 100 + 2 * d + !side, MPI_COMM_WORLD, &requests[at]);
        }
        for (int side = 0; side < 2; side++) {
            int at = 2 * d + side, to = side ? successor[d] : predecessor[d];
            MPI_Isend(out[at], (int)count, MPI_DOUBLE, to, 100 + at, MPI_COMM_WORLD, &requests[6 + at]);
        }
    }
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    for (int at = 0; at < 6; at++) {
        free(in[at]);
        free(out[at]);
    }
}

/* The cell of this rank that is at a stage along a dimension. */
static int cell_at(const struct cell *cells, int d, int stage)
{
    int c = 0;
    while (cells[c].coordinate[d] != stage)
        c++;
    return c;
}

/* One dimension: forward with a block matrix and a vector of each line, backward with the vector (x_solve.f). */
static void solve(const struct cell *cells, int d)
{
    for (int way = 0; way < 2; way++) {
        int from = way ? successor[d] : predecessor[d], to = way ? predecessor[d] : successor[d];
        double *sent = NULL;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        for (int stage = 0; stage < q; stage++) {
            const struct cell *cell = &cells[cell_at(cells, d, way ? q - 1 - stage : stage)];
            long count = points(cell) / cell->size[d] * (way ? FIELDS : FIELDS * FIELDS + FIELDS);
            double *buffer = calloc((size_t)count, sizeof(double));
            if (stage > 0) {
                MPI_Irecv(buffer, (int)count, MPI_DOUBLE, from, 200 + 2 * d + way, MPI_COMM_WORLD, &requests[1]);
                MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
                MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
                free(sent);
            }
            double sum = 0;
            for (long at = 0; at < points(cell) * FIELDS; at++)
                sum += sqrt(fabs(cell->u[at]) + 1);
            buffer[0] = sum;
            if (stage < q - 1)
                MPI_Isend(buffer, (int)count, MPI_DOUBLE, to, 200 + 2 * d + way, MPI_COMM_WORLD, &requests[0]);
            sent = buffer;
        }
        free(sent);
    }
}

static void add(struct cell *cells, int step)
{
    for (int c = 0; c < q; c++) {
        double *u = cells[c].u;
        for (int z = 0; z < cells[c].size[2]; z++)
            for (int y = 0; y < cells[c].size[1]; y++)
                for (int x = 0; x < cells[c].size[0]; x++)
                    for (int field = 0; field < FIELDS; field++)
                        *u++ = value(step, cells[c].at[0] + x, cells[c].at[1] + y, cells[c].at[2] + z, field);
    }
}

static MPI_Offset dump_bytes(void)
{
    return (MPI_Offset)n * n * n * FIELDS * (MPI_Offset)sizeof(double);
}

/* btio_common, simple_mpiio.f: a call for each row. */
static void rows(MPI_File file, struct cell *cells, int dump, int reads)
{
    for (int c = 0; c < q; c++)
        for (int z = 0; z < cells[c].size[2]; z++)
            for (int y = 0; y < cells[c].size[1]; y++) {
                const int *at = cells[c].at, *size = cells[c].size;
                MPI_Offset first = ((((MPI_Offset)(at[2] + z) * n + at[1] + y) * n) + at[0]) * FIELDS * (MPI_Offset)sizeof(double);
                double *from = cells[c].u + ((long)z * size[1] + y) * size[0] * FIELDS;
                MPI_Offset offset = dump * dump_bytes() + first;
                if (reads)
                    MPI_File_read_at(file, offset, from, size[0] * FIELDS, MPI_DOUBLE, MPI_STATUS_IGNORE);
                else
                    MPI_File_write_at(file, offset, from, size[0] * FIELDS, MPI_DOUBLE, MPI_STATUS_IGNORE);
            }
}

/* full_mpiio.f: a view of all cells of this rank. */
static void set_view(MPI_File file, const struct cell *cells, MPI_Datatype *in_memory)
{
    MPI_Datatype *parts = malloc((size_t)q * sizeof *parts), all;
    int *ones = malloc((size_t)q * sizeof *ones);
    MPI_Aint *zeros = calloc((size_t)q, sizeof *zeros), *places = calloc((size_t)q, sizeof *places);
    for (int c = 0; c < q; c++) {
        int whole[4] = {n, n, n, FIELDS}, size[4] = {cells[c].size[2], cells[c].size[1], cells[c].size[0], FIELDS};
        int at[4] = {cells[c].at[2], cells[c].at[1], cells[c].at[0], 0};
        MPI_Type_create_subarray(4, whole, size, at, MPI_ORDER_C, MPI_DOUBLE, &parts[c]);
        MPI_Type_commit(&parts[c]);
        ones[c] = 1;
    }
    MPI_Type_create_struct(q, ones, zeros, parts, &all);
    MPI_Type_commit(&all);
    MPI_File_set_view(file, 0, MPI_DOUBLE, all, "native", MPI_INFO_NULL);
    for (int c = 0; c < q; c++) {
        ones[c] = (int)(points(&cells[c]) * FIELDS);
        MPI_Get_address(cells[c].u, &places[c]);
        parts[c] = MPI_DOUBLE;
    }
    MPI_Type_create_struct(q, ones, places, parts, in_memory);
    MPI_Type_commit(in_memory);
}

/* 10 ms and up to 8.3 ms more, by a number of the dump's (a step of SplitMix64). */
static void pause_before(int dump)
{
    uint64_t drawn = ((uint64_t)dump + 1) * 0x9e3779b97f4a7c15u;
    drawn = (drawn ^ drawn >> 30) * 0xbf58476d1ce4e5b9u;
    drawn = (drawn ^ drawn >> 27) * 0x94d049bb133111ebu;
    usleep((useconds_t)(10000 + (drawn ^ drawn >> 31) % 8334));
}

static long own_points(const struct cell *cells)
{
    long all = 0;
    for (int c = 0; c < q; c++)
        all += points(&cells[c]);
    return all;
}

static long wrong(const struct cell *cells, int step)
{
    long found = 0;
    for (int c = 0; c < q; c++) {
        const double *u = cells[c].u;
        for (int z = 0; z < cells[c].size[2]; z++)
            for (int y = 0; y < cells[c].size[1]; y++)
                for (int x = 0; x < cells[c].size[0]; x++)
                    for (int field = 0; field < FIELDS; field++)
                        found += *u++ != value(step, cells[c].at[0] + x, cells[c].at[1] + y, cells[c].at[2] + z, field);
    }
    return found;
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (q * q < ranks)
        q++;
    if (count != 5 || q * q != ranks || (n = atoi(words[1])) < q) {
        if (rank == 0)
            fprintf(stderr, "bt_io POINTS STEPS simple|full[-sync] FILE, on 1, 4, 9, 16 … ranks, with as many points a side as ranks have cells\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int steps = atoi(words[2]), is_full = strncmp(words[3], "full", 4) == 0, is_synced = strstr(words[3], "-sync") != NULL, dumps = 0;
    struct cell *cells = calloc((size_t)q, sizeof *cells);
    MPI_Datatype in_memory = MPI_DOUBLE;
    MPI_File file;
    place(cells);
    if (rank == 0)
        MPI_File_delete(words[4], MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, words[4], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    if (is_full)
        set_view(file, cells, &in_memory);
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime(), writing = 0;
    for (int step = 1; step <= steps; step++) {
        copy_faces(cells);
        for (int d = 0; d < 3; d++)
            solve(cells, d);
        add(cells, step);
        if (step % INTERVAL == 0 || step == steps) {
            if (is_synced)
                pause_before(dumps);
            double from = MPI_Wtime();
            if (is_full)
                MPI_File_write_at_all(file, dumps * own_points(cells) * FIELDS, MPI_BOTTOM, 1, in_memory, MPI_STATUS_IGNORE);
            else
                rows(file, cells, dumps, 0);
            if (is_synced)
                MPI_File_sync(file);
            writing += MPI_Wtime() - from;
            dumps++;
        }
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    double took = MPI_Wtime() - since;
    /* Each dump is read again. */
    MPI_File_open(MPI_COMM_WORLD, words[4], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (is_full)
        set_view(file, cells, &in_memory);
    long bad = 0, all_bad = 0;
    for (int dump = 0; dump < dumps; dump++) {
        int step = (dump + 1) * INTERVAL < steps ? (dump + 1) * INTERVAL : steps;
        if (is_full)
            MPI_File_read_at_all(file, dump * own_points(cells) * FIELDS, MPI_BOTTOM, 1, in_memory, MPI_STATUS_IGNORE);
        else
            rows(file, cells, dump, 1);
        bad += wrong(cells, step);
    }
    MPI_File_close(&file);
    MPI_Reduce(&bad, &all_bad, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks, %d points a side, %d dumps of %lld bytes in %.3f s, %.3f s of them writing\n", ranks, n, dumps,
               (long long)dump_bytes(), took, writing);
        printf("Verification %s\n", all_bad == 0 ? "successful" : "failed");
    }
    MPI_Finalize();
    return rank == 0 && all_bad != 0;
}
