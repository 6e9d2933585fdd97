//! Clearing what a petrio that was killed has left: by its record ([`petrio_files::under_way`]), and nothing else.
//!
//! Each kind is cleared beside where it is made. Clearing does nothing where a thing is gone already, as most are after
//! a kill: loop devices go with their last user, and images were unlinked.

use crate::rig::groups::{CONTROL_GROUP, THROTTLE};
use crate::rig::loop_device::{IMAGE, LOOP_DEVICE, SETTING};
use crate::{namespace, rig};
use petrio_capture::{MOUNT, TRACE_INSTANCE};
use petrio_files::under_way::{self, Clear, PART_FILE, Swept, TREE};

/// Files that users have made in their homes, by the directories of all places.
pub const MADE_BY_USERS: &str = "made-by-users";

/// The kinds, and how each is cleared.
const KINDS: [(&str, Clear); 8] = [
    (IMAGE, rig::clear_image),
    (LOOP_DEVICE, rig::clear_loop_device),
    (MOUNT, rig::clear_mount),
    (SETTING, rig::clear_setting),
    (THROTTLE, rig::clear_throttle),
    (CONTROL_GROUP, rig::clear_group),
    (TRACE_INSTANCE, petrio_capture::clear_instance),
    (MADE_BY_USERS, namespace::clear_recorded),
];

/// Clears whatever dead processes of this user have left on this machine; what was found, and what became of it.
///
/// Cheap where there is nothing: one folder is read.
pub fn clear() -> Vec<Swept> {
    under_way::sweep(&KINDS)
}

/// What a kind is called, one and several of it.
pub fn in_words(kind: &str) -> (&'static str, &'static str) {
    match kind {
        PART_FILE => ("half-written file", "half-written files"),
        TREE => ("temporary folder", "temporary folders"),
        IMAGE => ("image", "images"),
        LOOP_DEVICE => ("loop device", "loop devices"),
        MOUNT => ("mount", "mounts"),
        SETTING => ("device setting", "device settings"),
        THROTTLE => ("device throttle", "device throttles"),
        CONTROL_GROUP => ("control group", "control groups"),
        TRACE_INSTANCE => ("trace instance", "trace instances"),
        MADE_BY_USERS => ("directory with files that users made", "directories with files that users made"),
        _ => ("thing", "things"),
    }
}
