//! The files that a command leaves when asked to: every figure as JSON, and a page.

use crate::failure::Failure;
use crate::output::{print, talk};
use crate::outputs::Outputs;
use crate::streams;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_scenario::report::write_text;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The options `--json` and `--html`.
#[derive(Args)]
pub(crate) struct Results {
    /// Write every figure as JSON
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    pub(crate) json: Option<PathBuf>,
    /// Write a self-contained HTML page with plots
    #[arg(long, value_name = "OUT", value_parser = crate::streams::output)]
    pub(crate) html: Option<PathBuf>,
}

impl Results {
    fn all(&self) -> Outputs<'_> {
        Outputs::of([("--json", &self.json), ("--html", &self.html)])
    }

    /// What can be known before long work: a result over what is read or over another result, a folder that isn't
    /// there.
    pub(crate) fn check(&self, inputs: &Inputs, named: &[&Path]) -> Result<(), Failure> {
        self.all().check(inputs, named.iter().copied())
    }

    /// Leaves what was found: as JSON and as the page that `write_html` makes, where they were asked for, and on
    /// standard output what `text` says, where it says anything.
    pub(crate) fn leave<T: Serialize, E>(
        &self,
        (found, inputs): (&T, &Inputs),
        write_html: impl FnOnce(&T, &Path, &Inputs) -> Result<(), E>,
        text: Option<String>,
    ) -> Result<(), Failure>
    where
        Failure: From<E>,
    {
        if let Some(path) = &self.json {
            write_json(found, path, inputs)?;
        }
        if let Some(path) = &self.html {
            write_html(found, path, inputs)?;
        }
        if let Some(text) = text.filter(|_| !self.to_output()) {
            print(&text)?;
        }
        self.say_written();
        Ok(())
    }

    /// Whether one of them goes to standard output, in the place of all that a command prints otherwise.
    pub(crate) fn to_output(&self) -> bool {
        self.all().to_output()
    }

    /// Says what was written.
    pub(crate) fn say_written(&self) {
        say_written(self.all().paths().map(|(_, path)| path));
    }
}

/// Says which files were written.
pub(crate) fn say_written<'a, P: AsRef<Path> + ?Sized + 'a>(paths: impl IntoIterator<Item = &'a P>) {
    for path in paths.into_iter().map(AsRef::as_ref).filter(|path| !streams::is_output(path)) {
        talk(&format!("written: {}", path.display()));
    }
}

/// Writes a value as JSON, whole or not at all.
pub(crate) fn write_json(value: &impl Serialize, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output(error.to_string()))?;
    Ok(write_text(path, inputs, &format!("{text}\n"))?)
}
