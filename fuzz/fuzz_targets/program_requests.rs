//! Arbitrary bytes read as captured file requests, and played back by all of their processes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("program_requests", bytes));
