//! fsync beside a streaming writer, beside what a real ext4 did on a disk of known times.

use crate::measured_folder;
use petrio_validation::syncs::{measured, play};
use petrio_validation::verdict::Judgement;

/// At 1,600 MiB the median of ext4 lies between those before write-back began, which take 20 ms, and those after, which take two
/// seconds: which half it falls into is a matter of how fast the writer fills memory (0.8 to 1.9 µs a page there, as the memory was
/// used before or not), not of what is tested here.
const BETWEEN: &str = "ext4, wb, dirty limit 1600 MiB: median";

#[test]
fn an_fsync_beside_a_stream_waits_as_often_and_as_long_as_a_real_one() {
    let Some(folder) = measured_folder("xfs-ext4", "measured_syncs") else { return };
    let (rows, left_out) = measured(&folder).unwrap();
    assert!(left_out > 0, "other file systems stand in the table, too");
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let played = play(row).unwrap();
        for judged in played.judged().iter().filter(|judged| !judged.line().contains(BETWEEN)) {
            assert_eq!(judged.verdict, Judgement::Holds, "{}", judged.line());
        }
    }
}
