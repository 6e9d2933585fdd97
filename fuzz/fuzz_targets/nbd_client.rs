//! Arbitrary bytes said to the server of the network block device.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("nbd_client", bytes));
