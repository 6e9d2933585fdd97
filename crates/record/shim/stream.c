/* The stream of records of each thread: a file that is mapped a window at a time, and the clocks.
 *
 * Processor time is asked for only where it can differ from the time on the wall: who was away from the processor was so for longer
 * than a few microseconds. So most calls cost two readings of the clock that needs no system call. */
#include "inside.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW (1u << 20)
/* A shorter gap than this had no switch to another thread in it that would count: ns. */
#define UNDISTURBED 5000u

__thread struct petrio_thread petrio_self __attribute__((tls_model("initial-exec")));
int petrio_on;
static char folder[4096];

const char *petrio_folder(void)
{
    return folder;
}

/* A call and what it calls take two, and so may handlers that interrupt it. One that is left by a jump gives nothing back: so they go round. */
#define ROOMS 8

char *petrio_take_room(void)
{
    static char last[ROOM];
    struct petrio_thread *self = &petrio_self;
    if (!self->rooms) {
        long made = RAW(SYS_mmap, NULL, ROOMS * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made < 0 && made > -4096)
            return last;
        self->rooms = (char *)made;
    }
    return self->rooms + self->rooms_taken++ % ROOMS * ROOM;
}

void petrio_give_room(void)
{
    petrio_self.rooms_taken--;
}

