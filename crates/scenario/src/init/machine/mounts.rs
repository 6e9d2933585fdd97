//! Mounted file systems, as `/proc/mounts` and mount(8) tell.

use super::kinds::is_mount;

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mounted {
    /// `/dev/sda1`, `server:/export`.
    pub(super) source: String,
    pub(super) at: String,
    pub(super) kind: String,
    pub(super) options: Vec<String>,
}

/// All of them, in order.
pub(super) fn read(text: &str) -> Vec<Mounted> {
    text.lines().filter(|line| is_mount(line)).filter_map(line).collect()
}

fn line(line: &str) -> Option<Mounted> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (source, at, kind, options) = match words.as_slice() {
        [source, "on", at, "type", kind, options] => (source, at, kind, options),
        [source, at, kind, options, ..] => (source, at, kind, options),
        _ => return None,
    };
    // Octal escapes of /proc/mounts: a space in a name is \040.
    let name = |text: &str| text.replace("\\040", " ");
    let options = options.trim_matches(['(', ')']).split(',').map(str::to_owned).collect();
    Some(Mounted { source: name(source), at: name(at), kind: (*kind).to_owned(), options })
}

impl Mounted {
    /// Whether an option is set.
    pub(super) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|other| other == option)
    }

    /// The value of an option.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        self.options.iter().find_map(|other| other.strip_prefix(option)?.strip_prefix('='))
    }

    /// Whether its files come from another machine.
    pub(super) fn is_remote(&self) -> bool {
        ["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "pvfs2", "fuse.sshfs", "9p"]
            .contains(&self.kind.as_str())
    }
}
