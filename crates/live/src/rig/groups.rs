//! Control groups: a limit on memory, and a throttle for one device, in version 1 and version 2 of the interface.
//!
//! *Memory.* The kernel charges a page to the group of the process's first thread, whichever thread asked
//! (`get_mem_cgroup_from_mm` in mm/memcontrol.c), so it is always the whole process that [enters](MemoryGroup::enter).
//! Version 1: a child of the group that this process is in, so its own limits stay in force. Version 2: a group below
//! the root, because a group with processes may not have limited children (Documentation/admin-guide/cgroup-v2.rst, "No
//! Internal Process Constraint").
//!
//! *Throttle.* Version 1: the root group, to which the flusher's writes belong there
//! (Documentation/admin-guide/cgroup-v1/blkio-controller.rst). Version 2: `io.max` of a group of its own, to which the
//! flusher's writes are charged with their pages.

use super::error::RigError;
use super::loop_device::{is_of, name_behind};
use petrio_capture::journal_trace::DeviceNumber;
use petrio_capture::undo::Undo;
use petrio_files::under_way::random_name;
use petrio_units::Bytes;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A throttle: the folder of its control group, then as of [`SETTING`](super::loop_device::SETTING) the device's file,
/// then the device.
pub(crate) const THROTTLE: &str = "throttle";
/// A control group.
pub(crate) const CONTROL_GROUP: &str = "control-group";

/// Which interface a controller is reached by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A hierarchy for each controller.
    One,
    /// One hierarchy for all.
    Two,
}

/// A controller's hierarchy, as this process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Which interface.
    pub version: Version,
    /// Where it is mounted.
    pub root: PathBuf,
    /// The group of this process, from the root, without leading `/`; empty for the root itself.
    pub own: PathBuf,
}

impl Hierarchy {
    /// Finds a controller (`memory`, `blkio`) of this process.
    pub fn of(controller: &str) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let found = Self::parse(controller, &mounts, &groups)?;
        // In version 2 the root says which controllers there are; blkio is called io there.
        if found.version == Version::Two {
            let name = if controller == "blkio" { "io" } else { controller };
            let there = fs::read_to_string(found.root.join("cgroup.controllers")).ok()?;
            there.split_whitespace().find(|word| *word == name)?;
        }
        Some(found)
    }

    /// From the texts of `/proc/self/mounts` and `/proc/self/cgroup`.
    fn parse(controller: &str, mounts: &str, groups: &str) -> Option<Self> {
        let mount_of = |kind: &str, option: Option<&str>| {
            mounts.lines().find_map(|line| {
                let mut words = line.split(' ').skip(1);
                let (place, found, options) = (words.next()?, words.next()?, words.next()?);
                let fits = found == kind
                    && option.is_none_or(|wanted| options.split(',').any(|option| option == wanted));
                fits.then(|| PathBuf::from(place))
            })
        };
        let own_of = |fits: &dyn Fn(&str, &str) -> bool| {
            groups.lines().find_map(|line| {
                let (number, rest) = line.split_once(':')?;
                let (controllers, path) = rest.split_once(':')?;
                fits(number, controllers).then(|| PathBuf::from(path.trim_start_matches('/')))
            })
        };
        if let Some(root) = mount_of("cgroup", Some(controller)) {
            let own = own_of(&|_, controllers| controllers.split(',').any(|name| name == controller))?;
            return Some(Self { version: Version::One, root, own });
        }
        let root = mount_of("cgroup2", None)?;
        let own = own_of(&|number, controllers| number == "0" && controllers.is_empty())?;
        Some(Self { version: Version::Two, root, own })
    }

    fn own_group(&self) -> PathBuf {
        self.root.join(&self.own)
    }

    /// Makes a group for this process's use, gone when the guard is dropped.
    fn make_group(&self) -> Result<(PathBuf, Undo), RigError> {
        let parent = match self.version {
            Version::One => self.own_group(),
            Version::Two => self.root.clone(),
        };
        let group = parent.join(format!("petrio-{}", random_name()));
        let make = || fs::create_dir(&group).map_err(RigError::system("make the control group", &group));
        let home = self.own_group();
        let undo = move |group: &Path| leave_and_remove(group, &home);
        let ((), undo) = Undo::recorded(CONTROL_GROUP, &group, make, undo)?;
        Ok((group, undo))
    }
}

/// The file that lists the processes of a group, one a line, and takes new ones, in both versions.
const MEMBERS: &str = "cgroup.procs";

/// Between two attempts to remove a group.
const BUSY: Duration = Duration::from_millis(50);

fn write(path: &Path, text: &str) -> Result<(), RigError> {
    fs::write(path, text).map_err(RigError::system("write", path))
}

