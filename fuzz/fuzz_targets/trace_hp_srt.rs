//! Arbitrary bytes read as a `hp-srt` trace, as requests and as events.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_hp_srt", bytes));
