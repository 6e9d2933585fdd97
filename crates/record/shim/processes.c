/* Threads and processes: each new one records, and its parent says when it was made and when its end was waited for. */
#include "inside.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEN __attribute__((visibility("default")))

extern char **environ;
static char preload[PATH_MAX + 32], where[PATH_MAX + 32];
/* What has static programs followed; its path behind the equals sign. */
#define FOLLOWER "PETRIO_RECORD_STATIC="
static char follower[PATH_MAX + 32];

static void say(int kind, uint64_t offset, uint64_t length, const char *text)
{
    if (!petrio_ready())
        return;
    struct petrio_span span = petrio_started();
    struct petrio_record record = {.kind = (uint16_t)kind, .begin = span.begin, .compute = span.compute, .offset = offset, .length = length};
    record.took = petrio_ended(span.begin);
    petrio_write(&record, text, text ? strlen(text) : 0);
}

struct start {
    void *(*begin)(void *);
    void *argument;
    uint64_t token;
};

static void ended(void *nothing)
{
    (void)nothing;
    say(PETRIO_EXIT, 0, 0, NULL);
}

static void *begin_thread(void *opaque)
{
    struct start start = *(struct start *)opaque;
    void *result;
    free(opaque);
    petrio_self.token = start.token;
    petrio_trap();
    petrio_ready();
    pthread_cleanup_push(ended, NULL);
    result = start.begin(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

SEEN int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict how, void *(*begin)(void *), void *restrict argument)
{
    static int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static _Atomic uint64_t tokens;
    if (!original)
        original = (__typeof__(original))dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = petrio_on ? malloc(sizeof *start) : NULL;
    if (!start)
        return original(thread, how, begin, argument);
    uint64_t token = (uint64_t)petrio_self.process << 32 | (atomic_fetch_add(&tokens, 1) + 1);
    *start = (struct start){begin, argument, token};
    petrio_self.selector = 0;
    int result = original(thread, how, begin_thread, start);
    petrio_rearm();
    if (result == 0)
        say(PETRIO_THREAD, token, (uint64_t)*thread, NULL);
    else
        free(start);
    return result;
}

SEEN int pthread_join(pthread_t thread, void **result)
{
    static int (*original)(pthread_t, void **);
    if (!original)
        original = (__typeof__(original))dlsym(RTLD_NEXT, "pthread_join");
    int answer = original(thread, result);
    if (answer == 0)
        say(PETRIO_THREAD_JOIN, 0, (uint64_t)thread, NULL);
    return answer;
}

/* The child of a real vfork would run on this thread's stack and records; that of a fork has its own. */
SEEN pid_t vfork(void)
{
    return fork();
}

#define SPAWNS(name)                                                                                                        \
    SEEN int name(pid_t *restrict made, const char *restrict path, const posix_spawn_file_actions_t *actions,              \
                  const posix_spawnattr_t *restrict how, char *const arguments[restrict], char *const environment[restrict]) \
    {                                                                                                                       \
        static __typeof__(&name) original;                                                                                  \
        pid_t process = 0;                                                                                                  \
        if (!original)                                                                                                      \
            original = (__typeof__(original))dlsym(RTLD_NEXT, #name);                                                       \
        struct program program = {path, arguments, environment, NULL, NULL};                                                \
        if (petrio_on)                                                                                                      \
            petrio_prepare(&program);                                                                                       \
        int result = original(&process, program.path, actions, how, program.arguments, program.environment);                \
        petrio_rearm();                                                                                                     \
        petrio_prepared(&program);                                                                                          \
        if (made && result == 0)                                                                                            \
            *made = process;                                                                                                \
        if (result == 0)                                                                                                    \
            say(PETRIO_FORK, (uint64_t)process, 0, NULL);                                                                   \
        return result;                                                                                                      \
    }

/* Whether a variable is this one; `wanted` ends with its equals sign. */
static int is(const char *variable, const char *wanted)
{
    return strncmp(variable, wanted, strlen(wanted)) == 0;
}

/* An environment in which the recorder is, whoever left it out, or isn't; in memory of its own. */
static char **petrio_environment(char *const *given, int is_recorded)
{
    size_t count = 0;
    static char *const none[] = {NULL};
    if (!given)
        given = none;
    while (given[count])
        count++;
    char **own = malloc((count + 4) * sizeof *own);
    if (!own)
        return NULL;
    size_t kept = 0;
    for (size_t at = 0; at < count; at++)
        if (!is(given[at], "LD_PRELOAD=") && !is(given[at], "PETRIO_RECORD=") && !is(given[at], FOLLOWER))
            own[kept++] = given[at];
    if (is_recorded) {
        own[kept++] = preload;
        own[kept++] = where;
        if (follower[0])
            own[kept++] = follower;
    }
    own[kept] = NULL;
    return own;
}

static void unseen(const char *what, const char *path)
{
    char *said = petrio_take_room();
    snprintf(said, ROOM, "%s%s", what, path);
    say(PETRIO_UNSEEN, 0, 0, said);
    petrio_give_room();
}

/* A program without an interpreter takes no preload: what it does isn't seen where it can't be followed. Nor is what one does that runs
 * with others' rights. Whether it has to be followed. */
static int petrio_look_at(const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    struct stat at;
    if (!petrio_ready())
        return 0;
    if (RAW(SYS_newfstatat, AT_FDCWD, path, &at, 0) == 0 && at.st_mode & (S_ISUID | S_ISGID) && RAW(SYS_geteuid) != 0) {
        unseen("a program with rights of its own: ", path);
        return 0;
    }
    long file = RAW(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    int is_static = RAW(SYS_pread64, file, &head, sizeof head, 0) == (long)sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                    head.e_ident[EI_CLASS] == ELFCLASS64;
    for (int number = 0; is_static && number < head.e_phnum; number++) {
        long offset = (long)(head.e_phoff + (uint64_t)number * head.e_phentsize);
        if (RAW(SYS_pread64, file, &part, sizeof part, offset) == (long)sizeof part && part.p_type == PT_INTERP)
            is_static = 0;
    }
    RAW(SYS_close, file);
    if (is_static && follower[0])
        return 1;
    if (is_static) {
        unseen("a static program: ", path);
    }
    return 0;
}

/* A program as it is to be executed, and what of that is in memory of its own. */
struct program {
    const char *path;
    char *const *arguments;
    char *const *environment;
    char **own_arguments, **own_environment;
};

/* What records a program: an environment in which the recorder is; of a static one, petrio before it (crates/record/src/watch). */
static void petrio_prepare(struct program *program)
{
    int is_followed = petrio_look_at(program->path);
    program->own_environment = petrio_environment(program->environment, !is_followed);
    if (program->own_environment)
        program->environment = program->own_environment;
    if (!is_followed)
        return;
    static char *const none[] = {NULL};
    char *const *given = program->arguments ? program->arguments : none;
    size_t count = 0;
    while (given[count])
        count++;
    char **own = malloc((count + 7) * sizeof *own);
    if (!own)
        return;
    char *path = follower + sizeof FOLLOWER - 1;
    size_t kept = 0;
    own[kept++] = path;
    own[kept++] = "record-static";
    own[kept++] = "program";
    own[kept++] = (char *)petrio_folder();
    own[kept++] = (char *)program->path;
    own[kept++] = count ? given[0] : (char *)program->path;
    for (size_t at = 1; at < count; at++)
        own[kept++] = given[at];
    own[kept] = NULL;
    program->own_arguments = own;
    program->arguments = own;
    program->path = path;
}

static void petrio_prepared(struct program *program)
{
    free(program->own_arguments);
    free(program->own_environment);
}

SPAWNS(posix_spawn)

/* execve(2), however it was asked for. */
long petrio_execute(long path, char *const *arguments, char *const *environment)
{
    const char *program = (const char *)path;
    if (!petrio_on)
        return RAW(SYS_execve, program, arguments, environment);
    struct stat at;
    struct program prepared = {program, arguments, environment, NULL, NULL};
    if (RAW(SYS_newfstatat, AT_FDCWD, program, &at, 0) != 0)
        return RAW(SYS_execve, program, arguments, environment);
    petrio_prepare(&prepared);
    say(PETRIO_EXEC, 0, 0, program);
    long result = RAW(SYS_execve, prepared.path, prepared.arguments, prepared.environment);
    petrio_prepared(&prepared);
    return result;
}

/* system(3) with a process that is seen. */
SEEN int system(const char *command)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigset_t child, before;
    int status = -1;
    if (!command)
        return 1;
    sigaction(SIGINT, &ignored, &interrupt);
    sigaction(SIGQUIT, &ignored, &quit);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    pid_t made = fork();
    if (made == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    while (made > 0 && waitpid(made, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* After these, whose processes the library makes by itself, calls are trapped again. */
SEEN FILE *popen(const char *command, const char *how)
{
    static FILE *(*original)(const char *, const char *);
    if (!original)
        original = (__typeof__(original))dlsym(RTLD_NEXT, "popen");
    FILE *file = original(command, how);
    petrio_rearm();
    return file;
}

/* Where a program is that is looked for along the path, as of execvp(3). */
static const char *petrio_find(const char *name, char *to, size_t room)
{
    const char *folder = getenv("PATH");
    if (strchr(name, '/') || !folder)
        return name;
    for (;;) {
        size_t length = strcspn(folder, ":");
        struct stat at;
        snprintf(to, room, "%.*s/%s", (int)length, folder, name);
        if (RAW(SYS_newfstatat, AT_FDCWD, to, &at, 0) == 0 && S_ISREG(at.st_mode) && RAW(SYS_faccessat, AT_FDCWD, to, X_OK) == 0)
            return to;
        if (!folder[length])
            return name;
        folder += length + 1;
    }
}

SEEN int posix_spawnp(pid_t *restrict made, const char *restrict name, const posix_spawn_file_actions_t *actions,
                      const posix_spawnattr_t *restrict how, char *const arguments[restrict], char *const environment[restrict])
{
    static __typeof__(&posix_spawnp) original;
    pid_t process = 0;
    char found[PATH_MAX];
    if (!original)
        original = (__typeof__(original))dlsym(RTLD_NEXT, "posix_spawnp");
    struct program program = {name, arguments, environment, NULL, NULL};
    if (petrio_on) {
        program.path = petrio_find(name, found, sizeof found);
        petrio_prepare(&program);
    }
    int result = original(&process, program.path, actions, how, program.arguments, program.environment);
    petrio_rearm();
    petrio_prepared(&program);
    if (made && result == 0)
        *made = process;
    if (result == 0)
        say(PETRIO_FORK, (uint64_t)process, 0, NULL);
    return result;
}

__attribute__((constructor(101))) static void begin(void)
{
    const char *folder = getenv("PETRIO_RECORD"), *loaded = getenv("LD_PRELOAD");
    char program[PATH_MAX];
    if (!folder || strlen(folder) >= PATH_MAX || !loaded || strlen(loaded) >= PATH_MAX)
        return;
    strcpy((char *)petrio_folder(), folder);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", loaded);
    snprintf(where, sizeof where, "PETRIO_RECORD=%s", folder);
    const char *follows = getenv("PETRIO_RECORD_STATIC");
    if (follows && strlen(follows) < PATH_MAX)
        snprintf(follower, sizeof follower, FOLLOWER "%s", follows);
    petrio_on = 1;
    petrio_trap();
    if (!petrio_ready())
        return;
    long length = RAW(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    say(PETRIO_BEGIN, 0, 0, program);
}