static uint64_t processor_time(void)
{
    struct timespec now;
    RAW(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static char *number(char *to, uint64_t value)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *to++ = digits[--count];
    return to;
}

/* Maps the window that begins at a byte of the file; without one the thread goes on unrecorded. */
static int map_window(struct petrio_thread *self, uint64_t at)
{
    if (self->window)
        RAW(SYS_munmap, self->window, WINDOW);
    self->window = NULL;
    if (RAW(SYS_ftruncate, self->descriptor, at + WINDOW) < 0)
        return 0;
    /* Room is taken now: a full disk would else end the program at its next record. */
    if (RAW(SYS_fallocate, self->descriptor, 0, at, WINDOW) == -28)
        return 0;
    long place = RAW(SYS_mmap, NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, self->descriptor, at);
    if (place < 0 && place > -4096)
        return 0;
    self->window = (uint8_t *)place;
    self->window_at = at;
    return 1;
}

/* Builds the name of a file of this thread's in the recording's folder; where it ends. */
static char *own_name(const struct petrio_thread *self, char *to)
{
    char *end = stpcpy(to, folder);
    *end++ = '/';
    end = number(end, self->process);
    *end++ = '.';
    end = number(end, self->thread);
    *end++ = '.';
    return end;
}

/* Nothing more can be written: an empty file says so, which a full disk has room for. */
static void lose(struct petrio_thread *self)
{
    char *name = petrio_take_room();
    self->header = NULL;
    stpcpy(own_name(self, name), "lost");
    long made = RAW(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    petrio_give_room();
    if (made >= 0)
        RAW(SYS_close, made);
}

static void begin(struct petrio_thread *self)
{
    struct timespec wall;
    self->begun = 1;
    self->process = (uint32_t)RAW(SYS_getpid);
    self->thread = (uint32_t)RAW(SYS_gettid);
    char *name = petrio_take_room(), *end = own_name(self, name);
    self->last = petrio_now();
    end = number(end, self->last);
    stpcpy(end, ".raw");
    long made = RAW(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    petrio_give_room();
    if (made < 0) {
        lose(self);
        return;
    }
    /* Where programs don't look for descriptors of their own, and don't close them. */
    long high = RAW(SYS_fcntl, made, F_DUPFD_CLOEXEC, 500);
    if (high >= 0) {
        RAW(SYS_close, made);
        made = high;
    }
    self->descriptor = (int)made;
    if (!map_window(self, 0)) {
        RAW(SYS_close, made);
        lose(self);
        return;
    }
    long header = RAW(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (header < 0 && header > -4096)
        return;
    self->header = (struct petrio_header *)header;
    RAW(SYS_clock_gettime, CLOCK_REALTIME, &wall);
    *self->header = (struct petrio_header){
        .magic = PETRIO_MAGIC, .process = self->process, .thread = self->thread, .token = self->token, .began = self->last,
        .began_unix = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec,
        .parent = (uint32_t)RAW(SYS_getppid), .trapping = self->armed,
    };
    self->position = PETRIO_SLOT;
    self->base = processor_time();
}

/* Whether this thread records. */
int petrio_ready(void)
{
    struct petrio_thread *self = &petrio_self;
    if (!petrio_on || self->busy)
        return 0;
    if (!self->begun) {
        self->busy = 1;
        begin(self);
        self->busy = 0;
    }
    return self->header != NULL;
}

/* A call begins. */
struct petrio_span petrio_started(void)
{
    struct petrio_thread *self = &petrio_self;
    uint64_t now = petrio_now(), gap = now - self->last;
    if (self->in_mpi)
        return (struct petrio_span){now, 0};
    if (gap < UNDISTURBED) {
        self->base += gap;
        return (struct petrio_span){now, gap};
    }
    uint64_t time = processor_time();
    uint64_t spent = time > self->base ? time - self->base : 0;
    self->base = time;
    return (struct petrio_span){now, spent < gap ? spent : gap};
}

/* It is over; how long it took. */
uint64_t petrio_ended(uint64_t begin)
{
    struct petrio_thread *self = &petrio_self;
    uint64_t now = petrio_now(), took = now - begin;
    if (took < UNDISTURBED)
        self->base += took;
    else
        self->base = processor_time();
    self->last = now;
    return took;
}

static void copy_out(struct petrio_thread *self, const void *from, size_t bytes)
{
    const uint8_t *next = from;
    while (bytes) {
        if (self->position >= self->window_at + WINDOW && !map_window(self, self->window_at + WINDOW)) {
            lose(self);
            return;
        }
        uint64_t at = self->position - self->window_at;
        size_t part = WINDOW - at < bytes ? WINDOW - at : bytes;
        memcpy(self->window + at, next, part);
        self->position += part;
        next += part;
        bytes -= part;
    }
}

void petrio_write(const struct petrio_record *record, const char *text, size_t bytes)
{
    struct petrio_thread *self = &petrio_self;
    struct petrio_record whole = *record;
    static const char zeros[PETRIO_SLOT];
    if (!self->header)
        return;
    self->busy = 1;
    if (bytes > 16384)
        bytes = 16384;
    whole.slots = (uint16_t)((bytes + PETRIO_SLOT - 1) / PETRIO_SLOT);
    copy_out(self, &whole, sizeof whole);
    if (bytes && self->header) {
        copy_out(self, text, bytes);
        if (bytes % PETRIO_SLOT && self->header)
            copy_out(self, zeros, PETRIO_SLOT - bytes % PETRIO_SLOT);
    }
    if (self->header)
        atomic_store_explicit((_Atomic uint64_t *)&self->header->used, self->position / PETRIO_SLOT - 1, memory_order_release);
    self->busy = 0;
}

void petrio_write_path(struct petrio_record *record, const char *text)
{
    petrio_write(record, text, strlen(text));
}

/* This is another process now, whose memory was copied: its records go to a file of its own. */
void petrio_forget(void)
{
    struct petrio_thread *self = &petrio_self;
    if (self->window)
        RAW(SYS_munmap, self->window, WINDOW);
    if (self->header)
        RAW(SYS_munmap, self->header, 4096);
    if (self->begun)
        RAW(SYS_close, self->descriptor);
    self->window = NULL;
    self->header = NULL;
    self->begun = self->busy = 0;
    self->token = 0;
}

/* A call of MPI begins: 2 where it is the outermost, 1 where it is within another, 0 where nothing is recorded. */
__attribute__((visibility("default"))) int petrio_enter(int files)
{
    struct petrio_thread *self = &petrio_self;
    if (!petrio_ready())
        return 0;
    if (self->in_mpi) {
        self->in_mpi++;
        return 1;
    }
    self->entered = petrio_started();
    self->in_mpi = 1;
    self->quiet = !files;
    return 2;
}

/* It is over; without a record it is one of which only the time counts. */
__attribute__((visibility("default"))) void petrio_leave(int entered, struct petrio_record *record, const char *text)
{
    struct petrio_thread *self = &petrio_self;
    if (!entered)
        return;
    self->in_mpi--;
    if (entered != 2)
        return;
    self->quiet = 0;
    struct petrio_record none = {.kind = PETRIO_MPI};
    if (!record)
        record = &none;
    record->begin = self->entered.begin;
    record->compute = self->entered.compute;
    record->took = petrio_ended(record->begin);
    petrio_write(record, text, text ? strlen(text) : 0);
}

/* As the record before, which it follows at once. */
__attribute__((visibility("default"))) void petrio_put(struct petrio_record *record, const char *text)
{
    if (petrio_ready())
        petrio_write(record, text, text ? strlen(text) : 0);
}
