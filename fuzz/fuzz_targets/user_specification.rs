//! Arbitrary text read as a user specification; what it describes on a small scale is laid out, and its users run for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("user_specification", bytes));