/// Moves whoever is left in a group home and removes it; whether it is gone.
fn leave_and_remove(group: &Path, home: &Path) -> bool {
    for member in fs::read_to_string(group.join(MEMBERS)).unwrap_or_default().lines() {
        // One that has ended meanwhile can't be moved and needn't be.
        let _ = fs::write(home.join(MEMBERS), member);
    }
    // A group is busy for a moment after its last member has gone.
    for _ in 0..20 {
        match fs::remove_dir(group) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(BUSY),
            _ => return true,
        }
    }
    false
}

/// Clears a group that was left; who is in it still goes to the group above.
pub(crate) fn clear_group(group: &Path) -> io::Result<bool> {
    let Some(home) = group.parent().filter(|_| group.is_dir()) else { return Ok(false) };
    if leave_and_remove(group, home) { Ok(true) } else { Err(io::ErrorKind::ResourceBusy.into()) }
}

/// A group whose members together may use no more than so much memory, page cache included.
#[derive(Debug)]
pub struct MemoryGroup {
    group: PathBuf,
    home: PathBuf,
    _undo: Undo,
}

impl MemoryGroup {
    /// Makes it, without members.
    ///
    /// # Errors
    /// No memory controller, or no right to it.
    pub fn new(hierarchy: &Hierarchy, limit: Bytes) -> Result<Self, RigError> {
        let (group, undo) = hierarchy.make_group()?;
        match hierarchy.version {
            Version::One => write(&group.join("memory.limit_in_bytes"), &limit.get().to_string())?,
            Version::Two => write(&group.join("memory.max"), &limit.get().to_string())?,
        }
        Ok(Self { group, home: hierarchy.own_group(), _undo: undo })
    }

    /// Moves this process into the group until the guard is dropped. One stay at a time: whoever leaves first takes the
    /// process home.
    ///
    /// # Errors
    /// The group can't be entered.
    pub fn enter(&self) -> Result<Entered, RigError> {
        let who = std::process::id().to_string();
        write(&self.group.join(MEMBERS), &who)?;
        let home = self.home.join(MEMBERS);
        Ok(Entered {
            _undo: Undo::new(move || {
                // It fails only where the home has gone, and then there is no other.
                let _ = fs::write(home, who);
            }),
        })
    }
}

/// A stay in a group; ends when this is dropped.
#[derive(Debug)]
pub struct Entered {
    _undo: Undo,
}

/// Limits of a device, each of requests or bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ThrottleLimits {
    /// Reads a second.
    pub read_requests: Option<u64>,
    /// Writes a second.
    pub write_requests: Option<u64>,
    /// Bytes read a second.
    pub read_bytes: Option<u64>,
    /// Bytes written a second.
    pub write_bytes: Option<u64>,
}

