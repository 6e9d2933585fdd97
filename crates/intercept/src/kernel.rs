//! What the kernel is asked for that no safe call asks: a filter of system calls with a listener (seccomp(2)), and what one does with
//! that (`seccomp_unotify(2)`); and threads that are followed (ptrace(2)), whose signals may be such that no library has a name for.
//!
//! Everything unsafe of this crate is in here: a few calls, each with fixed-size arguments that live through it.
#![expect(unsafe_code, reason = "seccomp and the ioctls of its listener have no safe call in nix or rustix")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// A held call, as the kernel tells of it.
pub(crate) use libc::seccomp_notif as Told;

/// One instruction of a filter.
pub(crate) use libc::sock_filter as Instruction;

/// Lets whoever is woken by an answer run at once where the answer was given (Linux 6.6 on).
const SYNC_WAKE_UP: u64 = 1;

/// Installs a filter for this thread, and what it starts, for ever: calls that it names are held, and the descriptor tells of them.
/// The thread must have renounced new privileges.
pub(crate) fn install(filter: &[Instruction]) -> io::Result<OwnedFd> {
    let firmly = if holds_firmly() { FIRMLY } else { 0 };
    let fd = set(filter, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | firmly)?;
    // SAFETY: the call has just made this descriptor, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A call that is held stays so until it is answered, from when it was told on, whatever signals come but those that kill.
const FIRMLY: libc::c_ulong = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;

/// Whether the kernel can hold calls so (Linux 5.19 on). Else a signal takes a thread out of any call, also of such as no kernel lets fail
/// for a signal (close, open, fsync).
pub(crate) fn holds_firmly() -> bool {
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | FIRMLY;
    let nothing = std::ptr::null::<libc::sock_fprog>();
    // SAFETY: there is no filter at this address, which the kernel says after it has looked at the flags; nothing is installed.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, nothing) };
    io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// As [`install`], without a listener: calls that it names are told to whoever follows the thread.
pub(crate) fn install_for_followers(filter: &[Instruction]) -> io::Result<()> {
    set(filter, 0).map(|_| ())
}

fn set(filter: &[Instruction], flags: libc::c_ulong) -> io::Result<i32> {
    let length = u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the kernel reads `len` instructions at `filter`, which outlives the call, and changes none of them.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    i32::try_from(result).ok().filter(|result| *result >= 0).ok_or_else(io::Error::last_os_error)
}

/// The next held call; waits for one. None where the one that there was is gone again, or nobody is left who could make one.
pub(crate) fn receive(listener: BorrowedFd<'_>) -> io::Result<Option<Told>> {
    // SAFETY: all-zero is a value of this structure of numbers; the kernel demands it.
    let mut told: Told = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one `seccomp_notif` there.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV as _, &raw mut told) };
    match result {
        0 => Ok(Some(told)),
        _ => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) => Ok(None),
            error => Err(error),
        },
    }
}

/// Answers a held call: goes on in the kernel, or returns a value or an error number without. Whether it was still there.
pub(crate) fn answer(
    listener: BorrowedFd<'_>,
    id: u64,
    answer: Result<Option<i64>, i32>,
) -> io::Result<bool> {
    let (val, error, flags) = match answer {
        Ok(None) => (0, 0, 1),
        Ok(Some(value)) => (value, 0, 0),
        Err(error) => (0, -error, 0),
    };
    let mut response = libc::seccomp_notif_resp { id, val, error, flags };
    // SAFETY: the kernel reads one `seccomp_notif_resp` there.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND as _, &raw mut response) };
    still_there(result)
}

/// Whether a held call still waits: its thread may have been killed, or interrupted by a signal.
pub(crate) fn is_waiting(listener: BorrowedFd<'_>, id: u64) -> io::Result<bool> {
    // SAFETY: the kernel reads eight bytes there.
    let result =
        unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID as _, &raw const id) };
    still_there(result)
}

/// Asks for quick changes between listener and program; kernels before 6.6 don't know that.
pub(crate) fn wake_at_once(listener: BorrowedFd<'_>) {
    // SAFETY: the argument is a number.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS as _, SYNC_WAKE_UP) };
}

/// What ends a wait in [`receive`]: a signal that nobody else here has a use for, and that does nothing where it isn't heard.
const NUDGE: i32 = libc::SIGURG;

extern "C" fn nothing(_: i32) {}

/// Lets nudges end this thread's waits; returns by which number it is nudged.
pub(crate) fn hear_nudges() -> io::Result<i32> {
    // SAFETY: all-zero is a value of these structures; the handler does nothing, which is safe at any time; both live through the calls.
    let thread = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let handler: extern "C" fn(i32) = nothing;
        action.sa_sigaction = handler as usize;
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, NUDGE);
        if libc::sigaction(NUDGE, &raw const action, std::ptr::null_mut()) != 0
            || libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut()) != 0
        {
            return Err(io::Error::last_os_error());
        }
        libc::gettid()
    };
    Ok(thread)
}

/// Ends a wait of a thread of this process.
pub(crate) fn nudge(thread: i32) {
    // SAFETY: the arguments are numbers, and the signal has a handler since [`hear_nudges`].
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, NUDGE) };
}

