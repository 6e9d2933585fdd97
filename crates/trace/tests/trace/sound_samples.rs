//! The samples of every format, with which fuzzing begins (`fuzz/seeds`; what becomes of them when they are damaged is
//! tried by `crates/hostile`).

use super::support::{block_formats, options, read_bytes, read_events, sound};
use petrio_trace::{FormatName, TraceOptions};

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
