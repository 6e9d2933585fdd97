//! Arbitrary bytes read as what perf trace prints.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("trace_perf_trace", bytes));
