//! The watch itself: which file systems are asked for names, and the reading of what they tell.
//!
//! Whole file systems are watched, so everybody's names are told, not the command's alone; most are nobody's whose
//! calls are in the trace, and cost the collector a look at a table each.
//!
//! Source: fanotify_init(2), fanotify_mark(2). FAN_REPORT_TARGET_FID and FAN_RENAME need Linux 5.17; an older kernel
//! tells nothing here, and the trace is what it is without.

use super::record::{self, Change, Node, NodeEntry, Unread};
use crate::file_trace::join::names::Entry;
use crate::file_trace::proc::Mount;
use crate::recorder::kernel_event::Inode;
use nix::sys::fanotify::{EventFFlags, Fanotify, InitFlags, MarkFlags, MaskFlags};
use rustc_hash::FxHashMap;
use rustix::fs::CWD;
use std::os::fd::AsFd;
use std::path::Path;

/// What became of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Renaming {
    /// It is new.
    Made(Entry),
    /// It is gone.
    Gone(Entry),
    /// It is another.
    Moved(Entry, Entry),
}

/// A name that was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameChange {
    /// The thread that did it.
    pub(crate) thread: u32,
    /// Whether it is a folder's name.
    pub(crate) is_folder: bool,
    /// Whose name it is.
    pub(crate) inode: Inode,
    /// What became of it.
    pub(crate) what: Renaming,
}

/// File systems whose handles are understood. tmpfs has no files in a trace, but renames that have to be told apart.
const KINDS: [&str; 7] = ["ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs"];
/// Those on which nothing is made or renamed.
const READ_ONLY_KINDS: [&str; 3] = ["squashfs", "iso9660", "erofs"];

const BUFFER_BYTES: usize = 64 << 10;

/// Watches.
#[derive(Debug)]
pub(crate) struct Watch {
    group: Fanotify,
    /// From the file system's number to the device.
    devices: FxHashMap<u64, u32>,
    buffer: Vec<u8>,
    /// What couldn't be read.
    pub(crate) unread: Unread,
}

impl Watch {
    /// Watches these file systems as far as that can be done; a line for each thing that can't.
    pub(crate) fn begin(mounts: &[Mount]) -> (Option<Self>, Vec<String>) {
        let reports = libc::FAN_REPORT_DFID_NAME | libc::FAN_REPORT_FID | libc::FAN_REPORT_TARGET_FID;
        let flags = InitFlags::FAN_CLASS_NOTIF
            | InitFlags::FAN_CLOEXEC
            | InitFlags::FAN_NONBLOCK
            | InitFlags::FAN_UNLIMITED_QUEUE
            | InitFlags::FAN_REPORT_TID
            | InitFlags::from_bits_retain(reports);
        let group = match Fanotify::init(flags, EventFFlags::empty()) {
            Ok(group) => group,
            Err(error) => {
                let lacks = "fanotify doesn't tell names here (it does from Linux 5.17 on)";
                return (
                    None,
                    vec![format!("{lacks}: renamed files and short-lived ones aren't known: {error}")],
                );
            }
        };
        let mask =
            MaskFlags::FAN_CREATE | MaskFlags::FAN_DELETE | MaskFlags::FAN_RENAME | MaskFlags::FAN_ONDIR;
        let (mut devices, mut notes) = (FxHashMap::default(), Vec::new());
        let mut refused: FxHashMap<u32, String> = FxHashMap::default();
        for mount in mounts {
            let is_known = KINDS.contains(&mount.kind.as_str());
            let is_of_interest =
                mount.is_on_block_device() && !READ_ONLY_KINDS.contains(&mount.kind.as_str());
            if !is_known && !is_of_interest || devices.values().any(|device| *device == mount.device) {
                continue;
            }
            let marked = || -> Result<u64, std::io::Error> {
                if !is_known {
                    return Err(std::io::ErrorKind::Unsupported.into());
                }
                let flags = MarkFlags::FAN_MARK_ADD | MarkFlags::FAN_MARK_FILESYSTEM;
                group.mark(flags, mask, CWD, Some::<&Path>(&mount.place))?;
                Ok(rustix::fs::statvfs(&mount.place)?.f_fsid)
            };
            match marked() {
                Ok(number) => {
                    devices.insert(number, mount.device);
                    refused.remove(&mount.device);
                }
                // What is private to a file system in memory concerns no trace.
                Err(error) if is_of_interest => {
                    let place = mount.place.display();
                    let note =
                        format!("names on {place} ({}) are looked for afterwards only: {error}", mount.kind);
                    refused.insert(mount.device, note);
                }
                Err(_) => {}
            }
        }
        notes.extend(refused.into_values());
        notes.sort();
        (Some(Self { group, devices, buffer: vec![0; BUFFER_BYTES], unread: Unread::default() }), notes)
    }

    /// Reads what was told, and says when it looked last: everything that happened before that is in it.
    pub(crate) fn read(&mut self, now_ns: impl Fn() -> u64) -> (Vec<NameChange>, u64) {
        let mut all = Vec::new();
        loop {
            let looked_ns = now_ns();
            // Whatever ends it, a queue that is empty or an error, there is no more.
            let length = rustix::io::read(self.group.as_fd(), &mut self.buffer).unwrap_or(0);
            let Some(bytes) = self.buffer.get(..length).filter(|bytes| !bytes.is_empty()) else {
                return (all, looked_ns);
            };
            let devices = &self.devices;
            let inode =
                |node: Node| Some(Inode { device: *devices.get(&node.file_system)?, number: node.number });
            let entry =
                |entry: NodeEntry| Some(Entry { folder: inode(entry.folder)?, name: entry.name.into() });
            let unread = record::parse(bytes, |record| {
                let what = || {
                    Some(match record.change {
                        Change::Made(name) => Renaming::Made(entry(name)?),
                        Change::Gone(name) => Renaming::Gone(entry(name)?),
                        Change::Moved(from, to) => Renaming::Moved(entry(from)?, entry(to)?),
                    })
                };
                if let (Some(inode), Some(what)) = (inode(record.node), what()) {
                    all.push(NameChange { thread: record.thread, is_folder: record.is_folder, inode, what });
                }
            });
            self.unread.strange += unread.strange;
            self.unread.overflows += unread.overflows;
        }
    }
}
