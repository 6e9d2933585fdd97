//! What this machine and this user can do, and what is in the way of the rest.

use super::availability::{Availability, kernel_knows};
use super::groups::{Hierarchy, Version};
use super::program::is_installed;
use super::slow_disk::SlowDisk;
use petrio_capture::trace_directory;
use std::fs;
use std::path::Path;

/// What can be done here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facilities {
    /// Mounting and making devices: the superuser with the right to administer the system.
    pub root: Availability,
    /// A real ext3 on a loop device.
    pub ext3: Availability,
    /// A real ext4 on a loop device.
    pub ext4: Availability,
    /// A real XFS on a loop device.
    pub xfs: Availability,
    /// Watching what reaches a device: tracefs with the block and jbd2 tracepoints.
    pub tracing: Availability,
    /// A limit on memory and so on the page cache.
    pub memory_limit: Availability,
    /// A device of known rate.
    pub throttle: Availability,
    /// A limit on the dirty pages of one device.
    pub dirty_limit: Availability,
    /// A device that takes a known time a request.
    pub slow_disk: Availability,
    /// Emptying the page cache.
    pub drop_caches: Availability,
}

/// The bit of CAP_SYS_ADMIN in a set of capabilities (include/uapi/linux/capability.h).
const ADMINISTER: u64 = 1 << 21;

impl Facilities {
    /// Looks. Changes nothing.
    pub fn probe() -> Self {
        let root = probe_root();
        let with_root = |more: Availability| Availability::all([&root, &more]);
        let file_system = |name: &str, maker: &str, package: &str| {
            let is_ext = package == "e2fsprogs";
            let parts = [
                root.clone(),
                Availability::when(Path::new("/dev/loop-control").exists(), "there are no loop devices"),
                Availability::when(is_installed("losetup"), "losetup (util-linux) isn't installed"),
                Availability::when(is_installed(maker), &format!("{maker} ({package}) isn't installed")),
                Availability::when(!is_ext || is_installed("debugfs"), "debugfs (e2fsprogs) isn't installed"),
                Availability::when(kernel_knows(name), &format!("this kernel has no {name}")),
            ];
            Availability::all(&parts)
        };
        Self {
            ext3: file_system("ext3", "mkfs.ext3", "e2fsprogs"),
            ext4: file_system("ext4", "mkfs.ext4", "e2fsprogs"),
            xfs: file_system("xfs", "mkfs.xfs", "xfsprogs"),
            tracing: with_root(probe_tracing()),
            memory_limit: with_root(Availability::when(
                Hierarchy::of("memory").is_some(),
                "no memory control group is mounted",
            )),
            throttle: with_root(probe_throttle()),
            dirty_limit: with_root(probe_dirty_limit()),
            slow_disk: with_root(SlowDisk::probe()),
            drop_caches: with_root(Availability::when(
                Path::new("/proc/sys/vm/drop_caches").exists(),
                "this kernel has no vm.drop_caches",
            )),
            root,
        }
    }

    /// All of them by name, in a fixed order.
    pub fn list(&self) -> [(&'static str, &Availability); 10] {
        [
            ("root", &self.root),
            ("ext3 on a loop device", &self.ext3),
            ("ext4 on a loop device", &self.ext4),
            ("XFS on a loop device", &self.xfs),
            ("block and journal tracepoints", &self.tracing),
            ("memory limit", &self.memory_limit),
            ("device throttle", &self.throttle),
            ("dirty limit of one device", &self.dirty_limit),
            ("disk of known time a request", &self.slow_disk),
            ("dropping caches", &self.drop_caches),
        ]
    }
}

fn probe_root() -> Availability {
    if !rustix::process::geteuid().is_root() {
        return Availability::Missing("petrio doesn't run as root".to_owned());
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| u64::from_str_radix(line.strip_prefix("CapEff:")?.trim(), 16).ok())
        .unwrap_or(u64::MAX);
    Availability::when(
        effective & ADMINISTER != 0,
        "root has no right to administer the system (a container?)",
    )
}

fn probe_tracing() -> Availability {
    match trace_directory() {
        Some(directory) => Availability::when(
            directory.join("events/block/block_rq_issue").is_dir() && directory.join("events/jbd2").is_dir(),
            "this kernel has no block or jbd2 tracepoints",
        ),
        // Not mounted: it will be, privately.
        None => Availability::when(
            fs::read_to_string("/proc/filesystems").is_ok_and(|list| list.contains("tracefs")),
            "this kernel has no tracefs",
        ),
    }
}

fn probe_throttle() -> Availability {
    let Some(hierarchy) = Hierarchy::of("blkio") else {
        return Availability::Missing("no block control group is mounted".to_owned());
    };
    match hierarchy.version {
        Version::One if !hierarchy.own.as_os_str().is_empty() => {
            Availability::Missing("petrio runs outside the root block group".to_owned())
        }
        Version::One => Availability::when(
            hierarchy.root.join("blkio.throttle.write_iops_device").exists(),
            "this kernel has no block throttle",
        ),
        Version::Two => Availability::There,
    }
}

fn probe_dirty_limit() -> Availability {
    let any = fs::read_dir("/sys/class/bdi").ok().and_then(|mut devices| devices.next()?.ok());
    Availability::when(
        any.is_some_and(|device| device.path().join("max_bytes").exists()),
        "this kernel has no dirty limit a device (Linux 6.2 and later have)",
    )
}
