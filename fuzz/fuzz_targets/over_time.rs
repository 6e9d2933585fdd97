//! Arbitrary bytes read as what iostat, sar, node_exporter or Prometheus tell of disks over time, or as a table of that.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| petrio_hostile::readers::read("over_time", bytes));
