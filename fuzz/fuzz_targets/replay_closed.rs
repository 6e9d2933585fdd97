//! Arbitrary bytes read as a trace of petrio's own format and replayed closed, on a device whose speed is arbitrary too.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("replay_closed", bytes));
