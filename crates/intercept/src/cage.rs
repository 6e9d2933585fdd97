//! The file system that a program sees: the host's, of which it writes a copy.
//!
//! Every mount of the host has an overlay of its own (overlayfs) over it, whose changed files lie in a scratch directory: memory that is
//! given back when the last process ends, or a directory on a disk. What can't be overlaid (a file system of another machine) is there to
//! read. /proc, /dev are new, /sys is there to read.
//!
//! All of it stands in a mount namespace: when its processes have ended, the kernel takes it down, however they ended.

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_bind,
    mount_bind_recursive, mount_change, mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::getuid;
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What lies between a program and the host's files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cage {
    /// Where the program begins.
    pub directory: PathBuf,
    /// Where what it writes lies; in memory where nothing is said.
    pub scratch: Option<PathBuf>,
    /// So many bytes may lie in memory.
    pub limit: u64,
    /// Whether it reaches the host's network.
    pub network: bool,
}

/// Where the scratch directory is put while the tree is built: nobody needs what lies there then, and the new tree has its own.
const WORKSHOP: &str = "/proc";
/// What stands at these places is the kernel's, and made anew.
const KERNELS: [&str; 3] = ["/proc", "/sys", "/dev"];
/// Devices that any program may use.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// What hides further mounts is looked into so deep.
const DEPTH_MAX: u32 = 5;
/// Kinds of file systems that hold no files.
const NO_FILES: [&str; 20] = [
    "proc",
    "sysfs",
    "devtmpfs",
    "devpts",
    "cgroup",
    "cgroup2",
    "tracefs",
    "debugfs",
    "securityfs",
    "mqueue",
    "bpf",
    "autofs",
    "binfmt_misc",
    "fusectl",
    "configfs",
    "pstore",
    "efivarfs",
    "rpc_pipefs",
    "nsfs",
    "hugetlbfs",
];

