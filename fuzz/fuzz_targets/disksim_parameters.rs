//! Arbitrary bytes read as a DiskSim parameter file and as all files that it names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_scenario::catalogue::disksim::{Files, import_from};

/// Every file that is named has the same bytes, so that `source` and seek files are reached too.
struct Same<'a>(&'a [u8]);

impl Files for Same<'_> {
    fn read(&self, _name: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.to_vec())
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Err(error) = import_from(&Same(bytes), "fuzz.parv") {
        assert!(!error.to_string().is_empty(), "refused without a reason");
    }
});
