//! A program started so that its calls are held: petrio starts itself three times over, each time nearer to it.
//!
//! - *outside*: leaves the namespaces of its parent and builds the file system ([`Cage`]);
//! - *inside*: the first process of its own, which mounts /proc, takes what others leave behind, and whose end ends them all;
//! - *program*: installs the filter, hands its listener over, and becomes the program.
//!
//! What fails on the way is told over the same socket by which the listener comes.

use crate::cage::Cage;
use crate::filter::{Rule, program as filter_of};
use crate::kernel;
use crate::listener::Listener;
use petrio_capture::launch::{self, Signal, end_with};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mount::{MountFlags, mount};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{WaitOptions, getuid, wait};
use rustix::thread::{CapabilitySet, UnshareFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io::{self, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use thiserror::Error;

/// The word with which petrio starts itself for this.
const WORD: &str = "execute-inside";
/// As shells have it: a program that can't be executed.
const NOT_EXECUTED: i32 = 126;
const NOT_FOUND: i32 = 127;
/// Whoever hands a listener over looks so often whether it is there.
const LOOK: Duration = Duration::from_micros(50);

/// What is to be started, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// Where the program lies.
    pub program: PathBuf,
    /// What it is called, and its arguments.
    pub command: Vec<OsString>,
    /// Variables of its environment beside those that petrio has.
    pub environment: Vec<(OsString, OsString)>,
    /// What lies between it and the host; nothing, where none is said: then its calls are held, and that is all.
    pub cage: Option<Cage>,
    /// What becomes of which calls.
    pub rules: Vec<(i64, Rule)>,
}

/// Why nothing was started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Nobody has said by what.
    #[error("nothing is known that could start a program")]
    NoLauncher,
    /// The kernel refused something.
    #[error("{doing}: {why}")]
    Refused {
        /// What was being done.
        doing: String,
        /// What the kernel said.
        why: String,
    },
}

/// A program whose calls are held.
#[derive(Debug)]
pub struct Started {
    /// Where they are told.
    pub listener: Listener,
    outermost: Child,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// As shells tell it: its own code, or 128 and the number of the signal that ended it.
    pub code: i32,
}

impl Started {
    /// Waits for its end.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub fn wait(&mut self) -> io::Result<Ended> {
        Ok(Ended { code: code(self.outermost.wait()?) })
    }

    /// Ends it and all that it has started.
    pub fn end(&mut self) {
        let _ = self.outermost.kill();
        let _ = self.outermost.wait();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.end();
    }
}

fn refused(doing: &str) -> impl Fn(io::Error) -> StartError {
    let doing = doing.to_owned();
    move |why| StartError::Refused { doing: doing.clone(), why: why.to_string() }
}

/// Starts a program.
///
/// # Errors
/// [`StartError`]; nothing runs then.
pub fn start(start: &Start) -> Result<Started, StartError> {
    let own = launch::program().ok_or(StartError::NoLauncher)?;
    let failed = refused("the program can't be started");
    let pair = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
    let (here, there) = pair.map_err(|error| failed(error.into()))?;
    let words = serde_json::to_string(start).map_err(|error| failed(error.into()))?;
    fcntl_setfd(&there, FdFlags::empty()).map_err(|error| failed(error.into()))?;
    let mut command = launch::command(own, Signal::KILL);
    let parent = std::process::id().to_string();
    command.args([WORD, "outside", &there.as_raw_fd().to_string(), &parent, &words]);
    let mut outermost = command.spawn().map_err(&failed)?;
    drop(there);
    match take(&here) {
        Ok(Ok(descriptor)) => Ok(Started { listener: Listener::new(descriptor), outermost }),
        Ok(Err(told)) => {
            let _ = outermost.kill();
            let _ = outermost.wait();
            let (doing, why) = told.split_once('\0').unwrap_or(("the program can't be started", &told));
            Err(StartError::Refused { doing: doing.to_owned(), why: why.to_owned() })
        }
        Err(error) => {
            let _ = outermost.kill();
            let _ = outermost.wait();
            Err(failed(error))
        }
    }
}

