//! Arbitrary text read as the manifest of a directory of files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_live::namespace::Manifest;

fuzz_target!(|text: &str| {
    let Ok(manifest) = Manifest::of_text(text) else { return };
    let again = serde_json::to_string(&manifest).map(|text| Manifest::of_text(&text));
    assert!(matches!(again, Ok(Ok(again)) if again == manifest), "written as another one");
    let specification = &manifest.specification;
    // Many files are allowed, and take their time.
    if manifest.users <= 4
        && specification.files.users.unwrap_or(0) <= 4
        && specification.files.count <= 1_000
    {
        let _ = manifest.namespace();
    }
});
