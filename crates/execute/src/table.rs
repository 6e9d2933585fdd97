//! The system calls that are seen, and what each is about.

use petrio_intercept::Rule;
use std::collections::BTreeMap;

/// What a call is about, as far as time and storage are concerned: the kernel's own name, or that of all that differ in how arguments are
/// written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Call {
    Read,
    Readv,
    Pread,
    Preadv,
    Write,
    Writev,
    Pwrite,
    Pwritev,
    Preadv2,
    Pwritev2,
    Sendfile,
    CopyFileRange,
    Splice,
    Open,
    Openat,
    Openat2,
    Creat,
    Close,
    CloseRange,
    Dup2,
    SetFlags,
    Fsync,
    Fdatasync,
    Sync,
    SyncRange,
    Truncate,
    Ftruncate,
    Fallocate,
    Unlink,
    Unlinkat,
    Rmdir,
    Rename,
    Renameat,
    Mkdir,
    Mkdirat,
    Link,
    Linkat,
    Symlink,
    Symlinkat,
    Getdents,
    Stat,
    Lstat,
    Statat,
    Statx,
    Fstat,
    Access,
    Accessat,
    Readlink,
    Readlinkat,
    Attributes,
    AttributesAt,
    AttributesOf,
    Utime,
    Utimes,
    UtimesAt,
    Utimens,
    Setxattr,
    SetxattrOf,
    IoSubmit,
    Mmap,
    Msync,
    ClockGettime,
    Gettimeofday,
    Time,
    Nanosleep,
    ClockNanosleep,
    Alarm,
    Setitimer,
    Getitimer,
    Times,
    TimerfdSettime,
    TimerfdGettime,
    TimerCreate,
    TimerSettime,
    TimerGettime,
    TimerOverrun,
    TimerDelete,
    Futex,
    Poll,
    Ppoll,
    Select,
    Pselect,
    EpollWait,
    EpollPwait,
    EpollPwait2,
    Receive,
    ReceiveMessage,
    Send,
    SendMessage,
    MqReceive,
    MqSend,
    Sigtimedwait,
    Accept,
    Wait4,
    Waitid,
    Yield,
    Clone,
    Clone3,
    Fork,
    Vfork,
    Execve,
    Exit,
    ExitGroup,
    Kill,
    Signalfd,
    SetTidAddress,
    Tell,
}

use Call::*;

