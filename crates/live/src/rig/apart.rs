//! Mounts that nobody else sees, and that the kernel takes away with the process: a mount namespace of its own
//! (mount_namespaces(7)).
//!
//! What others mount and unmount meanwhile still reaches it; what is mounted in it reaches nobody.

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountPropagationFlags, mount_change};

/// Gives this process a mount namespace of its own, as far as it may have one; whether it has. Before any other thread
/// is there, because each thread has the one of whoever started it. Where it can't be had, what is left by a kill is
/// cleared by the next start.
pub fn mount_apart() -> bool {
    let is_apart = unshare(CloneFlags::CLONE_NEWNS).is_ok();
    if is_apart {
        // Fails where the root is no mount (a chroot); then mounts reach others as before.
        let _ = mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC);
    }
    is_apart
}
