//! Arbitrary bytes as what the recorder leaves of a program's thread.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("raw_records", bytes));