impl Cage {
    /// Builds the tree in this process's mount namespace, which must be its own, and moves there.
    ///
    /// # Errors
    /// What the kernel refuses.
    pub(crate) fn build(&self) -> io::Result<()> {
        let mounts = mounts(&fs::read("/proc/self/mountinfo")?);
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        // Users without rights may mount a /proc of their own only where the host's is to be seen, beneath.
        let kernels = (!getuid().is_root()).then(|| {
            let whole = OpenTreeFlags::OPEN_TREE_CLONE
                | OpenTreeFlags::AT_RECURSIVE
                | OpenTreeFlags::OPEN_TREE_CLOEXEC;
            open_tree(CWD, "/proc", whole)
        });
        let kernels = kernels.transpose()?;
        match &self.scratch {
            Some(scratch) => mount_bind(scratch, WORKSHOP)?,
            None => {
                let options = CString::new(format!("size={},mode=755", self.limit))?;
                mount("petrio", WORKSHOP, "tmpfs", MountFlags::NODEV, options.as_c_str())?;
            }
        }
        let workshop = Path::new(WORKSHOP);
        let root = workshop.join("root");
        fs::create_dir(&root)?;
        let mut tree =
            Tree { root: root.clone(), workshop: workshop.to_owned(), mounts, layers: 0, plain: false };
        tree.graft(Path::new("/"), 0)?;
        self.kernels_own(&root)?;
        if let Some(kernels) = kernels {
            move_mount(kernels, "", CWD, root.join("proc"), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        std::env::set_current_dir(&root)?;
        rustix::process::pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        std::env::set_current_dir(&self.directory)
    }

    /// /dev and /sys; /proc comes when its processes are there.
    fn kernels_own(&self, root: &Path) -> io::Result<()> {
        for place in KERNELS {
            let _ = fs::create_dir(root.join(&place[1..]));
        }
        let dev = root.join("dev");
        mount("petrio", &dev, "tmpfs", MountFlags::NOSUID, Some(c"mode=755"))?;
        for name in DEVICES {
            let (from, to) = (Path::new("/dev").join(name), dev.join(name));
            if from.exists() {
                fs::write(&to, "")?;
                mount_bind(&from, &to)?;
            }
        }
        let links = [("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1")];
        for (name, target) in links.into_iter().chain([("stderr", "/proc/self/fd/2"), ("ptmx", "pts/ptmx")]) {
            std::os::unix::fs::symlink(target, dev.join(name))?;
        }
        fs::create_dir(dev.join("pts"))?;
        let _ = mount(
            "devpts",
            dev.join("pts"),
            "devpts",
            MountFlags::NOSUID,
            Some(c"newinstance,ptmxmode=0666"),
        );
        fs::create_dir(dev.join("shm"))?;
        let options = CString::new(format!("size={},mode=1777", self.limit))?;
        mount(
            "petrio",
            dev.join("shm"),
            "tmpfs",
            MountFlags::NOSUID | MountFlags::NODEV,
            options.as_c_str(),
        )?;
        let sys = root.join("sys");
        match mount_bind("/sys", &sys) {
            Ok(()) => mount_remount(&sys, MountFlags::BIND | MountFlags::RDONLY, c"")?,
            // Not to be had without what lies on it, for others than root, who can't write there.
            Err(_) => mount_bind_recursive("/sys", &sys)?,
        }
        Ok(())
    }
}

/// The tree as it grows.
struct Tree {
    root: PathBuf,
    workshop: PathBuf,
    /// The host's mounts, those nearer to the root first.
    mounts: Vec<PathBuf>,
    layers: u32,
    /// Whether marks on files must be such as anybody may make.
    plain: bool,
}

impl Tree {
    fn at(&self, place: &Path) -> PathBuf {
        self.root.join(place.strip_prefix("/").unwrap_or(place))
    }

    /// Puts a directory of the host, with all mounts below it, into the tree, where its place is there.
    fn graft(&mut self, place: &Path, depth: u32) -> io::Result<()> {
        if KERNELS.iter().any(|kernels| place == Path::new(kernels)) {
            return Ok(());
        }
        if !fs::symlink_metadata(place)?.is_dir() {
            return self.readable(place);
        }
        if self.overlay(place).is_ok() {
            // Mounts on it, but for those on others of them.
            let below: Vec<PathBuf> = self
                .mounts
                .iter()
                .filter(|other| other.as_path() != place && other.starts_with(place))
                .cloned()
                .collect();
            let mut done: Vec<PathBuf> = Vec::new();
            for other in below {
                if !done.iter().any(|parent| other.starts_with(parent)) && self.at(&other).exists() {
                    self.graft(&other, depth + 1)?;
                    done.push(other);
                }
            }
            return Ok(());
        }
        let holds = self.mounts.iter().any(|other| other.as_path() != place && other.starts_with(place));
        if depth < DEPTH_MAX && holds {
            return self.piece_by_piece(place, depth);
        }
        self.readable(place)
    }

    /// A directory that can't be had without what is mounted below it (in a user's namespace): its entries, each for itself.
    fn piece_by_piece(&mut self, place: &Path, depth: u32) -> io::Result<()> {
        self.plain = true;
        let target = self.at(place);
        mount("petrio", &target, "tmpfs", MountFlags::empty(), Some(c"mode=755"))?;
        for entry in fs::read_dir(place)? {
            let entry = entry?;
            let (from, kind) = (entry.path(), entry.file_type()?);
            let to = self.at(&from);
            if kind.is_symlink() {
                std::os::unix::fs::symlink(fs::read_link(&from)?, &to)?;
            } else if kind.is_dir() {
                fs::DirBuilder::new().mode(0o755).create(&to)?;
                if let Ok(found) = fs::metadata(&from) {
                    fs::set_permissions(&to, fs::Permissions::from_mode(found.permissions().mode()))?;
                }
                self.graft(&from, depth + 1)?;
            } else if kind.is_file() {
                fs::write(&to, "")?;
                self.readable(&from)?;
            }
        }
        Ok(())
    }

    fn overlay(&mut self, place: &Path) -> io::Result<()> {
        let layer = self.workshop.join(format!("layer{}", self.layers));
        self.layers += 1;
        let (upper, work) = (layer.join("upper"), layer.join("work"));
        fs::create_dir_all(&upper)?;
        fs::create_dir(&work)?;
        fs::set_permissions(&upper, fs::metadata(place)?.permissions())?;
        let target = self.at(place);
        // Numbers of files that stay when they are written to, first; and with an index, which a user's namespace hasn't, files of several
        // names that stay one.
        let ways: &[&str] = match self.plain {
            true => &[",userxattr,xino=on", ",userxattr"],
            false => &[",xino=on,index=on", ",xino=on", ",userxattr"],
        };
        let mut last = Ok(());
        for way in ways {
            let mut options = Vec::new();
            for (key, path) in [("lowerdir=", place), (",upperdir=", &upper), (",workdir=", &work)] {
                options.extend_from_slice(key.as_bytes());
                options.extend(escaped(path));
            }
            options.extend_from_slice(way.as_bytes());
            let options = CString::new(options)?;
            match mount("overlay", &target, "overlay", MountFlags::NODEV, options.as_c_str()) {
                Ok(()) => return Ok(()),
                Err(error) => last = Err(error.into()),
            }
        }
        last
    }

    /// There to read only; or, where the kernel refuses that too, not there.
    fn readable(&self, place: &Path) -> io::Result<()> {
        let target = self.at(place);
        let bound = mount_bind(place, &target).or_else(|_| mount_bind_recursive(place, &target));
        if bound.is_ok() && mount_remount(&target, MountFlags::BIND | MountFlags::RDONLY, c"").is_err() {
            // In a user's namespace other flags may be locked to what they are.
            let locked = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
            let done = mount_remount(&target, locked, c"")
                .or_else(|_| mount_remount(&target, locked | MountFlags::NOEXEC, c""));
            if done.is_err() {
                unmount(&target, UnmountFlags::DETACH)?;
            }
        }
        Ok(())
    }
}

/// A path as an option of overlayfs, in which colons and commas divide.
fn escaped(path: &Path) -> Vec<u8> {
    let escape = |&byte: &u8| if b",:\\".contains(&byte) { vec![b'\\', byte] } else { vec![byte] };
    path.as_os_str().as_bytes().iter().flat_map(escape).collect()
}

/// The places of mounts that hold files (proc(5), mountinfo), outer ones first.
fn mounts(told: &[u8]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = told
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
            let place = PathBuf::from(std::ffi::OsString::from_vec(unescaped(words.get(4)?)));
            let kind = *words.get(words.iter().position(|word| *word == b"-")? + 1)?;
            let is_kernels = NO_FILES.iter().any(|no| no.as_bytes() == kind);
            let below = KERNELS.iter().any(|kernels| place.starts_with(kernels));
            (!is_kernels && !below).then_some(place)
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Blanks and the like are written as octal numbers there.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), word);
    while let Some((&first, more)) = rest.split_first() {
        let octal =
            more.get(..3).filter(|_| first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &more[3..];
            }
            None => {
                out.push(first);
                rest = more;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn mounts_of_files_are_told_with_their_blanks_and_the_kernels_own_are_left_out() {
        let told = b"22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
            40 27 0:5 / /mnt/a\\040b rw shared:3 - xfs /dev/vdb rw\n41 22 0:6 / /proc/x rw - ext4 y rw\n";
        assert_eq!(mounts(told), [PathBuf::from("/"), PathBuf::from("/mnt/a b")]);
    }

    #[test]
    fn a_path_with_a_comma_is_one_option() {
        assert_eq!(escaped(Path::new("/a,b:c")), b"/a\\,b\\:c");
    }
}
