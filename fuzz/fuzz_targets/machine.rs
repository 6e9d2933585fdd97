//! Arbitrary bytes read as the file of a machine of the catalogue.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("machine", bytes));
