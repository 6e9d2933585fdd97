//! The files that a command leaves when asked to: every figure as JSON, and a page.

use crate::failure::Failure;
use crate::output::{print, talk};
use clap::Args;
use petrio_scenario::report::{WholeFile, write_text};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The options `--json` and `--html`.
#[derive(Args)]
pub(crate) struct Results {
    /// Write every figure as JSON
    #[arg(long, value_name = "OUT")]
    pub(crate) json: Option<PathBuf>,
    /// Write a self-contained HTML page with plots
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
}

impl Results {
    fn all(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let all = [("--json", &self.json), ("--html", &self.html)];
        all.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)))
    }

    /// What can be known before long work: a result over what is read or over another result, a folder that isn't there.
    pub(crate) fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        if let (Some(json), Some(html)) = (&self.json, &self.html)
            && json == html
        {
            let message = format!("--json and --html both name {}", json.display());
            return Err(Failure::new(message, Some("give each result a file of its own".to_owned())));
        }
        for (option, path) in self.all() {
            let same = |input: &Path| matches!((path.canonicalize(), input.canonicalize()), (Ok(one), Ok(other)) if one == other);
            if inputs.iter().any(|input| same(input)) {
                let message = format!("{option} would overwrite {}, which is read", path.display());
                return Err(Failure::new(message, Some("name another file".to_owned())));
            }
            // Dropped at once, which leaves nothing behind.
            WholeFile::create(path)?;
        }
        Ok(())
    }

    /// Leaves what was found: as JSON and as the page that `write_html` makes, where they were asked for, and on standard output what
    /// `text` says, where it says anything.
    pub(crate) fn leave<T: Serialize, E>(
        &self,
        found: &T,
        write_html: impl FnOnce(&T, &Path) -> Result<(), E>,
        text: Option<String>,
    ) -> Result<(), Failure>
    where
        Failure: From<E>,
    {
        if let Some(path) = &self.json {
            write_json(found, path)?;
        }
        if let Some(path) = &self.html {
            write_html(found, path)?;
        }
        if let Some(text) = text {
            print(&text)?;
        }
        self.say_written();
        Ok(())
    }

    /// Says what was written.
    pub(crate) fn say_written(&self) {
        say_written(self.all().map(|(_, path)| path));
    }
}

/// Says which files were written.
pub(crate) fn say_written<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) {
    for path in paths {
        talk(&format!("written: {}", path.display()));
    }
}

/// Writes a value as JSON, whole or not at all.
pub(crate) fn write_json(value: &impl Serialize, path: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|error| Failure::Output(error.to_string()))?;
    Ok(write_text(path, &format!("{text}\n"))?)
}
