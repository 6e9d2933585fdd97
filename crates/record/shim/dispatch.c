/* System calls that no function of the C library's makes for the program (those of its own stdio, of other libraries, of a language's
 * runtime) are trapped: the kernel sends SIGSYS in their place (syscall user dispatch, Linux 5.11), and the handler carries them out.
 *
 * Only the instructions at petrio_raw may call the kernel directly. What a handler can't carry out, as it comes back on another stack
 * (threads, posix_spawn), is let through: the selector is opened and the instruction is made again. */
#include "inside.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".globl petrio_raw\n"
    ".hidden petrio_raw\n"
    ".type petrio_raw, @function\n"
    "petrio_raw:\n"
    "  .cfi_startproc\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n  mov %r8, %r10\n  mov %r9, %r8\n"
    "  mov 8(%rsp), %r9\n"
    "  syscall\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".hidden petrio_raw_at\n"
    ".type petrio_raw_at, @function\n"
    "petrio_raw_at:\n"
    "  .cfi_startproc\n"
    "  push %rbx\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbx, -16\n"
    "  mov %rsp, %rbx\n  .cfi_def_cfa_register %rbx\n"
    "  mov %rcx, %rsp\n  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n"
    "  syscall\n"
    "  mov %rbx, %rsp\n  pop %rbx\n  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    /* These nine bytes are how unwinders know the end of a signal's handler. */
    "  nop\n"
    ".globl petrio_restore\n"
    ".hidden petrio_restore\n"
    "petrio_restore:\n"
    "  mov $15, %rax\n"
    "  syscall\n"
    "  nop\n"
    ".globl petrio_raw_end\n"
    ".hidden petrio_raw_end\n"
    "petrio_raw_end:\n"
    "  nop\n"
    ".size petrio_raw, petrio_raw_end - petrio_raw\n");

/* As petrio_raw, of two arguments, with another stack pointer. */
long petrio_raw_at(long number, long a, long b, long stack) __attribute__((visibility("hidden")));
extern const char petrio_restore[] __attribute__((visibility("hidden")));
extern const char petrio_raw_end[] __attribute__((visibility("hidden")));

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define BLOCKED 1
#define ALLOWED 0
#define SYS_SIGNAL (1ull << (SIGSYS - 1))
#define RESTORER 0x04000000ul
/* Bytes below its stack pointer that a function may use. */
#define RED_ZONE 128

struct kernel_action {
    void *handler;
    unsigned long flags;
    const void *restorer;
    uint64_t mask;
};

static int handles;

static void arm(void)
{
    long begin = (long)&petrio_raw;
    petrio_self.selector = ALLOWED;
    petrio_self.armed = RAW(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 1, begin, (long)petrio_raw_end - begin, &petrio_self.selector) == 0;
}

void petrio_rearm(void)
{
    if (petrio_self.armed)
        petrio_self.selector = BLOCKED;
}

/* In a process whose memory is a copy: the kernel has forgotten. */
static void became_child(void)
{
    petrio_forget();
    if (handles) {
        arm();
        petrio_rearm();
    }
}

static long change_action(int signal, const struct kernel_action *wanted, struct kernel_action *before, long size)
{
    struct kernel_action own;
    if (signal == SIGSYS) {
        if (before)
            memset(before, 0, sizeof *before);
        return 0;
    }
    if (!wanted)
        return RAW(SYS_rt_sigaction, signal, NULL, before, size);
    own = *wanted;
    own.mask &= ~SYS_SIGNAL;
    if (own.flags & RESTORER)
        own.restorer = petrio_restore;
    return RAW(SYS_rt_sigaction, signal, &own, before, size);
}

static long change_mask(ucontext_t *context, long how, const uint64_t *wanted, uint64_t *before, long size)
{
    uint64_t own, now;
    if (wanted)
        own = *wanted & ~SYS_SIGNAL;
    long result = RAW(SYS_rt_sigprocmask, how, wanted ? &own : NULL, before, size);
    if (result == 0 && RAW(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, sizeof now) == 0)
        memcpy(&context->uc_sigmask, &now, sizeof now);
    return result;
}

/* The stack that is set aside for handlers (sigaltstack(2)). The kernel changes none on which its caller stands, as this handler may: it is called
 * from where the program stands. Signals wait meanwhile, as they would begin where this handler has its frame. */
