//! Whether something can be done on this machine, by this user.

use std::fs;
use std::path::Path;

/// Whether something can be done here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It can.
    There,
    /// It can't; why, in a few words.
    Missing(String),
}

impl Availability {
    /// Whether it can.
    pub const fn is_there(&self) -> bool {
        matches!(self, Self::There)
    }

    /// Why not; none where it can.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::There => None,
            Self::Missing(why) => Some(why),
        }
    }

    pub(super) fn when(there: bool, why_not: &str) -> Self {
        if there { Self::There } else { Self::Missing(why_not.to_owned()) }
    }

    /// The first that is missing.
    pub(super) fn all<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        parts.into_iter().find(|part| !part.is_there()).cloned().unwrap_or(Self::There)
    }
}

/// Whether the kernel has a file system, built in or loaded.
pub(super) fn kernel_knows(name: &str) -> bool {
    let list = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    // The ext4 driver serves ext3 and is loaded as a module on first use.
    let is_listed = list.lines().any(|line| line.split_whitespace().last() == Some(name));
    is_listed || Path::new("/sbin/modprobe").exists() && Path::new("/lib/modules").exists()
}
