//! Arbitrary bytes read as a `oracle-general` trace, as requests and as events.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_oracle_general", bytes));
