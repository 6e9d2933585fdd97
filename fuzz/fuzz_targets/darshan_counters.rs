//! Arbitrary bytes read as what Darshan counted: a log of any form, or darshan-parser's text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("darshan_counters", bytes));
