//! A point of an experiment, and the scenario that it is: one text for the simulation and for the real file system.

use petrio_units::Bytes;
use std::fmt::Write;

/// What holds for a whole experiment or a part of it: the file system and its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// How the file system journals: "ordered", "write-back" or "journal".
    pub journal: &'static str,
    /// The file system's size.
    pub size: Bytes,
    /// Reads, and writes, that the device serves in a second.
    pub requests_per_second: Option<u32>,
    /// Mebibytes that the device reads, and writes, in a second.
    pub mib_per_second: Option<u32>,
    /// Memory for the process and the page cache.
    pub memory: Option<Bytes>,
    /// How much may be dirty.
    pub dirty_limit: Option<Bytes>,
}

impl Setting {
    /// ext3 without limits.
    pub const PLAIN: Self = Self {
        journal: "ordered",
        size: Bytes::from_mib(2 << 10),
        requests_per_second: None,
        mib_per_second: None,
        memory: None,
        dirty_limit: None,
    };

    /// Whether the device has limits.
    pub const fn throttled(&self) -> bool {
        self.requests_per_second.is_some() || self.mib_per_second.is_some()
    }

    /// Whether it is more than a file system without limits, so that a directory of another one won't do.
    pub const fn special(&self) -> bool {
        self.throttled() || self.memory.is_some() || self.dirty_limit.is_some()
    }
}

/// The journal of every file system here. Large enough for one to be made, small enough to be filled.
const JOURNAL: Bytes = Bytes::from_mib(16);

/// A run for each point: what is accessed, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The file system.
    pub setting: Setting,
    /// Bytes of a file.
    pub file_size: Bytes,
    /// Bytes of an access.
    pub record: Bytes,
    /// The other lines of the workload, as a scenario has them.
    pub workload: String,
    /// The content of the file of requests, packed or not, where they are captured ones.
    pub requests: Option<Vec<u8>>,
    /// How often it is measured.
    pub repetitions: u32,
}

/// The machine and the kernel of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// A machine of the catalogue, or the path of a file.
    pub machine: String,
    /// A kernel of the catalogue, or the path of a file.
    pub kernel: String,
}

/// The name of the workload in the scenarios; files are named by it.
pub(super) const WORKLOAD: &str = "w";

impl Point {
    /// The scenario.
    ///
    /// The device takes 50 µs a request and 2 GB/s besides its limits, about what a loop device over memory does; no
    /// experiment here depends on it.
    pub fn scenario(&self, title: &str, profile: &Profile) -> String {
        let Setting { journal, size, requests_per_second, mib_per_second, memory, dirty_limit } =
            self.setting;
        let mut text = format!("title = {}\n\n[disk.d]\nmodel = \"constant-rate\"\n", quoted(title));
        text.push_str("drive.latency = \"50 us\"\ndrive.rate = \"2 GB/s\"\ndrive.write_cache = true\n");
        let on = if self.setting.throttled() {
            text.push_str("\n[throttle.limit]\non = \"d\"\n");
            if let Some(limit) = requests_per_second {
                let _ = writeln!(text, "read_iops = {limit}\nwrite_iops = {limit}");
            }
            if let Some(limit) = mib_per_second {
                let _ = writeln!(text, "read_rate = \"{limit} MiB/s\"\nwrite_rate = \"{limit} MiB/s\"");
            }
            "limit"
        } else {
            "d"
        };
        let (machine, kernel) = (quoted(&profile.machine), quoted(&profile.kernel));
        let _ = write!(text, "\n[host.h]\nmachine = {machine}\nkernel = {kernel}\n");
        if let Some(memory) = memory {
            let _ = writeln!(text, "memory = \"{memory}\"");
        }
        let _ = write!(
            text,
            "\n[fs.data]\ntype = \"ext3\"\njournal = \"{journal}\"\njournal_size = \"{JOURNAL}\"\nsize = \"{size}\"\non = \"{on}\"\n"
        );
        if let Some(limit) = dirty_limit {
            let _ = writeln!(text, "dirty_limit = \"{limit}\"");
        }
        let _ = write!(text, "\n[workload.{WORKLOAD}]\non = \"data\"\n");
        if self.requests.is_none() {
            let _ = write!(
                text,
                "kind = \"files\"\nrecord = \"{}\"\nfile_size = \"{}\"\n",
                self.record, self.file_size
            );
        }
        text.push_str(&self.workload);
        text
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => safe.extend(['\\', character]),
            control if control.is_control() => {
                let _ = write!(safe, "\\u{:04X}", u32::from(control));
            }
            other => safe.push(other),
        }
    }
    safe.push('"');
    safe
}
