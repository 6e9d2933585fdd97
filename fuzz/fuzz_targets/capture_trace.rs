//! Arbitrary bytes read as the kernel's trace of a block device, and as a journal's superblock and descriptor.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("capture_trace", bytes));
