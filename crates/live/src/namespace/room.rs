//! Whether there is room for what is to be made, looked at before the first file is.

use super::error::NamespaceError;
use petrio_workload::namespace::FileKind;
use petrio_workload::namespace::Namespace;
use std::path::{Path, PathBuf};

/// Looks at the free blocks and inodes of each place; places on the same file system share them.
pub(super) fn check(namespace: &Namespace, roots: &[PathBuf]) -> Result<(), NamespaceError> {
    struct Need<'a> {
        device: u64,
        path: &'a Path,
        bytes: u64,
        inodes: u64,
        block: u64,
        free: u64,
        free_inodes: Option<u64>,
    }
    let mut needs: Vec<Need<'_>> = Vec::new();
    let mut of_place = Vec::new();
    for root in roots {
        let stat =
            rustix::fs::stat(root).map_err(|errno| NamespaceError::file("look at", root)(errno.into()))?;
        let there = needs.iter().position(|need| need.device == stat.st_dev);
        if let Some(there) = there {
            of_place.push(there);
            continue;
        }
        let space =
            rustix::fs::statvfs(root).map_err(|errno| NamespaceError::file("look at", root)(errno.into()))?;
        of_place.push(needs.len());
        let block = space.f_frsize.max(1);
        needs.push(Need {
            device: stat.st_dev,
            path: root,
            bytes: 0,
            inodes: 0,
            block,
            free: space.f_bavail.saturating_mul(block),
            // File systems without a fixed number of inodes say none.
            free_inodes: (space.f_files > 0).then_some(space.f_favail),
        });
    }
    for entry in &namespace.entries {
        let need = &mut needs[of_place[entry.place as usize]];
        let bytes = if entry.kind == FileKind::Directory { need.block } else { entry.size };
        need.bytes += bytes.div_ceil(need.block) * need.block;
        need.inodes += 1;
    }
    for need in needs {
        let path = need.path.to_owned();
        if need.bytes > need.free {
            return Err(NamespaceError::NoRoom { path, free: need.free, needed: need.bytes });
        }
        if let Some(free) = need.free_inodes.filter(|free| *free < need.inodes) {
            return Err(NamespaceError::NoInodes { path, free, needed: need.inodes });
        }
    }
    Ok(())
}
