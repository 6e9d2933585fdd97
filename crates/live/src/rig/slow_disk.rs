//! A disk that takes a known time for each request, or the time of a known drive: a file whose file system sleeps.
//!
//! ```text
//!  ext3 ─▶ loop device ─▶ image file ─▶ kernel FUSE ─▶ this server: sleep, then read or write memory
//! ```
//!
//! The kernel has such devices (dm-delay, null_blk, scsi_debug), but seldom all of them; FUSE and the loop device are
//! everywhere. Reads, writes and flushes each take the same time, one after the other, as on a disk with one arm and no
//! queue: a flush arrives here as an fsync of the image. A request of more than 1 MiB arrives in parts, each of which
//! takes the time. The loop device, the FUSE queue and two changes of task add some 0.1 ms to each. What a request of a
//! disk takes that has a drive's mechanics says [`EmulatedDrive`].
//!
//! Source of the messages: Linux `include/uapi/linux/fuse.h`, protocol 7.31. Left out: everything that a file of fixed
//! size needs not (directories' contents, attributes that change, discards).

use super::apart::mount_apart;
use super::availability::{Availability, kernel_knows};
use super::emulated::{EmulatedDrive, Pace};
use super::error::RigError;
use super::loop_device::fresh_name;
use petrio_capture::launch;
use petrio_capture::mounted::MOUNT;
use petrio_capture::undo::Undo;
use petrio_models::device::disk::Drive;
use petrio_units::Bytes;
use petrio_units::numbers::{as_index, as_number};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::ffi::{CString, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::sync_channel;
use std::thread;

/// Where the kernel's side is opened.
const FUSE: &str = "/dev/fuse";
/// Numbers of the directory and of the file in it.
const ROOT_NODE: u64 = 1;
const FILE_NODE: u64 = 2;

/// Bytes in the head of a request and of an answer.
const REQUEST_HEAD: usize = 40;
const ANSWER_HEAD: usize = 16;
/// Bytes of a write's own head.
const WRITE_HEAD: usize = 40;
/// The largest read or write, and its pages.
const LARGEST: u32 = 1 << 20;
const LARGEST_PAGES: u16 = 256;

/// Requests that are answered (`enum fuse_opcode`).
mod opcode {
    pub(super) const LOOKUP: u32 = 1;
    pub(super) const FORGET: u32 = 2;
    pub(super) const GETATTR: u32 = 3;
    pub(super) const SETATTR: u32 = 4;
    pub(super) const OPEN: u32 = 14;
    pub(super) const READ: u32 = 15;
    pub(super) const WRITE: u32 = 16;
    pub(super) const STATFS: u32 = 17;
    pub(super) const RELEASE: u32 = 18;
    pub(super) const FSYNC: u32 = 20;
    pub(super) const FLUSH: u32 = 25;
    pub(super) const INIT: u32 = 26;
    pub(super) const INTERRUPT: u32 = 36;
    pub(super) const DESTROY: u32 = 38;
    pub(super) const BATCH_FORGET: u32 = 42;
}

/// A file in which each request takes the time of its disk; its file system is unmounted when this is dropped.
#[derive(Debug)]
pub struct SlowDisk {
    file: PathBuf,
    _mounted: Undo,
}

impl SlowDisk {
    /// Whether it is possible here.
    pub fn probe() -> Availability {
        if !Path::new(FUSE).exists() {
            return Availability::Missing(format!("there is no {FUSE}"));
        }
        if kernel_knows("fuse") {
            Availability::There
        } else {
            Availability::Missing("this kernel has no FUSE".to_owned())
        }
    }

    /// Serves `contents`, `size` bytes, at a pace.
    ///
    /// # Errors
    /// No FUSE, or no right to mount.
    pub(super) fn serve(contents: File, size: Bytes, pace: Pace) -> Result<Self, RigError> {
        let place = std::env::temp_dir().join(fresh_name("slow"));
        let channel =
            OpenOptions::new().read(true).write(true).open(FUSE).map_err(RigError::system("open", FUSE))?;
        let options = format!("fd={},rootmode=40000,user_id=0,group_id=0", channel.as_raw_fd());
        let options = CString::new(options)
            .map_err(|error| RigError::system("mount", &place)(io::Error::other(error)))?;
        let make = || {
            fs::create_dir(&place).map_err(RigError::system("make the directory", &place))?;
            mount("petrio", &place, "fuse", MountFlags::NOSUID | MountFlags::NODEV, options.as_c_str())
                .map_err(|errno| RigError::system("mount FUSE on", &place)(errno.into()))
        };
        let undo = |place: &Path| {
            let _ = unmount(place, UnmountFlags::DETACH);
            fs::remove_dir(place).is_ok()
        };
        let ((), mounted) = Undo::recorded(MOUNT, &place, make, undo)?;
        // A name of its own, by which the device over it is known wherever its mount is.
        let name = fresh_name("image");
        start(channel, contents, (&place, &name), size.get(), pace)
            .map_err(RigError::system("start the server of", &place))?;
        Ok(Self { file: place.join(name), _mounted: mounted })
    }

    /// The file to attach a loop device to.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }
}

/// The first word with which petrio starts itself as such a server.
const SERVE_SLOW_DISK: &str = "serve-slow-disk";

/// Starts the server, which ends when the file system is unmounted: reading the channel then fails.
///
/// It is a process of its own where petrio can start itself. For one that is killed while it waits for its own disk
/// could never end: the channel stays open as long as a thread of it waits, and nobody answers that thread.
fn start(
    channel: File,
    contents: File,
    (place, name): (&Path, &str),
    size: u64,
    pace: Pace,
) -> io::Result<()> {
    let builder = thread::Builder::new().name("petrio-slow-disk".to_owned());
    let Some(program) = launch::program() else {
        let name = name.to_owned();
        return builder.spawn(move || serve_paced(channel, contents, name, size, &pace)).map(drop);
    };
    let words = [size.to_string(), std::process::id().to_string(), pace.as_word()?];
    let mut command = Command::new(program);
    // The channel is its alone. In a group of its own: the terminal's signal doesn't end it before its file system is
    // unmounted.
    command
        .args([SERVE_SLOW_DISK.as_ref(), place.as_os_str(), name.as_ref()])
        .args(words)
        .stdin(channel)
        .stdout(contents)
        .process_group(0);
    let (tell, told) = sync_channel(1);
    // It ends with the thread that starts it. This one waits for nothing else, so it ends when this process does,
    // whatever the others are waiting for.
    builder.spawn(move || {
        let started = command.spawn();
        drop(command);
        match started {
            Ok(mut server) => {
                let _ = tell.send(Ok(()));
                let _ = server.wait();
            }
            Err(error) => drop(tell.send(Err(error))),
        }
    })?;
    told.recv().map_err(io::Error::other)?
}

/// Serves a slow disk until it is unmounted, if these arguments say that petrio has started itself for that; how it
/// ended.
pub fn serve_if_called(arguments: &[OsString]) -> Option<io::Result<()>> {
    let (first, words) = arguments.split_first()?;
    (first == SERVE_SLOW_DISK).then(|| serve_slow_disk(words))
}

/// Serves as a process of its own: the channel is its standard input, the contents are its standard output.
fn serve_slow_disk(words: &[OsString]) -> io::Result<()> {
    let wrong = || io::Error::other("a slow disk has a place, a name, a size, a parent and a pace");
    let [place, name, size, parent, pace] = words else { return Err(wrong()) };
    let number = |word: &OsString| word.to_str().and_then(|word| word.parse::<u64>().ok()).ok_or_else(wrong);
    let size = number(size)?;
    let parent = u32::try_from(number(parent)?).map_err(|_| wrong())?;
    let pace = Pace::from_word(pace.to_str().ok_or_else(wrong)?)?;
    launch::end_with(parent, launch::Signal::KILL)?;
    // Whoever is the last in a namespace unmounts what is mounted there, before its own files are closed (`do_exit` in
    // kernel/exit.c): the last must not be who serves that.
    if mount_apart() {
        let _ = unmount(Path::new(place), UnmountFlags::DETACH);
    }
    let channel = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let contents = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    serve_paced(channel, contents, name.to_string_lossy().into_owned(), size, &pace);
    Ok(())
}

fn serve_paced(channel: File, contents: File, name: String, size: u64, pace: &Pace) {
    let (drive, mut emulated);
    let takes: Takes<'_> = match pace {
        Pace::Even(each) => {
            let each = std::time::Duration::from_nanos(each.time().as_picos() / 1_000);
            Box::new(move |_| thread::sleep(each))
        }
        Pace::Drive(parameters) => {
            // Was made once before, by who wanted it served.
            let Ok(made) = Drive::new(parameters) else { return };
            drive = made;
            emulated = EmulatedDrive::new(&drive);
            Box::new(|asked| emulated.take(asked))
        }
    };
    Server { contents, name, size, takes }.run(channel);
}