/// Calls of every machine.
const EVERYWHERE: &[(i64, Call)] = &[
    (libc::SYS_read, Read),
    (libc::SYS_readv, Readv),
    (libc::SYS_pread64, Pread),
    (libc::SYS_preadv, Preadv),
    (libc::SYS_preadv2, Preadv2),
    (libc::SYS_write, Write),
    (libc::SYS_writev, Writev),
    (libc::SYS_pwrite64, Pwrite),
    (libc::SYS_pwritev, Pwritev),
    (libc::SYS_pwritev2, Pwritev2),
    (libc::SYS_sendfile, Sendfile),
    (libc::SYS_copy_file_range, CopyFileRange),
    (libc::SYS_splice, Splice),
    (libc::SYS_openat, Openat),
    (libc::SYS_openat2, Openat2),
    (libc::SYS_close, Close),
    (libc::SYS_close_range, CloseRange),
    (libc::SYS_dup3, Dup2),
    (libc::SYS_fsync, Fsync),
    (libc::SYS_fdatasync, Fdatasync),
    (libc::SYS_sync, Sync),
    (libc::SYS_syncfs, Sync),
    (libc::SYS_sync_file_range, SyncRange),
    (libc::SYS_truncate, Truncate),
    (libc::SYS_ftruncate, Ftruncate),
    (libc::SYS_fallocate, Fallocate),
    (libc::SYS_unlinkat, Unlinkat),
    (libc::SYS_renameat2, Renameat),
    (libc::SYS_mkdirat, Mkdirat),
    (libc::SYS_linkat, Linkat),
    (libc::SYS_symlinkat, Symlinkat),
    (libc::SYS_getdents64, Getdents),
    (libc::SYS_newfstatat, Statat),
    (libc::SYS_statx, Statx),
    (libc::SYS_fstat, Fstat),
    (libc::SYS_faccessat, Accessat),
    (libc::SYS_faccessat2, Accessat),
    (libc::SYS_readlinkat, Readlinkat),
    (libc::SYS_fchmod, AttributesOf),
    (libc::SYS_fchown, AttributesOf),
    (libc::SYS_fchmodat, AttributesAt),
    (libc::SYS_fchownat, AttributesAt),
    (libc::SYS_utimensat, Utimens),
    (libc::SYS_setxattr, Setxattr),
    (libc::SYS_lsetxattr, Setxattr),
    (libc::SYS_fsetxattr, SetxattrOf),
    (libc::SYS_io_submit, IoSubmit),
    (libc::SYS_msync, Msync),
    (libc::SYS_clock_gettime, ClockGettime),
    (libc::SYS_gettimeofday, Gettimeofday),
    (libc::SYS_nanosleep, Nanosleep),
    (libc::SYS_clock_nanosleep, ClockNanosleep),
    (libc::SYS_setitimer, Setitimer),
    (libc::SYS_getitimer, Getitimer),
    (libc::SYS_times, Times),
    (libc::SYS_timerfd_settime, TimerfdSettime),
    (libc::SYS_timerfd_gettime, TimerfdGettime),
    (libc::SYS_timer_create, TimerCreate),
    (libc::SYS_timer_settime, TimerSettime),
    (libc::SYS_timer_gettime, TimerGettime),
    (libc::SYS_timer_getoverrun, TimerOverrun),
    (libc::SYS_timer_delete, TimerDelete),
    (libc::SYS_futex, Futex),
    (libc::SYS_ppoll, Ppoll),
    (libc::SYS_pselect6, Pselect),
    (libc::SYS_epoll_pwait, EpollPwait),
    (libc::SYS_epoll_pwait2, EpollPwait2),
    (libc::SYS_recvfrom, Receive),
    (libc::SYS_recvmsg, ReceiveMessage),
    (libc::SYS_recvmmsg, Receive),
    (libc::SYS_sendto, Send),
    (libc::SYS_sendmsg, SendMessage),
    (libc::SYS_sendmmsg, Send),
    (libc::SYS_mq_timedreceive, MqReceive),
    (libc::SYS_mq_timedsend, MqSend),
    (libc::SYS_rt_sigtimedwait, Sigtimedwait),
    (libc::SYS_accept, Accept),
    (libc::SYS_accept4, Accept),
    (libc::SYS_wait4, Wait4),
    (libc::SYS_waitid, Waitid),
    (libc::SYS_sched_yield, Yield),
    (libc::SYS_clone, Clone),
    (libc::SYS_clone3, Clone3),
    (libc::SYS_execve, Execve),
    (libc::SYS_execveat, Execve),
    (libc::SYS_exit, Exit),
    (libc::SYS_exit_group, ExitGroup),
    (libc::SYS_kill, Kill),
    (libc::SYS_tkill, Kill),
    (libc::SYS_signalfd4, Signalfd),
    (libc::SYS_tgkill, Kill),
    (libc::SYS_rt_sigqueueinfo, Kill),
    (libc::SYS_rt_tgsigqueueinfo, Kill),
    (libc::SYS_pidfd_send_signal, Kill),
    (libc::SYS_set_tid_address, SetTidAddress),
    (crate::ranks::tell::NUMBER, Tell),
    // What a thread of the C library does first: until then nobody makes it wait for its turn.
    (libc::SYS_set_robust_list, SetTidAddress),
    (libc::SYS_rseq, SetTidAddress),
];

