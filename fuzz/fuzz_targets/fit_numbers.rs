//! Arbitrary bytes read as numbers, of a list or of a table's column, and fitted where they are any.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("fit_numbers", bytes));
