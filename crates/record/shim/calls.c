/* Each call on files as the kernel has it: carried out, and recorded if it is about a file. Whoever comes here, by a function of the
 * C library or by a trapped system call, comes once. */
#include "inside.h"
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define NONE (~0ull)

static long finish(struct petrio_record *record, long result)
{
    record->took = petrio_ended(record->begin);
    if (result < 0)
        record->error = (uint16_t)-result;
    if (petrio_self.in_mpi)
        record->compute = 0;
    petrio_write(record, NULL, 0);
    return result;
}

static struct petrio_record started(int kind, struct petrio_file file)
{
    struct petrio_span span = petrio_started();
    return (struct petrio_record){
        .kind = (uint16_t)kind, .begin = span.begin, .compute = span.compute, .file = file.number, .flags = file.flags};
}

/* Whether calls on files are of interest here. */
static int wanted(void)
{
    return petrio_ready() && !petrio_self.quiet;
}

static uint64_t asked(const struct iovec *parts, long count)
{
    uint64_t all = 0;
    for (long at = 0; at < count; at++)
        all += parts[at].iov_len;
    return all;
}

#ifndef RWF_DSYNC
#define RWF_DSYNC 2
#endif

/* A read or a write: where the offset isn't said it is where the file stood. */
static long access_file(int kind, long number, long a, long b, long c, long d, long e, long f)
{
    struct petrio_file file = wanted() ? petrio_file_of((int)a) : (struct petrio_file){0, FILE_NONE, 0};
    if (file.state != FILE_REGULAR)
        return petrio_raw(number, a, b, c, d, e, f);
    struct petrio_record record = started(kind, file);
    long result = petrio_raw(number, a, b, c, d, e, f);
    record.took = petrio_ended(record.begin);
    int is_vector = number == SYS_readv || number == SYS_writev || number == SYS_preadv || number == SYS_pwritev;
    int is_placed = number == SYS_pread64 || number == SYS_pwrite64 || number == SYS_preadv || number == SYS_pwritev;
    record.offset = (uint64_t)d;
#ifdef SYS_preadv2
    if (number == SYS_preadv2 || number == SYS_pwritev2) {
        is_vector = 1;
        is_placed = d != -1;
        if (f & RWF_DSYNC)
            record.flags |= PETRIO_DURABLE;
    }
#endif
    record.length = result >= 0 ? (uint64_t)result : is_vector ? asked((const struct iovec *)b, c) : (uint64_t)c;
    if (!is_placed) {
        long stands = RAW(SYS_lseek, a, 0, SEEK_CUR);
        record.offset = stands < 0 ? 0 : (uint64_t)stands - (result > 0 ? (uint64_t)result : 0);
    }
    if (result < 0)
        record.error = (uint16_t)-result;
    if (petrio_self.in_mpi)
        record.compute = 0;
    petrio_write(&record, NULL, 0);
    return result;
}

static long open_file(long number, long folder, const char *path, long flags, long mode, long how)
{
    struct stat before;
    long there = -1;
    if (!wanted())
        return number == SYS_openat ? RAW(number, folder, path, flags, mode) : RAW(number, folder, path, how, mode);
    struct petrio_record record = started(PETRIO_OPEN, (struct petrio_file){0});
    if (flags & (O_CREAT | O_TRUNC))
        there = RAW(SYS_newfstatat, folder, path, &before, 0);
    long result =
        number == SYS_openat ? RAW(number, folder, path, flags, mode) : RAW(number, folder, path, how, mode);
    record.took = petrio_ended(record.begin);
    if (result < 0) {
        char *name = petrio_take_room();
        size_t length = petrio_path_of((int)folder, path, name, PATH_MAX);
        record.error = (uint16_t)-result;
        petrio_write(&record, name, length);
        petrio_give_room();
        return result;
    }
    struct petrio_file file;
    petrio_file_opened((int)result, (int)flags, &file);
    if (file.state < FILE_REGULAR)
        return result;
    int is_new = flags & O_CREAT && there < 0;
    record.kind = is_new ? PETRIO_CREATE : PETRIO_OPEN;
    record.file = file.number;
    record.flags = file.flags;
    record.extra = flags & O_TRUNC && there == 0 ? (uint64_t)before.st_size : NONE;
    if (petrio_self.in_mpi)
        record.compute = 0;
    petrio_write(&record, NULL, 0);
    if (flags & O_TRUNC && !is_new && there == 0 && before.st_size > 0) {
        struct petrio_record cut = {.kind = PETRIO_TRUNCATE, .begin = record.begin + record.took, .file = file.number, .flags = file.flags};
        petrio_write(&cut, NULL, 0);
    }
    return result;
}

