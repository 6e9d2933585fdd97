//! Arbitrary bytes whose format is told from the content, compressed or not.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_detect", bytes));