/// The listener's descriptor, or what was told instead.
fn take(socket: &OwnedFd) -> io::Result<Result<OwnedFd, String>> {
    let mut text = vec![0; 4_096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut text)];
    let got = recvmsg(socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(mut descriptors) = message
            && let Some(descriptor) = descriptors.next()
        {
            return Ok(Ok(descriptor));
        }
    }
    text.truncate(got.bytes);
    Ok(Err(match text.is_empty() {
        true => "the program can't be started\0it ended before it began".to_owned(),
        false => String::from_utf8_lossy(&text).into_owned(),
    }))
}

/// Becomes what petrio has started itself for, if these arguments say so; comes back with the exit code.
pub fn called(arguments: &[OsString]) -> Option<i32> {
    let (first, words) = arguments.split_first()?;
    if first != WORD {
        return None;
    }
    let [stage, socket, parent, start] = words else { return Some(NOT_EXECUTED) };
    let socket = socket.to_str().and_then(|number| number.parse().ok()).unwrap_or(-1);
    let Ok(socket) = kernel::inherited(socket) else { return Some(NOT_EXECUTED) };
    let start_words = start.clone();
    let Some(start) = start.to_str().and_then(|text| serde_json::from_str::<Start>(text).ok()) else {
        return Some(NOT_EXECUTED);
    };
    let parent = parent.to_str().and_then(|number| number.parse().ok()).unwrap_or(0);
    let done = match stage.to_str() {
        Some("outside") => outside(&socket, parent, &start, &start_words),
        Some("inside") => inside(&socket, &start, &start_words),
        _ => program(&socket, &start),
    };
    Some(done.unwrap_or(NOT_EXECUTED))
}

/// Tells what failed.
fn tell<T>(socket: BorrowedFd<'_>, doing: &str, result: io::Result<T>) -> Option<T> {
    result
        .inspect_err(|error| {
            let text = format!("{doing}\0{error}");
            let mut nothing = SendAncillaryBuffer::default();
            let _ = sendmsg(socket, &[IoSlice::new(text.as_bytes())], &mut nothing, SendFlags::NOSIGNAL);
        })
        .ok()
}

fn outside(socket: &OwnedFd, parent: u32, start: &Start, words: &OsString) -> Option<i32> {
    let to = socket.as_fd();
    let own = tell(to, "petrio itself isn't found", std::env::current_exe())?;
    if let Some(cage) = &start.cage {
        let is_root = getuid().is_root();
        let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
        if !cage.network {
            flags |= UnshareFlags::NEWNET;
        }
        if !is_root {
            flags |= UnshareFlags::NEWUSER;
        }
        let (user, group) = (getuid().as_raw(), rustix::process::getgid().as_raw());
        let doing = match is_root {
            true => "namespaces of its own are refused",
            false => {
                "a user's namespaces are refused (user.max_user_namespaces, or a rule of the distribution's)"
            }
        };
        tell(to, doing, apart(flags))?;
        if !is_root {
            tell(to, "the user's number can't be kept in namespaces of its own", keep_user(user, group))?;
        }
        tell(to, "whoever started it has ended", end_with(parent, Signal::KILL))?;
        if !cage.network {
            // Without it programs do without their own machine's name.
            let _ = loopback_up();
        }
        tell(to, "the file system that the program is to see can't be built of overlays", cage.build())?;
    }
    let mut command = Command::new(own);
    command.args([WORD, "inside", &socket.as_raw_fd().to_string(), "0"]).arg(words);
    if start.cage.is_none() {
        // Nothing to build: it becomes the next.
        return tell(to, "the program can't be started", Err(command.exec()));
    }
    let mut child = tell(to, "the first process inside can't be started", command.spawn())?;
    // Else nobody would hear of its end by the socket's.
    let _ = fcntl_setfd(socket, FdFlags::CLOEXEC);
    Some(code(child.wait().ok()?))
}

/// Leaves the namespaces of whoever started it.
fn apart(flags: UnshareFlags) -> io::Result<()> {
    let flags = nix::sched::CloneFlags::from_bits_truncate(i32::try_from(flags.bits()).unwrap_or_default());
    Ok(nix::sched::unshare(flags)?)
}

/// The same numbers of user and group inside, and the right to mount through the next exec.
fn keep_user(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    let mut sets = rustix::thread::capabilities(None)?;
    sets.inheritable |= CapabilitySet::SYS_ADMIN;
    rustix::thread::set_capabilities(None, sets)?;
    rustix::thread::configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    Ok(())
}