static long of_descriptor(int kind, long number, long a, long b, long c, long d)
{
    struct petrio_file file = wanted() ? petrio_file_of((int)a) : (struct petrio_file){0, FILE_NONE, 0};
    if (file.state < FILE_REGULAR)
        return RAW(number, a, b, c, d);
    struct petrio_record record = started(kind, file);
    long result = RAW(number, a, b, c, d);
    if (kind == PETRIO_TRUNCATE)
        record.length = (uint64_t)b;
    if (kind == PETRIO_SYNC_RANGE) {
        record.offset = (uint64_t)b;
        record.length = (uint64_t)c;
    }
    if (kind == PETRIO_ALLOCATE) {
        record.extra = (uint64_t)b;
        record.offset = (uint64_t)c;
        record.length = (uint64_t)d;
    }
    if (kind == PETRIO_LIST)
        record.length = result > 0 ? (uint64_t)result : 0;
    return finish(&record, result);
}

static long close_file(int descriptor)
{
    struct petrio_file file = wanted() ? petrio_file_of(descriptor) : (struct petrio_file){0, FILE_NONE, 0};
    /* The recorder's own. */
    if (petrio_self.begun && petrio_self.header && descriptor == petrio_self.descriptor)
        return 0;
    petrio_file_closed(descriptor);
    if (file.state < FILE_REGULAR)
        return RAW(SYS_close, descriptor);
    struct petrio_record record = started(PETRIO_CLOSE, file);
    return finish(&record, RAW(SYS_close, descriptor));
}

/* A call on a name: with what the name stood for before. */
static long of_name(int kind, long number, int folder, const char *path, long flags, long a, long b, long c, long d, long e)
{
    if (!wanted())
        return RAW(number, a, b, c, d, e);
    struct stat at;
    long there = kind == PETRIO_MKDIR ? -1 : RAW(SYS_newfstatat, folder, path, &at, flags);
    struct petrio_record record = started(kind, (struct petrio_file){0});
    if (there == 0) {
        record.offset = at.st_dev;
        record.length = at.st_ino;
        record.extra = (uint64_t)at.st_size;
        record.flags = S_ISDIR(at.st_mode) ? PETRIO_DIRECTORY : 0;
    }
    char *name = petrio_take_room();
    size_t length = petrio_path_of(folder, path, name, PATH_MAX);
    long result = RAW(number, a, b, c, d, e);
    record.took = petrio_ended(record.begin);
    if (kind == PETRIO_TRUNCATE)
        record.extra = (uint64_t)b;
    if (result < 0)
        record.error = (uint16_t)-result;
    if (petrio_self.in_mpi)
        record.compute = 0;
    if (kind != PETRIO_STAT || there != 0 || S_ISREG(at.st_mode) || S_ISDIR(at.st_mode))
        petrio_write(&record, name, length);
    petrio_give_room();
    return result;
}

static long rename_file(long number, int from, const char *old, int to, const char *new, long a, long b, long c, long d, long e)
{
    if (!wanted())
        return RAW(number, a, b, c, d, e);
    struct stat at;
    long there = RAW(SYS_newfstatat, from, old, &at, AT_SYMLINK_NOFOLLOW);
    struct petrio_record record = started(PETRIO_RENAME, (struct petrio_file){0});
    if (there == 0) {
        record.offset = at.st_dev;
        record.length = at.st_ino;
        record.extra = (uint64_t)at.st_size;
        record.flags = S_ISDIR(at.st_mode) ? PETRIO_DIRECTORY : 0;
    }
    char *names = petrio_take_room();
    size_t length = petrio_path_of(from, old, names, PATH_MAX);
    names[length++] = 0;
    length += petrio_path_of(to, new, names + length, PATH_MAX);
    long result = RAW(number, a, b, c, d, e);
    record.took = petrio_ended(record.begin);
    if (result < 0)
        record.error = (uint16_t)-result;
    petrio_write(&record, names, length);
    petrio_give_room();
    return result;
}

/* Bytes that the kernel carries from one file to the other: a read and a write. */
static long copy(long number, int in, const int64_t *in_at, int out, const int64_t *out_at, long a, long b, long c, long d, long e, long f)
{
    if (!wanted())
        return petrio_raw(number, a, b, c, d, e, f);
    struct petrio_file from = petrio_file_of(in), to = petrio_file_of(out);
    if (from.state != FILE_REGULAR && to.state != FILE_REGULAR)
        return petrio_raw(number, a, b, c, d, e, f);
    struct petrio_record record = started(PETRIO_READ, from);
    long result = petrio_raw(number, a, b, c, d, e, f);
    record.took = petrio_ended(record.begin);
    if (result < 0) {
        record.error = (uint16_t)-result;
    }
    record.length = result > 0 ? (uint64_t)result : 0;
    if (from.state == FILE_REGULAR) {
        record.offset = (uint64_t)(in_at ? *in_at : RAW(SYS_lseek, in, 0, SEEK_CUR)) - record.length;
        petrio_write(&record, NULL, 0);
        record.begin += record.took;
        record.took = record.compute = 0;
    }
    if (to.state == FILE_REGULAR) {
        record.kind = PETRIO_WRITE;
        record.file = to.number;
        record.flags = to.flags;
        record.offset = (uint64_t)(out_at ? *out_at : RAW(SYS_lseek, out, 0, SEEK_CUR)) - record.length;
        petrio_write(&record, NULL, 0);
    }
    return result;
}

