//! What every quantity promises: exact reading, texts that read back, and refusals that help.
#![allow(clippy::unwrap_used)]

use petrio_time::Time;
use petrio_units::{
    Amount, Blocks, Bytes, Duration, Fraction, Frequency, Rate, RotationSpeed, SignedBlocks, SignedDuration,
    UnitError,
};
use proptest::prelude::*;
use std::str::FromStr;

fn refusal<Q: FromStr<Err = UnitError> + std::fmt::Debug>(text: &str) -> String {
    text.parse::<Q>().unwrap_err().to_string()
}

#[test]
fn decimal_and_binary_prefixes_are_exact_and_differ() {
    for (text, bytes) in [
        ("64 KiB", 65_536),
        ("64kB", 64_000),
        ("1.5 KiB", 1_536),
        ("0.1 MB", 100_000),
        ("16_384 B", 16_384),
        ("2 GiB", 1 << 31),
        ("4e3 B", 4_000),
        ("15.999999999999 TB", 15_999_999_999_999),
        ("18446744073709551615 B", u64::MAX),
    ] {
        assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
    }
    assert_eq!("1 Gbit/s".parse::<Rate>().unwrap().bytes_per_second(), 125e6);
    assert_eq!("100 MiB/s".parse::<Rate>().unwrap().bytes_per_second(), 104_857_600.0);
    assert_eq!("0.1 MB/s".parse::<Rate>().unwrap().bytes_per_second(), 100_000.0);
    assert_eq!("300 /min".parse::<Frequency>().unwrap().per_second(), 5.0);
    assert_eq!("8 sectors".parse(), Ok(Blocks(8)));
    assert_eq!("4 KiB".parse(), Ok(Blocks(8)));
}

#[test]
fn durations_are_exact_to_the_picosecond() {
    for (text, ps) in [
        ("5.3 ms", 5_300_000_000),
        ("25us", 25_000_000),
        ("25 µs", 25_000_000),
        ("25 μs", 25_000_000),
        ("0.000000000001 s", 1),
        ("2 h", 7_200_000_000_000_000),
        ("8.3333333333333333 ms", 8_333_333_333),
        (" 1 ps ", 1),
    ] {
        assert_eq!(text.parse::<Duration>().unwrap().time(), Time::from_picos(ps), "{text}");
    }
    assert_eq!("-0.642 ms".parse::<SignedDuration>().unwrap().as_picos(), -642_000_000);
    assert_eq!("−1 ms".parse::<SignedDuration>().unwrap().added_to(Time::from_micros(400)), Time::ZERO);
}

#[test]
fn a_bare_number_is_refused_with_the_unit_that_was_probably_meant() {
    assert_eq!(refusal::<Duration>("5"), "\"5\" has no unit; write \"5 ms\"");
    assert_eq!(refusal::<Bytes>("64"), "\"64\" has no unit; write \"64 KiB\", \"64 MiB\" or \"64 GiB\"");
    assert_eq!(refusal::<RotationSpeed>("7_200"), "\"7_200\" has no unit; write \"7_200 rpm\"");
    let from_number = |text: &str| serde_json::from_str::<Duration>(text).unwrap_err().to_string();
    assert!(from_number("5").starts_with("\"5\" has no unit; write \"5 ms\""));
    assert!(from_number("0.25").starts_with("\"0.25\" has no unit"));
    assert!(from_number("true").contains("a duration as text, such as \"5 ms\""));
}

#[test]
fn a_unit_of_another_quantity_is_named_as_such() {
    assert_eq!(refusal::<Duration>("5 KiB"), "\"5 KiB\" is a size, a duration is needed, such as \"5 ms\"");
    assert_eq!(refusal::<Bytes>("1 MB/s"), "\"1 MB/s\" is a data rate, a size is needed, such as \"64 KiB\"");
    assert_eq!(refusal::<Fraction>("3 ms"), "\"3 ms\" is a duration, a fraction is needed, such as \"30 %\"");
}

