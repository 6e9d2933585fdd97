//! Streams that several threads of a process read, as those of a server do.

use super::rig::{Rig, access, file, host};
use crate::file_system::{Family, JournalMode};
use petrio_colours::Operation;

const KIB: u64 = 1024;

#[test]
fn neighbouring_calls_of_several_threads_are_one_stream() {
    let mut rig = Rig::new(Family::Ext4, JournalMode::Ordered, &host(), &[file(2, 64 << 20, false)]);
    let calls: Vec<_> =
        (0..4).map(|number| access(Operation::Read, 2, number * 32 * KIB, 32 * KIB)).collect();
    let ends = rig.together(&calls);
    let order: Vec<usize> = ends.iter().map(|end| end.0).collect();
    assert_eq!(order, [0, 1, 2, 3]);
    // The first brings what the second wants, which finds the marker there and asks for what follows, and so does the third;
    // the queue joins what these two ask for.
    assert_eq!(rig.requests(), "R64D R256D");
}
