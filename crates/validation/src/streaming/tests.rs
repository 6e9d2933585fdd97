//! Every drive of the catalogue streams, and one that does not is found out.
#![allow(clippy::unwrap_used)]
use super::*;

fn drive(name: &str) -> DiskParameters {
    let drives = catalogue_drives().unwrap();
    drives.into_iter().find(|(found, _)| *found == name).unwrap().1
}

#[test]
fn every_drive_of_the_catalogue_streams() {
    let rows = validate_streaming().unwrap();
    let misses = rows.iter().filter(|row| row.verdict == Verdict::Misses);
    let misses: Vec<String> = misses.map(|row| format!("{row:?}")).collect();
    assert!(misses.is_empty(), "{} rows miss:\n{}", misses.len(), misses.join("\n"));
    let known = |row: &StreamingRow| row.verdict == Verdict::KnownToMiss;
    for row in &rows {
        for other in rows.iter().filter(|other| other.drive == row.drive && other.write == row.write) {
            let longer = other.gap_us == row.gap_us && other.length_kib > row.length_kib;
            let sooner = other.gap_us < row.gap_us && other.length_kib == row.length_kib;
            // The margin is that of the bounds: HP 97560's writes that are longer than its buffer lose 3 %. What a row has beyond
            // its bound, from requests that end in the buffer, nobody else has to reach.
            let slower = (longer || sooner)
                && !known(other)
                && other.mb_per_s < row.mb_per_s.min(row.bound_mb_per_s) * (1.0 - MARGIN_PERCENT / 100.0);
            assert!(!slower || row.length_kib < JUDGED_KIB, "{other:?}\nis slower than\n{row:?}");
        }
    }
}

#[test]
fn a_drive_that_loses_a_revolution_at_each_command_is_found_out() {
    let mut parameters = drive("seagate-exos-x18-18tb");
    parameters.cache.read_ahead = ReadAhead::None;
    let rows = validate_drive("made-up", &parameters).unwrap();
    let misses =
        |write: bool| rows.iter().filter(|row| row.write == write && row.verdict == Verdict::Misses).count();
    // A read that comes after its first sector has passed waits for it.
    assert!(misses(false) >= 10, "{rows:?}");
    assert_eq!(misses(true), 0, "{rows:?}");
}

#[test]
fn a_rate_that_the_geometry_does_not_give_is_found_out() {
    let mut parameters = drive("seagate-exos-x18-18tb");
    parameters.mechanics.rotation = "5400 rpm".parse().unwrap();
    let rows = validate_drive("made-up", &parameters).unwrap();
    assert!(rows.iter().any(|row| row.bound == Bound::DataSheet && row.verdict == Verdict::Misses));
}