/// Those that younger machines have no more.
#[cfg(target_arch = "x86_64")]
const OLDER: &[(i64, Call)] = &[
    (libc::SYS_open, Open),
    (libc::SYS_creat, Creat),
    (libc::SYS_dup2, Dup2),
    (libc::SYS_unlink, Unlink),
    (libc::SYS_rmdir, Rmdir),
    (libc::SYS_rename, Rename),
    (libc::SYS_renameat, Renameat),
    (libc::SYS_mkdir, Mkdir),
    (libc::SYS_link, Link),
    (libc::SYS_symlink, Symlink),
    (libc::SYS_getdents, Getdents),
    (libc::SYS_stat, Stat),
    (libc::SYS_lstat, Lstat),
    (libc::SYS_access, Access),
    (libc::SYS_readlink, Readlink),
    (libc::SYS_chmod, Attributes),
    (libc::SYS_chown, Attributes),
    (libc::SYS_lchown, Attributes),
    (libc::SYS_utime, Utime),
    (libc::SYS_utimes, Utimes),
    (libc::SYS_futimesat, UtimesAt),
    (libc::SYS_time, Time),
    (libc::SYS_alarm, Alarm),
    (libc::SYS_poll, Poll),
    (libc::SYS_select, Select),
    (libc::SYS_epoll_wait, EpollWait),
    (libc::SYS_fork, Fork),
    (libc::SYS_vfork, Vfork),
    (libc::SYS_signalfd, Signalfd),
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[(i64, Call)] = &[(libc::SYS_renameat, Renameat)];

/// Of fcntl's many commands the one that changes how a file is accessed.
const SETS_FLAGS: Rule = Rule::HoldWhere { argument: 1, value: libc::F_SETFL.unsigned_abs() };

/// Calls that this kernel is said not to have: programs do without.
const MISSING: [i64; 4] = [
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Its times are those of clocks, which the kernel knows nothing of; who asks for several words at once can do so one by one.
    libc::SYS_futex_waitv,
];

/// What becomes of which calls.
pub(crate) fn rules() -> Vec<(i64, Rule)> {
    let held = EVERYWHERE.iter().chain(OLDER).map(|&(number, _)| (number, Rule::Hold));
    // What is read and written most comes first: each that stands before costs some instructions.
    held.chain([(libc::SYS_mmap, Rule::HoldOfFiles), (libc::SYS_fcntl, SETS_FLAGS)])
        .chain(MISSING.into_iter().map(|number| (number, Rule::Missing)))
        .collect()
}

/// Which call a number is.
#[derive(Debug)]
pub(crate) struct Table(Vec<Option<Call>>);

impl Table {
    pub(crate) fn new() -> Self {
        let mut table = vec![None; 512];
        for &(number, call) in
            EVERYWHERE.iter().chain(OLDER).chain(&[(libc::SYS_mmap, Mmap), (libc::SYS_fcntl, SetFlags)])
        {
            if let Some(slot) = usize::try_from(number).ok().and_then(|number| table.get_mut(number)) {
                *slot = Some(call);
            }
        }
        Self(table)
    }

    pub(crate) fn call(&self, number: i64) -> Option<Call> {
        *self.0.get(usize::try_from(number).ok()?)?
    }
}

/// How often each call was seen.
#[derive(Debug)]
pub(crate) struct Counts(Vec<(&'static str, u64)>);

impl Counts {
    pub(crate) fn new() -> Self {
        // Every call has its place: there are fewer kinds than numbers of them.
        Self(vec![("", 0); EVERYWHERE.len() + OLDER.len() + 2])
    }

    pub(crate) fn count(&mut self, call: Call) {
        if let Some((name, count)) = self.0.get_mut(call as usize) {
            (*name, *count) = (call.name(), *count + 1);
        }
    }

    /// By the kernel's words.
    pub(crate) fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let mut all = BTreeMap::new();
        for &(name, count) in self.0.iter().filter(|(_, count)| *count > 0) {
            *all.entry(name).or_default() += count;
        }
        all
    }
}

impl Call {
    /// The kernel's word for it, or for all that do the same.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Read | Readv => "read",
            Pread | Preadv | Preadv2 => "pread",
            Write | Writev => "write",
            Pwrite | Pwritev | Pwritev2 => "pwrite",
            Sendfile => "sendfile",
            CopyFileRange => "copy_file_range",
            Splice => "splice",
            Open | Openat | Openat2 | Creat => "open",
            Close | CloseRange => "close",
            Dup2 => "dup",
            SetFlags => "fcntl",
            Fsync => "fsync",
            Fdatasync => "fdatasync",
            Sync => "sync",
            SyncRange => "sync_file_range",
            Truncate | Ftruncate => "truncate",
            Fallocate => "fallocate",
            Unlink | Unlinkat => "unlink",
            Rmdir => "rmdir",
            Rename | Renameat => "rename",
            Mkdir | Mkdirat => "mkdir",
            Link | Linkat => "link",
            Symlink | Symlinkat => "symlink",
            Getdents => "getdents",
            Stat | Lstat | Statat | Statx | Fstat => "stat",
            Access | Accessat => "access",
            Readlink | Readlinkat => "readlink",
            Attributes | AttributesAt | AttributesOf => "chmod, chown",
            Utime | Utimes | UtimesAt | Utimens => "utimes",
            Setxattr | SetxattrOf => "setxattr",
            IoSubmit => "io_submit",
            Mmap => "mmap",
            Msync => "msync",
            ClockGettime | Gettimeofday | Time | Times => "clock",
            Nanosleep | ClockNanosleep => "sleep",
            Alarm | Setitimer | Getitimer | TimerfdSettime | TimerfdGettime | TimerCreate | TimerSettime
            | TimerGettime | TimerOverrun | TimerDelete => "timer",
            Futex => "futex",
            Poll | Ppoll | Select | Pselect => "poll",
            EpollWait | EpollPwait | EpollPwait2 => "epoll_wait",
            Receive | ReceiveMessage | MqReceive => "recv",
            Send | SendMessage | MqSend => "send",
            Sigtimedwait => "sigwait",
            Accept => "accept",
            Wait4 | Waitid => "wait",
            Yield => "sched_yield",
            Clone | Clone3 | Fork | Vfork => "clone",
            Execve => "execve",
            Exit | ExitGroup => "exit",
            Kill => "kill",
            Signalfd => "signalfd",
            SetTidAddress => "start",
            Tell => "mpi",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_the_kernels_words_and_each_has_its_place() {
        let mut counts = Counts::new();
        let last = SetTidAddress;
        [Read, Readv, Pread, last].into_iter().for_each(|call| counts.count(call));
        assert_eq!(counts.by_name(), BTreeMap::from([("read", 2), ("pread", 1), ("start", 1)]));
        let table = Table::new();
        assert_eq!(table.call(libc::SYS_fcntl), Some(SetFlags));
        assert_eq!(table.call(-1), None);
    }
}
