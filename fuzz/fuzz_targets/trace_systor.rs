//! Arbitrary bytes read as a `systor` trace.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_systor", bytes));
