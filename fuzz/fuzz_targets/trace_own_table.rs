//! Arbitrary text read as a table whose columns are named by its reader.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_own_table", bytes));
