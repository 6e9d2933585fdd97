/* What the files of the C library's part share. */
#ifndef PETRIO_INSIDE_H
#define PETRIO_INSIDE_H

#define _GNU_SOURCE
#include "record.h"
#include <stddef.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

/* The kernel's answer: a negative error number where it failed. */
long petrio_raw(long number, long a, long b, long c, long d, long e, long f);
#define RAW(number, ...) RAW_(number, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define RAW_(number, a, b, c, d, e, f, ...) \
    petrio_raw((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

struct petrio_span { uint64_t begin, compute; };

/* A thread, as far as it records. */
struct petrio_thread {
    volatile uint8_t selector; /* the kernel reads it: 1 if system calls are trapped */
    uint8_t armed;             /* whether they are at all */
    uint8_t busy;              /* recording right now: a signal's handler finds it so */
    uint8_t begun;
    uint8_t quiet;             /* inside MPI, whose calls on files are its own */
    uint8_t in_mpi;
    uint8_t rooms_taken;
    char *rooms;
    struct petrio_header *header;
    uint8_t *window;           /* the mapped part of its file */
    uint64_t window_at, position;
    int descriptor;
    uint32_t process, thread;
    uint64_t token;
    uint64_t last, base;       /* when the record before ended; processor time then */
    struct petrio_span entered; /* of the call of MPI */
};
extern __thread struct petrio_thread petrio_self __attribute__((tls_model("initial-exec")));
extern int petrio_on;

static inline uint64_t petrio_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* stream.c */
int petrio_ready(void);
/* Room for two names, until it is given back. It isn't on the stack, which may be one of few kilobytes that the program has set aside for
 * its handlers. */
#define ROOM (2 * PATH_MAX + 64)
char *petrio_take_room(void);
void petrio_give_room(void);
struct petrio_span petrio_started(void);
uint64_t petrio_ended(uint64_t begin);
void petrio_write(const struct petrio_record *record, const char *text, size_t bytes);
void petrio_write_path(struct petrio_record *record, const char *text);
void petrio_forget(void);
const char *petrio_folder(void);

/* files.c */
enum { FILE_UNKNOWN, FILE_NONE, FILE_REGULAR, FILE_FOLDER };
struct petrio_file { uint64_t number; uint8_t state, flags; };
struct petrio_file petrio_file_of(int descriptor);
void petrio_file_opened(int descriptor, int flags, struct petrio_file *file);
void petrio_file_closed(int descriptor);
void petrio_file_copied(int from, int to);
size_t petrio_path_of(int folder, const char *path, char *to, size_t room);
size_t petrio_descriptor_path(int descriptor, char *to, size_t room);

/* calls.c */
long petrio_call(long number, long a, long b, long c, long d, long e, long f);

/* wrappers.c */
long petrio_execute(long path, char *const *arguments, char *const *environment);

/* dispatch.c */
void petrio_trap(void);
void petrio_rearm(void);

#endif
