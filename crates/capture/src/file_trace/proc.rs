//! What /proc and /sys show: who has which file open, how devices lie on disks.
//!
//! Source: Linux `Documentation/filesystems/proc.rst` (fd, fdinfo, mountinfo), `Documentation/ABI/stable/sysfs-block`.

use super::join::places::Geometry;
use super::join::table::{Shown, ShownFile};
use crate::recorder::kernel_event::Inode;
use petrio_trace::event::Access;
use rustix::fs::OFlags;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The kernel's number of a device, from that of `stat`.
pub(crate) fn device_number(device: u64) -> u32 {
    rustix::fs::major(device) << 20 | rustix::fs::minor(device)
}

/// The inode that `stat` shows.
pub(crate) fn inode_of(metadata: &Metadata) -> Inode {
    Inode { device: device_number(metadata.dev()), number: metadata.ino() }
}

/// What a look at a descriptor shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A regular file.
    File(ShownFile),
    /// Something else.
    Other,
    /// Nothing any more.
    Gone,
}

/// Looks at a thread's descriptor.
pub(crate) fn look(thread: u32, descriptor: u32) -> Look {
    let link = format!("/proc/{thread}/fd/{descriptor}");
    let Ok(path) = fs::read_link(&link) else { return Look::Gone };
    // Pipes and sockets have no metadata of interest; files of /proc are regular in name only.
    if !path.is_absolute() || path.starts_with("/proc") || path.starts_with("/sys") {
        return Look::Other;
    }
    let Ok(metadata) = fs::metadata(&link) else { return Look::Gone };
    if !metadata.is_file() {
        return Look::Other;
    }
    let path = (metadata.nlink() > 0).then(|| path.to_string_lossy().into_owned());
    Look::File(ShownFile { inode: inode_of(&metadata), size: metadata.len(), path })
}

/// What a process has open; none where it is gone.
pub(crate) fn shown(process: u32) -> Option<Vec<Shown>> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut all: Vec<Shown> =
        numbers.filter_map(|descriptor| shown_descriptor(process, descriptor)).collect();
    all.sort_by_key(|shown| shown.descriptor);
    Some(all)
}

fn shown_descriptor(process: u32, descriptor: u32) -> Option<Shown> {
    let Look::File(file) = look(process, descriptor) else { return None };
    let text = fs::read_to_string(format!("/proc/{process}/fdinfo/{descriptor}")).ok()?;
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let flags = value("flags:").and_then(|flags| u32::from_str_radix(flags, 8).ok()).unwrap_or(0);
    let flags = OFlags::from_bits_retain(flags);
    let access = match flags & OFlags::RWMODE {
        OFlags::WRONLY => Access::Write,
        OFlags::RDWR => Access::ReadWrite,
        _ => Access::Read,
    };
    Some(Shown {
        descriptor,
        close_on_exec: flags.contains(OFlags::CLOEXEC),
        access,
        appends: flags.contains(OFlags::APPEND),
        synchronous: flags.contains(OFlags::SYNC) || flags.contains(OFlags::DSYNC),
        position: value("pos:").and_then(|position| position.parse().ok()),
        file: Some(file),
    })
}

/// The process that a thread belongs to, and all its threads, the asked one included; none where it is gone.
pub(crate) fn threads_beside(thread: u32) -> Option<(u32, Vec<u32>)> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let process = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()?;
    Some((process, threads(process)))
}

/// The threads of a process.
pub(crate) fn threads(process: u32) -> Vec<u32> {
    numbered(&PathBuf::from(format!("/proc/{process}/task")))
}

/// All processes.
pub(crate) fn processes() -> Vec<u32> {
    numbered(Path::new("/proc"))
}

/// The entries of a folder that are numbers, in order.
fn numbered(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Its device.
    pub(crate) device: u32,
    /// Where it is mounted.
    pub(crate) place: PathBuf,
    /// Its kind.
    pub(crate) kind: String,
}

impl Mount {
    /// Whether it lies on a block device: the others have major number 0.
    pub(crate) const fn is_on_block_device(&self) -> bool {
        self.device >> 20 != 0
    }
}

