//! Whether there is room for what is to be made, looked at before the first file is.

use super::error::NamespaceError;
use super::site::Site;
use crate::beneath::Directory;
use petrio_users::namespace::FileKind;

/// What files need on a file system.
struct Need<'a> {
    device: u64,
    root: &'a Directory,
    bytes: u64,
    inodes: u64,
    block: u64,
    free: u64,
    free_inodes: Option<u64>,
}

/// Looks at the free blocks and inodes of each place for these entries; places on the same file system share them.
pub(super) fn check(site: &Site, numbers: impl IntoIterator<Item = u32>) -> Result<(), NamespaceError> {
    let mut needs: Vec<Need<'_>> = Vec::new();
    let mut of_place = Vec::new();
    for root in &site.roots {
        let fail = |errno: rustix::io::Errno| NamespaceError::file("look at", root.path())(errno.into());
        let device = rustix::fs::fstat(root).map_err(fail)?.st_dev;
        if let Some(there) = needs.iter().position(|need| need.device == device) {
            of_place.push(there);
            continue;
        }
        let space = rustix::fs::fstatvfs(root).map_err(fail)?;
        of_place.push(needs.len());
        let block = space.f_frsize.max(1);
        needs.push(Need {
            device,
            root,
            bytes: 0,
            inodes: 0,
            block,
            free: space.f_bavail.saturating_mul(block),
            // File systems without a fixed number of inodes say none.
            free_inodes: (space.f_files > 0).then_some(space.f_favail),
        });
    }
    for number in numbers {
        let entry = &site.namespace.entries[number as usize];
        let need = &mut needs[of_place[entry.place as usize]];
        let bytes = if entry.kind == FileKind::Directory { need.block } else { entry.size };
        let blocks = bytes.div_ceil(need.block);
        need.bytes = need.bytes.saturating_add(blocks.saturating_mul(need.block));
        need.inodes += 1;
    }
    for need in needs {
        let path = need.root.path().to_owned();
        if need.bytes > need.free {
            return Err(NamespaceError::NoRoom { path, free: need.free, needed: need.bytes });
        }
        if let Some(free) = need.free_inodes.filter(|free| *free < need.inodes) {
            return Err(NamespaceError::NoInodes { path, free, needed: need.inodes });
        }
    }
    Ok(())
}