static long map(long a, long b, long c, long d, long e, long f)
{
    struct petrio_file file = wanted() && !(d & MAP_ANONYMOUS) && e >= 0 ? petrio_file_of((int)e) : (struct petrio_file){0, FILE_NONE, 0};
    if (file.state != FILE_REGULAR)
        return petrio_raw(SYS_mmap, a, b, c, d, e, f);
    struct petrio_record record = started(PETRIO_MAP, file);
    long result = petrio_raw(SYS_mmap, a, b, c, d, e, f);
    record.offset = (uint64_t)f;
    record.length = (uint64_t)b;
    record.extra = (uint64_t)c | (d & MAP_SHARED ? 0x100 : 0);
    if (result < 0 && result > -4096)
        finish(&record, result);
    else
        finish(&record, 0);
    return result;
}

static long plain(int kind, long number, long a, long b, long c, long d, long e)
{
    if (!petrio_ready())
        return RAW(number, a, b, c, d, e);
    struct petrio_record record = started(kind, (struct petrio_file){0});
    long result = RAW(number, a, b, c, d, e);
    if (kind == PETRIO_JOIN) {
        /* Nothing has ended, or nobody waits. */
        if (result <= 0) {
            petrio_ended(record.begin);
            return result;
        }
        record.offset = (uint64_t)result;
    }
    return finish(&record, result);
}

static long duplicate(long number, long a, long b, long c)
{
    long result = RAW(number, a, b, c);
    if (result >= 0 && petrio_on)
        petrio_file_copied((int)a, (int)result);
    return result;
}

static void note_unseen(const char *what)
{
    if (!petrio_ready())
        return;
    struct petrio_record record = started(PETRIO_UNSEEN, (struct petrio_file){0});
    petrio_write_path(&record, what);
}