fn still_there(result: i32) -> io::Result<bool> {
    if result == 0 {
        return Ok(true);
    }
    match io::Error::last_os_error() {
        error if error.raw_os_error() == Some(libc::ENOENT) => Ok(false),
        error => Err(error),
    }
}

/// The descriptor of this number that whoever has started this process left open for it, and that nothing else here knows of.
pub(crate) fn inherited(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: asks for flags; a number that is no descriptor is an error.
    if number < 3 || unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        return Err(io::Error::other("nothing was handed over"));
    }
    // SAFETY: it is open, and this process has just begun: nobody owns it yet.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// A descriptor of this process by its number, for one call.
pub(crate) fn borrowed(number: i32) -> BorrowedFd<'static> {
    // SAFETY: whoever tells the number keeps the descriptor until the process becomes another.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// Lets a descriptor that tells of time tell that it went off so often, and wakes who waits for it (`timerfd_create(2)`, `TFD_IOC_SET_TICKS`).
pub(crate) fn set_ticks(timer: BorrowedFd<'_>, ticks: u64) -> io::Result<()> {
    // _IOW('T', 0, u64), linux/timerfd.h.
    const SET_TICKS: u64 = 0x4008_5400;
    // SAFETY: the kernel reads eight bytes there.
    let result = unsafe { libc::ioctl(timer.as_raw_fd(), SET_TICKS as _, &raw const ticks) };
    done(result.into())
}

/// What comes with a signal of a timer's (struct siginfo, its part `_timer`), in 128 bytes.
#[repr(C)]
struct OfTimer {
    signal: i32,
    error: i32,
    code: i32,
    padding: i32,
    timer: i32,
    overrun: i32,
    value: u64,
    rest: [u64; 12],
}

/// Sends a process, or one thread of it, a signal as a timer would (`rt_tgsigqueueinfo(2)`).
pub(crate) fn send_of_timer(
    process: i32,
    thread: Option<i32>,
    (signal, value): (i32, u64),
) -> io::Result<()> {
    let told = OfTimer {
        signal,
        error: 0,
        code: libc::SI_TIMER,
        padding: 0,
        timer: 0,
        overrun: 0,
        value,
        rest: [0; 12],
    };
    // SAFETY: the kernel reads 128 bytes there, which is what the structure has.
    done(unsafe {
        match thread {
            Some(thread) => {
                libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, &raw const told)
            }
            None => libc::syscall(libc::SYS_rt_sigqueueinfo, process, signal, &raw const told),
        }
    })
}

/// How a thread that stands still goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Going {
    /// To its next call that is told.
    On,
    /// To the end of the call that it is in.
    ToTheEnd,
    /// Not at all: it was stopped by a signal, and only waits to be continued.
    Stopped,
}

/// Follows a thread that goes on meanwhile, and all that it will make; they end with whoever follows them.
pub(crate) fn seize(thread: i32) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACESECCOMP
        | libc::PTRACE_O_EXITKILL;
    // SAFETY: the arguments are numbers.
    done(unsafe { libc::ptrace(libc::PTRACE_SEIZE, thread, 0usize, libc::c_long::from(options)) })
}

/// Lets a thread go on that stands still, with a signal that it gets where the number isn't zero.
pub(crate) fn go_on(thread: i32, going: Going, signal: i32) -> io::Result<()> {
    let request = match going {
        Going::On => libc::PTRACE_CONT,
        Going::ToTheEnd => libc::PTRACE_SYSCALL,
        Going::Stopped => libc::PTRACE_LISTEN,
    };
    // SAFETY: the arguments are numbers.
    done(unsafe { libc::ptrace(request, thread, 0usize, libc::c_long::from(signal)) })
}

/// The number that belongs to what a thread stands still for: of the child, or of the thread before an exec.
pub(crate) fn message(thread: i32) -> io::Result<u64> {
    let mut message: libc::c_ulong = 0;
    // SAFETY: the kernel writes a number there.
    done(unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, thread, 0usize, &raw mut message) })?;
    Ok(message)
}

/// A call at which a thread stands still.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At {
    /// Its number and arguments.
    Begins(u64, [u64; 6]),
    /// What it returns.
    Ends(i64),
    /// None.
    Nothing,
}

/// The call at which a thread stands still.
pub(crate) fn at_call(thread: i32) -> io::Result<At> {
    // SAFETY: all-zero is a value of this structure of numbers.
    let mut info: libc::ptrace_syscall_info = unsafe { std::mem::zeroed() };
    let size = size_of_val(&info);
    // SAFETY: the kernel writes at most `size` bytes there.
    let result = unsafe { libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, thread, size, &raw mut info) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `op` says which of the union's parts, all of numbers, was written.
    Ok(unsafe {
        match info.op {
            libc::PTRACE_SYSCALL_INFO_SECCOMP => At::Begins(info.u.seccomp.nr, info.u.seccomp.args),
            libc::PTRACE_SYSCALL_INFO_EXIT => At::Ends(info.u.exit.sval),
            _ => At::Nothing,
        }
    })
}

fn done(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
