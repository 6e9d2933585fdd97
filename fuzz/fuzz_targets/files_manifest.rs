//! Arbitrary text read as the manifest of a directory of files.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("files_manifest", bytes));
