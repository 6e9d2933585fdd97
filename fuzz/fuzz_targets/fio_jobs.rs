//! Arbitrary text read as a job file of fio.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("fio_jobs", bytes));
