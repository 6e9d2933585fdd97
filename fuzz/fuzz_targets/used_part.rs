//! Arbitrary text read as a part that a scenario uses.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("used_part", bytes));
