//! The entry points of the fuzz targets on some thousand mutated samples, the same ones in every run.

use super::support::{block_formats, options, read_bytes, read_events, sound};
use petrio_workload::trace::{FormatName, TraceOptions};

/// A small generator of its own (xorshift), so that the samples never change with a dependency.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize
    }
}

/// What a fuzzer does: flip, overwrite, cut, double, and splice.
fn mutate(mut bytes: Vec<u8>, other: &[u8], noise: &mut Noise) -> Vec<u8> {
    const INTERESTING: &[&[u8]] =
        &[b"-", b"nan", b"inf", b"1e999", b"0", b"\n", b"\0", b",", b" ", b"18446744073709551616", b"\xff"];
    for _ in 0..=noise.next() % 6 {
        let at = noise.next() % (bytes.len() + 1);
        match noise.next() % 6 {
            0 if at < bytes.len() => bytes[at] ^= 1 << (noise.next() % 8),
            1 if at < bytes.len() => bytes[at] = noise.next() as u8,
            2 => bytes.truncate(at),
            3 => bytes.extend_from_within(at..),
            4 => {
                let piece = INTERESTING[noise.next() % INTERESTING.len()];
                bytes.splice(at..at, piece.iter().copied());
            }
            _ => {
                let from = noise.next() % (other.len() + 1);
                bytes.splice(at..at, other[from..].iter().take(64).copied());
            }
        }
    }
    bytes
}

#[test]
fn no_reader_panics_on_mutated_samples() {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for format in FormatName::ALL {
        let other = sound(FormatName::ALL[noise.next() % FormatName::ALL.len()]);
        // Parquet's decoder is slow to begin, and panics are caught and printed.
        let rounds = if format == FormatName::Native { 300 } else { 3_000 };
        for _ in 0..rounds {
            let bytes = mutate(sound(format), &other, &mut noise);
            refused += usize::from(read_bytes(&bytes, &options(format)).is_err());
            let _ = read_bytes(&bytes, &TraceOptions::default());
            let events = read_events(&bytes, &options(format)).unwrap_or_default();
            assert!(events.is_sorted_by_key(|event| event.time));
            let _ = read_events(&bytes, &TraceOptions::default());
        }
    }
    // The mutations do reach the checks.
    assert!(refused > 5_000, "{refused}");
}

#[test]
fn arbitrary_bytes_are_no_trace_and_no_panic() {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    for _ in 0..2_000 {
        let bytes: Vec<u8> = (0..noise.next() % 300).map(|_| noise.next() as u8).collect();
        for format in FormatName::ALL {
            let _ = read_events(&bytes, &options(format));
        }
        let _ = read_events(&bytes, &TraceOptions::default());
    }
}

#[test]
fn every_sound_sample_is_sound() {
    for format in block_formats() {
        let detected = read_bytes(&sound(format), &TraceOptions::default()).unwrap();
        assert_eq!(detected, read_bytes(&sound(format), &options(format)).unwrap(), "{format}");
    }
    for format in FormatName::ALL {
        let detected = read_events(&sound(format), &TraceOptions::default()).unwrap();
        assert_eq!(detected, read_events(&sound(format), &options(format)).unwrap(), "{format}");
        assert!(!detected.is_empty(), "{format}");
    }
}

#[test]
fn a_trace_of_calls_is_no_block_trace_and_says_so() {
    for format in FormatName::ALL.into_iter().filter(|format| format.is_of_calls()) {
        let error = read_bytes(&sound(format), &TraceOptions::default()).unwrap_err();
        assert!(error.to_string().contains("a trace of calls on files"), "{error}");
    }
}
