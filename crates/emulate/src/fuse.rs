//! Devices as files of a directory, by the kernel's FUSE.
//!
//! Each is a file of its device's size under its device's name; what reads and writes it waits for the device, and fsync is a flush.
//! Requests are answered by the thread that keeps the time, so as many are under way as the kernel sends. The page cache isn't
//! asked where a file is opened for direct access; a loop device with direct I/O over it is the whole way to a block device.

use crate::answer::{Answer, Refusal};
use crate::device::{Asked, Device};
use crate::urgent;
use fuser::{
    Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, InitFlags,
    KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, Session, SessionACL, TimeOrNow, WriteFlags,
};
use petrio_units::numbers::as_number;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What is known of a file stays true.
const LONG: Duration = Duration::from_secs(3_600);

/// The largest write; the kernel cuts larger ones.
const LARGEST: u32 = 1 << 20;

/// Requests that the kernel sends without waiting for earlier ones.
const IN_BACKGROUND: u16 = 64;

/// The number of the directory; those of the files follow it.
const ROOT: u64 = 1;

/// Serves devices at a channel of the kernel's (`/dev/fuse`, mounted already), until that is unmounted.
///
/// # Errors
/// What the kernel says.
pub fn serve(channel: OwnedFd, devices: Vec<Device>) -> io::Result<()> {
    urgent::before_others();
    let mut config = Config::default();
    config.acl = SessionACL::All;
    let session = Session::from_fd(Files { devices }, channel, SessionACL::All, config)?;
    session.run()
}

/// Devices on a directory of a user's, who may mount nothing himself.
pub struct MountedForUser(Session<Files>);

/// Lets fusermount3 mount a channel on a directory, for its owner alone.
///
/// # Errors
/// What that says, or the kernel.
pub fn mount_for_user(directory: &Path, devices: Vec<Device>) -> io::Result<MountedForUser> {
    let mut config = Config::default();
    config.acl = SessionACL::Owner;
    config.mount_options =
        vec![MountOption::FSName(SOURCE.to_owned()), MountOption::NoSuid, MountOption::NoDev];
    Session::new(Files { devices }, directory, &config).map(MountedForUser)
}

impl MountedForUser {
    /// Serves until it is unmounted.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn serve(self) -> io::Result<()> {
        urgent::before_others();
        self.0.run()
    }
}

/// What is mounted, as the kernel's list of mounts has it.
pub const SOURCE: &str = "petrio";

struct Files {
    devices: Vec<Device>,
}

impl Files {
    fn device(&self, node: INodeNo) -> Option<&Device> {
        let number = u64::from(node).checked_sub(ROOT + 1)?;
        self.devices.get(usize::try_from(number).ok()?)
    }

    fn attributes(&self, node: INodeNo) -> Option<FileAttr> {
        let device = self.device(node);
        if device.is_none() && node != INodeNo::ROOT {
            return None;
        }
        let size = device.map_or(0, Device::size);
        Some(FileAttr {
            ino: node,
            size,
            blocks: size / 512,
            atime: SystemTime::UNIX_EPOCH,
            mtime: SystemTime::UNIX_EPOCH,
            ctime: SystemTime::UNIX_EPOCH,
            crtime: SystemTime::UNIX_EPOCH,
            kind: if device.is_some() { FileType::RegularFile } else { FileType::Directory },
            perm: if device.is_some() { 0o600 } else { 0o700 },
            nlink: 1,
            uid: rustix::process::getuid().as_raw(),
            gid: rustix::process::getgid().as_raw(),
            rdev: 0,
            blksize: 4_096,
            flags: 0,
        })
    }
}

fn errno(refusal: Refusal) -> Errno {
    match refusal {
        Refusal::Io => Errno::EIO,
        Refusal::Invalid => Errno::EINVAL,
        Refusal::NoSpace => Errno::ENOSPC,
        Refusal::NotSupported => Errno::EOPNOTSUPP,
    }
}

