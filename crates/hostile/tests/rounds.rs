//! A short round; `make fuzz` makes a long one.
#![allow(clippy::unwrap_used)]

use petrio_hostile::round::{round, shares};
use petrio_hostile::{readers, samples};
use std::path::Path;
use std::sync::Mutex;

/// Each reader gets as many: a few seconds in all.
const INPUTS: u64 = 12_000;

#[test]
fn every_reader_has_an_answer_to_every_input() {
    let worker = Path::new(env!("CARGO_BIN_EXE_petrio-hostile"));
    let mut total = 0;
    let mut wrong = Vec::new();
    let shares = Mutex::new(shares(INPUTS).into_iter());
    std::thread::scope(|scope| {
        // Two at a time, whoever is free takes the next.
        let halves = [(); 2].map(|()| {
            scope.spawn(|| {
                let next = || shares.lock().unwrap().next();
                std::iter::from_fn(next)
                    .map(|(reader, inputs)| (reader, round(worker, reader, 0, inputs).unwrap()))
                    .collect::<Vec<_>>()
            })
        });
        for (reader, outcome) in halves.into_iter().flat_map(|half| half.join().unwrap()) {
            total += outcome.inputs;
            if !outcome.is_clean() {
                wrong.push(format!("{reader}: {outcome:?}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(total >= INPUTS);
}

#[test]
fn every_reader_takes_its_samples() {
    for reader in readers::all() {
        let samples = (reader.samples)();
        assert!(!samples.is_empty(), "{} has no sample", reader.name);
        for sample in samples {
            assert_eq!(
                (reader.read)(&sample),
                Ok(()),
                "{}: {}",
                reader.name,
                String::from_utf8_lossy(&sample)
            );
        }
    }
}

#[test]
fn every_fuzz_target_is_a_reader_and_every_reader_a_fuzz_target() {
    let list = std::fs::read_dir(samples::repository().join("fuzz/fuzz_targets")).unwrap();
    let mut targets: Vec<String> =
        list.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    targets.sort();
    let mut names: Vec<String> = readers::all().iter().map(|reader| reader.name.to_owned()).collect();
    names.sort();
    assert_eq!(targets, names);
}
