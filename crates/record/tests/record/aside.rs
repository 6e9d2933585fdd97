//! Programs that set a stack aside for their handlers, as languages' runtimes do: trapped calls are carried out beside it.

use super::support::{command, possible};
use petrio_trace::event::EventKind;

/// A stack that has room for two signals and 5 KiB besides, on which a handler that interrupts a read makes calls, and is left by a jump; and
/// threads with stacks of their own.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static const char *folder;
static __thread sigjmp_buf out;
static __thread void *aside;
static int jumps;

static long made(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    syscall(SYS_write, file, "x", 1);
    return syscall(SYS_close, file);
}

static void rang(int signal)
{
    (void)signal;
    made("rang");
    if (jumps)
        siglongjmp(out, 1);
}

static void set_aside(void)
{
    stack_t stack = {.ss_size = 2 * getauxval(AT_MINSIGSTKSZ) + 5120};
    aside = stack.ss_sp = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sigaltstack(&stack, NULL))
        exit(3);
}

static void waits(int tells)
{
    int ends[2];
    char byte;
    struct itimerval soon = {.it_value = {0, 20000}};
    if (pipe(ends))
        exit(4);
    if (sigsetjmp(out, 1))
        return;
    setitimer(ITIMER_REAL, &soon, NULL);
    if (syscall(SYS_read, ends[0], &byte, 1) != -1 || tells)
        exit(5);
}

static void *thread(void *nothing)
{
    stack_t none = {.ss_flags = SS_DISABLE}, was, now;
    set_aside();
    made("thread");
    /* As Rust's threads end: it is taken away, and unmapped. */
    if (sigaltstack(&none, &was) || was.ss_flags || was.ss_sp != aside || sigaltstack(NULL, &now) || now.ss_flags != SS_DISABLE)
        exit(6);
    syscall(SYS_munmap, aside, 1 << 16);
    made("thread");
    return nothing;
}

int main(int count, char **words)
{
    (void)count;
    folder = words[1];
    struct sigaction action = {.sa_handler = rang, .sa_flags = SA_ONSTACK};
    sigaction(SIGALRM, &action, NULL);
    set_aside();
    made("main");
    waits(0);
    jumps = 1;
    waits(1);
    waits(1);
    made("main");
    for (int number = 0; number < 20; number++) {
        pthread_t one;
        pthread_create(&one, NULL, thread, NULL);
        pthread_join(one, NULL);
    }
    made("end");
    return 0;
}
"#;

#[test]
fn a_small_stack_for_handlers_is_enough_for_trapped_calls() {
    let folder = tempfile::tempdir().unwrap();
    let test = "a_small_stack_for_handlers_is_enough_for_trapped_calls";
    if !possible(test, &["cc"]) {
        return;
    }
    let [source, program] = ["aside.c", "aside"].map(|name| folder.path().join(name));
    std::fs::write(&source, PROGRAM).unwrap();
    let built = std::process::Command::new("cc").args(["-pthread", "-o"]).args([&program, &source]).output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let words = [&program, folder.path()].map(|word| word.to_str().unwrap().to_owned());
    let made = command(folder.path(), &words.each_ref().map(String::as_str));
    assert_eq!(made.status.code(), Some(0), "{:?}", made.status);
    let writes = |name| made.of(EventKind::Write, name).len();
    assert_eq!([writes("/main"), writes("/rang"), writes("/thread"), writes("/end")], [2, 3, 40, 1]);
}