#[test]
fn an_unknown_or_ambiguous_unit_gets_advice() {
    for (message, part) in [
        (refusal::<Duration>("5 msec"), "write \"ms\""),
        (refusal::<Duration>("5 Ms"), "did you mean \"ms\"?"),
        (refusal::<Bytes>("5 KB"), "write \"kB\" (1000 bytes) or \"KiB\" (1024 bytes)"),
        (refusal::<Bytes>("5 kib"), "did you mean \"KiB\"?"),
        (refusal::<Rate>("1 Mb/s"), "write \"MB/s\" (bytes) or \"Mbit/s\" (bits)"),
        (refusal::<RotationSpeed>("7200 RPM"), "write \"rpm\""),
        (refusal::<Duration>("5 fortnights"), "its units are s, ms"),
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn numbers_that_cannot_be_are_refused() {
    for (message, part) in [
        (refusal::<Duration>("-5 ms"), "is negative"),
        (refusal::<Duration>("NaN ms"), "does not begin with a number"),
        (refusal::<Duration>("inf s"), "does not begin with a number"),
        (refusal::<Duration>("1,5 ms"), "write a decimal point"),
        (refusal::<Duration>("300 d"), "at most 213 d"),
        (refusal::<Duration>("1e400 s"), "too large"),
        (refusal::<Duration>("1e99999999999 s"), "its exponent can't be read"),
        (refusal::<Duration>("0.1 ps"), "the smallest step of a duration is 1 ps"),
        (refusal::<Duration>(""), "nothing is written here"),
        (refusal::<Duration>("ms"), "does not begin with a number"),
        (refusal::<Bytes>("17 EiB"), "at most 16 EiB less 1 B"),
        (refusal::<Bytes>("0.3 KiB"), "not a whole number of bytes"),
        (refusal::<Blocks>("1000 B"), "not a whole number of blocks of 512 bytes"),
        (refusal::<Rate>("0 MB/s"), "more than zero"),
        (refusal::<Rate>("1e300 TB/s"), "too large"),
        (refusal::<Fraction>("130 %"), "between 0 and 1"),
        (refusal::<Fraction>("5"), "between 0 and 1"),
    ] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn fractions_may_be_bare_numbers() {
    for text in ["\"30 %\"", "\"0.3\"", "0.3", "\"30%\""] {
        assert_eq!(serde_json::from_str::<Fraction>(text).unwrap(), Fraction::new(0.3).unwrap(), "{text}");
    }
    assert_eq!(serde_json::from_str::<Fraction>("1").unwrap(), Fraction::ONE);
}

#[test]
fn texts_are_as_a_person_would_write_them() {
    assert_eq!(Bytes(65_536).to_string(), "64 KiB");
    assert_eq!(Bytes(512).to_string(), "512 B");
    assert_eq!(Bytes(100_000_000).to_string(), "100 MB");
    assert_eq!(Duration::new(Time::from_micros(2_500)).to_string(), "2.5 ms");
    assert_eq!(Duration::ZERO.to_string(), "0 s");
    assert_eq!("100 MiB/s".parse::<Rate>().unwrap().to_string(), "100 MiB/s");
    assert_eq!(Fraction::new(0.3).unwrap().to_string(), "30 %");
    assert_eq!(Blocks(1).to_string(), "1 block");
}

#[test]
fn the_schema_of_a_quantity_accepts_its_example_and_no_bare_number() {
    let schema = serde_json::to_value(schemars::schema_for!(Duration)).unwrap();
    assert_eq!(schema["type"], "string");
    assert_eq!(schema["examples"][0], "5 ms");
    assert!(schema["pattern"].as_str().unwrap().contains("|ms|"));
}

fn reads_back<Q: FromStr<Err = UnitError> + PartialEq + std::fmt::Debug + ToString>(value: &Q) {
    assert_eq!(value.to_string().parse::<Q>().as_ref(), Ok(value), "{}", value.to_string());
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), 1e-6..1e15f64, (1u32..100_000).prop_map(f64::from)]
        .prop_filter_map("more than zero", |value| (value.is_normal() && value > 0.0).then_some(value))
}

#[test]
fn amounts_keep_the_fractions_that_counts_refuse_and_the_text_of_whole_ones() {
    assert!("812.37 B".parse::<Bytes>().is_err());
    for (text, written) in
        [("812.37 B", "812.37 B"), ("4096 B", "4 KiB"), ("0 B", "0 B"), ("1_000_000 B", "1 MB")]
    {
        assert_eq!(text.parse::<Amount<Bytes>>().unwrap().to_string(), written);
    }
    for text in ["25 ms", "281.92 µs", "0.37 ps", "0 s", "1.5 s"] {
        assert_eq!(text.parse::<Amount<Duration>>().unwrap().to_string(), text);
    }
    assert_eq!("1 KiB".parse::<Amount<Blocks>>().unwrap().to_string(), "2 blocks");
    assert_eq!("-20 MB".parse::<Amount<SignedBlocks>>().unwrap().base(), -39_062.5);
    // A time in seconds is the float nearest to its text.
    assert_eq!("281.92 us".parse::<Amount<Duration>>().unwrap().base(), 281.92e-6);
    let refused = [
        ("-5 ms".parse::<Amount<Duration>>().unwrap_err(), "is negative"),
        ("5".parse::<Amount<Duration>>().unwrap_err(), "has no unit; write \"5 ms\""),
        ("5 ms".parse::<Amount<Bytes>>().unwrap_err(), "is a duration, a size is needed"),
        ("5 ms".parse::<Amount<f64>>().map(|_| ()).unwrap_err(), "a number without unit"),
        ("1e400 B".parse::<Amount<Bytes>>().unwrap_err(), "too large"),
    ];
    for (error, part) in refused {
        assert!(error.to_string().contains(part), "{error}");
    }
}

proptest! {
    #[test]
    fn every_text_reads_back_as_the_same_value(count in any::<u64>(), small in 0u64..10_000_000, value in positive(), part in 0.0..=1.0f64) {
        for count in [count, small, count >> (small % 64)] {
            reads_back(&Bytes(count));
            reads_back(&Blocks(count));
            reads_back(&Duration::new(Time::from_picos(count.min(u64::MAX - 1))));
            reads_back(&SignedDuration::from_picos((count as i64).max(-i64::MAX)));
        }
        reads_back(&Amount::<Bytes>::from_base(value));
        reads_back(&Amount::<Blocks>::from_base(value));
        reads_back(&Amount::<SignedBlocks>::from_base(-value));
        if value < 1e290 {
            reads_back(&Amount::<Duration>::from_base(value));
        }
        reads_back(&Amount::<f64>::from_base(-value));
        reads_back(&Rate::new(value).unwrap());
        reads_back(&RotationSpeed::new(value).unwrap());
        reads_back(&Frequency::new(value).unwrap());
        reads_back(&Fraction::new(part).unwrap());
    }

    #[test]
    fn no_text_makes_a_quantity_panic(text in "\\PC{0,30}", number in "[-+]?[0-9_.,]{0,30}([eE][-+]?[0-9]{1,12})? ?(ms|KiB|MB/s|%|rpm|/s|blocks|)") {
        for text in [&text, &number] {
            let _ = text.parse::<Duration>();
            let _ = text.parse::<SignedDuration>();
            let _ = text.parse::<Bytes>();
            let _ = text.parse::<Blocks>();
            let _ = text.parse::<Rate>();
            let _ = text.parse::<RotationSpeed>();
            let _ = text.parse::<Frequency>();
            let _ = text.parse::<Fraction>();
        }
    }
}
