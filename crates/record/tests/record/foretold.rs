//! What follows from recordings on some numbers of ranks, against a recording on another one: messages, bytes and ranges of files.

use super::parallel::{built, recorded_on};
use petrio_extrapolate::extrapolate;
use petrio_trace::event::{Event, EventKind};
use std::collections::BTreeMap;
use std::path::Path;

/// How often each rank does what, and with how many bytes: a message by its kind, other rank, tag and members, an access by its file and
/// range. Left out: what fails, waits, and calls on files outside of the folder.
fn told(events: &[Event], folder: &Path) -> BTreeMap<String, (u64, u64)> {
    let mut all: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for event in events.iter().filter(|event| event.error == 0) {
        let Some((rank, more)) = event.recorded.as_ref().and_then(|more| Some((more.rank?, more))) else {
            continue;
        };
        let path = event.path.as_deref().map(Path::new).filter(|path| path.starts_with(folder));
        let what = match event.kind {
            EventKind::Wait | EventKind::Exec => continue,
            kind if kind.is_of_messages() => {
                format!("{:?} {:?} {:?} {:?}", more.peer, more.tag, more.collective, more.members)
            }
            // Who of several makes a file is left to chance.
            EventKind::Create | EventKind::Open | EventKind::Stat | EventKind::Map => continue,
            _ => match path.and_then(Path::file_name) {
                Some(name) => format!("{name:?} {:?}", event.offset),
                None => continue,
            },
        };
        let (count, bytes) = all.entry(format!("{rank} {} {what}", event.kind.name())).or_default();
        (*count, *bytes) = (*count + 1, *bytes + event.length);
    }
    all
}

/// Records on each number of ranks, and holds what follows from all but the last for that against it.
fn holds(test: &str, source: &str, words: &[&str], ranks: &[u32]) {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(test, source, folder.path()) else { return };
    let data = folder.path().join("data");
    let mut all = Vec::new();
    for ranks in ranks {
        let _ = std::fs::remove_dir_all(&data);
        std::fs::create_dir(&data).unwrap();
        let Some(made) = recorded_on(test, folder.path(), *ranks, &program, words) else { return };
        all.push(made.events);
    }
    let real = all.pop().unwrap();
    let slices: Vec<&[Event]> = all.iter().map(Vec::as_slice).collect();
    let more = *ranks.last().unwrap();
    let foretold = extrapolate(&slices, more, &[]).unwrap_or_else(|unfit| panic!("{unfit}"));
    let (foretold, real) = (told(&foretold, &data), told(&real, &data));
    assert!(real.len() > 100, "{}", real.len());
    let differs = |one: &BTreeMap<String, (u64, u64)>, other: &BTreeMap<String, (u64, u64)>| {
        one.iter().find(|(what, sums)| other.get(*what) != Some(sums)).map(|found| format!("{found:?}"))
    };
    assert_eq!((differs(&foretold, &real), differs(&real, &foretold)), (None, None));
}

#[test]
fn rows_and_messages_of_bt_io_on_16_ranks_follow_from_those_on_4_and_9() {
    let test = "rows_and_messages_of_bt_io_on_16_ranks_follow_from_those_on_4_and_9";
    holds(test, "bt_io.c", &["25", "5", "simple", "data/state"], &[4, 9, 16]);
}

#[test]
fn collective_writes_of_bt_io_on_16_ranks_follow_from_those_on_4_and_9() {
    let test = "collective_writes_of_bt_io_on_16_ranks_follow_from_those_on_4_and_9";
    holds(test, "bt_io.c", &["25", "5", "full", "data/state"], &[4, 9, 16]);
}

#[test]
fn one_pattern_after_the_other_on_12_ranks_follows_from_those_on_4_and_8() {
    let test = "one_pattern_after_the_other_on_12_ranks_follows_from_those_on_4_and_8";
    holds(test, "patterns.c", &["regular", "data"], &[4, 8, 12]);
}

#[test]
fn a_program_whose_ranks_get_work_as_they_go_is_refused() {
    let test = "a_program_whose_ranks_get_work_as_they_go_is_refused";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(test, "patterns.c", folder.path()) else { return };
    let record = |ranks: u32| recorded_on(test, folder.path(), ranks, &program, &["workers", "data"]);
    let (Some(few), Some(more)) = (record(3), record(5)) else { return };
    let refused = extrapolate(&[&few.events, &more.events], 9, &[]).unwrap_err();
    assert!(!refused.to_string().is_empty());
}
