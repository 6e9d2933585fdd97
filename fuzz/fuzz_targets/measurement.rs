//! Arbitrary bytes read as what iozone and fio print of a run.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("measurement", bytes));
