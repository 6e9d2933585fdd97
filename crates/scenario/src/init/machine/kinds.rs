//! Which of a machine's texts are there, and what each is.

use petrio_files::inputs::Inputs;
use petrio_files::shown;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// No more files are looked at, and no longer ones.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 4 << 20;

/// Texts of a machine: what its commands print and its files hold.
#[derive(Clone, Debug, Default)]
pub struct MachineFiles {
    name: String,
    /// By path: what each is, and the text.
    texts: BTreeMap<String, (Option<Kind>, String)>,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// `lsblk -J`.
    Lsblk,
    /// `/proc/mounts`, or what `mount` prints.
    Mounts,
    /// `/proc/mdstat`.
    Mdstat,
    /// `mdadm --detail`.
    MdadmDetail,
    /// `sysctl vm`.
    Sysctl,
    /// `lscpu`.
    Lscpu,
    /// `/proc/meminfo`.
    Meminfo,
    /// `uname -r`, `uname -a` or `/proc/version`.
    Kernel,
    /// `nfsstat -m`.
    Nfsstat,
    /// `smartctl -i`.
    Smartctl,
    /// `zpool status`.
    Zpool,
    /// `storcli /c0 show all`.
    Storcli,
    /// A file of `/sys/block/NAME/queue`: the device, and which.
    Queue,
}

impl MachineFiles {
    /// None yet, under a name by which messages call them.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), texts: BTreeMap::new() }
    }

    /// The texts below a folder, of any names; what is no text, or too large to be one of these, is passed over.
    ///
    /// # Errors
    /// A folder that can't be read, or with more in it than anybody would send.
    pub fn in_folder(inputs: &Inputs, folder: &Path) -> io::Result<Self> {
        let mut files = Self::new(shown::path(folder).to_string());
        let mut folders = vec![folder.to_owned()];
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                seen += 1;
                if seen > MOST_FILES {
                    let message = format!(
                        "it holds more than {MOST_FILES} files, which is no description of a machine"
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
                }
                // Links are followed to files alone: /sys leads in circles.
                let is_link = path.symlink_metadata().is_ok_and(|there| there.is_symlink());
                if path.is_dir() {
                    if !is_link {
                        folders.push(path);
                    }
                } else if path.is_file()
                    && let Ok(bytes) = inputs.read(&path, MOST_BYTES)
                    && let Ok(text) = String::from_utf8(bytes)
                {
                    files.add(path.to_string_lossy(), text);
                }
            }
        }
        Ok(files)
    }

    /// What they are called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a text by the path where it lies.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        let (path, text) = (path.into(), text.into());
        let kind = kind_of(&path, &text);
        self.texts.insert(path, (kind, text));
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Those of a kind, with their paths.
    pub(super) fn of(&self, wanted: Kind) -> impl Iterator<Item = (&str, &str)> {
        let of_kind = self.texts.iter().filter(move |(_, (kind, _))| *kind == Some(wanted));
        of_kind.map(|(path, (_, text))| (path.as_str(), text.as_str()))
    }

    /// The paths of those that are nothing known.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &str> {
        let unknown = self.texts.iter().filter(|(_, (kind, text))| kind.is_none() && !text.trim().is_empty());
        unknown.map(|(path, _)| path.as_str())
    }
}

/// What a text is: by where it lies in /sys, else by what stands in it.
fn kind_of(path: &str, text: &str) -> Option<Kind> {
    if queue_file(path).is_some() {
        return Some(Kind::Queue);
    }
    let has = |word: &str| text.contains(word);
    let line = |test: fn(&str) -> bool| text.lines().any(test);
    if has("\"blockdevices\"") {
        return Some(Kind::Lsblk);
    }
    if has("Personalities :") {
        return Some(Kind::Mdstat);
    }
    if has("Raid Level :") {
        return Some(Kind::MdadmDetail);
    }
    if line(super::pools::is_head) && has("pool: ") {
        return Some(Kind::Zpool);
    }
    if has("DG/VD TYPE") || has("EID:Slt DID") {
        return Some(Kind::Storcli);
    }
    if line(|line| line.starts_with("MemTotal:")) {
        return Some(Kind::Meminfo);
    }
    if line(|line| line.starts_with("Architecture:") || line.starts_with("CPU(s):")) {
        return Some(Kind::Lscpu);
    }
    if line(|line| line.starts_with("vm.") && line.contains('=')) {
        return Some(Kind::Sysctl);
    }
    if has("smartctl ") || line(|line| line.starts_with("Device Model:") || line.starts_with("Model Number:"))
    {
        return Some(Kind::Smartctl);
    }
    if line(|line| line.trim_start().starts_with("Flags:")) && has(" from ") {
        return Some(Kind::Nfsstat);
    }
    if line(is_mount) {
        return Some(Kind::Mounts);
    }
    let first = text.trim();
    let is_release = first.lines().count() == 1 && super::nearest::version(first).is_some();
    is_release.then_some(Kind::Kernel)
}

/// A line of /proc/mounts, or of what mount(8) prints.
pub(super) fn is_mount(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [_, "on", at, "type", _, options] => at.starts_with('/') && options.starts_with('('),
        [_, at, _, _, dump, pass] => {
            at.starts_with('/') && dump.parse::<u8>().is_ok() && pass.parse::<u8>().is_ok()
        }
        _ => false,
    }
}

/// The device and the name of a file of its queue: `…/block/sda/queue/scheduler`, or `queue/sda/scheduler`.
pub(super) fn queue_file(path: &str) -> Option<(&str, &str)> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [.., device, "queue", file] | [.., "queue", device, file] => Some((device, file)),
        _ => None,
    }
}
