//! Arbitrary text read as a script of file operations, and run for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_workload::program::{Placement, Script, ScriptParameters, Step};

fuzz_target!(|text: &str| {
    let Ok(script) = text.parse::<Script>() else { return };
    assert!(
        script.to_string().parse::<Script>().is_ok_and(|again| again == script),
        "prints as another script"
    );
    let Ok(mut prepared) = ScriptParameters::new(text).prepare(&Placement::new("fuzz")) else { return };
    let program = &mut prepared.programs[0];
    for _ in 0..10_000 {
        match program.next(None) {
            Ok(Step::End) | Err(_) => break,
            Ok(_) => {}
        }
    }
});
