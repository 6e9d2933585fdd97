//! What the machine says of itself: processors, memory, caches, kernel, and the file system under a directory.
//!
//! Sources: `/proc/cpuinfo`, `/proc/meminfo`, `/proc/self/mountinfo` (man proc) and `/sys/devices/system/cpu` (Linux
//! `Documentation/ABI/testing/sysfs-devices-system-cpu`).

use super::error::CalibrateError;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use std::fs;
use std::path::Path;

/// What the machine says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Here {
    /// The processor's model, as it calls itself.
    pub processor: String,
    /// Processors that this process may run on.
    pub processors: u32,
    /// Main memory.
    pub memory: Bytes,
    /// Memory that could be had without swapping.
    pub available: Bytes,
    /// Second-level cache.
    pub l2: Option<Bytes>,
    /// Third-level cache.
    pub l3: Option<Bytes>,
    /// The kernel's release.
    pub kernel: String,
}

impl Here {
    pub(super) fn look() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let memory = text("/proc/meminfo");
        let kib = |name: &str| {
            let value = field(&memory, name).and_then(|value| value.split(' ').next()?.parse().ok());
            Bytes::from_kib(value.unwrap_or(0))
        };
        let cpu = text("/proc/cpuinfo");
        let processor = ["model name", "cpu model", "Model"].iter().find_map(|name| field(&cpu, name));
        Self {
            processor: processor.unwrap_or("an unnamed processor").to_owned(),
            processors: std::thread::available_parallelism().map_or(1, |count| as_number(count.get())),
            memory: kib("MemTotal"),
            available: kib("MemAvailable"),
            l2: cache_of_level("2"),
            l3: cache_of_level("3"),
            kernel: text("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

/// The value of a line "name : value".
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (before, value) = line.split_once(':')?;
        (before.trim() == name).then_some(value.trim())
    })
}

/// The size of the first processor's cache of a level.
fn cache_of_level(level: &str) -> Option<Bytes> {
    (0..8).find_map(|index| {
        let part = |file: &str| {
            fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok()
        };
        (part("level")?.trim() == level).then_some(())?;
        cache_size(part("size")?.trim())
    })
}

/// "2048K" as the kernel writes it.
fn cache_size(text: &str) -> Option<Bytes> {
    let kib = text.strip_suffix('K')?.parse::<u64>().ok().filter(|kib| *kib > 0)?;
    Some(Bytes::from_kib(kib))
}

/// The file system under a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Under {
    /// Its type.
    pub kind: String,
    /// Whether each write of a page begins a journal handle: ext3, or ext4 without delayed allocation.
    pub handles: bool,
    /// Pages that are read ahead at most.
    pub read_ahead_pages: u64,
}

impl Under {
    /// Looks at the mount that a directory is in.
    ///
    /// # Errors
    /// The directory can't be looked at.
    pub(super) fn look(directory: &Path) -> Result<Self, CalibrateError> {
        let whole = fs::canonicalize(directory)
            .map_err(CalibrateError::system("look at the directory", directory))?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let mount = mounts.lines().filter_map(Mount::read).filter(|mount| whole.starts_with(mount.point));
        // Of several mounts on one another the last is on top.
        let mount = mount.enumerate().max_by_key(|(place, mount)| (mount.point.len(), *place));
        let Some((_, mount)) = mount else {
            return Ok(Self { kind: "unknown".to_owned(), handles: false, read_ahead_pages: 32 });
        };
        let file = format!("/sys/class/bdi/{}/read_ahead_kb", mount.device);
        let read_ahead = fs::read_to_string(file).ok().and_then(|text| text.trim().parse::<u64>().ok());
        Ok(Self {
            handles: mount.kind == "ext3" || mount.options.split(',').any(|option| option == "nodelalloc"),
            kind: mount.kind.to_owned(),
            read_ahead_pages: (read_ahead.unwrap_or(128) / 4).max(1),
        })
    }

    /// Whether files are nowhere but in memory.
    pub(super) fn is_in_memory(&self) -> bool {
        ["tmpfs", "ramfs", "hugetlbfs"].contains(&self.kind.as_str())
    }
}

struct Mount<'a> {
    point: &'a str,
    device: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    /// "36 35 98:0 /root /point options [tags] - type source more-options".
    fn read(line: &'a str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(2);
        let (device, point) = (mount.next()?, mount.nth(1)?);
        let mut system = system.split(' ');
        Some(Self { point, device, kind: system.next()?, options: system.nth(1)? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_of_mountinfo_is_read_as_the_manual_page_says() {
        let line = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        let mount = Mount::read(line).unwrap();
        assert_eq!((mount.device, mount.point, mount.kind), ("98:0", "/mnt2", "ext3"));
        assert_eq!(mount.options, "rw,errors=continue");
        assert!(Mount::read("nonsense").is_none());
    }

    #[test]
    fn sizes_of_caches_are_read_as_the_kernel_writes_them() {
        assert_eq!(cache_size("2048K"), Some(Bytes::from_mib(2)));
        assert_eq!((cache_size("0K"), cache_size("big")), (None, None));
    }

    #[test]
    fn a_directory_in_memory_is_known_as_such() {
        if Path::new("/dev/shm").is_dir() {
            let under = Under::look(Path::new("/dev/shm")).unwrap();
            assert_eq!(under.is_in_memory(), under.kind == "tmpfs");
        }
        assert!(Under::look(Path::new("/no-such-directory")).is_err());
    }

    #[test]
    fn this_machine_has_processors_and_memory() {
        let here = Here::look();
        assert!(here.processors >= 1 && here.memory.get() > 0 && here.available <= here.memory);
    }
}
