//! Arbitrary text read as a table of placements.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("placement", bytes));
