//! The files that a command is to leave, looked at before anything is done: no two are one, none is read, each can be
//! written.

use crate::failure::Failure;
use crate::streams;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_files::whole_file::WholeFile;
use petrio_scenario::report::ReportError;
use petrio_trace::write::OutputFormat;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Files that are to be written, each with the option that names it.
#[derive(Default)]
pub(crate) struct Outputs<'a>(Vec<(&'static str, &'a Path)>);

impl<'a> Outputs<'a> {
    /// Of those options that are given.
    pub(crate) fn of(options: impl IntoIterator<Item = (&'static str, &'a Option<PathBuf>)>) -> Self {
        let given = options.into_iter().filter_map(|(option, path)| Some((option, path.as_deref()?)));
        Self(given.collect())
    }

    /// The files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&'static str, &'a Path)> + '_ {
        self.0.iter().copied()
    }

    /// Whether one of them goes to standard output, in the place of all that a command prints otherwise.
    pub(crate) fn to_output(&self) -> bool {
        self.paths().any(|(_, path)| streams::is_output(path))
    }

    /// Looks at all of them. `named` are files that will be read; what was read already the `inputs` know.
    pub(crate) fn check<'n>(
        &self,
        inputs: &Inputs,
        named: impl IntoIterator<Item = &'n Path>,
    ) -> Result<(), Failure> {
        for path in named {
            if let Ok(there) = path.metadata() {
                inputs.remember(&there);
            }
        }
        for (position, (option, path)) in self.0.iter().enumerate() {
            let shown = streams::told(path);
            if streams::is_output(path)
                && self.0[..position].iter().any(|(_, known)| streams::is_output(known))
            {
                let message = format!("{option} is not the only result that goes to standard output");
                return Err(Failure::new(
                    message,
                    Some("give each result but one a file of its own".to_owned()),
                ));
            }
            if let Some((other, _)) = self.0[..position].iter().find(|(_, known)| is_one_file(known, path)) {
                let message = format!("{other} and {option} both name {shown}");
                return Err(Failure::new(message, Some("give each result a file of its own".to_owned())));
            }
            if inputs.contain(path) {
                let message = format!("{option} would overwrite {shown}, which is read");
                return Err(Failure::new(message, Some("name another file".to_owned())));
            }
            WholeFile::check(path, inputs).map_err(|cause| cannot_write(path, cause))?;
        }
        Ok(())
    }
}

/// Refuses to take the place of a file that is there: for a name that stands where an input could, and for what can't
/// be had again.
pub(crate) fn is_free(path: &Path, force: bool, help: &str) -> Result<(), Failure> {
    // A pipe or a device is written through, and an empty file loses nothing.
    if !force && path.metadata().is_ok_and(|there| there.is_file() && there.len() > 0) {
        return Err(Failure::new(format!("{} is there already", shown::path(path)), Some(help.to_owned())));
    }
    Ok(())
}

/// That a file can't be written: the asker's mistake, or the system's refusal.
pub(crate) fn cannot_write(path: &Path, cause: io::Error) -> Failure {
    ReportError::Write { path: path.to_owned(), cause }.into()
}

/// Whether two names lead to one file. Pipes and devices may be named twice.
fn is_one_file(one: &Path, other: &Path) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(first), Ok(second)) => {
            first.is_file() && (first.dev(), first.ino()) == (second.dev(), second.ino())
        }
        (Err(_), Err(_)) => {
            let place = |path: &Path| {
                let path = std::path::absolute(path).ok()?;
                let folder = path.parent()?.canonicalize().ok()?;
                Some(folder.join(path.file_name()?))
            };
            one == other || place(one).is_some_and(|place_one| place(other) == Some(place_one))
        }
        _ => false,
    }
}

/// A trace is written as petrio's own, whatever another format its name says.
pub(crate) fn is_own_trace(path: Option<&Path>) -> Result<(), Failure> {
    let other =
        |path: &&Path| OutputFormat::of_path(path).is_some_and(|format| format != OutputFormat::Native);
    let Some(path) = path.filter(other) else { return Ok(()) };
    let help = "name it NAME.parquet; petrio trace convert makes other formats of it".to_owned();
    Err(Failure::new(format!("{}: it is written as petrio's own trace", path.display()), Some(help)))
}
