//! Arbitrary bytes read as a DiskSim parameter file and as all files that it names.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("disksim_parameters", bytes));
