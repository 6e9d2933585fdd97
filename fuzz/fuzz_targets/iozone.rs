//! Arbitrary text read as iozone's command lines or its output.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("iozone", bytes));