impl Filesystem for Files {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // What the kernel hasn't, it does without.
        for wanted in [InitFlags::FUSE_ASYNC_READ, InitFlags::FUSE_ASYNC_DIO, InitFlags::FUSE_BIG_WRITES] {
            let _ = config.add_capabilities(wanted);
        }
        let _ = config.set_max_write(LARGEST);
        let _ = config.set_max_background(IN_BACKGROUND);
        let _ = config.set_congestion_threshold(IN_BACKGROUND / 4 * 3);
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let found = self.devices.iter().position(|device| name == OsStr::new(&device.spec().name));
        let found = found.filter(|_| parent == INodeNo::ROOT);
        let attributes = found.and_then(|number| self.attributes(INodeNo(ROOT + 1 + number as u64)));
        match attributes {
            Some(attributes) => reply.entry(&LONG, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(node) {
            Some(attributes) => reply.attr(&LONG, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        node: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        _fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        match self.attributes(node) {
            // Shells truncate what they write to, as they do with a device; another size it doesn't get.
            Some(attributes) if size.is_none_or(|size| size == 0 || size == attributes.size) => {
                reply.attr(&LONG, &attributes);
            }
            Some(_) => reply.error(Errno::EPERM),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, node: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        match self.device(node) {
            Some(_) => reply.opened(FileHandle(0), FopenFlags::empty()),
            None => reply.error(Errno::EISDIR),
        }
    }

    fn read(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let Some(device) = self.device(node) else { return reply.error(Errno::ENOENT) };
        let length = u64::from(length).min(device.size().saturating_sub(offset));
        if length == 0 {
            return reply.data(&[]);
        }
        device.submit(Asked::Read { offset, length }, move |answer: Answer| match answer {
            Ok(data) => reply.data(&data),
            Err(refusal) => reply.error(errno(refusal)),
        });
    }

    fn write(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let Some(device) = self.device(node) else { return reply.error(Errno::ENOENT) };
        let length = as_number(data.len());
        let asked = Asked::Write { offset, data: data.to_vec(), through: false };
        device.submit(asked, move |answer| match answer {
            Ok(_) => reply.written(length),
            Err(refusal) => reply.error(errno(refusal)),
        });
    }

    fn fsync(&self, _: &Request, node: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let Some(device) = self.device(node) else { return reply.ok() };
        device.submit(Asked::Flush, move |answer| match answer {
            Ok(_) => reply.ok(),
            Err(refusal) => reply.error(errno(refusal)),
        });
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // A file that is closed: nothing goes to a device for that.
        reply.ok();
    }

    fn fallocate(
        &self,
        _: &Request,
        node: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        /// FALLOC_FL_KEEP_SIZE with FALLOC_FL_PUNCH_HOLE: what a loop device makes of discards.
        const HOLE: i32 = 1 | 2;
        /// FALLOC_FL_ZERO_RANGE: and of zeros.
        const ZERO: i32 = 0x10;
        let Some(device) = self.device(node) else { return reply.error(Errno::ENOENT) };
        let discards = device.spec().durability.discards;
        let asked = match mode {
            HOLE if discards => Asked::Discard { offset, length },
            mode if mode & ZERO != 0 => Asked::Zero { offset, length, through: false },
            _ => return reply.error(Errno::EOPNOTSUPP),
        };
        device.submit(asked, move |answer| match answer {
            Ok(_) => reply.ok(),
            Err(refusal) => reply.error(errno(refusal)),
        });
    }

    fn readdir(&self, _: &Request, node: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if node != INodeNo::ROOT {
            return reply.error(Errno::ENOTDIR);
        }
        let above = [(ROOT, FileType::Directory, "."), (ROOT, FileType::Directory, "..")];
        let names = (ROOT + 1..).zip(&self.devices);
        let files = names.map(|(node, device)| (node, FileType::RegularFile, device.spec().name.as_str()));
        let rest = (1..).zip(above.into_iter().chain(files)).filter(|(next, _)| *next > offset);
        for (next, (node, kind, name)) in rest {
            if reply.add(INodeNo(node), next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let blocks: u64 = self.devices.iter().map(|device| device.size() / 4_096).sum();
        // Full, but for what is there.
        reply.statfs(blocks, 0, 0, self.devices.len() as u64, 0, 4_096, 255, 4_096);
    }
}
