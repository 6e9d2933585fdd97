//! Decisions of profiles.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::device::Kind;
use petrio_time::Time;
use petrio_units::Bytes;

fn profile(text: &str) -> FaultProfile {
    let profile: FaultProfile = toml::from_str(text).unwrap();
    profile.check(&[("d".to_owned(), Bytes::from_mib(1_024))]).unwrap();
    profile
}

fn faults(text: &str) -> Faults {
    Faults::new(&profile(text), "d")
}

#[test]
fn the_same_seed_decides_the_same_and_another_otherwise() {
    let text = "[[delay]]\nshare = 0.3\nby = { exponential = { mean = \"5 ms\" } }\n[[error]]\nshare = 0.1\n";
    let decided = |seed: u64| {
        let mut faults = faults(&format!("seed = {seed}\n{text}"));
        (0..1_000).map(|number| faults.decide(Kind::Read, (number, 1), Time::ZERO)).collect::<Vec<_>>()
    };
    assert_eq!(decided(1), decided(1));
    assert_ne!(decided(1), decided(2));
    let late = decided(1).iter().filter(|decision| decision.later > Time::ZERO).count();
    let failed = decided(1).iter().filter(|decision| decision.fails).count();
    assert!((240..360).contains(&late) && (60..140).contains(&failed), "{late}, {failed}");
}

#[test]
fn errors_are_of_their_addresses_their_kind_their_time_and_no_more_often_than_said() {
    let mut faults =
        faults("[[error]]\nof = \"writes\"\nfrom = \"4 KiB\"\nto = \"8 KiB\"\ntimes = 3\nafter = \"1 s\"\n");
    let mut fails =
        |kind, blocks, seconds| faults.decide(kind, blocks, Time::from_whole_seconds(seconds)).fails;
    assert!(!fails(Kind::Write, (8, 1), 0), "it is too early");
    assert!(!fails(Kind::Read, (8, 1), 2) && !fails(Kind::Flush, (0, 0), 2));
    assert!(!fails(Kind::Write, (0, 8), 2) && !fails(Kind::Write, (16, 8), 2));
    assert!(
        fails(Kind::Write, (7, 2), 2) && fails(Kind::Write, (15, 4), 2) && fails(Kind::Discard, (0, 100), 2)
    );
    assert!(!fails(Kind::Write, (8, 1), 2), "three were said");
}

#[test]
fn a_flush_is_pretended_and_a_region_is_slow() {
    let mut faults = faults("[[slow]]\nto = \"4 KiB\"\ntimes = 3\n[flush]\nlost = 1\ntakes = \"2 ms\"\n");
    assert_eq!(faults.decide(Kind::Flush, (0, 0), Time::ZERO).pretended, Some(Time::from_millis(2)));
    assert_eq!(faults.decide(Kind::Read, (7, 4), Time::ZERO).times, 3.0);
    assert_eq!(faults.decide(Kind::Read, (8, 4), Time::ZERO).times, 1.0);
    let other = &mut Faults::new(&toml::from_str("[[slow]]\ntimes = 3\ndevice = \"e\"\n").unwrap(), "d");
    assert_eq!(other.decide(Kind::Read, (0, 1), Time::ZERO).times, 1.0);
}

#[test]
fn nothing_comes_back_in_a_stall_and_all_of_it_at_its_end() {
    let text = "[[stall]]\nat = \"10 s\"\nlasts = \"2 s\"\n[[stall]]\nat = \"20 s\"\nevery = \"7 s\"\nlasts = \"3 s\"\n";
    let mut stalls = Stalls::new(&profile(text), "d");
    let mut through = |ms: u64| stalls.through(Time::from_millis(ms)).as_millis();
    assert_eq!(
        (through(9_999), through(10_000), through(11_999), through(12_000)),
        (9_999.0, 12_000.0, 12_000.0, 12_000.0)
    );
    assert_eq!((through(19_999), through(20_500), through(23_000)), (19_999.0, 23_000.0, 23_000.0));
    assert_eq!((through(30_000), through(33_500), through(50_500)), (33_000.0, 33_500.0, 53_000.0));
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    for (text, at) in [
        ("[[stall]]\nlasts = \"1 s\"\n", "stall.0"),
        ("[[stall]]\nlasts = \"1 s\"\nevery = \"0 s\"\n", "stall.0.every"),
        ("[[slow]]\ntimes = 0.5\n", "slow.0.times"),
        ("[[delay]]\nshare = 1\nby = \"1 s\"\ndevice = \"x\"\n", "delay.0.device"),
        ("[[error]]\nof = \"flushes\"\nto = \"1 MiB\"\n", "error.0"),
        ("[[error]]\nfrom = \"1 GiB\"\n", "error.0.from"),
        ("[[slow]]\ntimes = 2\nfrom = \"900000 GiB\"\ndevice = \"d\"\n", "slow.0.from"),
        ("[decay]\nhalves = \"0 s\"\n", "decay.halves"),
        ("[decay]\nhalves = \"1 s\"\nleast = 0\n", "decay.least"),
    ] {
        let profile: FaultProfile = toml::from_str(text).unwrap();
        assert_eq!(profile.check(&[("d".to_owned(), Bytes::from_mib(1_024))]).unwrap_err().at, at, "{text}");
    }
}