/// Lets a machine without network reach itself: one message to the kernel (rtnetlink(7)).
fn loopback_up() -> io::Result<()> {
    use rustix::net::netlink::SocketAddrNetlink;
    const NEW_LINK: u16 = 16;
    const REQUEST: u16 = 1;
    const UP: u32 = 1;
    let socket = rustix::net::socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    let mut message = Vec::new();
    message.extend(32u32.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    message.extend([0; 8 + 4]);
    // The first interface is the loopback.
    message.extend(1i32.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    message.extend(UP.to_ne_bytes());
    rustix::net::sendto(&socket, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    Ok(())
}

fn inside(socket: &OwnedFd, start: &Start, words: &OsString) -> Option<i32> {
    let to = socket.as_fd();
    if start.cage.is_some() {
        // Of a parent in other namespaces nothing is seen but that there is none here.
        tell(to, "whoever started it has ended", end_with(0, Signal::KILL))?;
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        let mounted = mount("proc", "/proc", "proc", flags, None).map_err(Into::into);
        tell(to, "/proc can't be mounted for the program's own processes", mounted)?;
        let _ = rustix::thread::clear_ambient_capability_set();
    }
    let own = tell(to, "petrio itself isn't found", std::env::current_exe())?;
    let mut command = Command::new(own);
    command.args([WORD, "program", &socket.as_raw_fd().to_string(), "0"]).arg(words);
    if start.cage.is_none() {
        return tell(to, "the program can't be started", Err(command.exec()));
    }
    let child = tell(to, "the program can't be started", command.spawn())?;
    let _ = fcntl_setfd(socket, FdFlags::CLOEXEC);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process.as_raw_nonzero().get().unsigned_abs() == child.id() => {
                return Some(code(ExitStatus::from_raw(status.as_raw())));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return None,
        }
    }
}

/// What nobody needs who only keeps files, and what would reach past the file system that was built.
const RENOUNCED: [CapabilitySet; 14] = [
    CapabilitySet::SYS_ADMIN,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYS_TIME,
    CapabilitySet::SYS_PACCT,
    CapabilitySet::MKNOD,
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::SYSLOG,
    CapabilitySet::BPF,
    CapabilitySet::PERFMON,
    CapabilitySet::MAC_ADMIN,
    CapabilitySet::MAC_OVERRIDE,
    CapabilitySet::NET_ADMIN,
];

fn program(socket: &OwnedFd, start: &Start) -> Option<i32> {
    static LISTENER: AtomicI32 = AtomicI32::new(-1);
    let to = socket.as_fd();
    let _ = fcntl_setfd(socket, FdFlags::CLOEXEC);
    let (name, arguments) = start.command.split_first()?;
    if start.cage.is_some() && getuid().is_root() {
        for capability in RENOUNCED {
            let _ = rustix::thread::remove_capability_from_bounding_set(capability);
        }
    }
    let renounced = rustix::thread::set_no_new_privs(true).map_err(Into::into);
    tell(to, "new privileges can't be renounced", renounced)?;
    let sender = socket.try_clone().ok()?;
    // This thread's calls are held from the filter on, by a listener that nobody has yet: another hands it over.
    std::thread::spawn(move || {
        loop {
            let number = LISTENER.load(Ordering::Acquire);
            if number >= 0 {
                return hand_over(&sender, number);
            }
            std::thread::sleep(LOOK);
        }
    });
    let filter = filter_of(&start.rules);
    let mut command = Command::new(&start.program);
    command.arg0(name).args(arguments);
    command.envs(start.environment.iter().map(|(name, value)| (name, value)));
    let listener = tell(to, "system calls can't be held (seccomp)", kernel::install(&filter))?;
    LISTENER.store(listener.as_raw_fd(), Ordering::Release);
    // Its next call waits until somebody has the listener; the messenger ends when this becomes the program.
    let error = command.exec();
    let code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTED };
    let text = format!("petrio: {} can't be executed: {error}\n", name.to_string_lossy());
    let _ = io::stderr().write_all(text.as_bytes());
    Some(code)
}

/// Sends a descriptor of this process by its number.
fn hand_over(socket: &OwnedFd, number: i32) -> Option<()> {
    let descriptor = kernel::borrowed(number);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor];
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(socket, &[IoSlice::new(b"listener")], &mut ancillary, SendFlags::NOSIGNAL).ok().map(|_| ())
}

/// A code as shells tell it.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(NOT_EXECUTED)
}
