//! The room that a file system has left for files without a name.

use std::path::Path;

/// Bytes that this user may still write below a folder; none where that can't be found out.
pub fn left(folder: &Path) -> Option<u64> {
    let room = rustix::fs::statvfs(folder).ok()?;
    room.f_bavail.checked_mul(room.f_frsize)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_folder_has_room_and_what_is_none_has_none() {
        assert!(left(&std::env::temp_dir()).unwrap() > 0);
        assert_eq!(left(Path::new("/nowhere/at/all")), None);
    }
}