/// Takes the time of a request.
type Takes<'a> = Box<dyn FnMut(DiskRequest) + 'a>;

/// What is asked of a disk, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum DiskRequest {
    /// Bytes to be read.
    Read { offset: u64, length: u64 },
    /// Bytes to be written.
    Write { offset: u64, length: u64 },
    /// That all that was written be on the medium.
    Flush,
}

struct Server<'a> {
    contents: File,
    /// That of the only file.
    name: String,
    size: u64,
    takes: Takes<'a>,
}

/// The errors that are answered, as errno.
const ENOENT: i32 = 2;
const EIO: i32 = 5;
const ENOSYS: i32 = 38;

impl Server<'_> {
    fn run(mut self, mut channel: File) {
        // A sleep ends within a microsecond of its time instead of the usual 50.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1_000));
        // And other programs don't keep the disk waiting for a processor: this thread alone becomes the most urgent.
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), -20);
        let mut request = vec![0; LARGEST as usize + (64 << 10)];
        loop {
            let length = match channel.read(&mut request) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // A request that was taken back.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => return,
            };
            let Some(answer) = self.answer(&request[..length]) else { continue };
            // Fails where the one who asked has gone.
            let _ = channel.write(&answer);
        }
    }

    /// The answer to a request; none where none is wanted.
    fn answer(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        let (head, body) = request.split_at_checked(REQUEST_HEAD)?;
        let (opcode, unique, node) = (u32_at(head, 4)?, u64_at(head, 8)?, u64_at(head, 16)?);
        let result = match opcode {
            opcode::FORGET | opcode::BATCH_FORGET | opcode::INTERRUPT => return None,
            opcode::INIT => Ok(init()),
            opcode::LOOKUP => self.lookup(node, body),
            opcode::GETATTR | opcode::SETATTR => Ok(self.attributes_answer(node)),
            opcode::OPEN => Ok(vec![0; 16]),
            opcode::READ => self.read(body),
            opcode::WRITE => self.write(body),
            opcode::FSYNC => {
                (self.takes)(DiskRequest::Flush);
                Ok(Vec::new())
            }
            opcode::STATFS => Ok(self.statistics()),
            opcode::FLUSH | opcode::RELEASE | opcode::DESTROY => Ok(Vec::new()),
            _ => Err(ENOSYS),
        };
        let (error, body) = match result {
            Ok(body) => (0, body),
            Err(errno) => (-errno, Vec::new()),
        };
        let mut answer = Vec::with_capacity(ANSWER_HEAD + body.len());
        answer.extend(as_number(ANSWER_HEAD + body.len()).to_ne_bytes());
        answer.extend(error.to_ne_bytes());
        answer.extend(unique.to_ne_bytes());
        answer.extend(body);
        Some(answer)
    }

    fn read(&mut self, body: &[u8]) -> Result<Vec<u8>, i32> {
        let offset = u64_at(body, 8).ok_or(EIO)?;
        let length = u32_at(body, 16).ok_or(EIO)?.min(LARGEST);
        let length = u64::from(length).min(self.size.saturating_sub(offset));
        (self.takes)(DiskRequest::Read { offset, length });
        let mut data = vec![0; as_index(length)];
        self.contents.read_exact_at(&mut data, offset).map_err(|_| EIO)?;
        Ok(data)
    }

    fn write(&mut self, body: &[u8]) -> Result<Vec<u8>, i32> {
        let offset = u64_at(body, 8).ok_or(EIO)?;
        let length = u32_at(body, 16).ok_or(EIO)?;
        let data = body.get(WRITE_HEAD..WRITE_HEAD + length as usize).ok_or(EIO)?;
        if offset.saturating_add(u64::from(length)) > self.size {
            return Err(EIO);
        }
        (self.takes)(DiskRequest::Write { offset, length: u64::from(length) });
        self.contents.write_all_at(data, offset).map_err(|_| EIO)?;
        let mut answer = length.to_ne_bytes().to_vec();
        answer.extend([0; 4]);
        Ok(answer)
    }

    fn lookup(&self, parent: u64, name: &[u8]) -> Result<Vec<u8>, i32> {
        if parent != ROOT_NODE || name.strip_suffix(&[0]) != Some(self.name.as_bytes()) {
            return Err(ENOENT);
        }
        let mut answer = Vec::new();
        // Node and generation; how long entry and attributes may be believed, in seconds and (two words) nanoseconds.
        for word in [FILE_NODE, 0, 3_600, 3_600, 0] {
            answer.extend(word.to_ne_bytes());
        }
        answer.extend(self.attributes(FILE_NODE));
        Ok(answer)
    }

    fn attributes_answer(&self, node: u64) -> Vec<u8> {
        let mut answer = Vec::new();
        for word in [3_600u64, 0] {
            answer.extend(word.to_ne_bytes());
        }
        answer.extend(self.attributes(node));
        answer
    }

    /// `struct fuse_attr`: a directory, or the file.
    fn attributes(&self, node: u64) -> Vec<u8> {
        let (mode, size) = if node == ROOT_NODE { (0o040_700u32, 0) } else { (0o100_600, self.size) };
        let mut answer = Vec::new();
        // Number, size, blocks, three times.
        for word in [node, size, size / 512, 0, 0, 0] {
            answer.extend(word.to_ne_bytes());
        }
        // Nanoseconds of the three, mode, links, owner, group, device, block size, flags.
        for word in [0, 0, 0, mode, 1, 0, 0, 0, 4_096, 0] {
            answer.extend(word.to_ne_bytes());
        }
        answer
    }

    /// `struct fuse_kstatfs`: full, but for what is there.
    fn statistics(&self) -> Vec<u8> {
        let mut answer = Vec::new();
        for word in [self.size / 4_096, 0, 0, 2, 0] {
            answer.extend(word.to_ne_bytes());
        }
        // Block size, longest name, fragment size, and what is reserved.
        for word in [4_096u32, 255, 4_096, 0, 0, 0, 0, 0, 0, 0] {
            answer.extend(word.to_ne_bytes());
        }
        answer
    }
}