impl ThrottleLimits {
    /// Whether there is nothing to limit.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Version 1: a file for each limit.
    fn files(&self) -> [(&'static str, Option<u64>); 4] {
        [
            ("blkio.throttle.read_iops_device", self.read_requests),
            ("blkio.throttle.write_iops_device", self.write_requests),
            ("blkio.throttle.read_bps_device", self.read_bytes),
            ("blkio.throttle.write_bps_device", self.write_bytes),
        ]
    }

    /// Version 2: a line of `io.max`.
    fn line(&self, device: DeviceNumber) -> String {
        let value = |limit: Option<u64>| limit.map_or_else(|| "max".to_owned(), |limit| limit.to_string());
        format!(
            "{}:{} riops={} wiops={} rbps={} wbps={}",
            device.major,
            device.minor,
            value(self.read_requests),
            value(self.write_requests),
            value(self.read_bytes),
            value(self.write_bytes),
        )
    }
}

/// A throttle on one device; gone when this is dropped.
#[derive(Debug)]
pub struct Throttle {
    _entered: Option<Entered>,
    _undo: Undo,
}

impl Throttle {
    /// Limits a device. Version 1 limits whatever the root group asks for; version 2 moves this process into a group
    /// with the limit.
    ///
    /// # Errors
    /// No such controller, no right to it, or (version 1) a process outside the root group, whose requests no root
    /// limit touches.
    pub fn new(
        hierarchy: &Hierarchy,
        device: DeviceNumber,
        limits: ThrottleLimits,
    ) -> Result<Self, RigError> {
        match hierarchy.version {
            Version::One => {
                if !hierarchy.own.as_os_str().is_empty() {
                    let why = format!("this process is in the block group {}", hierarchy.own.display());
                    return Err(RigError::NotPossible { what: "a throttle of the root group", why });
                }
                let name = format!("{}:{}", device.major, device.minor);
                let make = || {
                    let limits = limits.files().into_iter();
                    limits.filter_map(|(file, limit)| Some((file, limit?))).try_for_each(|(file, limit)| {
                        write(&hierarchy.root.join(file), &format!("{name} {limit}"))
                    })
                };
                let place = hierarchy.root.join(name_behind(device)).join(&name);
                let undo = |place: &Path| {
                    lift(place);
                    true
                };
                let ((), undo) = Undo::recorded(THROTTLE, &place, make, undo)?;
                Ok(Self { _entered: None, _undo: undo })
            }
            Version::Two => {
                let (group, undo) = hierarchy.make_group()?;
                write(&group.join("io.max"), &limits.line(device))?;
                let member = MemoryGroup { group, home: hierarchy.own_group(), _undo: undo };
                let entered = member.enter()?;
                Ok(Self { _entered: Some(entered), _undo: member._undo })
            }
        }
    }
}

/// Takes a throttle away: of the root group above, for the device that the path ends with.
fn lift(place: &Path) -> Option<bool> {
    let (name, root) = (place.file_name()?.to_str()?, place.parent()?.parent()?);
    let mut was_there = false;
    for (file, _) in ThrottleLimits::default().files() {
        let (file, of_device) = (root.join(file), format!("{name} "));
        let text = fs::read_to_string(&file).unwrap_or_default();
        was_there |= text.lines().any(|line| line.starts_with(&of_device));
        // Zero takes a limit away; a device without one refuses nothing.
        let _ = fs::write(file, format!("{name} 0"));
    }
    Some(was_there)
}

/// Clears a throttle that was left, unless the device is somebody else's by now.
pub(crate) fn clear_throttle(place: &Path) -> io::Result<bool> {
    Ok(is_of(place, place) && lift(place).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MOUNTS_ONE: &str = "\
proc /proc proc rw 0 0
cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
";
    const DEVICE: DeviceNumber = DeviceNumber { major: 7, minor: 2 };

    #[test]
    fn each_controller_is_found_where_it_is_mounted() {
        let groups = "7:blkio:/\n4:cpu,memory:/a/b\n0::/\n";
        let memory = Hierarchy::parse("memory", MOUNTS_ONE, groups).unwrap();
        assert_eq!((memory.version, memory.own.as_path()), (Version::One, Path::new("a/b")));
        let blkio = Hierarchy::parse("blkio", MOUNTS_ONE, groups).unwrap();
        assert_eq!(blkio.root, Path::new("/sys/fs/cgroup/blkio"));
        assert_eq!(blkio.own, Path::new(""));
        let two = Hierarchy::parse("memory", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "0::/user.slice\n")
            .unwrap();
        assert_eq!((two.version, two.own.as_path()), (Version::Two, Path::new("user.slice")));
        assert_eq!(Hierarchy::parse("memory", "proc /proc proc rw 0 0\n", groups), None);
    }

    #[test]
    fn version_two_limits_memory_in_a_group_below_the_root_and_takes_it_away() {
        let root = tempfile::tempdir().unwrap();
        let hierarchy =
            Hierarchy { version: Version::Two, root: root.path().to_owned(), own: PathBuf::new() };
        let group = MemoryGroup::new(&hierarchy, Bytes::from_mib(256)).unwrap();
        assert_eq!(fs::read_to_string(group.group.join("memory.max")).unwrap(), "268435456");
        let entered = group.enter().unwrap();
        let own = std::process::id().to_string();
        assert_eq!(fs::read_to_string(group.group.join("cgroup.procs")).unwrap(), own);
        drop(entered);
        assert_eq!(fs::read_to_string(root.path().join("cgroup.procs")).unwrap(), own);
        // An ordinary directory isn't empty as a control group is.
        for entry in fs::read_dir(&group.group).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        let place = group.group.clone();
        drop(group);
        assert!(!place.exists());
    }

    #[test]
    fn a_throttle_is_written_in_both_versions_and_lifted() {
        let limits = ThrottleLimits { write_requests: Some(500), ..ThrottleLimits::default() };
        assert_eq!(limits.line(DEVICE), "7:2 riops=max wiops=500 rbps=max wbps=max");
        let root = tempfile::tempdir().unwrap();
        let hierarchy =
            Hierarchy { version: Version::One, root: root.path().to_owned(), own: PathBuf::new() };
        let file = root.path().join("blkio.throttle.write_iops_device");
        let throttle = Throttle::new(&hierarchy, DEVICE, limits).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "7:2 500");
        drop(throttle);
        assert_eq!(fs::read_to_string(&file).unwrap(), "7:2 0");
        let elsewhere = Hierarchy { own: PathBuf::from("a"), ..hierarchy };
        assert!(matches!(Throttle::new(&elsewhere, DEVICE, limits), Err(RigError::NotPossible { .. })));
    }
}
