/* Which file a descriptor stands for. A file is told once in each process, with its path as it is then. */
#include "inside.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/vfs.h>

#define DESCRIPTORS 65536

static struct petrio_file files[DESCRIPTORS];
static _Atomic uint32_t names;

static size_t read_link(const char *prefix, int number, char *to, size_t room)
{
    char name[64], *end = stpcpy(name, prefix);
    char digits[12];
    int count = 0;
    unsigned value = (unsigned)number;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *end++ = digits[--count];
    *end = 0;
    long length = RAW(SYS_readlinkat, AT_FDCWD, name, to, room - 1);
    if (length < 0)
        length = 0;
    to[length] = 0;
    return (size_t)length;
}

size_t petrio_descriptor_path(int descriptor, char *to, size_t room)
{
    return read_link("/proc/self/fd/", descriptor, to, room);
}

/* A path from the root, as far as it can be told; not without its links. */
size_t petrio_path_of(int folder, const char *path, char *to, size_t room)
{
    size_t length = 0;
    if (!path)
        path = "";
    if (path[0] != '/') {
        if (folder == AT_FDCWD) {
            long got = RAW(SYS_getcwd, to, room);
            length = got > 0 ? (size_t)got - 1 : 0;
        } else {
            length = petrio_descriptor_path(folder, to, room);
        }
        if (path[0] && length + 1 < room)
            to[length++] = '/';
    }
    size_t more = strnlen(path, room - length - 1);
    memcpy(to + length, path, more);
    length += more;
    to[length] = 0;
    return length;
}

/* What kernels show as files lies on no storage. */
static int is_stored(int descriptor)
{
    struct statfs of;
    if (RAW(SYS_fstatfs, descriptor, &of) < 0)
        return 0;
    switch ((unsigned long)of.f_type) {
    case 0x9fa0: case 0x62656572: case 0x27e0eb: case 0x63677270: case 0x64626720: case 0x74726163:
    case 0x1cd1: case 0x73636673: case 0xcafe4a11: case 0x6e736673: case 0x50495045: case 0x9041934:
        return 0; /* proc, sysfs, cgroup, cgroup2, debugfs, tracefs, devpts, securityfs, bpf, nsfs, pipefs, anonymous */
    default:
        return 1;
    }
}

static uint8_t flags_of(int open_flags)
{
    int mode = open_flags & O_ACCMODE;
    return (uint8_t)((mode != O_WRONLY ? PETRIO_READS : 0) | (mode != O_RDONLY ? PETRIO_WRITES : 0) |
                     (open_flags & O_DSYNC ? PETRIO_DURABLE : 0) | (open_flags & O_DIRECT ? PETRIO_DIRECT : 0));
}

/* A descriptor was opened so; says what it is and, of a file, how it is called. */
void petrio_file_opened(int descriptor, int open_flags, struct petrio_file *file)
{
    struct stat at;
    memset(file, 0, sizeof *file);
    file->state = FILE_NONE;
    if (descriptor < 0 || open_flags & O_PATH)
        goto out;
    /* fstat(2) as the kernel has it is laid out as the library's `struct stat` where both are of 64 bits. */
    if (RAW(SYS_fstat, descriptor, &at) < 0 || !(S_ISREG(at.st_mode) || S_ISDIR(at.st_mode)) || !is_stored(descriptor))
        goto out;
    file->state = S_ISDIR(at.st_mode) ? FILE_FOLDER : FILE_REGULAR;
    file->flags = (uint8_t)(flags_of(open_flags) | (S_ISDIR(at.st_mode) ? PETRIO_DIRECTORY : 0));
    file->number = (uint64_t)petrio_self.process << 32 | (atomic_fetch_add(&names, 1) + 1);
    char *path = petrio_take_room();
    size_t length = petrio_descriptor_path(descriptor, path, PATH_MAX), own = strlen(petrio_folder());
    /* What the recorder writes itself, in a process that has descriptors of the one that made it. */
    if (strncmp(path, petrio_folder(), own) == 0 && path[own] == '/') {
        *file = (struct petrio_file){.state = FILE_NONE};
        petrio_give_room();
        goto out;
    }
    struct petrio_record name = {
        .kind = PETRIO_NAME, .begin = petrio_self.last, .file = file->number, .flags = file->flags, .offset = at.st_dev,
        .length = at.st_ino, .extra = (uint64_t)at.st_size,
    };
    petrio_write(&name, path, length);
    petrio_give_room();
out:
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        files[descriptor] = *file;
}

struct petrio_file petrio_file_of(int descriptor)
{
    struct petrio_file file = {0, FILE_NONE, 0};
    if (descriptor < 0 || descriptor >= DESCRIPTORS)
        return file;
    file = files[descriptor];
    /* Opened before the program began, or by what isn't seen. */
    if (file.state == FILE_UNKNOWN) {
        long flags = RAW(SYS_fcntl, descriptor, F_GETFL);
        if (flags < 0)
            return (struct petrio_file){0, FILE_NONE, 0};
        petrio_file_opened(descriptor, (int)flags, &file);
    }
    return file;
}

void petrio_file_closed(int descriptor)
{
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        files[descriptor].state = FILE_UNKNOWN;
}

void petrio_file_copied(int from, int to)
{
    if (from >= 0 && from < DESCRIPTORS && to >= 0 && to < DESCRIPTORS)
        files[to] = files[from];
}
