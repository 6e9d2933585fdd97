//! Arbitrary text read as an array of the catalogue's form.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("array", bytes));
