//! Arbitrary text read as a scenario.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(problems) = petrio_scenario::load_text("fuzz", text, None, &[]) {
        assert!(problems.iter().count() > 0, "refused without a reason");
    }
});
