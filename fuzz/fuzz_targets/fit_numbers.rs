//! Arbitrary bytes read as numbers, of a list or of a table's column, and fitted where they are any.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_study::fit::{Data, Unit, fit_data};
use petrio_workload::fit::FitOptions;

fuzz_target!(|bytes: &[u8]| {
    let Some((&how, text)) = bytes.split_first() else { return };
    // Many values are fitted like few, and slower.
    if text.len() > 512 {
        return;
    }
    let column = [None, Some("a"), Some("2")][usize::from(how % 3)];
    let unit = [Unit::None, Unit::Bytes, Unit::Time][usize::from(how / 3 % 3)];
    let options = FitOptions { phases: 3, ..FitOptions::default() };
    let data = Data::Text { name: "fuzz".to_owned(), source: Box::new(text), column, unit };
    match fit_data(data, &options, &|_| {}) {
        Ok(fitted) => assert!(fitted.toml(fitted.report.chosen()).contains('=')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
