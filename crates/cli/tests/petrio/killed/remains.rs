//! What a killed command may have left: in its own folders, in the kernel, and as processes.
//!
//! Other petrios may run on this machine meanwhile. What is the killed one's is told by its folders, by its
//! environment, and by its record as it stood before the next start; what is new in the kernel and in no record counts
//! too, unless another petrio lives that may have made it.

use super::{Scene, below};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Something that is left.
pub(super) struct Remains {
    pub(super) kind: &'static str,
    pub(super) what: String,
}

/// What petrios have in the kernel and in memory: kind and name.
pub(super) struct Machine(BTreeSet<(&'static str, String)>);

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

impl Machine {
    pub(super) fn look(tracing: &Path) -> Self {
        let mut all = BTreeSet::new();
        for device in names("/sys/block") {
            let behind = fs::read_to_string(format!("/sys/block/{device}/loop/backing_file"));
            if let Some(path) = behind.ok().filter(|path| path.contains("petrio")) {
                let name = path.trim().trim_end_matches(" (deleted)").rsplit('/').next().unwrap_or_default();
                all.insert(("loop device", name.to_owned()));
            }
        }
        let mut note = |kind, folder: &str| {
            let own = names(folder).into_iter().filter(|name| name.starts_with("petrio-"));
            all.extend(own.map(|name| (kind, name)));
        };
        note("image", "/dev/shm");
        note("network device", "/sys/class/net");
        note("trace instance", &format!("{}/instances", tracing.display()));
        note("control group", "/sys/fs/cgroup");
        for hierarchy in names("/sys/fs/cgroup") {
            note("control group", &format!("/sys/fs/cgroup/{hierarchy}"));
        }
        for file in ["read_iops", "write_iops", "read_bps", "write_bps"] {
            let limits = format!("/sys/fs/cgroup/blkio/blkio.throttle.{file}_device");
            let limits = fs::read_to_string(limits).unwrap_or_default();
            all.extend(limits.lines().map(|line| ("throttle", line.to_owned())));
        }
        Self(all)
    }
}

/// tracefs, for looking at it alone: where petrio doesn't look.
pub(super) struct Tracing(tempfile::TempDir);

impl Tracing {
    pub(super) fn mount() -> Self {
        let place = tempfile::tempdir().unwrap();
        // Where it can't be mounted, petrio captures nothing either.
        let _ = Command::new("mount").args(["-t", "tracefs", "tracefs"]).arg(place.path()).output();
        Self(place)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).output();
    }
}

/// All records, as text.
pub(super) fn records(state: &Path) -> String {
    let files = fs::read_dir(state).into_iter().flatten().flatten();
    files.map(|file| fs::read_to_string(file.path()).unwrap_or_default()).collect()
}

/// Processes with something in their environment; whether it is this machine's other petrios instead.
fn processes(of: &str) -> (Vec<String>, bool) {
    let (mut own, mut is_other_there) = (Vec::new(), false);
    for process in names("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())) {
        let read = |file: &str| fs::read(format!("/proc/{process}/{file}")).unwrap_or_default();
        let words = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        if words.is_empty() {
            continue;
        }
        if String::from_utf8_lossy(&read("environ")).split('\0').any(|variable| variable == of) {
            own.push(format!("{process} {words}"));
        } else if process != std::process::id().to_string() {
            let name = words.split(' ').next().unwrap_or_default();
            let is_petrio = name.ends_with("/petrio") || name.contains("/deps/");
            is_other_there |= is_petrio;
        }
    }
    (own, is_other_there)
}

impl Remains {
    /// Looks for what is new since `machine`. After the next start not even a record is left.
    pub(super) fn look(scene: &Scene, machine: &Machine, records: &str, after: bool) -> Vec<Self> {
        let mut all = Vec::new();
        let mut add = |kind, what: String| all.push(Self { kind, what });
        let (own, is_other_there) = processes(&format!("PETRIO_STATE={}", scene.state().display()));
        for process in own {
            add("process", process);
        }
        let (folder, mounts) = (
            scene.folder.path().to_string_lossy(),
            fs::read_to_string("/proc/self/mounts").unwrap_or_default(),
        );
        for mount in mounts.lines().filter(|line| line.contains(&*folder)) {
            add("mount", mount.to_owned());
        }
        for (kind, name) in Machine::look(&scene.tracing).0.difference(&machine.0) {
            let word = name.split(' ').next().unwrap_or_default();
            if records.contains(word) || !is_other_there {
                add(kind, name.clone());
            }
        }
        for path in below(&scene.tmp()) {
            add("temporary file", path.display().to_string());
        }
        for path in below(&scene.work("")) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (path, is) = (path.display().to_string(), |begin: &str| name.starts_with(begin));
            match () {
                () if is(".petrio-") && name.ends_with(".part") => add("part", path),
                () if is("petrio-drive-") => add("temporary file", path),
                () if name.contains("-made-") => add("users' file", path),
                () => {}
            }
        }
        if after {
            for record in names(&scene.state().to_string_lossy()) {
                add("record", record);
            }
        }
        all
    }
}
