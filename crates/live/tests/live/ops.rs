//! Single operations on a real ext3, against a table made with other means: a script in another language with its own
//! reader of the trace, Linux 6.18.44, e2fsprogs 1.47.0, 64 MiB with a journal of 16 MiB, November 2026.

#![allow(clippy::unwrap_used)]

use crate::{memory_to_itself, possible};
use petrio_live::ops::{FileOperation, OPERATIONS, OpsParameters, measure};
use petrio_live::rig::{BlockKind, Facilities, Image, RigParameters};
use petrio_models::host::file_system::JournalMode;

/// Operation, requests in ordered and write-back mode, requests in full journal mode.
const TABLE: [(&str, &str, &str); 17] = [
    ("append4k_fsync", "W4D W16J F W4J F", "W20J F W4J F W4D F"),
    ("append4k_fdatasync", "W4D W16J F W4J F", "W20J F W4J F W4D F"),
    ("append64k_fsync", "W48D W16D W20J F W4J F", "W84J F W4J F W48D W16D F"),
    ("overwrite4k_fsync", "W4D W8J F W4J F", "W12J F W4J F W4D F"),
    ("overwrite4k_fdatasync", "W4D F", "W12J F W4J F W4D F"),
    ("overwrite4k_osync", "W4D W8J F W4J F", "W12J F W4J F W4D F"),
    ("overwrite4k_odsync", "W4D F", "W12J F W4J F W4D F"),
    ("overwrite64k_fdatasync", "W64D F", "W72J F W4J F W64D F"),
    ("create0_fsync", "W20J F W4J F", "W20J F W4J F"),
    ("create4k_fsync", "W4D W24J F W4J F", "W28J F W4J F W4D F"),
    ("create4k_fsync_unlink", "W4D W24J F W4J F", "W28J F W4J F W4D F"),
    ("mkdir_fsyncdir", "W28J F W4J F", "W28J F W4J F"),
    ("rename_fsyncdir", "W12J F W4J F", "W12J F W4J F"),
    ("unlink_fsyncdir", "W28J F W4J F", "W28J F W4J F"),
    ("fsync_clean", "F", "F"),
    ("coldseqread4k", "R16D", "R16D"),
    ("coldrandread4k", "R4D", "R4D"),
];

#[test]
fn requests_by_operation_and_journal_mode_are_those_of_an_independent_count() {
    let facilities = Facilities::probe();
    let test = "requests_by_operation_and_journal_mode_are_those_of_an_independent_count";
    if !possible(test, &[&facilities.ext3, &facilities.tracing, &facilities.drop_caches]) {
        return;
    }
    let _turn = memory_to_itself();
    let parameters = OpsParameters {
        rig: RigParameters { image: Image::Memory, ..RigParameters::default() },
        repetitions: 3,
        quiet: "20 ms".parse().unwrap(),
        ..OpsParameters::default()
    };
    let rows = measure(&parameters, |_, _, _, _| ()).unwrap();
    assert_eq!(rows.len(), 3 * OPERATIONS.len());
    for row in &rows {
        let (_, ordered, journal) = TABLE.iter().find(|(name, _, _)| *name == row.operation).unwrap();
        let expected = if row.journal == JournalMode::Journal { journal } else { ordered };
        assert_eq!(
            row.requests, *expected,
            "{} {:?}, {} of {}",
            row.operation, row.journal, row.commonest, row.repetitions
        );
        // A commit's blocks in the journal are what it logged, a descriptor and the commit block.
        let logged: Vec<u64> = row.logged.iter().map(|kinds| kinds.len() as u64 + 2).collect();
        assert_eq!(row.blocks_logged, logged, "{}", row.operation);
    }
    let unlink = rows.iter().find(|row| row.operation == "unlink_fsyncdir").unwrap();
    assert!(
        unlink.logged[0].contains(&BlockKind::Superblock),
        "the list of orphans begins there: {:?}",
        unlink.logged
    );
}

#[test]
fn on_a_disk_of_5_ms_a_request_the_time_is_the_number_of_requests() {
    let facilities = Facilities::probe();
    let test = "on_a_disk_of_5_ms_a_request_the_time_is_the_number_of_requests";
    if !possible(test, &[&facilities.ext3, &facilities.tracing, &facilities.slow_disk]) {
        return;
    }
    let _turn = memory_to_itself();
    let parameters = OpsParameters {
        journals: vec![JournalMode::Ordered],
        operations: ["append4k_fsync", "overwrite4k_fdatasync"]
            .map(|name| FileOperation::find(name).unwrap())
            .into(),
        repetitions: 3,
        ..OpsParameters::default()
    };
    for row in measure(&parameters, |_, _, _, _| ()).unwrap() {
        // From below only: a loaded machine takes longer, but no sleep ends early.
        let requests = row.requests.split(' ').count();
        assert!(row.time_least_ms >= 5.0 * requests as f64, "{row:?}");
    }
}

/// As tables of another make have them (Linux 6.18, XFS of 4 GiB, write cache): `fsync[W4K@data F W1.5K@log F]`.
#[test]
fn xfs_writes_its_log_between_flushes_and_an_overwrite_without() {
    let facilities = Facilities::probe();
    let test = "xfs_writes_its_log_between_flushes_and_an_overwrite_without";
    if !possible(test, &[&facilities.xfs, &facilities.tracing, &facilities.drop_caches]) {
        return;
    }
    let _turn = memory_to_itself();
    let rig = RigParameters {
        image: Image::Memory,
        xfs: true,
        size: "512 MiB".parse().unwrap(),
        ..RigParameters::default()
    };
    let operations =
        ["append4k_fsync", "overwrite4k_fdatasync"].map(|name| FileOperation::find(name).unwrap());
    let parameters = OpsParameters {
        rig,
        journals: vec![JournalMode::Ordered],
        operations: operations.into(),
        repetitions: 3,
        quiet: "20 ms".parse().unwrap(),
        ..OpsParameters::default()
    };
    let rows = measure(&parameters, |_, _, _, _| ()).unwrap();
    let [append, overwrite] = &rows[..] else { panic!("{rows:?}") };
    assert!(append.requests.starts_with("W4D F W") && append.requests.ends_with("J F"), "{append:?}");
    assert_eq!(append.requests.split(' ').count(), 4, "{append:?}");
    assert_eq!(overwrite.requests, "W4D F");
}
