//! What a made-up trace must keep to.

#![allow(clippy::unwrap_used)]
use super::*;
use petrio_time::Time;
use petrio_trace::event::{Event, EventKind, FileKey};
use std::collections::{BTreeMap, BTreeSet};

fn lives() -> FileLives {
    let part = |value: f64| petrio_units::Fraction::new(value).unwrap();
    let span = |text: &str| text.parse::<petrio_units::Duration>().unwrap();
    let sizes = |median: u64, spread| Sizes {
        median: petrio_units::Bytes(median),
        spread,
        largest: petrio_units::Bytes(1 << 20),
    };
    FileLives {
        title: "a test".to_owned(),
        source: String::new(),
        duration: span("2 d"),
        device: petrio_units::Blocks(1 << 20),
        burst_interval: span("5 min"),
        burst_files: 5.0,
        burst_gap: span("1 s"),
        reads: part(0.5),
        mixed: part(1.0),
        reading: Reading {
            files: 100,
            sizes: sizes(20_000, 1.0),
            place: Location { middle: part(0.3), spread: part(0.01) },
            of_late: part(0.2),
            lag: span("1 min"),
            think: span("20 ms"),
            zipf: 0.8,
        },
        writing: Writing {
            sizes: sizes(4_000, 1.0),
            large: part(0.1),
            large_sizes: sizes(100_000, 0.2),
            followers: 0.0,
            follow_after: petrio_units::Duration::ZERO,
            place: Location { middle: part(0.7), spread: part(0.01) },
            over: part(0.2),
            think: span("10 ms"),
            deleted: part(0.5),
            life_median: span("5 min"),
            life_spread: 1.0,
        },
    }
}

fn events(lives: &FileLives, seed: u64) -> Vec<Event> {
    lives.events(seed).unwrap().map(Result::unwrap).collect()
}

#[test]
fn events_come_in_order_and_the_same_for_the_same_seed() {
    let all = events(&lives(), 4);
    assert!(all.len() > 5_000);
    assert!(all.windows(2).all(|pair| pair[0].time <= pair[1].time));
    assert_eq!(all, events(&lives(), 4));
    assert_ne!(all, events(&lives(), 5));
}

#[test]
fn files_are_read_and_written_from_their_beginning_to_their_end() {
    let mut at: BTreeMap<(FileKey, bool), BTreeSet<u64>> = BTreeMap::new();
    let mut created = BTreeSet::new();
    for event in events(&lives(), 1) {
        match event.kind {
            EventKind::Create => assert!(created.insert(event.file)),
            EventKind::Unlink => assert!(created.contains(&event.file), "only what was made is deleted"),
            EventKind::Read | EventKind::Write => {
                let offset = event.offset.unwrap();
                let seen = at.entry((event.file, event.kind == EventKind::Write)).or_default();
                assert!(offset == 0 || seen.contains(&offset), "a piece follows on the one before");
                seen.insert(offset + event.length);
                let sectors: u64 = event.extents.iter().map(|extent| u64::from(extent.blocks)).sum();
                assert!(sectors * 512 >= event.length && sectors * 512 < event.length + 1024);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn the_mix_and_the_sizes_are_those_that_are_asked_for() {
    let all = events(&FileLives { burst_interval: "30 s".parse().unwrap(), ..lives() }, 2);
    let begun = |kind: EventKind| {
        all.iter().filter(|event| event.kind == kind && event.offset == Some(0)).count() as f64
    };
    let share = begun(EventKind::Read) / (begun(EventKind::Read) + begun(EventKind::Write));
    // 29,000 files taken up: 0.5 ± 0.003 is one standard error.
    assert!((share - 0.5).abs() < 0.012, "{share}");
    let mut sizes: BTreeMap<FileKey, u64> = BTreeMap::new();
    for event in all.iter().filter(|event| event.kind == EventKind::Write) {
        let size = sizes.entry(event.file).or_default();
        *size = (*size).max(event.offset.unwrap() + event.length);
    }
    let mut sizes: Vec<u64> = sizes.into_values().collect();
    sizes.sort_unstable();
    let below = sizes.partition_point(|size| *size <= 4_000) as f64 / sizes.len() as f64;
    // Nine in ten are ordinary, and half of these are smaller than the median.
    assert!((below - 0.45).abs() < 0.02, "{below}");
}

#[test]
fn files_lie_where_they_are_said_to() {
    let all = events(&lives(), 3);
    let mean = |kind: EventKind| {
        let addresses: Vec<u64> =
            all.iter().filter(|event| event.kind == kind).map(|event| event.extents[0].address).collect();
        addresses.iter().sum::<u64>() as f64 / addresses.len() as f64 / f64::from(1 << 20)
    };
    assert!((mean(EventKind::Write) - 0.7).abs() < 0.02);
    // A fifth of the reads goes to written files.
    assert!(mean(EventKind::Read) < 0.55);
}

#[test]
fn large_files_are_followed_by_their_readers() {
    let mut followed = lives();
    followed.reads = petrio_units::Fraction::new(0.0).unwrap();
    followed.writing.followers = 3.0;
    followed.writing.follow_after = "10 s".parse().unwrap();
    let all = events(&followed, 1);
    let large = all.iter().filter(|event| event.kind == EventKind::Read && event.offset == Some(0)).count();
    let written: BTreeMap<FileKey, Time> = all
        .iter()
        .filter(|event| event.kind == EventKind::Write)
        .map(|event| (event.file, event.time))
        .collect();
    let waits: Vec<f64> = all
        .iter()
        .filter(|event| event.kind == EventKind::Read && event.offset == Some(0))
        .map(|event| (event.time.saturating_sub(written[&event.file])).as_seconds())
        .collect();
    assert!(large > 100, "{large}");
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    assert!((mean - 10.0).abs() < 2.5, "{mean}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let refused = |change: fn(&mut FileLives)| {
        let mut lives = lives();
        change(&mut lives);
        lives.events(1).err().map(|error| error.parameter)
    };
    assert_eq!(refused(|lives| lives.burst_files = 0.5), Some("burst_files"));
    assert_eq!(refused(|lives| lives.reading.files = 0), Some("reading.files"));
    assert_eq!(refused(|lives| lives.burst_interval = petrio_units::Duration::ZERO), Some("burst_interval"));
    assert_eq!(refused(|lives| lives.writing.followers = f64::NAN), Some("writing.followers"));
    assert_eq!(refused(|lives| lives.device = petrio_units::Blocks(1 << 12)), Some("reading.sizes"));
}
