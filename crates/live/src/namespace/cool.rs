//! Takes files out of the page cache, so that runs begin alike.

use super::error::NamespaceError;
use super::site::Site;
use super::walk::Walk;
use petrio_users::namespace::FileKind;
use rustix::fs::{Advice, Mode, OFlags};

/// Takes all files of a site out of the page cache: posix_fadvise(POSIX_FADV_DONTNEED), which needs no privilege. What
/// is dirty is made durable before.
///
/// # Errors
/// Files that can't be opened.
pub fn cool_down(site: &Site) -> Result<(), NamespaceError> {
    site.sync()?;
    let mut walk = Walk::default();
    for (number, entry) in (0_u32..).zip(&site.namespace.entries) {
        if entry.kind != FileKind::File || entry.size == 0 {
            continue;
        }
        let Some(parent) = walk.parent(site, number)? else { continue };
        let fail = |action| NamespaceError::file(action, site.shown(number));
        let file =
            parent.open_file(&entry.name.to_string(), OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty());
        rustix::fs::fadvise(file.map_err(fail("open"))?, 0, None, Advice::DontNeed)
            .map_err(|errno| fail("drop from the page cache")(errno.into()))?;
    }
    Ok(())
}