/// Parses `/proc/self/mountinfo`.
pub(crate) fn parse_mounts(text: &str) -> Vec<Mount> {
    text.lines()
        .filter_map(|line| {
            // 36 35 98:0 /root /place options optional… - ext4 /dev/root options
            let mut words = line.split(' ').skip(2);
            let (major, minor) = words.next()?.split_once(':')?;
            let device = major.parse::<u32>().ok()? << 20 | minor.parse::<u32>().ok()?;
            let place = words.nth(1)?.replace("\\040", " ");
            let kind = words.skip_while(|word| *word != "-").nth(1)?;
            Some(Mount { device, place: place.into(), kind: kind.to_owned() })
        })
        .collect()
}

/// The mounted file systems.
pub(crate) fn all_mounts() -> Vec<Mount> {
    parse_mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
}

/// Those on block devices.
pub(crate) fn mounts() -> Vec<Mount> {
    all_mounts().into_iter().filter(Mount::is_on_block_device).collect()
}

/// How the devices of mounted file systems lie on their disks.
pub(crate) fn geometries() -> Vec<(u32, Geometry)> {
    let geometry = |mount: &Mount| {
        let block_bytes = rustix::fs::statvfs(&mount.place).map_or(4_096, |status| status.f_bsize);
        let block_bytes = u32::try_from(block_bytes).unwrap_or(4_096);
        (mount.device, Geometry { block_bytes, ..on_disk(mount.device) })
    };
    mounts().iter().map(geometry).collect()
}

pub(crate) fn sysfs(device: u32) -> PathBuf {
    PathBuf::from(format!("/sys/dev/block/{}:{}", device >> 20, device & 0xf_ffff))
}

pub(crate) fn on_disk(device: u32) -> Geometry {
    let folder = sysfs(device);
    let start = fs::read_to_string(folder.join("start")).ok().and_then(|text| text.trim().parse().ok());
    let disk = parse_number(&fs::read_to_string(folder.join("../dev")).unwrap_or_default());
    match (folder.join("partition").exists(), start, disk) {
        (true, Some(start_sector), Some(disk)) => Geometry { disk, start_sector, ..Geometry::plain(device) },
        _ => Geometry::plain(device),
    }
}

/// `254:0`
fn parse_number(text: &str) -> Option<u32> {
    let (major, minor) = text.trim().split_once(':')?;
    Some(major.parse::<u32>().ok()? << 20 | minor.parse::<u32>().ok()?)
}

/// These devices, their disks, and the devices below those (of a device mapper or a RAID).
pub(crate) fn with_those_below(devices: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    let mut next: Vec<u32> = devices.into_iter().collect();
    while let Some(device) = next.pop() {
        if all.contains(&device) {
            continue;
        }
        all.push(device);
        next.push(on_disk(device).disk);
        let slaves = fs::read_dir(sysfs(device).join("slaves")).into_iter().flatten().flatten();
        next.extend(slaves.filter_map(|slave| {
            parse_number(&fs::read_to_string(slave.path().join("dev")).unwrap_or_default())
        }));
    }
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn mounts_are_found_and_those_on_block_devices_known() {
        let text = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
                    23 22 0:5 / /proc rw - proc proc rw\n\
                    36 22 8:3 /a /with\\040blank rw shared:1 master:2 - xfs /dev/sda3 rw\nnonsense\n";
        let mount =
            |device, place: &str, kind: &str| Mount { device, place: place.into(), kind: kind.to_owned() };
        let expected = [
            mount(254 << 20, "/", "ext4"),
            mount(5, "/proc", "proc"),
            mount(8 << 20 | 3, "/with blank", "xfs"),
        ];
        assert_eq!(parse_mounts(text), expected);
        assert_eq!(expected.map(|mount| mount.is_on_block_device()), [true, false, true]);
    }

    #[test]
    fn an_open_file_of_this_process_is_shown() {
        use std::io::Write;
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let mut file = fs::File::create(folder.path().join("a")).unwrap();
        file.write_all(b"seven b").unwrap();
        let shown = shown(std::process::id()).unwrap();
        let descriptor = u32::try_from(file.as_raw_fd()).unwrap();
        let found = shown.iter().find(|shown| shown.descriptor == descriptor).unwrap();
        assert_eq!((found.position, found.access, found.close_on_exec), (Some(7), Access::Write, true));
        let shown_file = found.file.as_ref().unwrap();
        assert_eq!(shown_file.inode, inode_of(&file.metadata().unwrap()));
        assert!(shown_file.path.as_ref().unwrap().ends_with("/a"));
        drop(file);
        assert_eq!(look(std::process::id(), 1_000_000), Look::Gone);
    }
}
