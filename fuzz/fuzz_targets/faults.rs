//! Arbitrary text read as a profile of faults.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("faults", bytes));
