//! Clearing what a petrio that was killed has left: by its record ([`petrio_files::under_way`]), and nothing else.
//!
//! Each kind is cleared beside where it is made. Clearing does nothing where a thing is gone already, as most are after
//! a kill: loop devices go with their last user, and images were unlinked.

use crate::emulation::{MOUNTED_ON, clear_mounted_on};
use crate::rig::groups::{CONTROL_GROUP, THROTTLE};
use crate::rig::loop_device::{IMAGE, LOOP_DEVICE, SETTING};
use crate::{namespace, rig};
use petrio_capture::leftovers as captures;
use petrio_files::under_way::{self, Clear, Swept};

/// Files that users have made in their homes, by the directories of all places.
pub const MADE_BY_USERS: &str = "made-by-users";

/// The kinds beside those of captures, and how each is cleared.
const KINDS: [(&str, Clear); 7] = [
    (IMAGE, rig::clear_image),
    (LOOP_DEVICE, rig::clear_loop_device),
    (SETTING, rig::clear_setting),
    (THROTTLE, rig::clear_throttle),
    (CONTROL_GROUP, rig::clear_group),
    (MADE_BY_USERS, namespace::clear_recorded),
    (MOUNTED_ON, clear_mounted_on),
];

/// Clears whatever dead processes of this user have left on this machine; what was found, and what became of it.
///
/// Cheap where there is nothing: one folder is read.
pub fn clear() -> Vec<Swept> {
    under_way::sweep(&[&captures::KINDS[..], &KINDS[..]].concat())
}

/// What a kind is called, one and several of it.
pub fn in_words(kind: &str) -> (&'static str, &'static str) {
    match kind {
        IMAGE => ("image", "images"),
        LOOP_DEVICE => ("loop device", "loop devices"),
        SETTING => ("device setting", "device settings"),
        THROTTLE => ("device throttle", "device throttles"),
        CONTROL_GROUP => ("control group", "control groups"),
        MADE_BY_USERS => ("directory with files that users made", "directories with files that users made"),
        MOUNTED_ON => ("mount on a directory", "mounts on directories"),
        other => captures::in_words(other),
    }
}