long petrio_call(long number, long a, long b, long c, long d, long e, long f)
{
    switch (number) {
    case SYS_read: case SYS_pread64: case SYS_readv: case SYS_preadv: case SYS_preadv2:
        return access_file(PETRIO_READ, number, a, b, c, d, e, f);
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev: case SYS_pwritev2:
        return access_file(PETRIO_WRITE, number, a, b, c, d, e, f);
#ifdef SYS_open
    case SYS_open: return open_file(SYS_openat, AT_FDCWD, (const char *)a, b, c, 0);
    case SYS_creat: return open_file(SYS_openat, AT_FDCWD, (const char *)a, O_CREAT | O_WRONLY | O_TRUNC, b, 0);
    case SYS_stat: return of_name(PETRIO_STAT, number, AT_FDCWD, (const char *)a, 0, a, b, c, d, e);
    case SYS_lstat: return of_name(PETRIO_STAT, number, AT_FDCWD, (const char *)a, AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_access: return of_name(PETRIO_STAT, number, AT_FDCWD, (const char *)a, 0, a, b, c, d, e);
    case SYS_unlink: return of_name(PETRIO_UNLINK, number, AT_FDCWD, (const char *)a, AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_rmdir: return of_name(PETRIO_RMDIR, number, AT_FDCWD, (const char *)a, AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_mkdir: return of_name(PETRIO_MKDIR, number, AT_FDCWD, (const char *)a, 0, a, b, c, d, e);
    case SYS_rename: return rename_file(number, AT_FDCWD, (const char *)a, AT_FDCWD, (const char *)b, a, b, c, d, e);
    case SYS_getdents: return of_descriptor(PETRIO_LIST, number, a, b, c, d);
    case SYS_dup2: return duplicate(number, a, b, c);
#endif
    case SYS_openat: return open_file(number, a, (const char *)b, c, d, 0);
    case SYS_openat2: return open_file(number, a, (const char *)b, c ? (long)*(uint64_t *)c : 0, d, c);
    case SYS_close: return close_file((int)a);
    case SYS_fstat: return of_descriptor(PETRIO_STAT, number, a, b, c, d);
    case SYS_newfstatat:
        if (d & AT_EMPTY_PATH && (!b || !*(const char *)b))
            return of_descriptor(PETRIO_STAT, number, a, b, c, d);
        return of_name(PETRIO_STAT, number, (int)a, (const char *)b, d & AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_statx:
        if (c & AT_EMPTY_PATH && (!b || !*(const char *)b)) {
            struct petrio_file file = wanted() ? petrio_file_of((int)a) : (struct petrio_file){0, FILE_NONE, 0};
            if (file.state < FILE_REGULAR)
                return RAW(number, a, b, c, d, e);
            struct petrio_record record = started(PETRIO_STAT, file);
            return finish(&record, RAW(number, a, b, c, d, e));
        }
        return of_name(PETRIO_STAT, number, (int)a, (const char *)b, c & AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_faccessat: case SYS_faccessat2:
        return of_name(PETRIO_STAT, number, (int)a, (const char *)b, 0, a, b, c, d, e);
    case SYS_unlinkat:
        return of_name(c & AT_REMOVEDIR ? PETRIO_RMDIR : PETRIO_UNLINK, number, (int)a, (const char *)b, AT_SYMLINK_NOFOLLOW, a, b, c, d, e);
    case SYS_mkdirat: return of_name(PETRIO_MKDIR, number, (int)a, (const char *)b, 0, a, b, c, d, e);
    case SYS_renameat: case SYS_renameat2:
        return rename_file(number, (int)a, (const char *)b, (int)c, (const char *)d, a, b, c, d, e);
    case SYS_truncate: return of_name(PETRIO_TRUNCATE, number, AT_FDCWD, (const char *)a, 0, a, b, c, d, e);
    case SYS_ftruncate: return of_descriptor(PETRIO_TRUNCATE, number, a, b, c, d);
    case SYS_fsync: return of_descriptor(PETRIO_FSYNC, number, a, b, c, d);
    case SYS_fdatasync: return of_descriptor(PETRIO_FDATASYNC, number, a, b, c, d);
    case SYS_sync_file_range: return of_descriptor(PETRIO_SYNC_RANGE, number, a, b, c, d);
    case SYS_syncfs: case SYS_sync: return plain(PETRIO_SYNC, number, a, b, c, d, e);
    case SYS_getdents64: return of_descriptor(PETRIO_LIST, number, a, b, c, d);
    case SYS_dup: case SYS_dup3: return duplicate(number, a, b, c);
    case SYS_fcntl:
        if (b == F_DUPFD || b == F_DUPFD_CLOEXEC)
            return duplicate(number, a, b, c);
        /* O_DIRECT and the like may come later. */
        if (b == F_SETFL && petrio_on)
            petrio_file_closed((int)a);
        return RAW(number, a, b, c);
    case SYS_close_range:
        /* The recorder's own descriptors stay open. */
        for (long at = a; at <= b && at < 500; at++) {
            if (!(c & 4))
                petrio_file_closed((int)at);
        }
        if (a >= 500 || c & 4)
            return c & 4 ? RAW(number, a, b, c) : 0;
        return RAW(number, a, b < 499 ? b : 499, c);
    case SYS_copy_file_range: return copy(number, (int)a, (const int64_t *)b, (int)c, (const int64_t *)d, a, b, c, d, e, f);
    case SYS_sendfile: return copy(number, (int)b, (const int64_t *)c, (int)a, NULL, a, b, c, d, e, f);
    case SYS_mmap: return map(a, b, c, d, e, f);
    /* MPI's library sleeps while it waits. */
    case SYS_nanosleep: case SYS_clock_nanosleep:
        return petrio_self.in_mpi ? RAW(number, a, b, c, d) : plain(PETRIO_SLEEP, number, a, b, c, d, e);
    case SYS_wait4: return plain(PETRIO_JOIN, number, a, b, c, d, e);
    case SYS_io_uring_setup: note_unseen("io_uring was asked for, and refused so that the program takes other calls"); return -38;
    case SYS_io_setup: note_unseen("asynchronous accesses (io_submit)"); return petrio_raw(number, a, b, c, d, e, f);
    case SYS_fallocate: return of_descriptor(PETRIO_ALLOCATE, number, a, b, c, d);
    case SYS_waitid: {
        long result = petrio_raw(number, a, b, c, d, e, f);
        /* Who only looks whether a child has ended (WNOWAIT) asks again. */
        if (result == 0 && c && !(d & 0x01000000) && ((siginfo_t *)c)->si_pid > 0 && petrio_ready()) {
            struct petrio_record record = started(PETRIO_JOIN, (struct petrio_file){0});
            record.offset = (uint64_t)((siginfo_t *)c)->si_pid;
            petrio_write(&record, NULL, 0);
        }
        return result;
    }
    case SYS_exit: case SYS_exit_group:
        if (petrio_ready()) {
            struct petrio_record record = started(PETRIO_EXIT, (struct petrio_file){0});
            record.flags = number == SYS_exit_group ? PETRIO_WHOLE : 0;
            petrio_write(&record, NULL, 0);
        }
        return petrio_raw(number, a, b, c, d, e, f);
    default:
        return petrio_raw(number, a, b, c, d, e, f);
    }
}