/// `struct fuse_init_out`.
fn init() -> Vec<u8> {
    /// FUSE_ASYNC_READ, FUSE_BIG_WRITES, FUSE_ASYNC_DIO, FUSE_MAX_PAGES.
    const FLAGS: u32 = 1 | 1 << 5 | 1 << 15 | 1 << 22;
    let mut answer = Vec::new();
    for word in [7, 31, LARGEST, FLAGS] {
        answer.extend(word.to_ne_bytes());
    }
    // Requests in the background, and from how many on the kernel holds back.
    for word in [64u16, 48] {
        answer.extend(word.to_ne_bytes());
    }
    // The largest write, and the granularity of times in nanoseconds.
    for word in [LARGEST, 1] {
        answer.extend(word.to_ne_bytes());
    }
    for word in [LARGEST_PAGES, 0] {
        answer.extend(word.to_ne_bytes());
    }
    // More flags, and what is unused.
    answer.extend([0; 32]);
    answer
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn server(size: u64) -> Server<'static> {
        let contents = tempfile::tempfile().unwrap();
        contents.set_len(size).unwrap();
        Server { contents, name: "image".to_owned(), size, takes: Box::new(|_| {}) }
    }

    fn request(opcode: u32, node: u64, body: &[u8]) -> Vec<u8> {
        let mut request = Vec::new();
        for word in [(REQUEST_HEAD + body.len()) as u32, opcode] {
            request.extend(word.to_ne_bytes());
        }
        for word in [99, node, 0, 0] {
            request.extend(u64::to_ne_bytes(word));
        }
        request.extend(body);
        request
    }

    fn access(offset: u64, length: u32) -> Vec<u8> {
        let mut body = 0u64.to_ne_bytes().to_vec();
        body.extend(offset.to_ne_bytes());
        body.extend(length.to_ne_bytes());
        body.resize(WRITE_HEAD, 0);
        body
    }

    #[test]
    fn answers_have_the_lengths_of_the_kernels_structures() {
        let mut server = server(1 << 20);
        let mut length = |opcode, node, body: &[u8]| {
            server.answer(&request(opcode, node, body)).unwrap().len() - ANSWER_HEAD
        };
        assert_eq!(length(opcode::INIT, 0, &[0; 64]), 64);
        assert_eq!(length(opcode::LOOKUP, ROOT_NODE, b"image\0"), 128);
        assert_eq!(length(opcode::GETATTR, FILE_NODE, &[0; 16]), 104);
        assert_eq!(length(opcode::STATFS, ROOT_NODE, &[]), 80);
        assert_eq!(length(opcode::LOOKUP, ROOT_NODE, b"other\0"), 0);
        assert!(server.answer(&request(opcode::FORGET, FILE_NODE, &[0; 8])).is_none());
    }

    #[test]
    fn what_is_written_is_read_back_and_nothing_beyond_the_end() {
        let mut server = server(8_192);
        let mut body = access(4_096, 4_096);
        body.extend([7; 4_096]);
        let answer = server.answer(&request(opcode::WRITE, FILE_NODE, &body)).unwrap();
        assert_eq!(u32_at(&answer, ANSWER_HEAD), Some(4_096));
        let answer = server.answer(&request(opcode::READ, FILE_NODE, &access(0, 65_536))).unwrap();
        assert_eq!(answer.len(), ANSWER_HEAD + 8_192);
        assert_eq!((answer[ANSWER_HEAD], answer[ANSWER_HEAD + 4_096]), (0, 7));
        let mut beyond = access(8_192, 1);
        beyond.push(1);
        let answer = server.answer(&request(opcode::WRITE, FILE_NODE, &beyond)).unwrap();
        assert_eq!(u32_at(&answer, 4), Some(-EIO as u32));
    }

    proptest! {
        #[test]
        fn any_request_is_answered_without_panic(
            opcode in 0u32..60, node in 0u64..4, body in proptest::collection::vec(any::<u8>(), 0..100),
            raw in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut server = server(4_096);
            server.answer(&request(opcode, node, &body));
            server.answer(&raw);
        }
    }
}