static long change_stack(ucontext_t *context, const stack_t *wanted, stack_t *before)
{
    const uint64_t all = ~0ull;
    uint64_t mask;
    RAW(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof all);
    long result = petrio_raw_at(SYS_sigaltstack, (long)wanted, (long)before, context->uc_mcontext.gregs[REG_RSP] - RED_ZONE);
    RAW(SYS_sigaltstack, NULL, &context->uc_stack);
    RAW(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
    return result;
}

/* A wait under another mask: whose handlers make system calls, too. */
static long wait_with(long number, long a, long b, long c, long d, long e, long f)
{
    uint64_t own;
    struct { const uint64_t *mask; uint64_t size; } pair;
    const uint64_t **mask = number == SYS_ppoll ? (const uint64_t **)&d : number == SYS_rt_sigsuspend ? (const uint64_t **)&a : (const uint64_t **)&e;
    if (number == SYS_pselect6) {
        if (f) {
            memcpy(&pair, (void *)f, sizeof pair);
            if (pair.mask) {
                own = *pair.mask & ~SYS_SIGNAL;
                pair.mask = &own;
            }
            f = (long)&pair;
        }
    } else if (*mask) {
        own = **mask & ~SYS_SIGNAL;
        *mask = &own;
    }
    return petrio_raw(number, a, b, c, d, e, f);
}

static void trapped(int signal, siginfo_t *info, void *opaque)
{
    ucontext_t *context = opaque;
    greg_t *registers = context->uc_mcontext.gregs;
    long number = registers[REG_RAX];
    long a = registers[REG_RDI], b = registers[REG_RSI], c = registers[REG_RDX], d = registers[REG_R10], e = registers[REG_R8],
         f = registers[REG_R9], result;
    (void)signal;
    if (info->si_code != 2 /* SYS_USER_DISPATCH */)
        return;
    number = info->si_syscall;
    int shares = (number == SYS_clone && a & CLONE_VM) || (number == SYS_clone3 && a && *(uint64_t *)a & CLONE_VM);
    if (shares) {
        petrio_self.selector = ALLOWED;
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = number;
        return;
    }
    switch (number) {
    case SYS_clone: case SYS_clone3: case SYS_fork: case SYS_vfork:
        result = number == SYS_clone    ? RAW(SYS_clone, a, b, c, d, e)
                 : number == SYS_clone3 ? RAW(SYS_clone3, a, b)
                                        : RAW(SYS_clone, SIGCHLD);
        if (result == 0) {
            became_child();
        } else if (result > 0 && petrio_ready()) {
            struct petrio_span span = petrio_started();
            struct petrio_record record = {.kind = PETRIO_FORK, .begin = span.begin, .compute = span.compute, .offset = (uint64_t)result};
            record.took = petrio_ended(span.begin);
            petrio_write(&record, NULL, 0);
        }
        break;
    case SYS_rt_sigprocmask: result = change_mask(context, a, (void *)b, (void *)c, d); break;
    case SYS_rt_sigaction: result = change_action((int)a, (void *)b, (void *)c, d); break;
    case SYS_sigaltstack: result = change_stack(context, (const stack_t *)a, (stack_t *)b); break;
    case SYS_rt_sigsuspend: case SYS_ppoll: case SYS_pselect6: case SYS_epoll_pwait:
        result = wait_with(number, a, b, c, d, e, f);
        break;
    case SYS_prctl:
        /* Nobody else may take this away. */
        result = a == PR_SET_SYSCALL_USER_DISPATCH ? -EINVAL : RAW(number, a, b, c, d, e);
        break;
    case SYS_rt_sigreturn:
        /* A handler that was there before: its frame lies where the stack pointer stands. Let through. */
        petrio_self.selector = ALLOWED;
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = number;
        return;
    case SYS_execve: result = petrio_execute(a, (void *)b, (void *)c); break;
    default: result = petrio_call(number, a, b, c, d, e, f);
    }
    registers[REG_RAX] = result;
}

/* Begins in a process, or in a new thread of it. */
void petrio_trap(void)
{
    if (!handles) {
        struct kernel_action action = {
            .handler = (void *)trapped, .flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | RESTORER, .restorer = petrio_restore};
        uint64_t free = SYS_SIGNAL;
        if (RAW(SYS_rt_sigaction, SIGSYS, &action, NULL, sizeof action.mask) < 0)
            return;
        RAW(SYS_rt_sigprocmask, SIG_UNBLOCK, &free, NULL, sizeof free);
        handles = 1;
    }
    arm();
    petrio_rearm();
}

#else
/* Elsewhere kernels don't trap: only the functions of the C library are seen. */
#include <unistd.h>
long petrio_raw(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);
    return result == -1 ? -errno : result;
}
void petrio_trap(void) {}
void petrio_rearm(void) {}
#endif
