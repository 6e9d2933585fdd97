//! Arbitrary bytes read as the folder of a sweep.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("sweep_folder", bytes));
