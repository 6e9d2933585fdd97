/* MPI's functions by their Fortran names. Open MPI's own Fortran functions call its C ones by names that nobody can take the place of, so each
 * has its own here. The handles of its `mpi_f08` are numbers in a structure and lie in memory as those of `mpif.h`, and what is
 * read or written is an address. MPICH's Fortran functions call those of C by their names, which are taken there; but not those of
 * its `mpi_f08` that neither read nor write anything. */
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
#ifndef OPEN_MPI
    /* Its `mpi_f08` has objects of its own for that. */
    if (status == (F *)MPI_F08_STATUS_IGNORE || status == (F *)MPI_F08_STATUSES_IGNORE)
        return 1;
#endif
    return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

static void give(MPI_Status *from, F *to)
{
    if (!ignores(to))
        MPI_Status_c2f(from, to);
}

static MPI_Request *in_c(F count, const F *requests)
{
    MPI_Request *all = malloc((size_t)(count > 0 ? count : 1) * sizeof *all);
    for (F at = 0; at < count; at++)
        all[at] = MPI_Request_f2c(requests[at]);
    return all;
}

static void in_fortran(F count, const MPI_Request *all, F *requests)
{
    for (F at = 0; at < count; at++)
        requests[at] = MPI_Request_c2f(all[at]);
}

#ifdef OPEN_MPI
#define N(name) mpi_##name##_
#define P(name) pmpi_##name##_
#define GIVES(answer) *error = answer
#include "mpi_fortran_names.h"
#undef N
#undef P
#undef GIVES
#endif

/* Its last argument may be left out. The library's own may not be there: it is another of its objects. */
#pragma weak pmpi_init_f08_
#pragma weak pmpi_init_thread_f08_
#pragma weak pmpi_finalize_f08_
#pragma weak pmpir_init_f08_
#pragma weak pmpir_init_thread_f08_
#pragma weak pmpir_finalize_f08_
#define N(name) mpi_##name##_f08_
#ifdef OPEN_MPI
#define P(name) pmpi_##name##_f08_
#else
#define P(name) pmpir_##name##_f08_
#endif
#define GIVES(answer)        \
    do {                     \
        int gave = answer;   \
        if (error)           \
            *error = gave;   \
    } while (0)
#include "mpi_fortran_names.h"
