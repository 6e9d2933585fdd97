//! Arbitrary bytes read as a table of a sweep's cases.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("sweep_cases", bytes));
