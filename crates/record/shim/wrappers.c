/* The names of the C library that a program calls: those of calls on files lead straight to petrio_call; those that begin and end
 * threads and processes take the recorder along. */
#include "inside.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static long answer(long result)
{
    petrio_rearm();
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
#define CALL(number, ...) CALL_(number, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define CALL_(number, a, b, c, d, e, f, ...) \
    answer(petrio_call((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)))

/* What may block for others is a point at which a thread can be cancelled, which only the library's own function knows. */
#define OF_FILE(descriptor) (petrio_ready() && petrio_file_of(descriptor).state >= FILE_REGULAR)

#define MOVES(result, name, number, declared, descriptor, ...)        \
    SEEN result name declared                                         \
    {                                                                 \
        static __typeof__(&name) original;                            \
        if (OF_FILE(descriptor))                                      \
            return (result)CALL(number, descriptor, __VA_ARGS__);     \
        if (!original)                                                \
            original = REAL(name);                                    \
        petrio_rearm();                                               \
        return original(descriptor, __VA_ARGS__);                     \
    }

MOVES(ssize_t, read, SYS_read, (int file, void *to, size_t bytes), file, to, bytes)
MOVES(ssize_t, write, SYS_write, (int file, const void *from, size_t bytes), file, from, bytes)
MOVES(ssize_t, readv, SYS_readv, (int file, const struct iovec *to, int parts), file, to, parts)
MOVES(ssize_t, writev, SYS_writev, (int file, const struct iovec *from, int parts), file, from, parts)
MOVES(ssize_t, pread, SYS_pread64, (int file, void *to, size_t bytes, off_t at), file, to, bytes, at)
MOVES(ssize_t, pwrite, SYS_pwrite64, (int file, const void *from, size_t bytes, off_t at), file, from, bytes, at)
MOVES(ssize_t, pread64, SYS_pread64, (int file, void *to, size_t bytes, off64_t at), file, to, bytes, at)
MOVES(ssize_t, pwrite64, SYS_pwrite64, (int file, const void *from, size_t bytes, off64_t at), file, from, bytes, at)

/* The kernel takes the offset in two halves, of which the upper one is of no use where numbers have 64 bits. */
#define MOVES_PARTS(name, number, type)                                               \
    SEEN ssize_t name(int file, const struct iovec *parts, int count, type at)        \
    {                                                                                 \
        return CALL(number, file, parts, count, at, 0);                               \
    }
MOVES_PARTS(preadv, SYS_preadv, off_t)
MOVES_PARTS(pwritev, SYS_pwritev, off_t)
MOVES_PARTS(preadv64, SYS_preadv, off64_t)
MOVES_PARTS(pwritev64, SYS_pwritev, off64_t)

#define MOVES_PARTS_SO(name, number, type)                                                 \
    SEEN ssize_t name(int file, const struct iovec *parts, int count, type at, int how)    \
    {                                                                                      \
        return CALL(number, file, parts, count, at, 0, how);                               \
    }
MOVES_PARTS_SO(preadv2, SYS_preadv2, off_t)
MOVES_PARTS_SO(pwritev2, SYS_pwritev2, off_t)
MOVES_PARTS_SO(preadv64v2, SYS_preadv2, off64_t)
MOVES_PARTS_SO(pwritev64v2, SYS_pwritev2, off64_t)

/* The checked names that -D_FORTIFY_SOURCE makes of these. */
void __chk_fail(void) __attribute__((noreturn));
SEEN ssize_t __read_chk(int file, void *to, size_t bytes, size_t room)
{
    if (bytes > room)
        __chk_fail();
    return read(file, to, bytes);
}
SEEN ssize_t __pread_chk(int file, void *to, size_t bytes, off_t at, size_t room)
{
    if (bytes > room)
        __chk_fail();
    return pread(file, to, bytes, at);
}
SEEN ssize_t __pread64_chk(int file, void *to, size_t bytes, off64_t at, size_t room)
{
    if (bytes > room)
        __chk_fail();
    return pread64(file, to, bytes, at);
}

SEEN int fsync(int file) { return (int)CALL(SYS_fsync, file); }
SEEN int fdatasync(int file) { return (int)CALL(SYS_fdatasync, file); }
SEEN int sync_file_range(int file, off64_t at, off64_t bytes, unsigned how) { return (int)CALL(SYS_sync_file_range, file, at, bytes, how); }
SEEN void sync(void) { CALL(SYS_sync); }
SEEN int syncfs(int file) { return (int)CALL(SYS_syncfs, file); }
SEEN int close(int file) { return (int)CALL(SYS_close, file); }
SEEN int dup(int file) { return (int)CALL(SYS_dup, file); }
SEEN int dup2(int file, int to)
{
    return (int)(file == to ? CALL(SYS_fcntl, file, F_GETFD) < 0 ? -1 : to : CALL(SYS_dup3, file, to, 0));
}
SEEN int dup3(int file, int to, int flags) { return (int)CALL(SYS_dup3, file, to, flags); }
SEEN int ftruncate(int file, off_t size) { return (int)CALL(SYS_ftruncate, file, size); }
SEEN int ftruncate64(int file, off64_t size) { return (int)CALL(SYS_ftruncate, file, size); }
SEEN int truncate(const char *path, off_t size) { return (int)CALL(SYS_truncate, path, size); }
SEEN int truncate64(const char *path, off64_t size) { return (int)CALL(SYS_truncate, path, size); }
SEEN int fallocate(int file, int mode, off_t at, off_t bytes) { return (int)CALL(SYS_fallocate, file, mode, at, bytes); }
SEEN int fallocate64(int file, int mode, off64_t at, off64_t bytes) { return (int)CALL(SYS_fallocate, file, mode, at, bytes); }
SEEN int unlink(const char *path) { return (int)CALL(SYS_unlinkat, AT_FDCWD, path, 0); }
SEEN int unlinkat(int folder, const char *path, int flags) { return (int)CALL(SYS_unlinkat, folder, path, flags); }
SEEN int rmdir(const char *path) { return (int)CALL(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR); }
SEEN int mkdir(const char *path, mode_t mode) { return (int)CALL(SYS_mkdirat, AT_FDCWD, path, mode); }
SEEN int mkdirat(int folder, const char *path, mode_t mode) { return (int)CALL(SYS_mkdirat, folder, path, mode); }
SEEN int rename(const char *old, const char *new) { return (int)CALL(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0); }
SEEN int renameat(int from, const char *old, int to, const char *new) { return (int)CALL(SYS_renameat2, from, old, to, new, 0); }
SEEN int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return (int)CALL(SYS_renameat2, from, old, to, new, flags);
}
SEEN ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t bytes, unsigned flags)
{
    return CALL(SYS_copy_file_range, in, in_at, out, out_at, bytes, flags);
}
SEEN ssize_t sendfile(int out, int in, off_t *at, size_t bytes) { return CALL(SYS_sendfile, out, in, at, bytes); }
SEEN ssize_t sendfile64(int out, int in, off64_t *at, size_t bytes) { return CALL(SYS_sendfile, out, in, at, bytes); }
SEEN void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return (void *)CALL(SYS_mmap, at, bytes, protection, flags, file, offset);
}
SEEN void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off64_t offset)
{
    return (void *)CALL(SYS_mmap, at, bytes, protection, flags, file, offset);
}
SEEN int stat(const char *path, struct stat *to) { return (int)CALL(SYS_newfstatat, AT_FDCWD, path, to, 0); }
SEEN int lstat(const char *path, struct stat *to) { return (int)CALL(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW); }
SEEN int fstat(int file, struct stat *to) { return (int)CALL(SYS_fstat, file, to); }
SEEN int fstatat(int folder, const char *path, struct stat *to, int flags) { return (int)CALL(SYS_newfstatat, folder, path, to, flags); }
SEEN int stat64(const char *path, struct stat64 *to) { return (int)CALL(SYS_newfstatat, AT_FDCWD, path, to, 0); }
SEEN int lstat64(const char *path, struct stat64 *to) { return (int)CALL(SYS_newfstatat, AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW); }
SEEN int fstat64(int file, struct stat64 *to) { return (int)CALL(SYS_fstat, file, to); }
SEEN int fstatat64(int folder, const char *path, struct stat64 *to, int flags) { return (int)CALL(SYS_newfstatat, folder, path, to, flags); }
SEEN int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict to)
{
    return (int)CALL(SYS_statx, folder, path, flags, mask, to);
}
SEEN int access(const char *path, int how) { return (int)CALL(SYS_faccessat, AT_FDCWD, path, how); }

