//! What every measurement that ends in a file does: it replaces nothing unasked, shows how far it is, and writes the whole
//! file or none.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use petrio_live::calibrate::CalibrationProgress;
use petrio_scenario::report::WholeFile;
use std::io::Write;
use std::path::Path;

/// Refuses to replace a file that nobody said may be replaced.
pub(super) fn refuse_existing(path: &Path, force: bool) -> Result<(), Failure> {
    // What is written through, as a pipe or standard output, replaces nothing.
    if path.is_file() && !force && !crate::streams::is_output(path) {
        let help = "choose another name, or replace it with --force".to_owned();
        return Err(Failure::new(format!("{} is there already", path.display()), Some(help)));
    }
    Ok(())
}

/// Measures, and shows meanwhile how far that is.
pub(super) fn shown<T>(measure: impl FnOnce(&mut (dyn FnMut(CalibrationProgress) + Send)) -> T) -> T {
    let bar = ProgressBar::new(1);
    if let Ok(style) = ProgressStyle::with_template("{msg:20} {wide_bar} {percent} % ({elapsed})") {
        bar.set_style(style);
    }
    let measured = measure(&mut |step| {
        bar.set_length(step.total);
        bar.set_position(step.done);
        bar.set_message(step.what);
    });
    bar.finish_and_clear();
    measured
}

/// Writes a file to its end.
pub(super) fn complete(mut file: WholeFile, path: &Path, text: &str) -> Result<(), Failure> {
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| Failure::Output(format!("{} can't be written: {error}", path.display())))?;
    Ok(file.finish()?)
}
