//! Arbitrary text read as a script of file operations, and run for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("program_script", bytes));