/* open(2): the third argument is there where a file may be made. */
static int open_so(int folder, const char *path, int flags, va_list rest)
{
    int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;
    return (int)CALL(SYS_openat, folder, path, flags, mode);
}
#define OPENS(name, declared, folder)                          \
    SEEN int name declared                                     \
    {                                                          \
        va_list rest;                                          \
        va_start(rest, flags);                                 \
        int result = open_so(folder, path, flags, rest);       \
        va_end(rest);                                          \
        return result;                                         \
    }
OPENS(open, (const char *path, int flags, ...), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), AT_FDCWD)
OPENS(openat, (int folder, const char *path, int flags, ...), folder)
OPENS(openat64, (int folder, const char *path, int flags, ...), folder)
SEEN int __open_2(const char *path, int flags) { return (int)CALL(SYS_openat, AT_FDCWD, path, flags, 0); }
SEEN int __open64_2(const char *path, int flags) { return (int)CALL(SYS_openat, AT_FDCWD, path, flags, 0); }
SEEN int __openat_2(int folder, const char *path, int flags) { return (int)CALL(SYS_openat, folder, path, flags, 0); }
SEEN int __openat64_2(int folder, const char *path, int flags) { return (int)CALL(SYS_openat, folder, path, flags, 0); }
SEEN int creat(const char *path, mode_t mode) { return (int)CALL(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
SEEN int creat64(const char *path, mode_t mode) { return (int)CALL(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
