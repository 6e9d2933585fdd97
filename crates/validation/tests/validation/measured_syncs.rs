//! fsync beside a streaming writer, beside what a real ext4 did on a disk of known times.

use crate::measured_folder;
use petrio_files::inputs::Inputs;
use petrio_validation::syncs::{measured, play};
use petrio_validation::verdict::Judgement;

#[test]
fn an_fsync_beside_a_stream_waits_as_often_and_as_long_as_a_real_one() {
    let Some(folder) = measured_folder("xfs-ext4", "measured_syncs") else { return };
    let (rows, left_out) = measured(&Inputs::here(), &folder).unwrap();
    assert!(left_out > 0, "other file systems stand in the table, too");
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let played = play(row).unwrap();
        for judged in &played.judged() {
            assert_ne!(judged.verdict, Judgement::Misses, "{}", judged.line());
            let counts = judged.what.ends_with("fsyncs") || judged.what.ends_with("rate");
            assert!(!counts || judged.verdict == Judgement::Holds, "{}", judged.line());
        }
    }
}
